#include "server/request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/lookup.h"
#include "common/memory.h"
#include "common/places.h"
#include "server/compilers/rustc.h"
#include "server/known.h"
#include "server/loop.h"
#include "server/programs.h"
#include "server/result.h"
#include "server/stats.h"
#include "server/text.h"
#include "spawn/peer.h"

static void stop_server(void *server)
{
    server_stop(server);
}

/* The client compiles by itself. A server whose own file was replaced makes room for one of today's build. */
static void refuse_build(struct server *server)
{
    struct stat own;

    stats_reason(REASON_OTHER_BUILD, NULL);
    if (stat("/proc/self/exe", &own) == 0 && own.st_nlink == 0)
        loop_call(stop_server, server);
}

struct request *request_new(struct server *server, int fd, char *frame, const void *payload, size_t size)
{
    const char *build = wire_build_of_request(payload, size);

    if (!build || strcmp(build, places_build_id()) != 0) {
        if (build)
            refuse_build(server);
        return NULL;
    }
    struct request *request = memory_zalloc(sizeof *request);
    request->server = server;
    arena_init(&request->arena);
    request->began = clock_monotonic();
    request->directory = request->ground = -1;
    request->failed = "";
    if (wire_get_request(&request->wire, &request->arena, payload, size) != 0 || !request->wire.argv[0]) {
        arena_release(&request->arena);
        memory_free(request);
        return NULL;
    }
    environment_init(&request->environment, &request->arena, request->wire.environment);
    request->frame = frame;
    request->fd = fd;
    request->client = peer_process(fd);
    return request;
}

void request_free(struct request *request)
{
    if (request->fd >= 0)
        close(request->fd);
    if (request->ground >= 0 && request->ground != request->directory)
        close(request->ground);
    if (request->directory >= 0)
        close(request->directory);
    memory_free(request->frame);
    buf_release(&request->reply);
    buf_release(&request->complaints);
    if (request->text)
        text_release(request->text);
    arena_release(&request->arena);
    memory_free(request);
}

void request_reply_run(struct request *request, enum reason reason, const char *word)
{
    buf_reset(&request->reply);
    wire_add_frame(&request->reply, WIRE_RUN, reason_name(reason), strlen(reason_name(reason)) + 1);
    stats_reason(reason, word);
    request->reason = reason;
    request->outcome = "run";
    if (word)
        request->failed = word;
}

void request_reply_refuse(struct request *request, int status, const char *line)
{
    buf_reset(&request->reply);
    size_t begun = wire_begin_frame(&request->reply, WIRE_REFUSE);
    buf_add_u8(&request->reply, (uint8_t)status);
    buf_add_text(&request->reply, line);
    wire_end_frame(&request->reply, begun);
    request->outcome = "refused";
}

/* ---- step 1: what does this command line mean? ---- */

/* What the server found out about itself at its start may lack what a call didn't tell then. */
static bool is_own_view(const struct request *request)
{
    struct wire_view now;

    if (memcmp(&request->wire.view, &request->server->view, sizeof now) == 0)
        return true;
    wire_view_of_self(&now);
    return memcmp(&request->wire.view, &now, sizeof now) == 0;
}

static bool same_view(const struct request *request)
{
    return is_own_view(request) && request->client == (pid_t)request->wire.pid;
}

/* A server that was started under tighter limits, or by a nicer user, than this client's can't give a
 * compiler what it would have. It leaves, and the next client starts one that can. */
static bool can_serve(const struct request *request)
{
    const struct server *server = request->server;
    bool can = server->privileged || request->limits.nice >= server->nice;

    for (int i = 0; i < TRAMPOLINE_LIMITS && !server->privileged; i++)
        can = can && request->limits.limits[i].rlim_max <= server->hard_limits[i];
    return can;
}

