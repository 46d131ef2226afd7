#include "server/admin.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/environment.h"
#include "common/places.h"
#include "server/loop.h"
#include "server/stats.h"
#include "spawn/server_start.h"

enum { ANSWER_PATIENCE = 120 * 1000, STOP_PATIENCE = 90 * 1000, STOP_TRIES = 3 };

/* What a command runs with. */
struct admin {
    struct arena arena;
    struct environment environment;
    struct settings settings;
};

static int fail(const char *what, int error)
{
    fprintf(stderr, "ccwrap: %s: %s\n", what, strerror(-error));
    return 1;
}

static void complain(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, "ccwrap: %s\n", line);
}

/* ---- the server's side ---- */

static void collect_stats(struct server *server, struct stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats_flush();
    cache_counters(server->cache, stats_take, stats);
    cache_sizes(server->cache, &stats->sizes);
}

static void print_stats(const struct stats *stats, const char *form, const char *dir, struct buf *out)
{
    if (strcmp(form, "json") == 0)
        stats_print_json(stats, dir, out);
    else if (strcmp(form, "lines") == 0)
        stats_print_lines(stats, out);
    else
        stats_print_table(stats, dir, out);
}

static int zero(struct cache *cache)
{
    stats_flush();
    cache_zero_counters(cache);
    cache_add_counter(cache, "stats_zeroed_timestamp", (int64_t)time(NULL));
    cache_flush(cache);
    return 0;
}

/* The part that is the same with and without a live server. */
static int work_on_cache(struct cache *cache, const char *word, const char *value)
{
    if (strcmp(word, "zero") == 0)
        return zero(cache);
    if (strcmp(word, "clear") == 0)
        return cache_clear(cache);
    if (strcmp(word, "trim") == 0)
        return cache_trim(cache);
    if (strcmp(word, "evict") == 0)
        return cache_evict_older(cache, strtoll(value, NULL, 10));
    return -EINVAL;
}

static void stop_server(void *data)
{
    server_stop(data);
}

/* "in force" settings, one KEY=VALUE a line. */
static void add_settings_in_force(const struct server *server, struct buf *out)
{
    const struct settings *settings = &server->settings;

    buf_addf(out, "maxsize=%llu\nidle_timeout=%llu\njobs=%llu\nlevel=%llu\nlog=%s\nmax_result=%llu\n",
             (unsigned long long)settings->maxsize, (unsigned long long)settings->idle_timeout,
             (unsigned long long)settings->jobs, (unsigned long long)settings->level, settings->log,
             (unsigned long long)settings->max_result);
}

static void send_all(int fd, const struct buf *bytes)
{
    for (size_t sent = 0; sent < bytes->length;) {
        ssize_t got = send(fd, bytes->data + sent, bytes->length - sent, MSG_NOSIGNAL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        sent += (size_t)got;
    }
}

void admin_answer(struct server *server, int fd, const void *payload, size_t size)
{
    struct reader reader;
    struct buf text = BUF_INIT, frames = BUF_INIT;
    struct stats stats;
    unsigned char status = 0;

    reader_init(&reader, payload, size);
    const char *word = reader_string(&reader), *value = reader_string(&reader);
    if (strcmp(word, "stop") == 0) {
        loop_call(stop_server, server);
        return; /* fd stays open: its end says that the server is gone */
    }
    if (strcmp(word, "stats") == 0) {
        collect_stats(server, &stats);
        print_stats(&stats, value, server->settings.dir, &text);
        if (strcmp(value, "table") == 0)
            server_last_warning(&text);
    } else if (strcmp(word, "settings") == 0) {
        add_settings_in_force(server, &text);
    } else {
        int error = work_on_cache(server->cache, word, value);
        status = error != 0;
        if (error)
            buf_addf(&text, "ccwrap: %s: %s\n", word, strerror(-error));
    }
    wire_add_frame(&frames, WIRE_TEXT, text.data ? text.data : "", text.length);
    wire_add_frame(&frames, WIRE_DONE, &status, 1);
    send_all(fd, &frames);
    buf_release(&text);
    buf_release(&frames);
    close(fd);
}

/* ---- asking a live server ---- */

static int wait_readable(int fd, int patience)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready = poll(&wait, 1, patience);

    return ready > 0 ? 0 : ready == 0 ? -ETIMEDOUT : -errno;
}

/* Reads until the other side closes. */
static int read_answer(int fd, int patience, struct buf *in)
{
    for (;;) {
        int error = wait_readable(fd, patience);
        if (error == -EINTR)
            continue;
        if (error)
            return error;
        buf_reserve(in, 65536);
        ssize_t got = recv(fd, in->data + in->length, 65536, 0);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return 0;
        in->length += (size_t)got;
    }
}

