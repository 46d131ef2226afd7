#include "server/children.h"

#include <errno.h>
#include <string.h>

#include "common/memory.h"
#include "jobserver/makeflags.h"
#include "server/loop.h"
#include "server/text.h"

enum {
    PATIENCE = 250 /* milliseconds that a serving thread waits: less than a client's for a sign of life */
};

struct environment children_environment(struct request *request)
{
    struct environment environment;

    environment_init(&environment, &request->arena, request->wire.environment);
    if (request->command.reads_jobserver != READS_JOBSERVER_YES)
        makeflags_hide_jobserver(&environment);
    environment_set(&environment, "CCWRAP_ACTIVE", "1");
    return environment;
}

struct child_options children_options(struct request *request, const char *program, char *const *argv,
                                      char *const *environment)
{
    const struct wire_request *wire = &request->wire;
    struct child_options options = {.trampoline = request->server->trampoline,
                                    .settings = &request->limits,
                                    .program = program,
                                    .argv = argv,
                                    .environment = environment,
                                    .directory = wire->directory,
                                    .one_stream = wire->flags & WIRE_ONE_STREAM,
                                    .columns = wire->columns,
                                    .rows = wire->rows};

    for (int i = 0; i < 3; i++)
        options.terminal[i] = wire->flags & (WIRE_TERMINAL_0 << i);
    return options;
}

/* ---- the preprocessor ---- */

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

int children_preprocess(struct request *request, struct child *child)
{
    if (!request->command.preprocess_argv)
        return -ENOSYS;
    request->text = ARENA_NEW(&request->arena, struct text);
    text_init(request->text);
    int error = text_open(request->text, !request->watch);
    if (error)
        return error;
    struct environment environment = children_environment(request);
    struct child_options options =
        children_options(request, request->wire.program, preprocess_words(request), environment.entries);
    options.at_once = options.to_file = true;
    options.file = request->text->fd;
    return child_spawn(child, &options);
}

void children_reply_unpreprocessed(struct request *request, int error)
{
    if (!error)
        request_reply_run(request, REASON_PREPROCESSOR_FAILED, NULL);
    else if (error == -ENOSYS)
        request_reply_run(request, REASON_OPTION, NULL);
    else
        request_reply_run(request, REASON_NOT_FOUND, strerror(-error));
}

enum answer children_take_text(struct request *request)
{
    int error = text_read(request->text);

    if (!error)
        return request_answer_by_text(request, &request->text->digest);
    request_reply_run(request, REASON_PREPROCESSOR_FAILED, strerror(-error));
    return ANSWER_REPLIED;
}

/* ---- on a serving thread ---- */

static void release_slot(void *slots)
{
    slots_release(slots);
}

static void return_slot(struct server *server)
{
    if (!slots_return(&server->slots))
        loop_call(release_slot, &server->slots);
}

enum answer children_answer_by_text(struct request *request)
{
    struct server *server = request->server;
    int status = 0, error = 0;

    if (!slots_try(&server->slots))
        return ANSWER_PREPROCESS;
    struct child *child = memory_zalloc(sizeof *child);
    error = children_preprocess(request, child);
    bool started = !error;
    if (started && !child_wait(child, request->fd, PATIENCE, &status, &error)) {
        request->preprocessor = child;
        return ANSWER_PREPROCESS;
    }
    memory_free(child);
    return_slot(server);
    if (!started || error || status) { /* the compiler tells the client why */
        children_reply_unpreprocessed(request, started ? 0 : error);
        return ANSWER_REPLIED;
    }
    return children_take_text(request);
}