/* The shell's name for the directory, if it is the same: gcc and clang put this one into debug info. */
static const char *find_shown_directory(struct request *request)
{
    const char *pwd = environment_get(&request->environment, "PWD");
    struct stat named, real;

    if (pwd && pwd[0] == '/' && strcmp(pwd, request->wire.directory) != 0 && stat(pwd, &named) == 0 &&
        fstatat(request->directory, ".", &real, 0) == 0 && named.st_dev == real.st_dev &&
        named.st_ino == real.st_ino)
        return pwd;
    return request->wire.directory;
}

static const char *get_variable(void *environment, const char *name)
{
    return environment_get(environment, name);
}

/* Digest of the main source, before anything runs. */
static enum reason read_source(struct request *request)
{
    const char *source = request->command.source;
    int error = file_digest(cache_digests(request->server->cache), request->directory, source, true,
                            &request->source);

    request->has_source = error == 0;
    if (error == 0 || strcmp(source, "/dev/null") == 0)
        return REASON_NONE;
    return error == -ENOENT || error == -ENOTDIR ? REASON_NO_INPUT : REASON_SPECIAL_INPUT;
}

static bool is_source(const struct request *request, const char *path, struct stat *there)
{
    if (S_ISLNK(there->st_mode) && fstatat(request->directory, path, there, 0) != 0)
        return false;
    return request->has_source && there->st_dev == request->source.stamp.device &&
           there->st_ino == request->source.stamp.inode;
}

/* Nothing is there, most often: then one look answers all. gcc refuses to write its result, or a depfile,
 * over its own source; others don't. That is theirs to say. */
static enum reason check_output(struct request *request, enum output_role role)
{
    const char *path = request->command.output[role];
    struct stat there;

    if (!path || strcmp(path, "/dev/null") == 0)
        return REASON_NONE;
    if (fstatat(request->directory, path, &there, AT_SYMLINK_NOFOLLOW) == 0) {
        if (is_source(request, path, &there))
            return REASON_OUTPUT_FILE;
    } else if (errno == ENOENT) {
        request->absent |= 1u << role;
        return REASON_NONE;
    }
    return role != OUTPUT_OBJECT || result_may_replace(request, request->directory, path)
               ? REASON_NONE
               : REASON_OUTPUT_FILE;
}

/* The folder that a path of this last name lies in; false if there is none. */
static bool stat_folder(const struct request *request, const char *path, const char *name,
                        struct stat *status)
{
    char folder[PATH_MAX] = ".";
    size_t length = (size_t)(name - path);

    if (length >= sizeof folder)
        return false;
    if (length > 0)
        memcpy(folder, path, length), folder[length] = '\0';
    return fstatat(request->directory, folder, status, 0) == 0;
}

/* -MF and -o with one name: what comes last would stay. */
static bool is_same_output(const struct request *request, const char *path, const char *other)
{
    const char *name = lookup_basename(path), *other_name = lookup_basename(other);
    struct stat folder, other_folder;

    return strcmp(name, other_name) == 0 && strcmp(path, "/dev/null") != 0 &&
           stat_folder(request, path, name, &folder) &&
           stat_folder(request, other, other_name, &other_folder) && folder.st_dev == other_folder.st_dev &&
           folder.st_ino == other_folder.st_ino;
}

static enum reason check_outputs(struct request *request)
{
    const char *const *output = request->command.output;

    for (int role = 0; role < OUTPUT_ROLES; role++) {
        enum reason reason = check_output(request, (enum output_role)role);
        for (int other = 0; other < role && output[role] && reason == REASON_NONE; other++)
            if (output[other] && is_same_output(request, output[role], output[other]))
                reason = REASON_OUTPUT_FILE;
        if (reason != REASON_NONE)
            return reason;
    }
    return REASON_NONE;
}

/* One that may not be read can be worked in all the same. */
static int open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 || errno != EACCES ? fd : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* A folder that isn't there yet is made by the compiler, and so is what would be restored into it. */
static enum reason open_ground(struct request *request)
{
    const char *folder = request->command.ground;

    request->ground_path = folder ? folder : request->wire.directory;
    request->ground = folder ? open_folder(folder) : request->directory;
    return request->ground >= 0 ? REASON_NONE : REASON_OUTPUT_FILE;
}

