/* A request that wasn't answered by the cache, on the loop. Its phases follow one another in this file:
 *
 *     arrive → [preprocess → look up by text] → wait for an equal compile → wait for a slot
 *            → compile → collect → reply → store → leave
 *
 * A phase ends in exactly one callback, which begins the next. The client can cancel or vanish in any of
 * them: `cancelled` is then set and each callback leads to `leave`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/lookup.h"
#include "common/memory.h"
#include "jobserver/makeflags.h"
#include "server/connection.h"
#include "server/flight.h"
#include "server/grounded.h"
#include "server/loop.h"
#include "server/observe.h"
#include "server/pool.h"
#include "server/programs.h"
#include "server/request.h"
#include "server/result.h"
#include "server/stats.h"
#include "server/text.h"
#include "spawn/child.h"
#include "spawn/record_log.h"

enum {
    KILL_AFTER = 500,              /* milliseconds from TERM to KILL */
    ASK_PATIENCE = 2000,           /* milliseconds: then the compile gets another jobserver */
    COLLECT_PATIENCE = 5000,       /* milliseconds: then the client gets its status, and nothing is stored */
    MESSAGES_MAX = 16 * 1024 * 1024,
};

struct miss {
    struct request *request;
    struct connection connection;
    struct slot_waiter waiter;
    struct passenger passenger;
    struct child child;
    struct record_log log;
    uv_work_t work;
    uv_timer_t timer;
    struct pool pool;               /* of the jobserver, for a compiler that reads one */
    struct text text;               /* preprocessed text, as it comes */
    unsigned streams;               /* that it wrote on: bits 1 << 1, 1 << 2 */
    struct buf messages;            /* what the compile wrote, as frames */
    size_t held;                    /* bytes of `messages` that the client has not got: not before the start record */
    int64_t began, started;         /* of the compile: clock_monotonic, clock_of_files */
    struct observation observation;
    struct packed *packed;
    struct buf set;
    enum answer answer;
    int open_handles;               /* that must be closed before this can be freed */
    int status;                     /* of the compile */
    int exec_error;
    bool child_open, working, has_slot;
    bool asking;                    /* the client is asked for its jobserver's descriptors */
    bool watched;                   /* this run of the compiler has a log */
    bool alone;                     /* don't wait for equal compiles any more */
    bool waiting_to_go;             /* "started" is on its way to the client */
    bool messages_lost;             /* too many to be stored */
    bool held_stream;               /* a process that outlived the compile holds its output */
    bool replied, cancelled, leaving;
};

static void begin_compile(struct miss *miss);
static void run_compiler(struct miss *miss);
static void start_compiler(struct miss *miss);
static void take_descriptors(struct miss *miss);
static void leave(struct miss *miss);

/* ---- leave ---- */

static void handle_gone(struct miss *miss)
{
    if (--miss->open_handles > 0 || miss->working)
        return;
    struct request *request = miss->request;
    struct server *server = request->server;

    request_log(request);
    record_log_close(&miss->log);
    packed_unref(miss->packed);
    text_release(&miss->text);
    buf_release(&miss->messages);
    buf_release(&miss->set);
    request_free(request);
    memory_free(miss);
    server_leave(server);
}

static void connection_closed(struct connection *connection)
{
    handle_gone(connection->data);
}

static void child_closed(struct child *child)
{
    struct miss *miss = child->data;

    miss->child_open = false;
    handle_gone(miss);
}

static void timer_closed(uv_handle_t *timer)
{
    handle_gone(timer->data);
}

static void release_slot(struct miss *miss)
{
    if (miss->has_slot)
        slots_release(&miss->request->server->slots);
    miss->has_slot = false;
}

/* Gives everything back; the struct is freed when the last handle has closed and no pool thread has it. */
static void leave(struct miss *miss)
{
    if (miss->leaving)
        return;
    miss->leaving = true;
    slots_forget(&miss->request->server->slots, &miss->waiter);
    release_slot(miss);
    pool_leave(&miss->pool);
    if (miss->passenger.leads)
        flight_land(&miss->passenger, LANDING_GONE);
    flight_leave(&miss->passenger);
    if (miss->child_open)
        child_close(&miss->child);
    connection_close(&miss->connection);
    uv_close((uv_handle_t *)&miss->timer, timer_closed);
}

