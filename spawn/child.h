/* child: a compiler as a child of the server, on the loop.
 *
 * What is spawned is the trampoline (ccwrap itself), which waits at a gate: child_spawn starts it, child_go
 * opens the gate, and closing the gate before that makes it leave without a trace. Where nobody must hear of
 * the child before it begins (`at_once`) there is no gate: what can't be executed then ends with a status of
 * the trampoline's, or child_spawn says so. The trampoline sets umask, limits, nice and affinity to the
 * client's, and execs the program in the client's directory. A thread with a umask of its own
 * (child_own_umask) starts the program itself, at once, where limits, nice and affinity are this thread's
 * already (it may have more descriptors). The child leads a process group of its own. Descriptors: 0 is
 * /dev/null (the pseudo terminal where 0 and one of the others are terminals: its width counts); 1 and 2 are
 * pipes (one pipe where the client's 1 and 2 are the same file, so that their order is kept), a pseudo
 * terminal where the client has a terminal there; or both are a file of the caller's. A shared jobserver's
 * ends are CHILD_POOL_FD and the next.
 *
 * A child whose output goes to a file can be waited for without the loop: spawned by child_spawn, waited for
 * by child_wait, and given to the loop by child_watch if that takes too long.
 *
 * Loop thread only, but for child_own_umask, child_spawn and child_wait. The struct is the caller's and must
 * live until `closed` was called (libuv's law). */
#ifndef CCWRAP_SPAWN_CHILD_H
#define CCWRAP_SPAWN_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "spawn/trampoline.h"

struct child;

struct child_events {
    /* The program could not be exec'd, looked after, or its output read (negative errno): what came of it is
     * not to be relied on. `ended` follows. */
    void (*failed)(struct child *child, int error);
    /* Bytes on stream 1 or 2 (1 for both where they are one). */
    void (*output)(struct child *child, int stream, const char *bytes, size_t size);
    /* The program has ended and all its output was given. `status` as waitpid gives it. `held`: some other
     * process still holds an output stream. */
    void (*ended)(struct child *child, int status, bool held);
    void (*closed)(struct child *child);
};

struct child_options {
    const char *trampoline;            /* path of ccwrap */
    const struct trampoline *settings; /* its gate is filled here */
    const char *program;               /* absolute */
    char *const *argv;                 /* argv[0] as the program shall see it */
    char *const *environment;
    const char *directory;
    bool one_stream;  /* 1 and 2 are the same */
    bool terminal[3]; /* which of 0, 1, 2 are terminals */
    uint32_t columns, rows;
    const int *pool; /* two descriptors, or NULL; the caller's still */
    bool at_once;    /* it begins without child_go */
    bool to_file;    /* its output and messages go to `file` */
    int file;
};

enum { CHILD_STREAMS = 2, CHILD_HANDLES = 4, CHILD_POOL_FD = 4 };

struct child {
    void *data; /* the caller's */
    const struct child_events *events;
    pid_t pid;           /* leader of its group */
    uint64_t start_time; /* /proc/PID/stat field 22; 0 with at_once */

    /* private */
    uv_loop_t *loop;
    int gate, pidfd;
    int stream[CHILD_STREAMS]; /* read ends; -1: there is none */
    bool reading[CHILD_STREAMS];
    uv_poll_t pid_poll, stream_poll[CHILD_STREAMS];
    uv_timer_t grace; /* time for a held stream after the end */
    bool polling[CHILD_HANDLES];
    int failing_reads; /* in a row */
    bool exited, told, paused, killed, closing;
    int status, open_handles;
};

/* Makes the calling thread's umask its own; where the kernel forbids that, its children go on being
 * trampolines. Threads that it starts share it: they must neither make files nor start children. */
void child_own_umask(void);
/* Any thread. 0 or negative errno; then nothing was started. */
int child_spawn(struct child *child, const struct child_options *options);
/* From now on the loop looks after it, and `closed` will be called; the struct may have been moved before. */
void child_watch(struct child *child, uv_loop_t *loop, const struct child_events *events);
/* For any thread, and a child that was spawned to begin at once with its output to a file: waits for its end,
 * but no longer than so many milliseconds, nor when something comes on `fd`. True: it has ended and all is
 * released; *error is what `failed` would be given, or 0. */
bool child_wait(struct child *child, int fd, int milliseconds, int *status, int *error);
/* Lets the program begin. */
void child_go(struct child *child);
/* Stops (or takes up again) reading its output: a client that doesn't read holds its own compiler. */
void child_pause(struct child *child, bool paused);
/* Signals the whole group; what is left of it when its leader has ended gets SIGKILL. */
void child_kill(struct child *child, int signal);
/* Releases everything (a second call does nothing); if the program still runs its group is killed. `closed`
 * is called from the loop. */
void child_close(struct child *child);

#endif
