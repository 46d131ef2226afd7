#include "cache/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/queue.h"
#include "common/clock.h"
#include "common/memory.h"

enum { IDLE_MILLISECONDS = 10000, TRIM_SLICE = 100, VACUUM_SLICE = 128 };
enum { BLOB_MAX = 512 * 1024 * 1024 }; /* sqlite's own bound is 10^9 */
/* At a stop, for the rest of the upkeep. */
static const int64_t STOP_UPKEEP = INT64_C(2) * 1000000000;
static const int64_t WARN_EVERY = INT64_C(60) * 1000000000;
/* After a first sign of damage another is a second one not before (one cause may have both), and not after.
 */
static const int64_t DOUBT_BEGINS = INT64_C(1) * 1000000000, DOUBT_ENDS = INT64_C(86400) * 1000000000;

struct writer {
    struct store_place place;
    struct store store;
    _Atomic int mode;
    _Atomic uint32_t generation;
    _Atomic uint32_t foreign_changes;
    int64_t data_version; /* of the store when it was looked at last */
    struct set_cache *sets;
    struct queue queue;
    uint64_t max_size;
    size_t pending_limit, group_bytes;
    uint64_t wal_limit;    /* bytes */
    int64_t warned, retry; /* clock_monotonic() of the last complaint; when to try a lost store again, or 0 */
    int64_t doubted;       /* … of a first sign of damage, or 0 */
    bool trimming, vacuuming;
    pthread_t thread;
};

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

const char *writer_path(const struct writer *writer)
{
    return writer->place.path;
}

enum store_mode writer_mode(struct writer *writer)
{
    return (enum store_mode)atomic_load(&writer->mode);
}

uint32_t writer_generation(struct writer *writer)
{
    return atomic_load(&writer->generation);
}

uint32_t writer_foreign_changes(struct writer *writer)
{
    return atomic_load(&writer->foreign_changes);
}

void writer_new_generation(struct writer *writer)
{
    set_cache_clear(writer->sets);
    atomic_fetch_add(&writer->generation, 1);
}

static void open_store(struct writer *writer)
{
    char sql[64];

    enum store_mode mode = store_open(&writer->store, &writer->place);
    if (mode == STORE_OPEN) {
        snprintf(sql, sizeof sql, "PRAGMA journal_size_limit = %llu", (unsigned long long)writer->wal_limit);
        store_execute(&writer->store, sql);
        writer->trimming = store_live_size(&writer->store) > writer->max_size;
    }
    atomic_store(&writer->mode, (int)mode);
    writer->data_version = mode == STORE_OPEN ? store_data_version(&writer->store) : 0;
    /* what is wrong with the disk may pass */
    writer->retry = mode == STORE_NONE ? clock_monotonic() + WARN_EVERY : 0;
}

/* ---- when something is wrong ---- */

static void reopen(struct writer *writer)
{
    store_close(&writer->store);
    open_store(writer);
    writer_new_generation(writer);
}

static void complain(struct writer *writer, int error)
{
    int64_t now = clock_monotonic();

    if (writer->warned && now - writer->warned < WARN_EVERY)
        return;
    writer->warned = now;
    store_warn(&writer->place, "%s can't be written: %s; results are dropped", writer->place.path,
               strerror(-error));
}

/* A read that fails for once looks like damage, too (sqlite takes EIO for a damaged file system): it is
 * believed when it is found again. */
static bool is_damaged(struct writer *writer)
{
    int64_t now = clock_monotonic();
    bool again = writer->doubted && now - writer->doubted < DOUBT_ENDS;

    if (again && now - writer->doubted < DOUBT_BEGINS)
        return false;
    writer->doubted = again ? 0 : now;
    return again;
}

static void handle_error(struct writer *writer, int error)
{
    if (error == -EUCLEAN) {
        store_close(&writer->store);
        if (is_damaged(writer))
            store_set_aside(&writer->place, "damaged");
        reopen(writer);
    } else if (error == -ESTALE) {
        reopen(writer);
    } else if (error == -EIO || error == -EROFS) {
        complain(writer, error);
        reopen(writer);
    } else {
        complain(writer, error);
    }
}

