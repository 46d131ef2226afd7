/* queue: what waits for the writer. Any thread may add; the writer takes. */
#ifndef CCWRAP_CACHE_QUEUE_H
#define CCWRAP_CACHE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/hash.h"
#include "cache/packed.h"
#include "cache/writer.h"

enum { GROUP_ITEMS = 64 };

enum job_kind { JOB_STORE, JOB_REMOVE, JOB_CALL };

struct job {
    struct job *next;
    enum job_kind kind;
    struct digest key;
    int64_t id; /* ticket, or id of the entry */
    int64_t used;
    struct packed *packed; /* JOB_STORE: a reference */
    void *set;             /* JOB_STORE: packed set, from memory_alloc */
    size_t set_size;
    writer_function *call; /* JOB_CALL: lies with the caller, who waits for `done` */
    void *data;
    int result;
    bool done;
};

struct use {
    int64_t id, used;
};

struct counter {
    char *name;
    int64_t amount;
};

struct counters {
    struct counter *list;
    size_t count, room;
};

struct uses {
    struct use *list;
    size_t count, room;
};

/* What the writer takes at once. */
struct group {
    struct job *jobs; /* stores and removals */
    size_t items;
    size_t bytes;
    struct job *call; /* after them; or NULL */
    struct uses uses;
    struct counters counters;
    uint32_t damaged; /* a generation that a reader found so; 0: none */
    bool stop;        /* nothing will come any more */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct job *first, **last;
    size_t items, bytes; /* stores that wait or are being written */
    size_t calls;
    int64_t since; /* clock_monotonic() of the first that waits; 0: none */
    struct uses uses;
    struct counters counters;
    uint32_t damaged;
    bool stop;
};

void queue_init(struct queue *queue);
void queue_release(struct queue *queue);

/* Takes over `job` unless the bytes that wait would be more than `limit`: -EBUSY. */
int queue_store(struct queue *queue, struct job *job, size_t limit);
void queue_remove(struct queue *queue, struct job *job);
void queue_call(struct queue *queue, struct job *job); /* waits */
void queue_use(struct queue *queue, int64_t id, int64_t used);
void queue_counter(struct queue *queue, const char *name, int64_t amount);
void queue_damaged(struct queue *queue, uint32_t generation); /* which is not 0 */
void queue_stop(struct queue *queue);

/* Waits for work (at most `milliseconds`, 0: not at all) and, unless somebody waits for it, a little longer
 * for more of it. A group has at most GROUP_ITEMS, and few more than `bytes`. */
void queue_take(struct queue *queue, int milliseconds, size_t bytes, struct group *group);
/* What was in the group is written: its bytes count no more. Frees its jobs and use times. */
void queue_written(struct queue *queue, struct group *group);
/* Counters that could not be written go back. */
void queue_return_counters(struct queue *queue, struct counters *counters);
void queue_call_done(struct queue *queue, struct job *call, int result);

#endif
