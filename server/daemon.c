/* The server's life: lock, socket, cache, threads, loop, and back in reverse. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/places.h"
#include "server/arrival.h"
#include "server/compilers/comments.h"
#include "server/connection.h"
#include "server/log_folder.h"
#include "server/loop.h"
#include "server/server.h"
#include "server/stats.h"
#include "spawn/peer.h"

enum {
    DESCRIPTORS_MIN = 32,
    BACKLOG = 4096,
    TICK = 1000,
    DRAIN_TICK = 10,
    DRAIN_PATIENCE = 60,
    SET_MEMORY = 48 << 20,
    PENDING = 256 << 20
};
enum { LARGE_MEMORY = 1 << 20 };

/* Handles of the daemon itself. */
struct daemon {
    struct server server;
    uv_timer_t tick, drain;
    bool ticked;
    uv_signal_t signals[3];
    uv_poll_t mounts;
    int mounts_fd;
    uv_work_t stop_work;
    int64_t stop_began;
    struct stat socket;
    bool drained;
};

/* ---- readers, one a thread ---- */

struct reader_entry {
    struct cache_reader *reader;
    struct reader_entry *next;
};

static struct reader_entry *readers;
static pthread_mutex_t readers_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct cache_reader *own_reader;

struct cache_reader *server_reader(struct server *server)
{
    if (own_reader)
        return own_reader;
    struct reader_entry *entry = memory_zalloc(sizeof *entry);
    entry->reader = own_reader = cache_reader_open(server->cache);
    pthread_mutex_lock(&readers_mutex);
    entry->next = readers;
    readers = entry;
    pthread_mutex_unlock(&readers_mutex);
    return own_reader;
}

void server_close_readers(void)
{
    for (struct reader_entry *entry = readers, *next; entry; entry = next) {
        next = entry->next;
        cache_reader_close(entry->reader);
        memory_free(entry);
    }
    readers = NULL;
}

void server_enter(struct server *server)
{
    atomic_fetch_add(&server->active, 1);
}

void server_leave(struct server *server)
{
    atomic_store(&server->last_activity, clock_monotonic());
    atomic_fetch_sub(&server->active, 1);
}

/* ---- the socket ---- */

static int take_lock(struct server *server)
{
    char *path = arena_printf(&server->arena, "%s.lock", server->settings.socket);

    server->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (server->lock < 0)
        return -errno;
    if (flock(server->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    int error = -errno;
    close(server->lock);
    server->lock = -1;
    return error;
}

/* Whoever holds the lock may take away a socket that was left behind; but whatever else bears that name is
 * somebody's file. */
static int remove_old_socket(const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(status.st_mode))
        return -ENOTSOCK;
    return unlink(path) == 0 ? 0 : -errno;
}

static int open_socket(struct daemon *daemon)
{
    struct server *server = &daemon->server;
    struct sockaddr_un address;
    int folder = -1, error = remove_old_socket(server->settings.socket);

    if (error)
        return error;
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listener < 0)
        return -errno;
    error = places_socket_address(server->settings.socket, &address, &folder);
    umask(0177);
    if (!error && bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0)
        error = -errno;
    umask(0);
    if (!error && listen(server->listener, BACKLOG) != 0)
        error = -errno;
    if (!error && lstat(server->settings.socket, &daemon->socket) != 0)
        error = -errno;
    if (folder >= 0)
        close(folder);
    return error;
}

/* A file that came later may have got the number of the socket's inode. */
static bool is_our_socket(const struct daemon *daemon, const struct stat *now)
{
    return S_ISSOCK(now->st_mode) && now->st_ino == daemon->socket.st_ino &&
           now->st_dev == daemon->socket.st_dev;
}

/* From now on nobody finds this server; those that have connected are still served. */
static void leave_socket(struct daemon *daemon)
{
    struct server *server = &daemon->server;
    struct stat now;

    if (lstat(server->settings.socket, &now) == 0 && is_our_socket(daemon, &now))
        unlink(server->settings.socket);
    if (server->lock >= 0)
        close(server->lock);
    server->lock = -1;
}

/* ---- stopping ---- */

static void close_handles(struct daemon *daemon)
{
    uv_close((uv_handle_t *)&daemon->tick, NULL);
    uv_close((uv_handle_t *)&daemon->drain, NULL);
    for (size_t i = 0; i < sizeof daemon->signals / sizeof *daemon->signals; i++)
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
    if (daemon->mounts_fd >= 0)
        uv_close((uv_handle_t *)&daemon->mounts, NULL);
    connection_stop_heartbeat();
    loop_stop();
}

