/* The compile itself: watched, its output passed on as it comes, what it left collected and stored. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/lookup.h"
#include "common/memory.h"
#include "server/children.h"
#include "server/grounded.h"
#include "server/miss.h"
#include "server/programs.h"
#include "server/result.h"
#include "server/stats.h"
#include "server/text.h"

enum {
    ASK_PATIENCE = 2000,     /* milliseconds: then the compile gets another jobserver */
    COLLECT_PATIENCE = 5000, /* milliseconds: then the client gets its status, and nothing is stored */
    MESSAGES_MAX = 16 * 1024 * 1024,
    MESSAGES_HELD = 64 * 1024,
};

static void run_compiler(struct miss *miss);

/* Passes on what was held back. */
static void send_held(struct miss *miss)
{
    if (miss->held) {
        connection_send_bytes(&miss->connection, miss->messages.data + miss->messages.length - miss->held,
                              miss->held);
        miss->held = 0;
    }
}

/* What a client has printed it can't take back: should this server be lost, its own compile says all again.
 * So messages go out with the end of the compile, but where somebody waits for them: at a terminal, cargo for
 * the notice of finished metadata; or where they are many. */
static bool goes_at_once(const struct miss *miss)
{
    const struct request *request = miss->request;

    return (request->wire.flags & (WIRE_TERMINAL_1 | WIRE_TERMINAL_2)) ||
           request->command.reads_jobserver == READS_JOBSERVER_YES || miss->messages_lost ||
           miss->messages.length > MESSAGES_HELD;
}

/* More is held back than can be: it seems that the recorder isn't in this program. Then the compile ends, and
 * runs again without. */
static bool is_hopeless(const struct miss *miss)
{
    return miss->messages_lost && miss->held > 0;
}

static void compiler_output(struct child *child, int stream, const char *bytes, size_t size)
{
    struct miss *miss = child->data;
    if (miss->cancelled || is_hopeless(miss))
        return;
    if (miss->messages_lost)
        buf_reset(&miss->messages);
    size_t before = miss->messages.length;
    miss->streams |= 1u << stream;
    size_t begun = wire_begin_frame(&miss->messages, WIRE_OUTPUT);
    buf_add_u8(&miss->messages, (uint8_t)stream);
    buf_add(&miss->messages, bytes, size);
    wire_end_frame(&miss->messages, begun);
    miss->held += miss->messages.length - before;
    miss->messages_lost |= miss->messages.length > MESSAGES_MAX;

    if (goes_at_once(miss) && (!miss->watched || record_log_started(&miss->log, child->pid)))
        send_held(miss);
    if (is_hopeless(miss))
        child_kill(child, SIGKILL);
    if (connection_is_full(&miss->connection)) {
        child_pause(child, true);
        miss_release_slot(miss); /* nobody else shall wait for who doesn't read */
        miss_land(miss, LANDING_USELESS);
    }
}

static void store(struct miss *miss)
{
    struct request *request = miss->request;
    const struct digest *key = request->by_text ? &request->text_key : &request->key;
    int error = cache_store(request->server->cache, key, miss->set.data, miss->set.length, miss->packed);

    if (error) {
        request->reason = error == -EBUSY   ? REASON_BUSY
                          : error == -EFBIG ? REASON_TOO_LARGE
                          : error == -EROFS ? REASON_NO_STORE
                                            : REASON_INTERNAL;
        return;
    }
    stats_add(COUNTER_STORED, 1);
    stats_add(COUNTER_STORED_BYTES, (int64_t)packed_content_size(miss->packed));
    request->outcome = "miss stored";
}

/* The messages as they are kept: from the ground where that is possible, else as they came; and if these name
 * the ground, they serve no other. The flags of a packed file. */
static uint32_t add_messages(struct miss *miss, struct buf *out)
{
    struct request *request = miss->request;
    const char *ground = request->command.ground_text, *frames = miss->messages.data;
    size_t before = out->length, size = miss->messages.length;

    enum grounded named = ground ? grounded_take_messages(ground, frames, size, out) : GROUNDED_NOWHERE;

    if (named == GROUNDED_MARKED)
        return RESULT_GROUNDED;
    out->length = before;
    buf_add(out, frames, size);
    if (named == GROUNDED_ELSEWHERE)
        input_set_add_fact(miss->observation.set, FACT_OUTPUT, request_fact(request, FACT_OUTPUT));
    return 0;
}

static void collect(uv_work_t *work)
{
    struct miss *miss = work->data;
    struct request *request = miss->request;
    struct observation *observation = &miss->observation;
    struct buf messages = BUF_INIT;

    *observation = (struct observation){
        .request = request,
        .log = &miss->log,
        .root = miss->child.pid,
        .started = miss->started,
        .messages = &miss->messages,
        .streams = miss->streams,
        .has_messages = grounded_has_messages(miss->messages.data, miss->messages.length)};
    pool_paths(&miss->pool, &request->arena, observation->pool);
    if (miss->watched)
        observe(observation);
    else
        text_observe(request->text, observation);
    if (observation->reason == REASON_NONE) {
        buf_add_u64(&messages, (uint64_t)(clock_monotonic() - miss->began));
        uint32_t flags = add_messages(miss, &messages);
        int error = result_pack(request, &messages, flags, observation->outputs, observation->output_count,
                                &miss->packed);
        if (error)
            observation->reason = error == -EFBIG ? REASON_TOO_LARGE : REASON_INTERNAL;
        else
            input_set_pack(observation->set, request->directory, &miss->set);
        buf_release(&messages);
    }
    observe_release(observation);
}

