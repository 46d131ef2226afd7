/* watch: a library that is preloaded into the server, and tells on stderr what must never happen: a
 * descriptor that is closed twice (which closes somebody else's, if it was given away meanwhile), and one
 * that libuv can't watch (which ends the process). */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 24 };

static void tell(const char *call, int fd)
{
    void *frames[DEPTH];
    char line[128];
    int error = errno;
    int size = snprintf(line, sizeof line, "WATCH: %s of %d: %s\n", call, fd, strerror(error));

    if (write(2, line, (size_t)size) == size)
        backtrace_symbols_fd(frames, backtrace(frames, DEPTH), 2);
    errno = error;
}

int close(int fd)
{
    int result = (int)syscall(SYS_close, fd);

    if (result < 0 && errno == EBADF)
        tell("close", fd);
    return result;
}

int epoll_ctl(int set, int how, int fd, struct epoll_event *event)
{
    int result = (int)syscall(SYS_epoll_ctl, set, how, fd, event);

    if (result < 0 && how != EPOLL_CTL_DEL && errno != EEXIST)
        tell("epoll_ctl", fd);
    return result;
}

/* Before the process ends by it. */
void abort(void)
{
    void (*next)(void);

    *(void **)&next = dlsym(RTLD_NEXT, "abort");
    tell("abort", 0);
    next();
    _exit(134);
}
