/* Children of a miss, for both uses: preprocessing and compiling; and the first of these. */
#include <string.h>

#include "jobserver/makeflags.h"
#include "server/miss.h"

int miss_start_child(struct miss *miss, const char *program, char *const *argv, char *const *environment,
                     int file, const struct child_events *events)
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
                                    .rows = wire->rows,
                                    .at_once = file >= 0,
                                    .to_file = file >= 0,
                                    .file = file};

    for (int i = 0; i < 3; i++)
        options.terminal[i] = wire->flags & (WIRE_TERMINAL_0 << i);
    int error = child_start(&miss->child, &request->server->loop, &options, events);
    if (!error) {
        miss->child.data = miss;
        miss->child_open = true;
        miss->open_handles++;
    }
    return error;
}

/* The client's environment, with a marker for inner calls, and without a jobserver if the tool reads none. */
struct environment miss_child_environment(struct request *request)
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

/* ---- preprocess ---- */

static void look_up_by_text(uv_work_t *work)
{
    struct miss *miss = work->data;

    miss->exec_error = text_read(&miss->text);
    if (!miss->exec_error)
        miss->answer = request_answer_by_text(miss->request, &miss->text.digest);
}

static void looked_up_by_text(uv_work_t *work, int status)
{
    struct miss *miss = work->data;

    if (miss->exec_error && miss_work_ended(miss))
        miss_reply_run(miss, REASON_PREPROCESSOR_FAILED, strerror(-miss->exec_error));
    else if (!miss->exec_error)
        miss_looked_up(work, status);
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
        miss_run_work(miss, look_up_by_text, looked_up_by_text);
}

static const struct child_events preprocess_events = {
    .failed = miss_child_failed,
    .ended = preprocessed,
    .closed = preprocessor_closed,
};

/* Without the recorder nothing tells that gcc would take a precompiled header in a text's place: so its text
 * shall. */
static char *const *preprocess_words(struct request *request)
{
    char **words = request->command.preprocess_argv;
    size_t count = 0;

    if (request->watch || request->frontend != &frontend_gcc)
        return words;
    while (words[count])
        count++;
    char **more = ARENA_ARRAY(&request->arena, char *, count + 2);
    memcpy(more, words, count * sizeof *more);
    more[count] = arena_strdup(&request->arena, "-fpch-preprocess");
    return more;
}

/* The client isn't told: should this server vanish, a preprocessor that goes on does no harm. */
void miss_start_preprocessor(struct miss *miss)
{
    struct request *request = miss->request;

    if (!request->command.preprocess_argv) {
        miss_release_slot(miss);
        miss_reply_run(miss, REASON_OPTION, NULL);
        return;
    }
    struct environment environment = miss_child_environment(request);
    request->text = &miss->text;
    int error = text_open(&miss->text, !request->watch);
    if (!error)
        error = miss_start_child(miss, request->wire.program, preprocess_words(request), environment.entries,
                                 miss->text.fd, &preprocess_events);
    if (error) {
        miss_release_slot(miss);
        miss_reply_run(miss, REASON_NOT_FOUND, strerror(-error));
    }
}