static void collected(uv_work_t *work, int status)
{
    struct miss *miss = work->data;
    struct request *request = miss->request;
    const struct observation *observation = &miss->observation;

    (void)status;
    uv_timer_stop(&miss->timer);
    if (!miss_work_ended(miss))
        return;
    if (observation->reason != REASON_NONE)
        request->reason = observation->reason;
    else if (connection_is_overdue(
                 &miss->connection)) /* what was collected may be the client's, half written */
        request->reason = REASON_CANCELLED;
    else
        store(miss);
    if (request->reason != REASON_NONE) {
        stats_reason(request->reason, observation->word);
        request->outcome = "miss not stored";
        request->failed = observation->word ? observation->word : "";
    }
    miss_land(miss, request->reason == REASON_NONE ? LANDING_STORED : LANDING_USELESS);
    miss_reply_status(miss);
}

static void on_collect_time(uv_timer_t *timer)
{
    struct miss *miss = timer->data;

    miss->request->reason = REASON_BUSY;
    stats_reason(REASON_BUSY, NULL);
    miss_land(miss, LANDING_USELESS);
    miss_reply_status(miss);
}

static void count_miss(struct miss *miss)
{
    int64_t now = clock_monotonic();

    stats_add(miss->request->settings.recache ? COUNTER_RECACHE : COUNTER_MISS, 1);
    if (miss->request->frontend == &frontend_rustc)
        stats_add(COUNTER_RUST_MISS, 1);
    stats_add(COUNTER_MISS_NANOSECONDS, now - miss->request->began);
    stats_add(COUNTER_COMPILE_NANOSECONDS, now - miss->began);
}

/* Ended well or not, but nothing of it will be stored. */
static void end_unstored(struct miss *miss, enum reason reason, const char *outcome)
{
    miss->request->reason = reason;
    miss->request->outcome = outcome;
    stats_reason(reason, NULL);
    miss_land(miss, LANDING_USELESS);
    miss_reply_status(miss);
}

static void compiler_ended(struct child *child, int status, bool held)
{
    struct miss *miss = child->data;
    bool unwatchable = miss->watched && (is_hopeless(miss) || !record_log_started(&miss->log, child->pid));

    miss->status = status;
    miss->held_stream = held;
    uv_timer_stop(&miss->timer);
    child_close(child);
    pool_leave(&miss->pool);
    miss->whole = status == 0 && !miss->exec_error;
    if (miss->cancelled) {
        miss_release_slot(miss);
        miss_end_cancelled(miss);
        return;
    }
    if (miss->exec_error) { /* nothing ran, or its output was lost: the client's own attempt tells all */
        miss_remove_outputs(miss);
        miss_release_slot(miss);
        miss_land(miss, LANDING_USELESS);
        miss_reply_run(miss, REASON_NOT_FOUND, strerror(-miss->exec_error));
        return;
    }
    miss->spoilt |= unwatchable;
    if (miss->spoilt && status == 0)
        programs_mark_unwatchable(miss->request->wire.program);
    if (unwatchable && status != 0) /* perhaps the recorder is to blame: again without it */
        return;                     /* child_closed leads on */
    miss_release_slot(miss);
    send_held(miss);
    if (status != 0) {
        end_unstored(miss, REASON_COMPILE_FAILED, "compile failed");
        return;
    }
    count_miss(miss);
    if (unwatchable)
        end_unstored(miss, REASON_UNWATCHABLE, "miss not stored");
    else if (held || miss->messages_lost)
        end_unstored(miss, held ? REASON_LOG : REASON_TOO_LARGE, "miss not stored");
    else {
        uv_timer_start(&miss->timer, on_collect_time, COLLECT_PATIENCE, 0);
        miss_run_work(miss, collect, collected);
    }
}

/* After a run that the recorder may have spoilt the compiler is started again without it. */
static void compiler_closed(struct child *child)
{
    struct miss *miss = child->data;
    bool again = !miss->leaving && !miss->replied && !miss->cancelled && miss->watched && miss->status != 0 &&
                 !miss->exec_error;

    if (!again) {
        if (miss->cancelled && !miss->replied && !miss->leaving) /* told to stop between two runs */
            miss_end_cancelled(miss);
        miss_child_closed(child);
        return;
    }
    miss->child_open = false;
    miss->open_handles--;
    miss->watched = false;
    miss->request->watch = false;
    miss->held = 0;
    miss->messages_lost = false;
    miss->streams = 0;
    buf_reset(&miss->messages);
    miss_start_compiler(miss);
}

