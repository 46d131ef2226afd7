/* launch: starting a program by posix_spawn. libc only, so that the client can use it too.
 *
 * The only thing here that starts a process. All descriptors but the named are closed in the child, signals
 * are reset to default and unblocked. Any thread. */
#ifndef CCWRAP_SPAWN_LAUNCH_H
#define CCWRAP_SPAWN_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

enum { LAUNCH_FDS = 8 };

struct launch {
    const char *program; /* absolute path */
    char *const *argv;
    char *const *environment;
    const char *directory; /* working directory, or NULL: this process's */
    bool own_group;        /* a process group of its own */
    bool own_session;      /* a session of its own */
    /* Descriptors of the child: child_fd[i] will be what fd[i] is here (-1: /dev/null). Others are closed. */
    int count;
    int fd[LAUNCH_FDS];
    int child_fd[LAUNCH_FDS];
};

/* Sets 0, 1 and 2 to /dev/null. */
void launch_init(struct launch *launch, const char *program, char *const *argv, char *const *environment);
void launch_fd(struct launch *launch, int fd, int child_fd);
/* 0 and *pid, or negative errno (-ENOENT, -EACCES, -ENOEXEC, -E2BIG, -EAGAIN, -ENOMEM …). */
int launch_start(const struct launch *launch, pid_t *pid);

#endif
