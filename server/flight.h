/* flight: one compile per key at a time.
 *
 * The first request for a key leads; later ones wait until it lands. Loop thread only. */
#ifndef CCWRAP_SERVER_FLIGHT_H
#define CCWRAP_SERVER_FLIGHT_H

#include <stdbool.h>

#include "cache/hash.h"

/* How the leader's compile ended. */
enum landing {
    LANDING_STORED,  /* waiters look it up */
    LANDING_USELESS, /* it failed or could not be stored: waiters compile, all at once */
    LANDING_GONE,    /* the leader went away: one waiter takes its place */
};

struct passenger {
    /* Called when the leader has landed (STORED, USELESS), or to take the lead (GONE). */
    void (*wake)(struct passenger *passenger, enum landing landing);
    struct passenger *next;
    struct flight *flight; /* NULL: in none */
    bool leads;
};

/* Joins the flight of `key`. True: the passenger leads and must call flight_land; false: it will be woken. */
bool flight_join(struct passenger *passenger, const struct digest *key);
/* The leader lands: all waiters are woken, or with LANDING_GONE the first of them, which then leads. */
void flight_land(struct passenger *leader, enum landing landing);
/* A waiter leaves. Harmless if it is in no flight; a leader must land instead. */
void flight_leave(struct passenger *passenger);

#endif