/* ---- groups ---- */

static void forget_removed(void *data, const struct digest *key, int64_t id)
{
    struct writer *writer = data;
    set_cache_forget(writer->sets, key, id);
}

static int write_result(struct writer *writer, struct job *job)
{
    struct store_item item = {
        .key = job->key,
        .used = job->used,
        .checksum = packed_checksum(job->packed),
        .set = job->set,
        .set_size = job->set_size,
        .result = job->packed->bytes,
        .result_size = job->packed->size,
    };
    int64_t id;
    int error = store_insert(&writer->store, &item, &id);

    if (error)
        return error;
    set_cache_number(writer->sets, &job->key, job->id, id);
    job->id = id;
    error = store_bound_key(&writer->store, &job->key, forget_removed, writer);
    return error < 0 ? error : 0;
}

static int write_all(struct writer *writer, const struct group *group)
{
    struct store *store = &writer->store;
    int error = store_begin(store);

    for (struct job *job = group->jobs; !error && job; job = job->next)
        error = job->kind == JOB_STORE ? write_result(writer, job) : store_remove(store, job->id);
    for (size_t i = 0; !error && i < group->uses.count; i++)
        error = store_touch(store, group->uses.list[i].id, group->uses.list[i].used);
    for (size_t i = 0; !error && i < group->counters.count; i++)
        error = store_add_counter(store, group->counters.list[i].name, group->counters.list[i].amount);
    if (!error)
        return store_commit(store);
    store_rollback(store);
    return error;
}

static void settle_jobs(struct writer *writer, const struct group *group, int error)
{
    for (struct job *job = group->jobs; job; job = job->next)
        if (job->kind == JOB_STORE) {
            if (error)
                set_cache_forget(writer->sets, &job->key, job->id);
            else
                set_cache_settle(writer->sets, &job->key, job->id);
        }
}

static void write_group(struct writer *writer, struct group *group)
{
    bool idle = !group->jobs && !group->uses.count && !group->counters.count;
    int error = 0;

    if (writer->retry && clock_monotonic() >= writer->retry)
        reopen(writer);
    if (writer_mode(writer) != STORE_OPEN)
        error = -EROFS;
    else if (!idle)
        error = write_all(writer, group);
    settle_jobs(writer, group, error);
    if (error)
        queue_return_counters(&writer->queue, &group->counters);
    if (error && writer_mode(writer) == STORE_OPEN)
        handle_error(writer, error);
    queue_written(&writer->queue, group);
}

/* ---- upkeep ---- */

/* One slice. Gives the number of entries removed, or a negative errno. */
static int trim_slice(struct writer *writer, int64_t used_before, uint64_t bytes)
{
    int error = store_begin(&writer->store);
    if (error)
        return error;
    int removed = store_remove_oldest(&writer->store, used_before, bytes, TRIM_SLICE, forget_removed, writer);
    if (removed < 0) {
        store_rollback(&writer->store);
        return removed;
    }
    error = store_commit(&writer->store);
    return error ? error : removed;
}

static int empty_wal(struct writer *writer)
{
    uint64_t bytes = writer->store.wal_pages * STORE_PAGE_SIZE;

    if (bytes < writer->wal_limit)
        return 0;
    /* Readers that follow each other without a gap keep a passive checkpoint from ending; then they are made
     * to start afresh. */
    int error = store_checkpoint(&writer->store, bytes < 4 * writer->wal_limit ? SQLITE_CHECKPOINT_PASSIVE
                                                                               : SQLITE_CHECKPOINT_RESTART);
    return error == -EBUSY ? 0 : error;
}