static void connection_drained(struct connection *connection)
{
    struct miss *miss = connection->data;

    if (miss->waiting_to_go) { /* the client knows what it would have to end: now it may begin */
        miss->waiting_to_go = false;
        child_go(&miss->child);
    } else if (miss->replied && !miss->working) {
        leave(miss);
    } else if (miss->child_open) {
        child_pause(&miss->child, false);
    }
}

/* The last frame. The rest follows when it has left. */
static void finish(struct miss *miss)
{
    miss->replied = true;
    if (connection_is_drained(&miss->connection) && !miss->working)
        leave(miss);
}

static void reply_with_request(struct miss *miss)
{
    connection_send_bytes(&miss->connection, miss->request->reply.data, miss->request->reply.length);
    finish(miss);
}

static void reply_run(struct miss *miss, enum reason reason, const char *word)
{
    request_reply_run(miss->request, reason, word);
    reply_with_request(miss);
}

static void reply_status(struct miss *miss)
{
    unsigned char payload[2] = {WIFSIGNALED(miss->status) != 0,
                                (unsigned char)(WIFSIGNALED(miss->status) ? WTERMSIG(miss->status)
                                                                          : WEXITSTATUS(miss->status))};
    connection_send(&miss->connection, WIRE_EXIT, payload, sizeof payload);
    finish(miss);
}

/* ---- cancel ---- */

static void on_kill_time(uv_timer_t *timer)
{
    struct miss *miss = timer->data;

    if (miss->child_open)
        child_kill(&miss->child, SIGKILL);
}

static void end_cancelled(struct miss *miss)
{
    if (miss->watched)
        observe_remove_outputs(&miss->log, miss->request->wire.directory);
    if (miss->request->reason == REASON_NONE) {
        miss->request->reason = REASON_CANCELLED;
        miss->request->outcome = "cancelled";
        stats_reason(REASON_CANCELLED);
    }
    connection_send(&miss->connection, WIRE_ENDED, "", 0);
    finish(miss);
    if (miss->connection.lost)
        leave(miss);
}

static void cancel(struct miss *miss)
{
    if (miss->cancelled || miss->replied)
        return;
    miss->cancelled = true;
    if (miss->working)
        return; /* its end leads to end_cancelled */
    if (!miss->child_open || miss->waiting_to_go) {
        end_cancelled(miss);
        return;
    }
    child_pause(&miss->child, false);
    child_kill(&miss->child, SIGTERM);
    uv_timer_start(&miss->timer, on_kill_time, KILL_AFTER, 0);
}

static bool connection_frame(struct connection *connection, enum wire_type type, const void *payload, size_t size)
{
    (void)payload;
    (void)size;
    if (type == WIRE_FDS)
        take_descriptors(connection->data);
    else if (type == WIRE_CANCEL)
        cancel(connection->data);
    return type == WIRE_FDS || type == WIRE_CANCEL;
}

static void connection_lost(struct connection *connection)
{
    struct miss *miss = connection->data;

    if (miss->replied || (miss->cancelled && !miss->child_open && !miss->working))
        leave(miss);
    else
        cancel(miss);
}

/* ---- work on a pool thread ---- */

static void run_work(struct miss *miss, uv_work_cb work, uv_after_work_cb after)
{
    miss->working = true;
    miss->work.data = miss;
    uv_queue_work(&miss->request->server->loop, &miss->work, work, after);
}

/* True if the request still wants what was worked on. */
static bool work_ended(struct miss *miss)
{
    miss->working = false;
    if (miss->cancelled && !miss->replied) {
        end_cancelled(miss);
        return false;
    }
    if (!miss->replied && !miss->leaving)
        return true;
    if (miss->leaving) { /* handles may all be closed already */
        miss->open_handles++;
        handle_gone(miss);
    } else if (connection_is_drained(&miss->connection)) {
        leave(miss);
    }
    return false;
}

/* ---- arrive ---- */

static const struct connection_events connection_events = {
    .frame = connection_frame,
    .lost = connection_lost,
    .drained = connection_drained,
    .closed = connection_closed,
};

