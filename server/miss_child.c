/* What the children of a miss have in common, and the first of them: a preprocessor on the loop. */
#include "common/memory.h"
#include "server/children.h"
#include "server/miss.h"

/* Tells the client which process group it would have to end should the server vanish; child_go follows when
 * that has left. */
void miss_announce(struct miss *miss)
{
    struct buf payload = BUF_INIT;

    buf_add_u32(&payload, (uint32_t)miss->child.pid);
    buf_add_u64(&payload, miss->child.start_time);
    miss->waiting_to_go = true;
    connection_send(&miss->connection, WIRE_STARTED, payload.data, payload.length);
    buf_release(&payload);
}

void miss_child_failed(struct child *child, int error)
{
    struct miss *miss = child->data;
    miss->exec_error = error;
}

void miss_watch_child(struct miss *miss, const struct child_events *events)
{
    miss->child.data = miss;
    miss->child_open = true;
    miss->open_handles++;
    child_watch(&miss->child, &miss->request->server->loop, events);
}

/* ---- preprocess ---- */

static void look_up_by_text(uv_work_t *work)
{
    struct miss *miss = work->data;
    miss->answer = children_take_text(miss->request);
}

static void preprocessed(struct child *child, int status, bool held)
{
    struct miss *miss = child->data;

    (void)held;
    miss->status = status;
    miss_release_slot(miss);
    child_close(child);
}

/* Not before: the compile needs the same struct, whose handles the loop may still hold while it tells the end
 * of the look-up. */
static void preprocessor_closed(struct child *child)
{
    struct miss *miss = child->data;

    if (miss->leaving) {
        miss_child_closed(child);
        return;
    }
    miss->child_open = false;
    miss->open_handles--;
    if (miss->cancelled)
        miss_end_cancelled(miss);
    else if (miss->status != 0 || miss->exec_error) /* the compiler tells the client why */
        miss_reply_run(miss, REASON_PREPROCESSOR_FAILED, NULL);
    else
        miss_run_work(miss, look_up_by_text, miss_looked_up);
}

static const struct child_events preprocess_events = {
    .failed = miss_child_failed,
    .ended = preprocessed,
    .closed = preprocessor_closed,
};

void miss_adopt_preprocessor(struct miss *miss)
{
    miss->child = *miss->request->preprocessor;
    memory_free(miss->request->preprocessor);
    miss->request->preprocessor = NULL;
    miss->has_slot = true;
    miss_watch_child(miss, &preprocess_events);
}

/* The client isn't told: should this server vanish, a preprocessor that goes on does no harm. */
void miss_start_preprocessor(struct miss *miss)
{
    int error = children_preprocess(miss->request, &miss->child);

    if (!error) {
        miss_watch_child(miss, &preprocess_events);
        return;
    }
    miss_release_slot(miss);
    children_reply_unpreprocessed(miss->request, error);
    miss_reply_with_request(miss);
}
