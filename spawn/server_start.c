#include "spawn/server_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "spawn/launch.h"

enum { READY_FD = 3, MILLISECOND = 1000000 };

static int64_t deadline_in(int milliseconds)
{
    return clock_monotonic() + (int64_t)milliseconds * MILLISECOND;
}

static int milliseconds_left(int64_t deadline)
{
    int64_t left = deadline - clock_monotonic();
    return left <= 0 ? 0 : (int)(left / MILLISECOND) + 1;
}

static void doze(int milliseconds)
{
    struct timespec time = {0, (long)milliseconds * MILLISECOND};
    nanosleep(&time, NULL);
}

/* ---- connecting ---- */

static bool is_same_user(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getauxval(AT_EUID);
}

static int connect_once(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    int error = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ? 0 : -errno;
    if (!error && !is_same_user(fd))
        error = -EPERM;
    if (!error)
        return fd;
    close(fd);
    return error;
}

int server_connect(const char *socket_path)
{
    struct sockaddr_un address;
    int folder, fd = places_socket_address(socket_path, &address, &folder);

    if (fd < 0)
        return fd;
    int64_t deadline = 0; /* most connections need no clock */
    for (int pause = 1;; pause = pause < 16 ? pause * 2 : pause) {
        fd = connect_once(&address);
        if (fd != -EAGAIN && fd != -EINTR)
            break;
        if (!deadline)
            deadline = deadline_in(SERVER_CONNECT_PATIENCE);
        if (!milliseconds_left(deadline)) {
            fd = -ETIMEDOUT;
            break;
        }
        doze(pause); /* a full queue: a socket that doesn't block can't be waited for by poll */
    }
    if (folder >= 0)
        close(folder);
    return fd;
}

/* ---- starting ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A server outlives the build that starts it, so it gets nothing of the build's environment but what says
 * where things are. */
static char **scrubbed(struct arena *arena, char *const *environment)
{
    static const char *const kept[] = {
        "HOME=",   "PATH=",         "USER=",          "LOGNAME=",     "XDG_",
        "CCWRAP_", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS="}; /* of a server built so */
    static const char *const dropped[] = {"CCWRAP_ACTIVE=", "CCWRAP_DEPTH=", "CCWRAP_RECORD="};
    size_t count = 0;

    while (environment[count])
        count++;
    char **result = ARENA_ARRAY(arena, char *, count + 1);
    count = 0;
    for (; *environment; environment++) {
        bool keep = false;
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            keep |= begins_with(*environment, kept[i]);
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
            keep &= !begins_with(*environment, dropped[i]);
        if (keep)
            result[count++] = *environment;
    }
    return result;
}

/* Waits until the launched process is gone; one that hangs is ended. */
static void reap(pid_t pid, int64_t deadline)
{
    for (int pause = 1; waitpid(pid, NULL, WNOHANG) == 0; pause = pause < 16 ? pause * 2 : pause) {
        if (!milliseconds_left(deadline)) {
            kill(pid, SIGKILL);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
            return;
        }
        doze(pause);
    }
}

/* Waits for the byte that says "ready". 0, -ECHILD if the pipe was closed without one, -ETIMEDOUT. */
static int wait_until_ready(int fd, int64_t deadline)
{
    struct pollfd poll_fd = {fd, POLLIN, 0};
    int left;
    char byte;

    while ((left = milliseconds_left(deadline)) > 0) {
        if (poll(&poll_fd, 1, left) <= 0)
            continue;
        ssize_t got = read(fd, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        return got == 1 && byte == 'R' ? 0 : -ECHILD;
    }
    return -ETIMEDOUT;
}

static int launch_server(const struct places *places, char *const *environment, struct arena *arena,
                         int64_t deadline)
{
    /* The client starts ten times as fast as the server's program, which loads libraries. */
    char *program = places_own_file(arena, "ccwrap");
    const char *argv[8];
    struct launch launch;
    int ready[2], count = 0;
    pid_t pid;

    if (!program)
        return -ENOENT;
    argv[count++] = program;
    argv[count++] = SERVER_PARENT_WORD;
    if (places->dir) {
        argv[count++] = "--dir";
        argv[count++] = places->dir;
    }
    argv[count++] = "--socket";
    argv[count++] = places->socket;
    char **words = ARENA_ARRAY(arena, char *, (size_t)count + 3);
    memcpy(words, argv, (size_t)count * sizeof *words);
    words[count++] = arena_strdup(arena, "--ready-fd");
    words[count++] = arena_printf(arena, "%d", READY_FD);

    if (pipe2(ready, O_CLOEXEC) != 0)
        return -errno;
    launch_init(&launch, program, words, scrubbed(arena, environment));
    launch.directory = "/";
    launch.own_session = true;
    launch_fd(&launch, ready[1], READY_FD);
    int error = launch_start(&launch, &pid);
    close(ready[1]);
    if (!error) {
        error = wait_until_ready(ready[0], deadline);
        reap(pid, deadline);
    }
    close(ready[0]);
    return error;
}

int server_parent(char **argv, char *const *environment)
{
    static char daemon_word[] = "--daemon";
    struct arena arena;
    struct launch launch;
    pid_t pid;

    arena_init(&arena);
    argv[0] = places_own_file(&arena, "ccwrap-server");
    if (!argv[0])
        return 1;
    argv[1] = daemon_word;
    launch_init(&launch, argv[0], argv, environment);
    launch.directory = "/";
    launch.own_session = true;
    launch_fd(&launch, READY_FD, READY_FD);
    return launch_start(&launch, &pid) == 0 ? 0 : 1;
}

static int open_lock(const char *socket_path, struct arena *arena)
{
    const char *end = strrchr(socket_path, '.');
    bool suffix = end && strcmp(end, ".sock") == 0;
    int length = (int)(suffix ? (size_t)(end - socket_path) : strlen(socket_path));
    char *path = arena_printf(arena, "%.*s.start", length, socket_path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);

    return fd < 0 ? -errno : fd;
}

bool server_is_absent(int error)
{
    return error == -ENOENT || error == -ECONNREFUSED;
}

/* With the lock held: another may have started one between our connect and our lock. */
static int start_locked(const struct places *places, char *const *environment, struct arena *arena,
                        int64_t deadline, bool *started)
{
    int fd = server_connect(places->socket);

    if (!server_is_absent(fd))
        return fd;
    int error = launch_server(places, environment, arena, deadline);
    if (error)
        return error;
    *started = true;
    return server_connect(places->socket);
}

int server_start(const struct places *places, char *const *environment, struct arena *arena, bool *started)
{
    bool ignored;
    int fd = server_connect(places->socket);

    started = started ? started : &ignored;
    *started = false;
    if (!server_is_absent(fd))
        return fd;
    int error = places_make_socket_folder(places->socket);
    if (error)
        return error;
    int lock = open_lock(places->socket, arena);
    if (lock < 0)
        return lock;

    int64_t deadline = deadline_in(SERVER_START_PATIENCE);
    for (int pause = 2;; pause = pause < 20 ? pause + 2 : pause) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
            fd = start_locked(places, environment, arena, deadline, started);
            break;
        }
        fd = server_connect(places->socket);
        if (!server_is_absent(fd))
            break;
        if (!milliseconds_left(deadline)) {
            fd = -ETIMEDOUT;
            break;
        }
        doze(pause);
    }
    close(lock);
    return fd;
}
