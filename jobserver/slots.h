/* slots: the server's own bound on how many compilers run at once.
 *
 * Hits need no slot. A waiter is queued in order of arrival. Waiters are the loop thread's; other threads may
 * take a slot that is free. */
#ifndef CCWRAP_JOBSERVER_SLOTS_H
#define CCWRAP_JOBSERVER_SLOTS_H

#include <pthread.h>
#include <stdbool.h>

struct slot_waiter {
    void (*granted)(struct slot_waiter *waiter); /* has the slot now; must give it back by slots_release */
    struct slot_waiter *next;
    bool queued;
};

struct slots {
    pthread_mutex_t mutex;
    unsigned free; /* none, while somebody waits */
    struct slot_waiter *first, **last;
};

/* `count` 0: no bound (a prefix distributes). */
void slots_init(struct slots *slots, unsigned count);
/* Calls waiter->granted at once if a slot is free, else later. */
void slots_request(struct slots *slots, struct slot_waiter *waiter);
/* Gives a slot back. */
void slots_release(struct slots *slots);
/* For any thread: takes a slot if one is free … */
bool slots_try(struct slots *slots);
/* … and gives it back. False: somebody waits for it, so that slots_release must be called on the loop. */
bool slots_return(struct slots *slots);
/* Leaves the queue; harmless if not in it. */
void slots_forget(struct slots *slots, struct slot_waiter *waiter);

#endif