static int ask(int fd, const char *word, const char *value, int patience, struct buf *in)
{
    struct buf frame = BUF_INIT;
    size_t begun = wire_begin_frame(&frame, WIRE_ADMIN);

    buf_add_string(&frame, word);
    buf_add_string(&frame, value);
    wire_end_frame(&frame, begun);
    send_all(fd, &frame);
    buf_release(&frame);
    return read_answer(fd, patience, in);
}

/* Appends the text of the answer. 0 or 1 (the server's status), or negative errno. */
static int ask_text(int fd, const char *word, const char *value, struct buf *text)
{
    struct buf in = BUF_INIT;
    int status = ask(fd, word, value, ANSWER_PATIENCE, &in);
    size_t at = 0;

    close(fd);
    for (bool done = status != 0; !done;) {
        enum wire_type type;
        const void *payload;
        size_t size;
        long frame = wire_frame(in.data + at, in.length - at, &type, &payload, &size);
        if (frame <= 0) {
            status = -EPROTO;
            break;
        }
        at += (size_t)frame;
        if (type == WIRE_TEXT)
            buf_add(text, payload, size);
        done = type == WIRE_DONE;
        if (done && size == 1)
            status = *(const unsigned char *)payload;
    }
    buf_release(&in);
    return status;
}

/* ---- commands ---- */

static int print(struct buf *text)
{
    bool bad = text->length && fwrite(text->data, 1, text->length, stdout) != text->length;

    bad |= fflush(stdout) != 0;
    buf_release(text);
    return bad ? fail("standard output", -errno) : 0;
}

static int show_stats(struct admin *admin, const char *form)
{
    struct buf text = BUF_INIT;
    struct stats stats = {0};
    int fd = server_connect(admin->settings.socket);

    if (fd >= 0 && ask_text(fd, "stats", form, &text) == 0)
        return print(&text);
    buf_reset(&text);
    int error = admin->settings.dir
                    ? cache_read_offline(admin->settings.dir, stats_take, &stats, &stats.sizes)
                    : -ENOENT;
    stats.sizes.max_size = admin->settings.maxsize;
    if (error && error != -ENOENT)
        fail(admin->settings.dir, error);
    print_stats(&stats, form, admin->settings.dir, &text);
    int status = print(&text);
    return error && error != -ENOENT ? 1 : status;
}

/* Zero, clear, trim, evict: by the live server, or on the store itself. */
static int change_store(struct admin *admin, const char *word, const char *value)
{
    struct buf text = BUF_INIT;
    int fd = server_connect(admin->settings.socket);

    if (fd >= 0) {
        int status = ask_text(fd, word, value, &text);
        if (status > 0)
            fwrite(text.data, 1, text.length, stderr);
        buf_release(&text);
        return status < 0 ? fail("server", status) : status;
    }
    if (!admin->settings.dir)
        return fail("no store", -ENOENT);
    if (access(admin->settings.dir, F_OK) != 0)
        return 0; /* nothing there: nothing to do */
    struct cache_options options = {.folder = admin->settings.dir, .max_size = admin->settings.maxsize};
    struct cache *cache = cache_open(&options);
    int error = work_on_cache(cache, word, value);
    cache_close(cache);
    return error ? fail(admin->settings.dir, error) : 0;
}

static int start_server(struct admin *admin)
{
    static char *const none[] = {NULL};
    struct places places;
    bool started = false;

    places_find(&places, &admin->arena, environ, none);
    int fd = server_start(&places, environ, &admin->arena, &started);
    if (fd < 0)
        return fail("can't start the server", fd);
    close(fd);
    printf(started ? "ccwrap: server started\n" : "ccwrap: server runs already\n");
    return 0;
}

/* The server's end of the connection closes when it is gone; or when it took no notice, so that is made sure.
 */
static int stop_running_server(struct admin *admin)
{
    int fd = server_connect(admin->settings.socket), error = 0;

    if (fd < 0) {
        printf("ccwrap: no server runs\n");
        return 0;
    }
    for (int tries = 0; fd >= 0 && !error && tries < STOP_TRIES; tries++) {
        struct buf in = BUF_INIT;
        error = ask(fd, "stop", "", STOP_PATIENCE, &in);
        close(fd);
        buf_release(&in);
        fd = server_connect(admin->settings.socket);
    }
    if (fd >= 0) {
        close(fd);
        error = error ? error : -EBUSY;
    }
    if (error)
        return fail("the server doesn't stop", error);
    printf("ccwrap: server stopped\n");
    return 0;
}

/* What the running server took when it started may differ from what this shell's settings say. */
static const char *value_in_force(const char *text, const char *key, struct arena *arena)
{
    size_t length = strlen(key);

    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return arena_strndup(arena, line + length + 1, strcspn(line + length + 1, "\n"));
    return NULL;
}

