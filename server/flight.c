#include "server/flight.h"

#include <stddef.h>
#include <string.h>

#include "common/memory.h"

struct flight {
    struct digest key;
    struct passenger *waiting, **last; /* in order of arrival */
    struct flight *next;
};

/* At most one flight a running compiler, so a list is enough. */
static struct flight *flights;

static struct flight *find(const struct digest *key)
{
    for (struct flight *flight = flights; flight; flight = flight->next)
        if (digest_equal(&flight->key, key))
            return flight;
    return NULL;
}

bool flight_join(struct passenger *passenger, const struct digest *key)
{
    struct flight *flight = find(key);

    passenger->next = NULL;
    passenger->leads = !flight;
    if (!flight) {
        flight = memory_zalloc(sizeof *flight);
        flight->key = *key;
        flight->last = &flight->waiting;
        flight->next = flights;
        flights = flight;
    } else {
        *flight->last = passenger;
        flight->last = &passenger->next;
    }
    passenger->flight = flight;
    return passenger->leads;
}

static struct passenger *take_first(struct flight *flight)
{
    struct passenger *first = flight->waiting;

    if (first) {
        flight->waiting = first->next;
        if (!flight->waiting)
            flight->last = &flight->waiting;
    }
    return first;
}

static void remove_flight(struct flight *flight)
{
    for (struct flight **link = &flights; *link; link = &(*link)->next)
        if (*link == flight) {
            *link = flight->next;
            break;
        }
    memory_free(flight);
}

void flight_land(struct passenger *leader, enum landing landing)
{
    struct flight *flight = leader->flight;
    struct passenger *next;

    leader->flight = NULL;
    leader->leads = false;
    if (landing == LANDING_GONE && (next = take_first(flight))) {
        next->leads = true;
        next->wake(next, landing);
        return;
    }
    struct passenger *waiting = flight->waiting;
    remove_flight(flight); /* first: a woken waiter may begin a flight of the same key */
    for (; waiting; waiting = next) {
        next = waiting->next;
        waiting->flight = NULL;
        waiting->wake(waiting, landing);
    }
}

void flight_leave(struct passenger *passenger)
{
    struct flight *flight = passenger->flight;

    if (!flight || passenger->leads)
        return;
    struct passenger **link = &flight->waiting;
    while (*link && *link != passenger)
        link = &(*link)->next;
    if (*link)
        *link = passenger->next;
    flight->last = &flight->waiting;
    while (*flight->last)
        flight->last = &(*flight->last)->next;
    passenger->flight = NULL;
}
