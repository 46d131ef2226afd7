#include "cache/queue.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/memory.h"

enum { GATHER_MILLISECONDS = 50, USES_MAX = 4096 };

void queue_init(struct queue *queue)
{
    pthread_condattr_t attributes;

    memset(queue, 0, sizeof *queue);
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->work, &attributes);
    pthread_cond_init(&queue->done, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void free_job(struct job *job)
{
    packed_unref(job->packed);
    memory_free(job->set);
    memory_free(job);
}

static void release_counters(struct counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        memory_free(counters->list[i].name);
    memory_free(counters->list);
    memset(counters, 0, sizeof *counters);
}

void queue_release(struct queue *queue)
{
    for (struct job *job = queue->first, *next; job; job = next) {
        next = job->next;
        free_job(job);
    }
    memory_free(queue->uses.list);
    release_counters(&queue->counters);
    pthread_cond_destroy(&queue->work);
    pthread_cond_destroy(&queue->done);
    pthread_mutex_destroy(&queue->lock);
}

static void append(struct queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
    if (!queue->since)
        queue->since = clock_monotonic();
    pthread_cond_signal(&queue->work);
}

int queue_store(struct queue *queue, struct job *job, size_t limit)
{
    size_t bytes = job->packed->size + job->set_size;
    int error = -EBUSY;

    pthread_mutex_lock(&queue->lock);
    if (queue->bytes + bytes <= limit) {
        queue->bytes += bytes;
        queue->items++;
        append(queue, job);
        error = 0;
    }
    pthread_mutex_unlock(&queue->lock);
    return error;
}

void queue_remove(struct queue *queue, struct job *job)
{
    pthread_mutex_lock(&queue->lock);
    append(queue, job);
    pthread_mutex_unlock(&queue->lock);
}

void queue_call(struct queue *queue, struct job *job)
{
    pthread_mutex_lock(&queue->lock);
    queue->calls++;
    append(queue, job);
    while (!job->done)
        pthread_cond_wait(&queue->done, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

/* Use times that come faster than they can be written are lost: they only guide trimming. */
void queue_use(struct queue *queue, int64_t id, int64_t used)
{
    struct uses *uses = &queue->uses;

    pthread_mutex_lock(&queue->lock);
    if (uses->count == uses->room && uses->room < 16 * USES_MAX) {
        uses->room = uses->room ? 2 * uses->room : 64;
        uses->list = memory_realloc(uses->list, uses->room * sizeof *uses->list);
    }
    if (uses->count < uses->room)
        uses->list[uses->count++] = (struct use){id, used};
    if (uses->count == USES_MAX)
        pthread_cond_signal(&queue->work);
    pthread_mutex_unlock(&queue->lock);
}

static void add_counter(struct counters *counters, const char *name, int64_t amount)
{
    size_t i = 0;

    while (i < counters->count && strcmp(counters->list[i].name, name) != 0)
        i++;
    if (i == counters->count) {
        if (counters->count == counters->room) {
            counters->room = counters->room ? 2 * counters->room : 16;
            counters->list = memory_realloc(counters->list, counters->room * sizeof *counters->list);
        }
        counters->list[counters->count++] = (struct counter){memory_strdup(name), 0};
    }
    counters->list[i].amount += amount;
}

void queue_counter(struct queue *queue, const char *name, int64_t amount)
{
    pthread_mutex_lock(&queue->lock);
    add_counter(&queue->counters, name, amount);
    pthread_mutex_unlock(&queue->lock);
}

void queue_return_counters(struct queue *queue, struct counters *counters)
{
    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < counters->count; i++)
        add_counter(&queue->counters, counters->list[i].name, counters->list[i].amount);
    pthread_mutex_unlock(&queue->lock);
    release_counters(counters);
}

void queue_damaged(struct queue *queue, uint32_t generation)
{
    pthread_mutex_lock(&queue->lock);
    queue->damaged = generation;
    pthread_cond_signal(&queue->work);
    pthread_mutex_unlock(&queue->lock);
}

void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_signal(&queue->work);
    pthread_mutex_unlock(&queue->lock);
}

static void wait_until(struct queue *queue, int64_t moment)
{
    struct timespec until = {.tv_sec = moment / 1000000000, .tv_nsec = moment % 1000000000};
    pthread_cond_timedwait(&queue->work, &queue->lock, &until);
}

static bool something_to_do(const struct queue *queue)
{
    return queue->first || queue->damaged || queue->stop || queue->uses.count >= USES_MAX;
}

static bool no_time_to_gather(const struct queue *queue, size_t bytes)
{
    return !queue->first || queue->calls || queue->damaged || queue->stop || queue->items >= GROUP_ITEMS ||
           queue->bytes >= bytes;
}

static void wait_for_work(struct queue *queue, int milliseconds, size_t bytes)
{
    int64_t until = clock_monotonic() + milliseconds * INT64_C(1000000);

    while (milliseconds && !something_to_do(queue) && clock_monotonic() < until)
        wait_until(queue, until);
    while (!no_time_to_gather(queue, bytes)) {
        until = queue->since + GATHER_MILLISECONDS * INT64_C(1000000);
        if (clock_monotonic() >= until)
            break;
        wait_until(queue, until);
    }
}

static void take_jobs(struct queue *queue, size_t bytes, struct group *group)
{
    struct job **last = &group->jobs;

    while (queue->first && !group->call && group->items < GROUP_ITEMS && group->bytes < bytes) {
        struct job *job = queue->first;
        queue->first = job->next;
        job->next = NULL;
        if (job->kind == JOB_CALL) {
            group->call = job;
            queue->calls--;
            break;
        }
        group->items++;
        if (job->kind == JOB_STORE)
            group->bytes += job->packed->size + job->set_size;
        *last = job;
        last = &job->next;
    }
    if (!queue->first) {
        queue->last = &queue->first;
        queue->since = 0;
    }
}

void queue_take(struct queue *queue, int milliseconds, size_t bytes, struct group *group)
{
    memset(group, 0, sizeof *group);
    pthread_mutex_lock(&queue->lock);
    wait_for_work(queue, milliseconds, bytes);
    take_jobs(queue, bytes, group);
    group->uses = queue->uses;
    group->counters = queue->counters;
    group->damaged = queue->damaged;
    group->stop = queue->stop && !queue->first;
    memset(&queue->uses, 0, sizeof queue->uses);
    memset(&queue->counters, 0, sizeof queue->counters);
    queue->damaged = 0;
    pthread_mutex_unlock(&queue->lock);
}

void queue_written(struct queue *queue, struct group *group)
{
    size_t stores = 0;

    for (struct job *job = group->jobs, *next; job; job = next) {
        next = job->next;
        stores += job->kind == JOB_STORE;
        free_job(job);
    }
    memory_free(group->uses.list);
    release_counters(&group->counters);
    pthread_mutex_lock(&queue->lock);
    queue->bytes -= group->bytes;
    queue->items -= stores;
    pthread_mutex_unlock(&queue->lock);
    group->jobs = NULL;
}

void queue_call_done(struct queue *queue, struct job *call, int result)
{
    pthread_mutex_lock(&queue->lock);
    call->result = result;
    call->done = true;
    pthread_cond_broadcast(&queue->done);
    pthread_mutex_unlock(&queue->lock);
}