static int trim_a_little(struct writer *writer)
{
    uint64_t live = store_live_size(&writer->store), goal = writer->max_size / 10 * 9;

    writer->trimming = writer->trimming ? live > goal : live > writer->max_size;
    if (!writer->trimming)
        return 0;
    int removed = trim_slice(writer, INT64_MAX, live - goal);
    if (removed == 0)
        writer->trimming = false;
    return removed < 0 ? removed : 0;
}

/* A database that somebody copied by other tools may have lost the ability to shrink: then it isn't tried on
 * and on. */
static int vacuum_a_little(struct writer *writer)
{
    uint64_t file = store_file_size(&writer->store), live = store_live_size(&writer->store);

    writer->vacuuming = false;
    if (file <= writer->max_size || file <= live)
        return 0;
    int error = store_vacuum(&writer->store, VACUUM_SLICE);
    writer->vacuuming = !error && store_file_size(&writer->store) < file;
    return error;
}

/* True if there is more to do. */
static bool keep_up(struct writer *writer)
{
    if (writer_mode(writer) != STORE_OPEN)
        return false;
    int error = trim_a_little(writer);
    if (!error)
        error = vacuum_a_little(writer);
    if (!error)
        error = empty_wal(writer);
    if (error) { /* what is wrong may last: it is tried again when there is more to do, or after a while */
        handle_error(writer, error);
        writer->trimming = writer->vacuuming = false;
    }
    return writer->trimming || writer->vacuuming;
}

int writer_trim_to(struct writer *writer, int64_t used_before, uint64_t bytes)
{
    for (;;) {
        uint64_t live = store_live_size(&writer->store);
        if (live <= bytes)
            return 0;
        int removed = trim_slice(writer, used_before, live - bytes);
        if (removed > 0)
            removed = empty_wal(writer) < 0 ? -EIO : removed;
        if (removed <= 0)
            return removed;
    }
}

void writer_compact(struct writer *writer)
{
    uint64_t before, after = store_file_size(&writer->store);

    do {
        before = after;
        if (after <= store_live_size(&writer->store) || store_vacuum(&writer->store, VACUUM_SLICE) != 0)
            break;
        empty_wal(writer);
        after = store_file_size(&writer->store);
    } while (after < before);
    store_checkpoint(&writer->store, SQLITE_CHECKPOINT_TRUNCATE);
}

/* ---- the thread ---- */

static void run_call(struct writer *writer, struct job *call)
{
    struct store *store = writer_mode(writer) == STORE_OPEN ? &writer->store : NULL;
    int error = call->call ? call->call(writer, store, call->data) : 0;

    if (error && store)
        handle_error(writer, error);
    queue_call_done(&writer->queue, call, error);
}

/* Another server may have cleared or trimmed the store: what of it is in memory must not outlast that. */
static void notice_foreign_changes(struct writer *writer)
{
    int64_t version = writer_mode(writer) == STORE_OPEN ? store_data_version(&writer->store) : 0;

    if (version != writer->data_version)
        atomic_fetch_add(&writer->foreign_changes, 1);
    writer->data_version = version;
}

static void *write_until_stopped(void *data)
{
    struct writer *writer = data;
    struct group group;
    bool more = false;

    do {
        queue_take(&writer->queue, more ? 0 : IDLE_MILLISECONDS, writer->group_bytes, &group);
        if (group.damaged && group.damaged == writer_generation(writer) && writer_mode(writer) == STORE_OPEN)
            handle_error(writer, -EUCLEAN);
        write_group(writer, &group);
        notice_foreign_changes(writer);
        more = keep_up(writer);
        if (group.call)
            run_call(writer, group.call);
    } while (!group.stop);

    if (writer_mode(writer) == STORE_OPEN) {
        for (int64_t end = clock_monotonic() + STOP_UPKEEP; keep_up(writer) && clock_monotonic() < end;)
            ;
        if (writer_mode(writer) == STORE_OPEN) /* still: what went wrong may have closed it */
            store_checkpoint(&writer->store, SQLITE_CHECKPOINT_TRUNCATE);
    }
    store_close(&writer->store);
    return NULL;
}