static const struct child_events compiler_events = {
    .failed = miss_child_failed,
    .output = compiler_output,
    .ended = compiler_ended,
    .closed = compiler_closed,
};

static int open_log(struct miss *miss, struct environment *environment)
{
    struct server *server = miss->request->server;
    char *pair[2];
    int error = record_log_open(&miss->log, server->logs);

    if (error)
        return error;
    record_log_environment(&miss->log, server->recorder, environment->entries, pair);
    for (int i = 0; i < 2; i++) {
        char *value = strchr(pair[i], '=');
        *value = '\0';
        environment_set(environment, pair[i], value + 1);
        memory_free(pair[i]);
    }
    return 0;
}

/* ---- the jobserver ---- */

static void on_ask_time(uv_timer_t *timer)
{
    miss_take_descriptors(timer->data);
}

/* True if the client is asked, and take_descriptors will go on. */
static bool ask_for_pool(struct miss *miss)
{
    struct environment environment;

    environment_init(&environment, &miss->request->arena, miss->request->wire.environment);
    if (!pool_begin(&miss->pool, &environment))
        return false;
    miss->asking = true;
    uv_timer_start(&miss->timer, on_ask_time, ASK_PATIENCE, 0);
    connection_send(&miss->connection, WIRE_ASK_FDS, "", 0);
    return true;
}

/* A late answer, or one that nobody asked for, is closed with the connection. */
void miss_take_descriptors(struct miss *miss)
{
    int fds[2];

    if (!miss->asking || miss->replied || miss->cancelled)
        return;
    miss->asking = false;
    uv_timer_stop(&miss->timer);
    pool_take(&miss->pool, connection_take_fds(&miss->connection, fds) ? fds : NULL);
    run_compiler(miss);
}

/* The first thing of a compile that needs a slot. */
void miss_start_compiler(struct miss *miss)
{
    if (miss->request->command.reads_jobserver != READS_JOBSERVER_YES || !ask_for_pool(miss))
        run_compiler(miss);
}

/* The words of the setting `prefix` (distcc, icecc) in front of the compiler. */
static int put_prefix(struct request *request, const char **program, char ***argv)
{
    struct arena *arena = &request->arena;
    size_t count = 0, words = 0;
    char *prefix = arena_strdup(arena, request->settings.prefix), *save = NULL, *found;

    while (request->wire.argv[count])
        count++;
    char **joined = ARENA_ARRAY(arena, char *, count + strlen(prefix) / 2 + 3);
    for (char *word = strtok_r(prefix, " ", &save); word; word = strtok_r(NULL, " ", &save))
        joined[words++] = word;
    if (!words)
        return 0;
    joined[words] = arena_strdup(arena, request->wire.program);
    memcpy(joined + words + 1, request->wire.argv + 1, (count - 1) * sizeof *joined);
    int error = lookup_program(&found, NULL, arena, joined[0], environment_get(&request->environment, "PATH"),
                               request->wire.directory, NULL);
    *program = found;
    *argv = joined;
    return error;
}

/* A script sees the path by which it is executed: the relative one, if the user gave that. */
static const char *name_for_exec(const struct request *request)
{
    const struct wire_request *wire = &request->wire;
    const char *name = wire->argv[0];
    size_t length = strlen(wire->directory);

    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (strchr(wire->argv[0], '/') && strncmp(wire->program, wire->directory, length) == 0 &&
        wire->program[length] == '/' && strcmp(wire->program + length + 1, name) == 0)
        return wire->argv[0];
    return wire->program;
}

static int start_child(struct miss *miss, const char *program, char *const *argv, char *const *environment)
{
    struct child_options options = children_options(miss->request, program, argv, environment);

    options.pool = pool_descriptors(&miss->pool);
    int error = child_spawn(&miss->child, &options);
    if (!error)
        miss_watch_child(miss, &compiler_events);
    return error;
}

static void run_compiler(struct miss *miss)
{
    struct request *request = miss->request;
    struct environment environment = children_environment(request);

    if (request->command.reads_jobserver == READS_JOBSERVER_YES)
        pool_put(&miss->pool, &request->server->pool, &environment);
    miss->watched = request->watch && open_log(miss, &environment) == 0;
    if (request->watch && !miss->watched)
        request->watch = false;
    miss->began = clock_monotonic();
    miss->started = clock_of_files();
    const char *program = name_for_exec(request);
    char **argv = request->wire.argv;
    int error = 0;
    if (request->settings.prefix[0] && request->command.distributable)
        error = put_prefix(request, &program, &argv);
    if (!error)
        error = start_child(miss, program, argv, environment.entries);
    pool_drop(&miss->pool);
    if (error) {
        miss_release_slot(miss);
        miss_land(miss, LANDING_USELESS);
        miss_reply_run(miss, REASON_NOT_FOUND, strerror(-error));
        return;
    }
    miss_announce(miss);
}