static void on_drain(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    bool late = clock_monotonic() - daemon->stop_began > (int64_t)DRAIN_PATIENCE * 1000000000;

    if (atomic_load(&daemon->server.active) > 0 && !late)
        return;
    uv_timer_stop(timer);
    daemon->drained = !late;
    close_handles(daemon);
    if (late)
        uv_stop(&daemon->server.loop);
}

static void stop_serving(uv_work_t *work)
{
    struct daemon *daemon = work->data;

    serve_stop(&daemon->server);
}

static void stopped_serving(uv_work_t *work, int status)
{
    struct daemon *daemon = work->data;

    (void)status;
    close(daemon->server.listener);
    daemon->server.listener = -1;
    arrival_end_all();
    uv_timer_start(&daemon->drain, on_drain, 0, DRAIN_TICK);
}

void server_stop(struct server *server)
{
    struct daemon *daemon = (struct daemon *)server; /* its first member */

    if (atomic_exchange(&server->stopping, true))
        return;
    log_line("server stops");
    daemon->stop_began = clock_monotonic();
    leave_socket(daemon);
    daemon->stop_work.data = daemon;
    uv_queue_work(&server->loop, &daemon->stop_work, stop_serving, stopped_serving);
}

static void on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    server_stop(signal->data);
}

/* ---- ticks ---- */

static bool is_idle(struct server *server)
{
    int64_t limit = (int64_t)server->settings.idle_timeout * 1000000000;

    return limit > 0 && atomic_load(&server->active) == 0 &&
           clock_monotonic() - atomic_load(&server->last_activity) >= limit;
}

/* Only what is surely so: an error of the file system says nothing of the socket. */
static bool socket_is_lost(const struct daemon *daemon)
{
    struct stat now;

    if (lstat(daemon->server.settings.socket, &now) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    return !is_our_socket(daemon, &now);
}

static void on_tick(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    struct server *server = &daemon->server;

    if (!daemon->ticked && server->logs) /* there may be many, and the first compile doesn't wait for it */
        log_folder_remove_old(server->logs);
    daemon->ticked = true;
    stats_flush();
    if (socket_is_lost(daemon) || is_idle(server))
        server_stop(server);
}

static void on_mounts(uv_poll_t *poll, int status, int events)
{
    struct daemon *daemon = poll->data;
    char text[4096];

    (void)status;
    (void)events;
    lseek(daemon->mounts_fd, 0, SEEK_SET); /* reading takes the event away */
    while (read(daemon->mounts_fd, text, sizeof text) > 0)
        ;
    file_digests_mounts_changed(cache_digests(daemon->server.cache));
}

static void watch_mounts(struct daemon *daemon)
{
    daemon->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (daemon->mounts_fd < 0)
        return;
    if (uv_poll_init(&daemon->server.loop, &daemon->mounts, daemon->mounts_fd) != 0) {
        close(daemon->mounts_fd);
        daemon->mounts_fd = -1;
        return;
    }
    daemon->mounts.data = daemon;
    uv_poll_start(&daemon->mounts, UV_PRIORITIZED, on_mounts);
}

/* ---- start ---- */

static char last_warning[512];
static pthread_mutex_t warning_mutex = PTHREAD_MUTEX_INITIALIZER;

static void warn(const char *line)
{
    log_line("%s", line);
    pthread_mutex_lock(&warning_mutex);
    snprintf(last_warning, sizeof last_warning, "%s", line);
    pthread_mutex_unlock(&warning_mutex);
}

void server_warnings(const struct server *server, struct buf *out)
{
    if (server->log_error)
        buf_addf(out, "warning: log: %s: %s\n", server->settings.log, strerror(-server->log_error));
    pthread_mutex_lock(&warning_mutex);
    if (last_warning[0])
        buf_addf(out, "warning: %s\n", last_warning);
    pthread_mutex_unlock(&warning_mutex);
}

/* The soft limits are those of whoever happened to start the server; children get their clients' own. False
 * if there are too few descriptors even so: libuv ends a process that it can't give its pipes. */
static bool raise_limits(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        if (i != RLIMIT_STACK && i != RLIMIT_CORE && getrlimit(i, &limit) == 0 &&
            limit.rlim_cur < limit.rlim_max) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(i, &limit);
        }
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_MIN;
}

static void find_own_limits(struct server *server)
{
    struct rlimit limit;

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        server->hard_limits[i] = getrlimit(i, &limit) == 0 ? limit.rlim_max : RLIM_INFINITY;
    server->nice = getpriority(PRIO_PROCESS, 0);
    server->personality = (uint32_t)personality(0xffffffff);
    server->privileged = geteuid() == 0;
}

