#include "server/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/places.h"
#include "common/settings_file.h"
#include "server/stats.h"
#include "spawn/server_start.h"

enum { STOP_TRIES = 3 };

/* What a command runs with. */
struct admin {
    struct arena arena;
    struct environment environment;
    struct settings settings;
    const char *value; /* the word behind the option, or behind its "="; "" if there is none */
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

/* ---- asking a live server ---- */

/* Milliseconds: of silence, and until a server that says that it lives must have ended. */
enum { SILENCE = 3000, STOP_PATIENCE = 90 * 1000 };

static int64_t milliseconds(void)
{
    return clock_monotonic() / 1000000;
}

/* Reads until the other side closes. */
static int read_answer(int fd, int64_t patience, struct buf *in)
{
    for (int64_t deadline = milliseconds() + patience; milliseconds() < deadline;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, SILENCE);
        buf_reserve(in, 65536);
        /* After a time-out, too: this process may have been stopped for longer than the server was silent. */
        ssize_t got = recv(fd, in->data + in->length, 65536, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return 0;
        if (got > 0)
            in->length += (size_t)got;
        else if (ready == 0)
            return -ETIMEDOUT;
    }
    return -ETIMEDOUT;
}

static int converse(struct admin *admin, int fd, const char *word, const char *value, int64_t patience,
                    struct buf *in)
{
    struct buf frame = BUF_INIT;
    size_t begun = wire_begin_frame(&frame, WIRE_ADMIN);

    buf_add_string(&frame, word);
    buf_add_string(&frame, value);
    buf_add_string(&frame, admin->settings.dir ? admin->settings.dir : "");
    wire_end_frame(&frame, begun);
    admin_send(fd, &frame);
    buf_release(&frame);
    return read_answer(fd, patience, in);
}

/* Appends the text of the answer. Its status, or -EPROTO. */
static int take_text(const struct buf *in, struct buf *text)
{
    enum wire_type type;
    const void *payload;
    size_t size;
    long frame;

    for (size_t at = 0; (frame = wire_frame(in->data + at, in->length - at, &type, &payload, &size)) > 0;
         at += (size_t)frame) {
        if (type == WIRE_TEXT)
            buf_add(text, payload, size);
        if (type == WIRE_DONE)
            return size == 1 ? *(const unsigned char *)payload : 0;
    }
    return -EPROTO;
}

/* Says by one line that the server (fd negative: one that takes no connection) hangs. */
static int complain_of_silence(struct admin *admin, int fd, int error)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    const char *what = error == -ETIMEDOUT ? "doesn't answer" : "gives no answer that makes sense";

    if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
        fprintf(stderr, "ccwrap: the server (pid %d) %s\n", (int)peer.pid, what);
    else
        fprintf(stderr, "ccwrap: the server at %s %s\n", admin->settings.socket, what);
    return 1;
}

enum { NO_SERVER = -1, NO_ANSWER = -2 /* told */ };

