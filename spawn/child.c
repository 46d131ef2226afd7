#include "spawn/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/arena.h"
#include "spawn/launch.h"
#include "spawn/peer.h"
#include "spawn/starts.h"
#include "spawn/terminal.h"

enum { HANDLE_PID, HANDLE_STREAM, HANDLE_GRACE = HANDLE_STREAM + CHILD_STREAMS };
enum { READ_SIZE = 64 * 1024, READ_TRIES = 16, READS_MAX = 64, GRACE_MS = 100, CHILD_GATE_FD = 3 };

/* ---- ends ---- */

static void handle_closed(uv_handle_t *handle)
{
    struct child *child = handle->data;
    if (--child->open_handles == 0)
        child->events->closed(child);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The descriptor stays open until its handle is closed: libuv takes the number out of its epoll set once more
 * then, and by that time it could be another's. */
static void stop_stream(struct child *child, int index)
{
    if (child->polling[HANDLE_STREAM + index])
        uv_poll_stop(&child->stream_poll[index]);
    child->polling[HANDLE_STREAM + index] = false;
    child->reading[index] = false;
}

static bool streams_ended(const struct child *child)
{
    return !child->reading[0] && !child->reading[1];
}

/* Output that was written must not be missing, so that other tries follow; then the program is ended. */
static void fail_to_read(struct child *child, int index, int error)
{
    if (++child->failing_reads < READ_TRIES)
        return;
    stop_stream(child, index);
    child_kill(child, SIGKILL);
    child->events->failed(child, error);
}

/* A terminal's master reports EIO when the last slave is closed. */
static bool is_end(int fd, ssize_t got)
{
    return got == 0 || (errno == EIO && isatty(fd));
}

static bool read_stream(struct child *child, int index)
{
    static char bytes[READ_SIZE]; /* the loop is one thread */
    ssize_t got = read(child->stream[index], bytes, sizeof bytes);

    if (got > 0) {
        child->failing_reads = 0;
        child->events->output(child, index + 1, bytes, (size_t)got);
        return child->reading[index] && !child->paused;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (is_end(child->stream[index], got))
        stop_stream(child, index);
    else
        fail_to_read(child, index, -errno);
    return false;
}

static void tell_end(struct child *child, bool held)
{
    if (child->told)
        return;
    child->told = true;
    uv_timer_stop(&child->grace);
    child->events->ended(child, child->status, held);
}

/* What is there; more can only come of a process that goes on, for which the loop doesn't wait. */
static void read_all(struct child *child)
{
    for (int i = 0; i < CHILD_STREAMS; i++)
        for (int reads = 0; reads < READS_MAX && child->reading[i] && read_stream(child, i); reads++)
            ;
}

/* What came meanwhile may not have been told yet: a loop that is late runs its timers first. */
static void on_grace(uv_timer_t *timer)
{
    struct child *child = timer->data;

    read_all(child);
    if (!child->paused && !child->told)
        tell_end(child, !streams_ended(child));
}

static void check_end(struct child *child)
{
    if (!child->exited || child->told)
        return;
    if (streams_ended(child))
        tell_end(child, false);
    else if (!child->paused && !uv_is_active((uv_handle_t *)&child->grace))
        uv_timer_start(&child->grace, on_grace, GRACE_MS, 0);
}

/* ---- events ---- */

static void on_stream(uv_poll_t *poll, int status, int events)
{
    struct child *child = poll->data;
    int index = poll == &child->stream_poll[1];

    (void)events;
    if (!child->reading[index])
        return;
    if (status < 0)
        stop_stream(child, index);
    else
        read_stream(child, index);
    check_end(child);
}

/* End of file (or no gate): the program was exec'd. A number: why it wasn't; then nothing else ever had the
 * other end. */
static int error_of_exec(const struct child *child)
{
    int32_t error = 0;
    ssize_t got;

    if (child->gate < 0)
        return 0;
    do
        got = recv(child->gate, &error, sizeof error, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    return got == sizeof error ? -error : 0;
}

static bool has_ended(const struct child *child)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static void reap(struct child *child)
{
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->exited = true;
}

static void on_exit_of_leader(uv_poll_t *poll, int status, int events)
{
    struct child *child = poll->data;

    (void)status;
    (void)events;
    if (child->exited || !has_ended(child))
        return;
    if (child->killed) /* while its leader is not reaped the group's number can't be another's */
        kill(-child->pid, SIGKILL);
    reap(child);
    uv_poll_stop(poll);
    child->polling[HANDLE_PID] = false;
    int error = error_of_exec(child);
    if (error)
        child->events->failed(child, error);
    read_all(child);
    check_end(child);
}

/* ---- start ---- */

static uint64_t start_time_of(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long start = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *field = strrchr(text, ')'); /* the name may hold blanks; field 3 follows it */
    for (int number = 3; field && number <= 22; number++)
        field = strchr(field + 1, ' ');
    if (field)
        sscanf(field, "%llu", &start);
    return start;
}

/* The program's ends of its streams, and ours. */
struct streams {
    int own[CHILD_STREAMS]; /* read ends; -1 where there is none */
    int program[3];         /* for its 0, 1, 2; -1: /dev/null */
    int close_after[4];     /* the program's ends here */
    int close_count;
};

static int open_pipe(struct streams *streams, int index)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    streams->own[index] = ends[0];
    streams->close_after[streams->close_count++] = ends[1];
    return ends[1];
}

static int open_streams(struct streams *streams, const struct child_options *options)
{
    int terminal_fd = -1;

    *streams = (struct streams){.own = {-1, -1}, .program = {-1, -1, -1}};
    if (options->to_file) {
        streams->program[1] = streams->program[2] = options->file;
        return 0;
    }
    if (options->terminal[1] || options->terminal[2]) {
        struct terminal terminal;
        int error = terminal_open(&terminal, options->columns, options->rows);
        if (error)
            return error;
        streams->own[options->terminal[1] ? 0 : 1] = terminal.master;
        streams->close_after[streams->close_count++] = terminal_fd = terminal.slave;
        if (options->terminal[0]) { /* gcc takes its width; who reads from it finds an end */
            streams->program[0] = terminal_fd;
            terminal_end_input(&terminal);
        }
    }
    for (int i = 0; i < CHILD_STREAMS; i++) {
        int *end = &streams->program[i + 1];
        if (options->terminal[i + 1])
            *end = terminal_fd;
        else if (i == 1 && options->one_stream)
            *end = streams->program[1];
        else if ((*end = open_pipe(streams, i)) < 0)
            return *end;
    }
    return 0;
}

static void close_streams(struct streams *streams, bool own)
{
    for (int i = 0; i < streams->close_count; i++)
        close(streams->close_after[i]);
    for (int i = 0; own && i < CHILD_STREAMS; i++)
        close_fd(&streams->own[i]);
}

static char **trampoline_argv(struct arena *arena, const struct child_options *options)
{
    struct trampoline settings = *options->settings;
    size_t count = 0;

    while (options->argv[count])
        count++;
    char **argv = ARENA_ARRAY(arena, char *, count + 5), *text = arena_alloc(arena, TRAMPOLINE_TEXT);
    settings.gate = options->at_once ? 0 : CHILD_GATE_FD;
    trampoline_encode(&settings, text);
    argv[0] = arena_strdup(arena, "ccwrap");
    argv[1] = arena_strdup(arena, TRAMPOLINE_WORD);
    argv[2] = text;
    argv[3] = arena_strdup(arena, options->program);
    memcpy(argv + 4, options->argv, count * sizeof *argv);
    return argv;
}

static _Thread_local bool has_own_umask;

void child_own_umask(void)
{
    has_own_umask = unshare(CLONE_FS) == 0;
}

/* Would a child of this process have them, but for the umask? This process may have more descriptors than the
 * client: it takes all that it may. */
static bool are_inherited(const struct trampoline *settings)
{
    struct trampoline own;

    if (peer_limits(gettid(), &own) != 0 || own.nice != settings->nice || own.affinity != settings->affinity)
        return false;
    for (int i = 0; i < TRAMPOLINE_LIMITS; i++) {
        const struct rlimit *a = &own.limits[i], *b = &settings->limits[i];
        if (a->rlim_max != b->rlim_max ||
            (i == RLIMIT_NOFILE ? a->rlim_cur < b->rlim_cur : a->rlim_cur != b->rlim_cur))
            return false;
    }
    return true;
}

static int start_with_umask(const struct launch *launch, mode_t mask, pid_t *pid)
{
    mode_t own = umask(mask);
    int error = launch_start(launch, pid);

    umask(own);
    return error;
}

static int spawn_program(struct child *child, const struct child_options *options,
                         const struct streams *streams, int gate)
{
    struct arena arena;
    struct launch launch;
    bool itself = options->at_once && has_own_umask && are_inherited(options->settings);

    arena_init(&arena);
    if (itself)
        launch_init(&launch, options->program, options->argv, options->environment);
    else
        launch_init(&launch, options->trampoline, trampoline_argv(&arena, options), options->environment);
    launch.directory = options->directory;
    launch.own_group = true;
    for (int i = 0; i < 3; i++)
        launch_fd(&launch, streams->program[i], i);
    if (gate >= 0)
        launch_fd(&launch, gate, CHILD_GATE_FD);
    for (int i = 0; options->pool && i < 2; i++)
        launch_fd(&launch, options->pool[i], CHILD_POOL_FD + i);
    starts_begin();
    int error = itself ? start_with_umask(&launch, options->settings->umask, &child->pid)
                       : launch_start(&launch, &child->pid);
    starts_end();
    arena_release(&arena);
    return error;
}

static int watch(struct child *child, int handle, uv_poll_t *poll, int fd, uv_poll_cb callback)
{
    int error = uv_poll_init(child->loop, poll, fd);

    if (error)
        return error;
    poll->data = child;
    child->open_handles++;
    error = uv_poll_start(poll, UV_READABLE, callback);
    child->polling[handle] = error == 0;
    return error;
}

static int watch_all(struct child *child)
{
    uv_timer_init(child->loop, &child->grace);
    child->grace.data = child;
    child->open_handles++;
    int error = watch(child, HANDLE_PID, &child->pid_poll, child->pidfd, on_exit_of_leader);
    for (int i = 0; !error && i < CHILD_STREAMS; i++)
        if ((child->reading[i] = child->stream[i] >= 0))
            error = watch(child, HANDLE_STREAM + i, &child->stream_poll[i], child->stream[i], on_stream);
    return error;
}

static void on_hopeless(uv_timer_t *timer)
{
    struct child *child = timer->data;

    child->events->failed(child, child->status);
    child->status = SIGKILL;
    tell_end(child, true);
}

/* A child whose events can't be had is ended before it has begun. That is told from the loop, as any end. */
static void give_up(struct child *child, int error)
{
    kill(-child->pid, SIGKILL);
    reap(child);
    child->status = error;
    uv_timer_start(&child->grace, on_hopeless, 0, 0);
}

static int send_go(int gate)
{
    ssize_t sent;

    do
        sent = send(gate, "g", 1, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1 ? 0 : -errno;
}

int child_spawn(struct child *child, const struct child_options *options)
{
    struct streams streams;
    int gate[2] = {-1, -1};

    memset(child, 0, sizeof *child);
    int error = open_streams(&streams, options);
    if (!error && !options->at_once && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0)
        error = -errno;
    if (error) {
        close_streams(&streams, true);
        return error;
    }
    error = spawn_program(child, options, &streams, gate[1]);
    close_fd(&gate[1]);
    close_streams(&streams, error != 0);
    if (!error && (child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0)) < 0) {
        error = -errno;
        kill(-child->pid, SIGKILL);
        close_fd(&gate[0]);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close_streams(&(struct streams){.own = {streams.own[0], streams.own[1]}}, true);
        return error;
    }
    if (error) {
        close_fd(&gate[0]);
        return error;
    }
    child->gate = gate[0];
    memcpy(child->stream, streams.own, sizeof child->stream);
    child->start_time = options->at_once ? 0 : start_time_of(child->pid);
    return 0;
}

void child_watch(struct child *child, uv_loop_t *loop, const struct child_events *events)
{
    child->loop = loop;
    child->events = events;
    int error = watch_all(child);
    if (error)
        give_up(child, error);
}

bool child_wait(struct child *child, int fd, int milliseconds, int *status, int *error)
{
    struct pollfd fds[] = {{.fd = child->pidfd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

    if (poll(fds, 2, milliseconds) <= 0 || !fds[0].revents || !has_ended(child))
        return false;
    reap(child);
    *status = child->status;
    *error = error_of_exec(child);
    close_fd(&child->gate);
    close_fd(&child->pidfd);
    return true;
}

void child_go(struct child *child)
{
    int error = send_go(child->gate);

    if (error == 0)
        return;
    /* a trampoline that is gone, too, has run nothing: the client is to try by itself */
    child->events->failed(child, error);
    child_kill(child, SIGKILL);
}

void child_pause(struct child *child, bool paused)
{
    if (child->paused == paused || child->told)
        return;
    child->paused = paused;
    for (int i = 0; i < CHILD_STREAMS; i++) {
        if (!child->reading[i])
            continue;
        if (paused)
            uv_poll_stop(&child->stream_poll[i]);
        else
            uv_poll_start(&child->stream_poll[i], UV_READABLE, on_stream);
        child->polling[HANDLE_STREAM + i] = !paused;
    }
    if (paused)
        uv_timer_stop(&child->grace);
    else
        check_end(child);
}

void child_kill(struct child *child, int signal)
{
    child->killed = true;
    if (!child->exited)
        kill(-child->pid, signal);
}

static void close_poll(struct child *child, int handle, uv_poll_t *poll)
{
    if (!poll->data) /* it was never begun */
        return;
    if (child->polling[handle])
        uv_poll_stop(poll);
    child->polling[handle] = false;
    uv_close((uv_handle_t *)poll, handle_closed);
}

void child_close(struct child *child)
{
    if (child->closing)
        return;
    child->closing = true;
    child->told = true;
    if (!child->exited) {
        kill(-child->pid, SIGKILL);
        reap(child);
    }
    close_poll(child, HANDLE_PID, &child->pid_poll);
    for (int i = 0; i < CHILD_STREAMS; i++)
        close_poll(child, HANDLE_STREAM + i, &child->stream_poll[i]);
    uv_close((uv_handle_t *)&child->grace, handle_closed);
    close_fd(&child->gate);
    close_fd(&child->pidfd);
    for (int i = 0; i < CHILD_STREAMS; i++)
        close_fd(&child->stream[i]);
}