static void slot_granted(struct slot_waiter *waiter);
static void passenger_woken(struct passenger *passenger, enum landing landing);

void miss_begin(struct request *request, enum answer answer)
{
    struct miss *miss = memory_zalloc(sizeof *miss);
    struct server *server = request->server;

    miss->request = request;
    miss->answer = answer;
    miss->log.fd = -1;
    miss->pool.fds[0] = miss->pool.fds[1] = -1;
    miss->waiter.granted = slot_granted;
    miss->passenger.wake = passenger_woken;
    miss->connection.data = miss;
    miss->child.data = miss;
    uv_timer_init(&server->loop, &miss->timer);
    miss->timer.data = miss;
    miss->open_handles = 1;

    int fd = request->fd;
    request->fd = -1;
    if (connection_open(&miss->connection, &server->loop, fd, &connection_events, true) != 0) {
        miss->leaving = true;
        uv_close((uv_handle_t *)&miss->timer, timer_closed);
        return;
    }
    miss->open_handles++;
    if (answer == ANSWER_REPLIED)
        reply_with_request(miss);
    else if (answer == ANSWER_PREPROCESS)
        slots_request(&server->slots, &miss->waiter);
    else
        begin_compile(miss);
}

struct handed_over {
    struct request *request;
    enum answer answer;
};

static void take_over(void *data)
{
    struct handed_over *handed = data;

    miss_begin(handed->request, handed->answer);
    memory_free(handed);
}

void miss_hand_over(struct request *request, enum answer answer)
{
    struct handed_over *handed = memory_zalloc(sizeof *handed);

    handed->request = request;
    handed->answer = answer;
    loop_call(take_over, handed);
}

/* ---- children, for both uses ---- */

static const struct child_events compiler_events;

static int start_child(struct miss *miss, const char *program, char *const *argv, char *const *environment,
                       const struct child_events *events)
{
    struct request *request = miss->request;
    const struct wire_request *wire = &request->wire;
    struct trampoline settings = request->limits;
    struct child_options options = {.trampoline = request->server->trampoline,
                                    .settings = &settings,
                                    .program = program,
                                    .argv = argv,
                                    .environment = environment,
                                    .directory = wire->directory,
                                    .pool = pool_descriptors(&miss->pool),
                                    .one_stream = wire->flags & WIRE_ONE_STREAM,
                                    .columns = wire->columns,
                                    .rows = wire->rows};

    if (events == &compiler_events)
        for (int i = 0; i < 3; i++)
            options.terminal[i] = wire->flags & (WIRE_TERMINAL_0 << i);
    else
        options.one_stream = false; /* preprocessing: text and messages apart */
    int error = child_start(&miss->child, &request->server->loop, &options, events);
    if (!error) {
        miss->child.data = miss;
        miss->child_open = true;
        miss->open_handles++;
    }
    return error;
}

/* The client's environment, with a marker for inner calls, and without a jobserver if the tool reads none. */
static struct environment child_environment(struct request *request)
{
    struct environment environment;

    environment_init(&environment, &request->arena, request->wire.environment);
    if (request->command.reads_jobserver != READS_JOBSERVER_YES)
        makeflags_hide_jobserver(&environment);
    environment_set(&environment, "CCWRAP_ACTIVE", "1");
    return environment;
}

/* Tells the client which process group it would have to end should the server vanish; child_go follows when
 * that has left. */
static void announce(struct miss *miss)
{
    struct buf payload = BUF_INIT;

    buf_add_u32(&payload, (uint32_t)miss->child.pid);
    buf_add_u64(&payload, miss->child.start_time);
    miss->waiting_to_go = true;
    connection_send(&miss->connection, WIRE_STARTED, payload.data, payload.length);
    buf_release(&payload);
}

static void child_failed(struct child *child, int error)
{
    struct miss *miss = child->data;
    miss->exec_error = error;
}

/* ---- preprocess ---- */

static void look_up_by_text(uv_work_t *work)
{
    struct miss *miss = work->data;
    struct digest text = text_digest(&miss->text);

    miss->answer = request_answer_by_text(miss->request, &text);
}