/* Signals are other threads' business. */
static void start_thread(struct writer *writer)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&writer->thread, NULL, write_until_stopped, writer) != 0)
        abort();
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct writer *writer_new(const struct cache_options *options, struct set_cache *sets)
{
    struct writer *writer = memory_zalloc(sizeof *writer);

    store_place_init(&writer->place, options->folder, options->warn);
    writer->sets = sets;
    writer->pending_limit = options->pending;
    writer->group_bytes = (size_t)clamp(options->max_size / 8, 256 * 1024, 8 * 1024 * 1024);
    writer->wal_limit = clamp(options->max_size / 4, 256 * 1024, 4 * 1024 * 1024);
    /* The limit is for both files. */
    writer->max_size = options->max_size - (options->max_size > writer->wal_limit ? writer->wal_limit : 0);
    atomic_init(&writer->generation, 1);
    queue_init(&writer->queue);
    open_store(writer);
    start_thread(writer);
    return writer;
}

void writer_free(struct writer *writer)
{
    queue_stop(&writer->queue);
    pthread_join(writer->thread, NULL);
    queue_release(&writer->queue);
    store_place_release(&writer->place);
    memory_free(writer);
}

/* ---- any thread ---- */

int writer_store(struct writer *writer, const struct digest *key, struct input_set *set, const void *bytes,
                 size_t size, struct packed *packed)
{
    if (writer_mode(writer) != STORE_OPEN)
        return -EROFS;
    if (packed->size + size > writer->max_size / 2 || packed->size > BLOB_MAX)
        return -EFBIG;

    struct job *job = memory_zalloc(sizeof *job);
    job->kind = JOB_STORE;
    job->key = *key;
    job->used = clock_real() / 1000;
    job->packed = packed_ref(packed);
    job->set = memory_alloc(size + 1);
    job->set_size = size;
    memcpy(job->set, bytes, size);
    job->id = set_cache_add_pending(writer->sets, key, set, packed);
    int64_t ticket = job->id; /* the writer may be done with the job before queue_store returns */
    int error = queue_store(&writer->queue, job, writer->pending_limit);
    if (error) {
        set_cache_forget(writer->sets, key, ticket);
        packed_unref(job->packed);
        memory_free(job->set);
        memory_free(job);
    }
    return error;
}

void writer_remove(struct writer *writer, const struct digest *key, int64_t id)
{
    struct job *job = memory_zalloc(sizeof *job);

    job->kind = JOB_REMOVE;
    job->key = *key;
    job->id = id;
    queue_remove(&writer->queue, job);
}

void writer_use(struct writer *writer, int64_t id)
{
    queue_use(&writer->queue, id, clock_real() / 1000);
}

void writer_add_counter(struct writer *writer, const char *name, int64_t amount)
{
    queue_counter(&writer->queue, name, amount);
}

void writer_damaged(struct writer *writer, uint32_t generation)
{
    if (generation == writer_generation(writer))
        queue_damaged(&writer->queue, generation);
}

int writer_call(struct writer *writer, writer_function *call, void *data)
{
    struct job job = {.kind = JOB_CALL, .call = call, .data = data};

    queue_call(&writer->queue, &job);
    return job.result;
}

void writer_queued_counters(struct writer *writer, void (*each)(void *data, const char *name, int64_t value),
                            void *data)
{
    struct counters *counters = &writer->queue.counters;

    pthread_mutex_lock(&writer->queue.lock);
    for (size_t i = 0; i < counters->count; i++)
        each(data, counters->list[i].name, counters->list[i].amount);
    pthread_mutex_unlock(&writer->queue.lock);
}

void writer_drop_counters(struct writer *writer)
{
    pthread_mutex_lock(&writer->queue.lock);
    for (size_t i = 0; i < writer->queue.counters.count; i++)
        writer->queue.counters.list[i].amount = 0;
    pthread_mutex_unlock(&writer->queue.lock);
}