/* A bad setting is told on the client's stderr, in front of all else, and is never part of a result. */
static void complain(void *data, const char *line)
{
    struct request *request = data;

    size_t begun = wire_begin_frame(&request->complaints, WIRE_OUTPUT);
    buf_add_u8(&request->complaints, STDERR_FILENO);
    buf_addf(&request->complaints, "ccwrap: %s\n", line);
    wire_end_frame(&request->complaints, begun);
}

static const char *loader_question(struct request *request)
{
    const char *const *name = known_loader_questions;

    while (*name && !environment_get(&request->environment, *name))
        name++;
    return *name;
}

/* Fills frontend, command, source, directory. What can't be cached has a reason, and *word may say more. */
static enum reason parse(struct request *request, const char **word)
{
    struct program program;

    if (!same_view(request))
        return REASON_OTHER_VIEW;
    settings_of_compile(&request->settings, &request->arena, &request->environment, request->wire.settings,
                        complain, request);
    if (request->settings.disable)
        return REASON_DISABLED;
    *word = loader_question(request);
    if (*word)
        return REASON_UNWATCHABLE;
    request->directory = open_folder(request->wire.directory);
    if (request->directory < 0)
        return REASON_OTHER_VIEW;
    if (programs_find(request->wire.program, request->wire.argv[0], &program) != 0)
        return REASON_NOT_FOUND;
    request->frontend = rustc_is_wrapped(request->wire.argv) ? &frontend_rustc : program.frontend;
    /* What a launcher does on another machine can't be watched. */
    request->watch = request->settings.recorder && !program.unwatchable && request->server->recorder &&
                     !request->settings.prefix[0];

    struct invocation invocation = {.argv = request->wire.argv,
                                    .program = request->wire.program,
                                    .directory = request->directory,
                                    .directory_path = request->wire.directory,
                                    .getenv = get_variable,
                                    .environment = &request->environment};
    while (invocation.argv[invocation.argc])
        invocation.argc++;
    request->frontend->parse(&invocation, &request->arena, &request->command);
    *word = request->command.reason_word;
    if (request->command.reason != REASON_NONE)
        return request->command.reason;
    if (!request->watch && !request->command.allow_unwatched) {
        *word = request->command.unwatched_word;
        return REASON_UNWATCHABLE;
    }
    request->shown_directory = find_shown_directory(request);
    request->bases =
        strchr(request->wire.directory, ':')
            ? request->settings.basedir
            : arena_printf(&request->arena, "%s:%s", request->settings.basedir, request->wire.directory);

    enum reason reason = open_ground(request);
    if (reason == REASON_NONE)
        reason = read_source(request);
    return reason != REASON_NONE ? reason : check_outputs(request);
}

/* ---- step 2: key → input set that holds → result ---- */

static void reply_hit(struct request *request, const struct cache_hit *hit, uint64_t size)
{
    int64_t took = clock_monotonic() - request->began;

    stats_add(request->by_text ? COUNTER_PREPROCESSED_HIT : COUNTER_DIRECT_HIT, 1);
    stats_add(COUNTER_HIT_NANOSECONDS, took);
    if (request->frontend == &frontend_rustc)
        stats_add(COUNTER_RUST_HIT, 1);
    stats_add(COUNTER_RESTORED_BYTES, (int64_t)size);
    if (hit->but_comments)
        stats_add(COUNTER_COMMENT_HIT, 1);
    request->outcome = request->by_text ? "hit preprocessed" : "hit direct";
}

static enum reason reason_of_restore(int error)
{
    switch (error) {
    case -EBADMSG:
    case -ENOMEM:
        return REASON_INTERNAL;
    case -ECANCELED:
        return REASON_CANCELLED;
    default: /* no such folder, no right to write, a full disk: the compiler tells the user */
        return REASON_OUTPUT_FILE;
    }
}