static void looked_up_by_text(uv_work_t *work, int status)
{
    struct miss *miss = work->data;

    (void)status;
    if (!work_ended(miss))
        return;
    if (miss->answer == ANSWER_REPLIED)
        reply_with_request(miss);
    else
        begin_compile(miss);
}

static void text_arrived(struct child *child, int stream, const char *bytes, size_t size)
{
    struct miss *miss = child->data;

    if (stream == 1)
        text_add(&miss->text, bytes, size);
}

static void preprocessed(struct child *child, int status, bool held)
{
    struct miss *miss = child->data;

    (void)held;
    release_slot(miss);
    child_close(child);
    if (miss->cancelled)
        end_cancelled(miss);
    else if (status != 0 || miss->exec_error) /* the compiler tells the client why */
        reply_run(miss, REASON_PREPROCESSOR_FAILED, NULL);
    else
        run_work(miss, look_up_by_text, looked_up_by_text);
}

static const struct child_events preprocess_events = {
    .failed = child_failed,
    .output = text_arrived,
    .ended = preprocessed,
    .closed = child_closed,
};

static void start_preprocessor(struct miss *miss)
{
    struct request *request = miss->request;

    if (!request->command.preprocess_argv) {
        release_slot(miss);
        reply_run(miss, REASON_OPTION, NULL);
        return;
    }
    struct environment environment = child_environment(request);
    text_init(&miss->text, !request->watch);
    request->text = &miss->text;
    if (start_child(miss, request->wire.program, request->command.preprocess_argv, environment.entries, &preprocess_events) != 0) {
        release_slot(miss);
        reply_run(miss, REASON_NOT_FOUND, NULL);
        return;
    }
    announce(miss);
}

/* ---- wait for an equal compile, and for a slot ---- */

static void look_up_again(uv_work_t *work)
{
    struct miss *miss = work->data;
    miss->answer = request_look_up(miss->request) ? ANSWER_REPLIED : ANSWER_COMPILE;
}

static void looked_up_again(uv_work_t *work, int status)
{
    struct miss *miss = work->data;

    (void)status;
    if (!work_ended(miss))
        return;
    if (miss->answer == ANSWER_REPLIED)
        reply_with_request(miss);
    else
        begin_compile(miss);
}

static void passenger_woken(struct passenger *passenger, enum landing landing)
{
    struct miss *miss = (struct miss *)((char *)passenger - offsetof(struct miss, passenger));

    if (landing == LANDING_STORED) {
        stats_add(COUNTER_WAITED, 1);
        run_work(miss, look_up_again, looked_up_again);
        return;
    }
    if (landing == LANDING_USELESS)
        miss->alone = true;
    slots_request(&miss->request->server->slots, &miss->waiter);
}

static void begin_compile(struct miss *miss)
{
    struct request *request = miss->request;
    const struct digest *key = request->by_text ? &request->text_key : &request->key;

    miss->answer = ANSWER_COMPILE;
    if (miss->alone || request->settings.recache || flight_join(&miss->passenger, key))
        slots_request(&request->server->slots, &miss->waiter);
}

static void slot_granted(struct slot_waiter *waiter)
{
    struct miss *miss = (struct miss *)((char *)waiter - offsetof(struct miss, waiter));

    miss->has_slot = true;
    if (miss->answer == ANSWER_PREPROCESS)
        start_preprocessor(miss);
    else
        start_compiler(miss);
}

/* ---- compile ---- */

static void land(struct miss *miss, enum landing landing)
{
    if (miss->passenger.leads)
        flight_land(&miss->passenger, landing);
}

/* Passes on what was held back. */
static void send_held(struct miss *miss)
{
    if (miss->held) {
        connection_send_bytes(&miss->connection, miss->messages.data + miss->messages.length - miss->held,
                              miss->held);
        miss->held = 0;
    }
}

static void compiler_output(struct child *child, int stream, const char *bytes, size_t size)
{
    struct miss *miss = child->data;
    if (miss->cancelled)
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

    if (!miss->watched || miss->messages_lost || record_log_started(&miss->log, child->pid))
        send_held(miss);
    if (connection_is_full(&miss->connection))
        child_pause(child, true);
}

