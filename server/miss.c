/* A request that wasn't answered by the cache, on the loop. Its phases (children in miss_child.c, the compile
 * in miss_compile.c):
 *
 *     arrive → [preprocess → look up by text] → wait for an equal compile → wait for a slot
 *            → compile → collect → reply → store → leave
 *
 * A serving thread may have begun to preprocess (children.c).
 * A phase ends in exactly one callback, which begins the next. The client can cancel or vanish in any of
 * them: `cancelled` is then set and each callback leads to `leave`. */
#include "server/miss.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "common/memory.h"
#include "server/loop.h"
#include "server/stats.h"

enum { KILL_AFTER = 500 /* milliseconds from TERM to KILL */ };

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

void miss_child_closed(struct child *child)
{
    struct miss *miss = child->data;

    miss->child_open = false;
    handle_gone(miss);
}

static void timer_closed(uv_handle_t *timer)
{
    handle_gone(timer->data);
}

void miss_release_slot(struct miss *miss)
{
    if (miss->has_slot)
        slots_release(&miss->request->server->slots);
    miss->has_slot = false;
}

/* From now on nothing wakes it to go on. */
static void leave_queues(struct miss *miss)
{
    slots_forget(&miss->request->server->slots, &miss->waiter);
    miss_release_slot(miss);
    if (miss->passenger.leads)
        flight_land(&miss->passenger, LANDING_GONE);
    flight_leave(&miss->passenger);
}

/* Gives everything back; the struct is freed when the last handle has closed and no pool thread has it. */
void miss_leave(struct miss *miss)
{
    if (miss->leaving)
        return;
    miss->leaving = true;
    leave_queues(miss);
    pool_leave(&miss->pool);
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
        miss_leave(miss);
    } else if (miss->child_open) {
        child_pause(&miss->child, false);
    }
}

/* The last frame. The rest follows when it has left. */
static void finish(struct miss *miss)
{
    miss->replied = true;
    if (connection_is_drained(&miss->connection) && !miss->working)
        miss_leave(miss);
}

void miss_reply_with_request(struct miss *miss)
{
    connection_send_bytes(&miss->connection, miss->request->reply.data, miss->request->reply.length);
    finish(miss);
}

void miss_reply_run(struct miss *miss, enum reason reason, const char *word)
{
    request_reply_run(miss->request, reason, word);
    miss_reply_with_request(miss);
}

void miss_reply_status(struct miss *miss)
{
    unsigned char payload[2] = {
        WIFSIGNALED(miss->status) != 0,
        (unsigned char)(WIFSIGNALED(miss->status) ? WTERMSIG(miss->status) : WEXITSTATUS(miss->status))};
    connection_send(&miss->connection, WIRE_EXIT, payload, sizeof payload);
    finish(miss);
}

void miss_land(struct miss *miss, enum landing landing)
{
    if (miss->passenger.leads)
        flight_land(&miss->passenger, landing);
}

/* ---- cancel ---- */

static void on_kill_time(uv_timer_t *timer)
{
    struct miss *miss = timer->data;

    if (miss->child_open)
        child_kill(&miss->child, SIGKILL);
}

/* Not where the client may already have taken it upon itself to make them. */
void miss_remove_outputs(struct miss *miss)
{
    if (miss->watched && !miss->whole && !connection_is_overdue(&miss->connection))
        observe_remove_outputs(&miss->log, miss->request->wire.directory);
}

void miss_end_cancelled(struct miss *miss)
{
    miss_remove_outputs(miss);
    if (miss->request->reason == REASON_NONE) {
        miss->request->reason = REASON_CANCELLED;
        miss->request->outcome = "cancelled";
        stats_reason(REASON_CANCELLED, NULL);
    }
    leave_queues(miss); /* the client may run the compiler itself as soon as it is told */
    connection_send(&miss->connection, WIRE_ENDED, "", 0);
    finish(miss);
    if (miss->connection.lost)
        miss_leave(miss);
}