static void find_own_files(struct server *server)
{
    const char *recorder = places_own_file(&server->arena, "ccwrap-recorder.so");

    server->trampoline = places_own_file(&server->arena, "ccwrap");
    server->logs = log_folder_open(&server->arena, server->runtime);
    /* LD_PRELOAD is a list: a path with a separator in it needs a link */
    if (recorder && strpbrk(recorder, " :"))
        recorder = log_folder_link(&server->arena, server->logs, recorder);
    if (server->logs && server->trampoline)
        server->recorder = recorder;
}

/* 0 or negative errno: under a tight limit there are no descriptors for a loop. */
static int start_loop(struct daemon *daemon)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct server *server = &daemon->server;

    int error = uv_loop_init(&server->loop);
    if (!error)
        error = loop_start(&server->loop);
    if (error)
        return error;
    connection_start_heartbeat(&server->loop);
    uv_timer_init(&server->loop, &daemon->tick);
    uv_timer_init(&server->loop, &daemon->drain);
    daemon->tick.data = daemon->drain.data = daemon;
    uv_timer_start(&daemon->tick, on_tick, TICK, TICK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uv_signal_init(&server->loop, &daemon->signals[i]);
        daemon->signals[i].data = server;
        error = uv_signal_start(&daemon->signals[i], on_signal, numbers[i]);
        if (error)
            return error;
    }
    watch_mounts(daemon);
    unsigned jobs = server->settings.prefix[0] ? 0 : (unsigned)server->settings.jobs;
    slots_init(&server->slots, jobs);
    own_pool_init(&server->pool, server->logs, jobs);
    return 0;
}

static void say_ready(int ready)
{
    if (ready < 0)
        return;
    if (write(ready, "R", 1) != 1) {
        /* whoever started us is gone already */
    }
    close(ready);
}

static int start(struct daemon *daemon)
{
    struct server *server = &daemon->server;
    const char *slash = strrchr(server->settings.socket, '/');

    server->runtime = slash && slash > server->settings.socket
                          ? arena_strndup(&server->arena, server->settings.socket,
                                          (size_t)(slash - server->settings.socket))
                          : arena_strdup(&server->arena, "/");
    int error = places_make_socket_folder(server->settings.socket);
    if (!error)
        error = take_lock(server);
    if (!error)
        error = open_socket(daemon);
    return error;
}

static void open_cache(struct server *server)
{
    struct cache_options options = {.folder = server->settings.dir ? server->settings.dir : "",
                                    .max_size = server->settings.maxsize,
                                    .memory = SET_MEMORY,
                                    .pending = PENDING,
                                    .warn = warn,
                                    .blank = comments_blank};
    server->cache = cache_open(&options);
    stats_start(server->cache);
}

/* Large results come and go: what they took goes back to the system, and doesn't raise the bar for it. Called
 * when the cache's tables stand, most of whose pages are never touched: they lie outside the heap, too. */
static void return_large_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE_MEMORY);
    mallopt(M_TRIM_THRESHOLD, LARGE_MEMORY);
}

int server_run(struct settings *settings, struct arena *arena, int ready)
{
    static struct daemon only_one; /* a process */
    struct daemon *daemon = &only_one;
    struct server *server = &daemon->server;

    server->settings = *settings;
    server->arena = *arena;
    server->listener = server->lock = -1;
    umask(0); /* modes are said where files are made */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (!raise_limits()) {
        fprintf(stderr, "ccwrap: can't serve with fewer than %d descriptors\n", DESCRIPTORS_MIN);
        return 1;
    }
    if (settings->log[0])
        server->log_error = log_open(settings->log);

    int error = start(daemon);
    if (error == -EWOULDBLOCK) { /* another one serves, or is about to */
        say_ready(ready);
        return 0;
    }
    if (error) {
        fprintf(stderr, "ccwrap: can't serve at %s: %s\n", settings->socket, places_socket_trouble(error));
        return 1;
    }
    wire_view_of_self(&server->view);
    find_own_limits(server);
    open_cache(server);
    return_large_memory();
    find_own_files(server);
    atomic_store(&server->last_activity, clock_monotonic());
    error = start_loop(daemon);
    if (!error)
        error = serve_start(server);
    if (error) {
        fprintf(stderr, "ccwrap: can't serve: %s\n", strerror(-error));
        leave_socket(daemon);
        return 1;
    }
    log_line("server %d starts, store %s", (int)getpid(), settings->dir ? settings->dir : "none");
    say_ready(ready);

    uv_run(&server->loop, UV_RUN_DEFAULT);
    own_pool_close(&server->pool);
    stats_flush();
    if (daemon->drained) /* else some thread still reads */
        server_close_readers();
    cache_close(server->cache);
    log_line("server %d ends", (int)getpid());
    log_close();
    return 0;
}