/* Appends the text of the answer. 0 or 1 (the server's status), NO_SERVER or NO_ANSWER. */
static int ask(struct admin *admin, const char *word, const char *value, struct buf *text)
{
    struct buf in = BUF_INIT;
    int fd = server_connect(admin->settings.socket);

    if (fd < 0 && fd != -ETIMEDOUT)
        return NO_SERVER;
    int status = fd < 0 ? fd : converse(admin, fd, word, value, INT32_MAX, &in);
    if (!status)
        status = take_text(&in, text);
    if (status < 0) {
        buf_reset(text);
        complain_of_silence(admin, fd, status);
        status = NO_ANSWER;
    }
    if (fd >= 0)
        close(fd);
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

/* What compiles pass over in silence. */
static void tell_hindrances(struct admin *admin, bool no_server)
{
    const char *config = places_config(&admin->arena, environ), *named = getenv("CCWRAP_CONFIG");
    char *text;
    size_t size;
    int error = config && strcmp(config, "/dev/null") != 0
                    ? settings_file_text(config, &admin->arena, &text, &size)
                    : 0;

    if (error && (error != -ENOENT || (named && *named)))
        fprintf(stderr, "ccwrap: no settings are taken from %s: %s\n", config, strerror(-error));
    error = no_server ? places_make_socket_folder(admin->settings.socket) : 0;
    if (error)
        fprintf(stderr, "ccwrap: no server can start: %s: %s\n", admin->settings.socket,
                places_socket_trouble(error));
}

static int show_stats(struct admin *admin, const char *form)
{
    struct buf text = BUF_INIT;
    struct stats stats = {0};
    int answer = ask(admin, "stats", form, &text), error = -ENOENT;

    if (strcmp(form, "table") == 0)
        tell_hindrances(admin, answer == NO_SERVER);
    if (answer == 0)
        return print(&text);
    buf_reset(&text);
    if (admin->settings.dir)
        error = cache_read_offline(admin->settings.dir, stats_take, &stats, &stats.sizes);
    stats.sizes.max_size = admin->settings.maxsize;
    if (error && error != -ENOENT)
        fail(admin->settings.dir, error);
    admin_print_stats(&stats, form, admin->settings.dir, &text);
    int status = print(&text);
    return error && error != -ENOENT ? 1 : status;
}

static char store_warning[512];

static void keep_warning(const char *line)
{
    snprintf(store_warning, sizeof store_warning, "%s", line);
}

/* On the store itself. */
static int change_offline(struct admin *admin, const char *word, const char *value)
{
    struct cache_options options = {
        .folder = admin->settings.dir, .max_size = admin->settings.maxsize, .warn = keep_warning};
    struct cache *cache = cache_open(&options);
    int error = admin_work(cache, word, value);

    cache_close(cache);
    if (error == -EROFS && store_warning[0]) { /* it was not opened, and this says why */
        complain(NULL, store_warning);
        return 1;
    }
    return error ? fail(admin->settings.dir, error) : 0;
}

/* Zero, clear, trim, evict: by the live server, or on the store itself. */
static int change_store(struct admin *admin, const char *word, const char *value)
{
    const char *dir = admin->settings.dir;
    struct buf text = BUF_INIT;
    struct stat status;
    bool there = dir && stat(dir, &status) == 0;
    int error = there ? 0 : -errno;

    if (there && status.st_uid != geteuid())
        return fail(dir, -EACCES);
    if (there && faccessat(AT_FDCWD, dir, R_OK | W_OK | X_OK, AT_EACCESS) != 0)
        return fail(dir, -errno);
    int answer = ask(admin, word, value, &text);
    if (answer > 0)
        fprintf(stderr, "ccwrap: %.*s", (int)text.length, text.data);
    buf_release(&text);
    if (answer != NO_SERVER)
        return answer != 0;
    if (!dir)
        return fail("no store", -ENOENT);
    if (!there) /* not there: nothing to do */
        return error == -ENOENT ? 0 : fail(dir, error);
    return change_offline(admin, word, value);
}

static const char *start_trouble(int error)
{
    switch (error) {
    case -ECHILD:
        return "it ended before it was ready";
    case -ETIMEDOUT:
        return "it doesn't answer";
    default:
        return places_socket_trouble(error);
    }
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

/* One that runs already may be another build's, where both are given one socket: it takes no compiles of
 * ours. */
static bool is_of_this_build(struct admin *admin)
{
    struct buf text = BUF_INIT;
    bool same = false;

    if (ask(admin, "settings", "", &text) == 0) {
        const char *build = value_in_force(text.data, "build", &admin->arena);
        same = build && strcmp(build, places_build_id()) == 0;
    }
    buf_release(&text);
    return same;
}

static int start_server(struct admin *admin)
{
    static char *const none[] = {NULL};
    struct places places;
    struct buf text = BUF_INIT;
    bool started = false;

    places_find(&places, &admin->arena, environ, none);
    int fd = server_start(&places, environ, &admin->arena, &started);
    if (fd < 0) {
        fprintf(stderr, "ccwrap: can't start the server: %s: %s\n", places.socket, start_trouble(fd));
        return 1;
    }
    close(fd);
    tell_hindrances(admin, false);
    if (ask(admin, "warnings", "table", &text) < 0)
        return 1;
    for (size_t at = 0, length; at < text.length; at += length + 1) {
        length = strcspn(text.data + at, "\n");
        fprintf(stderr, "ccwrap: %.*s\n", (int)length, text.data + at);
    }
    buf_release(&text);
    if (!started && !is_of_this_build(admin)) {
        complain(NULL, "a server of another build runs at that socket: end it by --stop-server");
        return 1;
    }
    printf(started ? "ccwrap: server started\n" : "ccwrap: server runs already\n");
    return 0;
}

/* The server's end of the connection closes when it is gone; or when it took no notice, so that is made sure.
 */
static int stop_running_server(struct admin *admin)
{
    int fd = server_connect(admin->settings.socket), error = 0;

    if (fd == -ETIMEDOUT)
        return complain_of_silence(admin, fd, fd);
    if (fd < 0) {
        printf("ccwrap: no server runs\n");
        return 0;
    }
    for (int tries = 0; fd >= 0 && tries < STOP_TRIES; tries++) {
        struct buf in = BUF_INIT;
        error = converse(admin, fd, "stop", "", STOP_PATIENCE, &in);
        buf_release(&in);
        if (error)
            complain_of_silence(admin, fd, error);
        close(fd);
        if (error)
            return 1;
        fd = server_connect(admin->settings.socket);
    }
    if (fd >= 0) {
        close(fd);
        return fail("the server doesn't stop", -EBUSY);
    }
    printf("ccwrap: server stopped\n");
    return 0;
}

static int show_config(struct admin *admin)
{
    struct setting_view views[SETTING_COUNT];
    struct buf text = BUF_INIT, in_force = BUF_INIT;
    int answer = ask(admin, "settings", "", &in_force);

    tell_hindrances(admin, answer == NO_SERVER);
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

static int show_lines(struct admin *admin)
{
    return show_stats(admin, "lines");
}

static int refuse(const char *word, const char *what)
{
    fprintf(stderr, "ccwrap: %s: %s\n", word, what);
    return 1;
}

static int show_table_or_json(struct admin *admin)
{
    if (*admin->value && strcmp(admin->value, "text") != 0 && strcmp(admin->value, "json") != 0)
        return refuse("--stats-format", "is json or text");
    return show_stats(admin, strcmp(admin->value, "json") == 0 ? "json" : "table");
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

static int evict(struct admin *admin)
{
    int64_t seconds = settings_parse_age(admin->value);

    if (seconds < 0)
        return refuse("--evict-older-than", "needs an age (90, 15m, 36h, 7d)");
    return change_store(admin, "evict", arena_printf(&admin->arena, "%lld", (long long)seconds));
}

static const struct command {
    const char *word;
    int (*run)(struct admin *admin);
    bool takes_value;
} commands[] = {
    {"--start-server", start_server, false},
    {"--stop-server", stop_running_server, false},
    {"--stats", show_table_or_json, false},
    {"--show-stats", show_table_or_json, false},
    {"-s", show_table_or_json, false},
    {"--stats-format", show_table_or_json, true},
    {"--print-stats", show_lines, false},
    {"--zero-stats", zero_stats, false},
    {"-z", zero_stats, false},
    {"--clear", clear_store, false},
    {"-C", clear_store, false},
    {"--trim", trim_store, false},
    {"--cleanup", trim_store, false},
    {"-c", trim_store, false},
    {"--evict-older-than", evict, true},
    {"--show-config", show_config, false},
    {"-p", show_config, false},
    {"--version", show_version, false},
    {"-V", show_version, false},
    {"--help", show_usage, false},
    {"-h", show_usage, false},
};

/* The command that the word names, alone or up to an "=". */
static const struct command *find_command(const char *word)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        size_t length = strlen(commands[i].word);
        bool equal = strncmp(commands[i].word, word, length) == 0;
        if (equal && (!word[length] || (word[length] == '=' && commands[i].takes_value)))
            return &commands[i];
    }
    return NULL;
}

static int run(struct admin *admin, char **words)
{
    const struct command *command = find_command(*words);

    if (command && command->run == show_table_or_json && !command->takes_value && words[1] &&
        strncmp(words[1], "--stats-format", strlen("--stats-format")) == 0)
        command = find_command(*++words); /* "--stats --stats-format=json" */
    if (!command && strcmp(*words, "--") == 0)
        return refuse("--", "no such option; a compiler is named without it: ccwrap gcc ...");
    if (!command)
        return refuse(*words, "no such option (see --help)");
    const char *word = *words++, *equals = strchr(word, '=');
    if (equals)
        admin->value = equals + 1;
    else if (command->takes_value && *words)
        admin->value = *words++;
    if (command->takes_value && !*admin->value)
        admin->value = "?"; /* which no command takes */
    if (*words)
        return refuse(word, arena_printf(&admin->arena, "takes no further words: %s", *words));
    environment_init(&admin->environment, &admin->arena, environ);
    settings_load(&admin->settings, &admin->arena, &admin->environment, NULL, complain, NULL);
    return command->run(admin);
}

int admin_main(int argc, char **argv)
{
    struct admin admin = {.value = ""};

    arena_init(&admin.arena);
    int status = argc > 1 ? run(&admin, argv + 1) : show_usage(&admin);
    arena_release(&admin.arena);
    return status;
}