static void cancel(struct miss *miss)
{
    if (miss->cancelled || miss->replied)
        return;
    miss->cancelled = true;
    if (miss->working)
        return; /* its end leads to end_cancelled */
    if (!miss->child_open || miss->waiting_to_go) {
        miss->waiting_to_go = false; /* never */
        miss_end_cancelled(miss);
        return;
    }
    child_pause(&miss->child, false);
    child_kill(&miss->child, SIGTERM);
    uv_timer_start(&miss->timer, on_kill_time, KILL_AFTER, 0);
}

static bool connection_frame(struct connection *connection, enum wire_type type, const void *payload,
                             size_t size)
{
    (void)payload;
    (void)size;
    if (type == WIRE_FDS)
        miss_take_descriptors(connection->data);
    else if (type == WIRE_CANCEL)
        cancel(connection->data);
    return type == WIRE_FDS || type == WIRE_CANCEL;
}

static void connection_lost(struct connection *connection)
{
    struct miss *miss = connection->data;

    if (miss->replied || (miss->cancelled && !miss->child_open && !miss->working))
        miss_leave(miss);
    else
        cancel(miss);
}

/* ---- work on a pool thread ---- */

void miss_run_work(struct miss *miss, uv_work_cb work, uv_after_work_cb after)
{
    miss->working = true;
    miss->work.data = miss;
    uv_queue_work(&miss->request->server->loop, &miss->work, work, after);
}

/* True if the request still wants what was worked on. */
bool miss_work_ended(struct miss *miss)
{
    miss->working = false;
    if (miss->cancelled && !miss->replied) {
        miss_end_cancelled(miss);
        return false;
    }
    if (!miss->replied && !miss->leaving)
        return true;
    if (miss->leaving) { /* handles may all be closed already */
        miss->open_handles++;
        handle_gone(miss);
    } else if (connection_is_drained(&miss->connection)) {
        miss_leave(miss);
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
    if (request->preprocessor)
        miss_adopt_preprocessor(miss);
    if (connection_open(&miss->connection, &server->loop, fd, &connection_events, true) != 0) {
        miss->leaving = true;
        leave_queues(miss);
        if (miss->child_open)
            child_close(&miss->child);
        uv_close((uv_handle_t *)&miss->timer, timer_closed);
        return;
    }
    miss->open_handles++;
    if (answer != ANSWER_REPLIED) /* of a reply a part may be sent */
        connection_was_silent_since(&miss->connection, request->began);
    if (request->complaints.length)
        connection_send_bytes(&miss->connection, request->complaints.data, request->complaints.length);
    if (miss->leaving || miss->child_open) /* the client has gone meanwhile; or its end leads on */
        return;
    if (answer == ANSWER_REPLIED)
        miss_reply_with_request(miss);
    else if (answer == ANSWER_PREPROCESS)
        slots_request(&server->slots, &miss->waiter);
    else
        miss_begin_compile(miss);
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

/* ---- wait for an equal compile, and for a slot ---- */

static void look_up_again(uv_work_t *work)
{
    struct miss *miss = work->data;
    miss->answer = request_look_up(miss->request) ? ANSWER_REPLIED : ANSWER_COMPILE;
}

void miss_looked_up(uv_work_t *work, int status)
{
    struct miss *miss = work->data;

    (void)status;
    if (!miss_work_ended(miss))
        return;
    if (miss->answer == ANSWER_REPLIED)
        miss_reply_with_request(miss);
    else
        miss_begin_compile(miss);
}

static void passenger_woken(struct passenger *passenger, enum landing landing)
{
    struct miss *miss = (struct miss *)((char *)passenger - offsetof(struct miss, passenger));

    if (landing == LANDING_STORED) {
        stats_add(COUNTER_WAITED, 1);
        miss_run_work(miss, look_up_again, miss_looked_up);
        return;
    }
    if (landing == LANDING_USELESS)
        miss->alone = true;
    slots_request(&miss->request->server->slots, &miss->waiter);
}

void miss_begin_compile(struct miss *miss)
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
        miss_start_preprocessor(miss);
    else
        miss_start_compiler(miss);
}
