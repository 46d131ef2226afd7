#include "spawn/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "spawn/launch.h"
#include "spawn/starts.h"

/* `end` is a time of clock_monotonic(). */
static int read_answer(int fd, int64_t end, struct buf *answer)
{
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int64_t left = (end - clock_monotonic()) / 1000000;
        int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return -ETIMEDOUT;
        buf_reserve(answer, 4096);
        ssize_t got = read(fd, answer->data + answer->length, 4096);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : 0;
        answer->length += (size_t)got;
        answer->data[answer->length] = '\0';
        if (answer->length > ASK_MAX)
            return -EFBIG;
    }
}

/* A program may close its output and live on. */
static int wait_for(pid_t pid, int64_t end, int *status)
{
    pid_t ended;

    while ((ended = waitpid(pid, status, WNOHANG)) == 0 && clock_monotonic() < end)
        usleep(200);
    if (ended == pid)
        return 0;
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return -ETIMEDOUT;
}

int ask(const char *program, char *const *argv, char *const *environment, const char *directory,
        struct buf *answer)
{
    struct launch launch;
    int ends[2], status = 0;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    launch_init(&launch, program, argv, environment);
    launch.directory = directory;
    launch.own_group = true;
    launch_fd(&launch, ends[1], STDOUT_FILENO);
    starts_begin();
    int error = launch_start(&launch, &pid);
    starts_end();
    close(ends[1]);
    if (!error) {
        int64_t end = clock_monotonic() + (int64_t)ASK_PATIENCE * 1000000;
        error = read_answer(ends[0], end, answer);
        int late = wait_for(pid, error ? 0 : end, &status);
        if (!error)
            error = late ? late : status != 0 ? -EIO : 0;
    }
    close(ends[0]);
    return error;
}
