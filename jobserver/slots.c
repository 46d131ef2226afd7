#include "jobserver/slots.h"

#include <limits.h>
#include <stddef.h>

void slots_init(struct slots *slots, unsigned count)
{
    slots->free = count ? count : UINT_MAX / 2;
    slots->first = NULL;
    slots->last = &slots->first;
}

void slots_request(struct slots *slots, struct slot_waiter *waiter)
{
    if (slots->free > 0) {
        slots->free--;
        waiter->granted(waiter);
        return;
    }
    waiter->next = NULL;
    waiter->queued = true;
    *slots->last = waiter;
    slots->last = &waiter->next;
}

void slots_release(struct slots *slots)
{
    struct slot_waiter *waiter = slots->first;

    if (!waiter) {
        slots->free++;
        return;
    }
    slots->first = waiter->next;
    if (!slots->first)
        slots->last = &slots->first;
    waiter->queued = false;
    waiter->granted(waiter);
}

void slots_forget(struct slots *slots, struct slot_waiter *waiter)
{
    if (!waiter->queued)
        return;
    for (struct slot_waiter **link = &slots->first; *link; link = &(*link)->next)
        if (*link == waiter) {
            *link = waiter->next;
            break;
        }
    slots->last = &slots->first;
    while (*slots->last)
        slots->last = &(*slots->last)->next;
    waiter->queued = false;
}