static int show_config(struct admin *admin)
{
    struct setting_view views[SETTING_COUNT];
    struct buf text = BUF_INIT, in_force = BUF_INIT;
    int fd = server_connect(admin->settings.socket);

    if (fd >= 0 && ask_text(fd, "settings", "", &in_force) != 0)
        buf_reset(&in_force);
    settings_view(views, &admin->arena, &admin->environment, NULL, NULL);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        buf_addf(&text, "(%s) %s = %s\n", views[i].source, views[i].key, views[i].value);
        const char *running = in_force.data && views[i].scope == SCOPE_SERVER
                                  ? value_in_force(in_force.data, views[i].key, &admin->arena)
                                  : NULL;
        uint64_t shown = strcmp(views[i].key, "maxsize") == 0      ? admin->settings.maxsize
                         : strcmp(views[i].key, "max_result") == 0 ? admin->settings.max_result
                                                                   : 0;
        bool same = !running || strcmp(running, views[i].value) == 0 ||
                    (shown && strtoull(running, NULL, 10) == shown);
        if (!same)
            buf_addf(&text, "    the running server has %s = %s\n", views[i].key, running);
    }
    buf_release(&in_force);
    return print(&text);
}

static const char usage[] =
    "usage: ccwrap [KEY=VALUE ...] COMPILER ARGS...   compile through the cache\n"
    "       ccwrap OPTION\n"
    "  --start-server, --stop-server\n"
    "  -s, --stats, --show-stats     statistics; --stats-format=json for programs\n"
    "  --print-stats                 statistics, NAME<TAB>VALUE a line\n"
    "  -z, --zero-stats              statistics to zero\n"
    "  -C, --clear                   forget all results\n"
    "  -c, --trim, --cleanup         forget the least recently used above maxsize\n"
    "  --evict-older-than AGE        forget what was not used for AGE (90, 15m, 36h, 7d)\n"
    "  -p, --show-config             settings, their values and where they come from\n"
    "  --version, --help\n";

static int show_usage(struct admin *admin)
{
    (void)admin;
    return fputs(usage, stdout) < 0 || fflush(stdout) != 0;
}

static int show_version(struct admin *admin)
{
    (void)admin;
    return printf("ccwrap " CCWRAP_VERSION " (%s)\n", places_build_id()) < 0 || fflush(stdout) != 0;
}

static int show_table(struct admin *admin)
{
    return show_stats(admin, "table");
}

static int show_lines(struct admin *admin)
{
    return show_stats(admin, "lines");
}

static int show_json(struct admin *admin)
{
    return show_stats(admin, "json");
}

static int zero_stats(struct admin *admin)
{
    return change_store(admin, "zero", "");
}

static int clear_store(struct admin *admin)
{
    return change_store(admin, "clear", "");
}

static int trim_store(struct admin *admin)
{
    return change_store(admin, "trim", "");
}

static const struct {
    const char *word;
    int (*run)(struct admin *admin);
} commands[] = {
    {"--start-server", start_server},
    {"--stop-server", stop_running_server},
    {"--stats", show_table},
    {"--show-stats", show_table},
    {"-s", show_table},
    {"--print-stats", show_lines},
    {"--stats-format=json", show_json},
    {"--stats-format=text", show_table},
    {"--zero-stats", zero_stats},
    {"-z", zero_stats},
    {"--clear", clear_store},
    {"-C", clear_store},
    {"--trim", trim_store},
    {"--cleanup", trim_store},
    {"-c", trim_store},
    {"--show-config", show_config},
    {"-p", show_config},
    {"--version", show_version},
    {"-V", show_version},
    {"--help", show_usage},
    {"-h", show_usage},
};

static int evict(struct admin *admin, const char *age)
{
    int64_t seconds = age ? settings_parse_age(age) : -1;

    if (seconds < 0) {
        fprintf(stderr, "ccwrap: --evict-older-than: not an age (90, 15m, 36h, 7d): %s\n", age ? age : "");
        return 1;
    }
    return change_store(admin, "evict", arena_printf(&admin->arena, "%lld", (long long)seconds));
}

static int run(struct admin *admin, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "--evict-older-than") == 0)
        return evict(admin, argc > 2 ? argv[2] : NULL);
    if (argc == 3 && (strcmp(word, "--stats") == 0 || strcmp(word, "--show-stats") == 0) &&
        strcmp(argv[2], "--stats-format=json") == 0)
        return show_json(admin);
    if (argc == 4 && strcmp(argv[2], "--stats-format") == 0 && strcmp(argv[3], "json") == 0)
        return show_json(admin);
    if (argc > 2) {
        fprintf(stderr, "ccwrap: %s: takes no further words\n", word);
        return 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].word, word) == 0)
            return commands[i].run(admin);
    fprintf(stderr, "ccwrap: %s: no such option (see --help)\n", word);
    return 1;
}

int admin_main(int argc, char **argv)
{
    struct admin admin;

    arena_init(&admin.arena);
    environment_init(&admin.environment, &admin.arena, environ);
    settings_load(&admin.settings, &admin.arena, &admin.environment, NULL, complain, NULL);
    int status = run(&admin, argc, argv);
    arena_release(&admin.arena);
    return status;
}
