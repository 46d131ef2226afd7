#include "jobserver/slots.h"

#include <limits.h>
#include <stddef.h>

void slots_init(struct slots *slots, unsigned count)
{
    pthread_mutex_init(&slots->mutex, NULL);
    slots->free = count ? count : UINT_MAX / 2;
    slots->first = NULL;
    slots->last = &slots->first;
}

bool slots_try(struct slots *slots)
{
    pthread_mutex_lock(&slots->mutex);
    bool taken = slots->free > 0;
    if (taken)
        slots->free--;
    pthread_mutex_unlock(&slots->mutex);
    return taken;
}

bool slots_return(struct slots *slots)
{
    pthread_mutex_lock(&slots->mutex);
    bool returned = !slots->first;
    if (returned)
        slots->free++;
    pthread_mutex_unlock(&slots->mutex);
    return returned;
}

void slots_request(struct slots *slots, struct slot_waiter *waiter)
{
    pthread_mutex_lock(&slots->mutex);
    bool taken = slots->free > 0;
    if (taken) {
        slots->free--;
    } else {
        waiter->next = NULL;
        waiter->queued = true;
        *slots->last = waiter;
        slots->last = &waiter->next;
    }
    pthread_mutex_unlock(&slots->mutex);
    if (taken)
        waiter->granted(waiter);
}

void slots_release(struct slots *slots)
{
    pthread_mutex_lock(&slots->mutex);
    struct slot_waiter *waiter = slots->first;
    if (!waiter) {
        slots->free++;
    } else {
        slots->first = waiter->next;
        if (!slots->first)
            slots->last = &slots->first;
        waiter->queued = false;
    }
    pthread_mutex_unlock(&slots->mutex);
    if (waiter)
        waiter->granted(waiter);
}

static void leave_queue(struct slots *slots, struct slot_waiter *waiter)
{
    struct slot_waiter **link = &slots->first;

    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    if (slots->last == &waiter->next)
        slots->last = link;
    waiter->queued = false;
}

void slots_forget(struct slots *slots, struct slot_waiter *waiter)
{
    pthread_mutex_lock(&slots->mutex);
    if (waiter->queued)
        leave_queue(slots, waiter);
    pthread_mutex_unlock(&slots->mutex);
}