static void store(struct miss *miss)
{
    struct request *request = miss->request;
    const struct digest *key = request->by_text ? &request->text_key : &request->key;
    int error = cache_store(request->server->cache, key, miss->set.data, miss->set.length, miss->packed);

    if (error) {
        request->reason = error == -EBUSY ? REASON_BUSY : REASON_INTERNAL;
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

    *observation = (struct observation){.request = request,
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
        text_observe(&miss->text, observation);
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
    if (!work_ended(miss))
        return;
    if (observation->reason == REASON_NONE)
        store(miss);
    else
        request->reason = observation->reason;
    if (request->reason != REASON_NONE) {
        stats_reason(request->reason);
        request->outcome = "miss not stored";
        request->failed = observation->word ? observation->word : "";
    }
    land(miss, request->reason == REASON_NONE ? LANDING_STORED : LANDING_USELESS);
    reply_status(miss);
}

static void on_collect_time(uv_timer_t *timer)
{
    struct miss *miss = timer->data;

    miss->request->reason = REASON_BUSY;
    stats_reason(REASON_BUSY);
    land(miss, LANDING_USELESS);
    reply_status(miss);
}

static void count_miss(struct miss *miss)
{
    int64_t now = clock_monotonic();

    stats_add(miss->request->settings.recache ? COUNTER_RECACHE : COUNTER_MISS, 1);
    stats_add(COUNTER_COMPILE_NANOSECONDS, now - miss->began);
}

/* Ended well or not, but nothing of it will be stored. */
static void end_unstored(struct miss *miss, enum reason reason, const char *outcome)
{
    miss->request->reason = reason;
    miss->request->outcome = outcome;
    stats_reason(reason);
    land(miss, LANDING_USELESS);
    reply_status(miss);
}

static void compiler_ended(struct child *child, int status, bool held)
{
    struct miss *miss = child->data;
    bool unwatchable = miss->watched && !record_log_started(&miss->log, child->pid);

    miss->status = status;
    miss->held_stream = held;
    uv_timer_stop(&miss->timer);
    child_close(child);
    pool_leave(&miss->pool);
    if (miss->cancelled) {
        release_slot(miss);
        end_cancelled(miss);
        return;
    }
    if (miss->exec_error) { /* nothing ran: the client's own attempt tells why */
        release_slot(miss);
        land(miss, LANDING_USELESS);
        reply_run(miss, REASON_NOT_FOUND, strerror(-miss->exec_error));
        return;
    }
    if (unwatchable)
        programs_mark_unwatchable(miss->request->wire.program);
    if (unwatchable && status != 0) /* perhaps the recorder is to blame: again without it */
        return;                     /* child_closed leads on */
    release_slot(miss);
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
        run_work(miss, collect, collected);
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
            end_cancelled(miss);
        child_closed(child);
        return;
    }
    miss->child_open = false;
    miss->open_handles--;
    miss->watched = false;
    miss->request->watch = false;
    miss->held = 0;
    miss->streams = 0;
    buf_reset(&miss->messages);
    start_compiler(miss);
}

static const struct child_events compiler_events = {
    .failed = child_failed,
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
    take_descriptors(timer->data);
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
static void take_descriptors(struct miss *miss)
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
static void start_compiler(struct miss *miss)
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

static void run_compiler(struct miss *miss)
{
    struct request *request = miss->request;
    struct environment environment = child_environment(request);

    if (request->command.reads_jobserver == READS_JOBSERVER_YES)
        pool_put(&miss->pool, &request->server->pool, &environment);
    miss->watched = request->watch && open_log(miss, &environment) == 0;
    if (request->watch && !miss->watched)
        request->watch = false;
    miss->began = clock_monotonic();
    miss->started = clock_of_files();
    const char *program = request->wire.program;
    char **argv = request->wire.argv;
    int error = 0;
    if (request->settings.prefix[0] && request->command.distributable)
        error = put_prefix(request, &program, &argv);
    if (!error)
        error = start_child(miss, program, argv, environment.entries, &compiler_events);
    pool_drop(&miss->pool);
    if (error) {
        release_slot(miss);
        land(miss, LANDING_USELESS);
        reply_run(miss, REASON_NOT_FOUND, strerror(-error));
        return;
    }
    announce(miss);
}