bool request_look_up(struct request *request)
{
    struct check check = {.digests = cache_digests(request->server->cache),
                          .directory = request->ground,
                          .directory_path = request->ground_path,
                          .environment = &request->environment,
                          .fact = request_fact,
                          .data = request};
    struct cache_hit hit;

    bool found =
        cache_lookup(server_reader(request->server), request->by_text ? &request->text_key : &request->key,
                     &check, &hit, &request->failed);
    request->looked_up = clock_monotonic();
    if (!found)
        return false;

    uint64_t size;
    int error = result_restore(request, hit.packed, &size);
    packed_unref(hit.packed);
    if (error == -EDOM || error == -EBADMSG || error == -ESTALE) { /* unfit, damaged, or gone meanwhile */
        buf_reset(&request->reply);
        return false;
    }
    if (error)
        request_reply_run(request, reason_of_restore(error), strerror(-error));
    else
        reply_hit(request, &hit, size);
    return true;
}

/* What a miss leads to, by the settings of this compile. */
static enum answer answer_miss(struct request *request)
{
    const struct settings *settings = &request->settings;

    if (settings->hits_only) {
        stats_add(COUNTER_MISS, 1);
        request_reply_refuse(request, 1,
                             arena_printf(&request->arena, "ccwrap: not in the cache (hits_only): %s: %s\n",
                                          request->command.source,
                                          request->failed[0] ? request->failed : "never compiled so before"));
        return ANSWER_REPLIED;
    }
    if (settings->readonly) {
        stats_add(COUNTER_MISS, 1);
        request_reply_run(request, REASON_NONE, NULL);
        return ANSWER_REPLIED;
    }
    return ANSWER_COMPILE;
}

enum answer request_answer_by_text(struct request *request, const struct digest *text)
{
    request->by_text = true;
    request->text_key = key_of_text(request, text);
    if (!request->settings.recache && request_look_up(request))
        return ANSWER_REPLIED;
    return answer_miss(request);
}

/* Does the preprocessed text stand for the source? A compiler that has no such text (rustc) is known by what
 * it was seen to read, whatever `direct` says. */
static bool goes_by_text(const struct request *request)
{
    bool has_text = request->command.preprocess_argv || request->command.source_is_text;
    return !request->watch || (has_text && !request->settings.direct);
}

/* From the cache alone. */
static enum answer find_answer(struct request *request)
{
    const char *word = NULL;
    enum reason reason = parse(request, &word);

    if (reason != REASON_NONE) {
        request_reply_run(request, reason, word);
        return ANSWER_REPLIED;
    }
    request->key = key_direct(request);
    if (goes_by_text(request)) {
        if (!request->command.source_is_text)
            return ANSWER_PREPROCESS;
        return request_answer_by_text(request, &request->source.content);
    }
    if (!request->settings.recache && request_look_up(request))
        return ANSWER_REPLIED;
    return answer_miss(request);
}

/* Can a compiler be started as the client would have started it? */
static bool can_start(struct request *request)
{
    request->limits.umask = request->wire.umask;
    if (peer_limits(request->client, &request->limits) != 0 || request->wire.host != wire_host_of_self() ||
        request->wire.personality != request->server->personality)
        return false;
    if (can_serve(request))
        return true;
    loop_call(stop_server, request->server);
    return false;
}

enum answer request_answer(struct request *request)
{
    enum answer answer = find_answer(request);

    request->absent = 0; /* what is there may be another thing by the time of a later step */
    if (answer != ANSWER_REPLIED && !can_start(request)) {
        request_reply_run(request, REASON_OTHER_VIEW, NULL);
        answer = ANSWER_REPLIED;
    }
    return answer;
}

void request_log(struct request *request)
{
    char key[DIGEST_TEXT_SIZE];
    int64_t now = clock_monotonic();

    if (!log_is_open())
        return;
    digest_text(request->by_text ? &request->text_key : &request->key, key);
    log_line("%s reason=%s key=%s source=%s lookup=%.3fms total=%.3fms %s",
             request->outcome ? request->outcome : "ended", reason_name(request->reason), key,
             request->command.source ? request->command.source : "-",
             request->looked_up ? (double)(request->looked_up - request->began) / 1e6 : 0.0,
             (double)(now - request->began) / 1e6, request->failed);
}
