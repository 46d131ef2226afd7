#include "client/signals.h"

#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The kernel keeps a blocked signal even if it is ignored: it would come out of the descriptor, so ignored
 * ones must not be blocked. */
static bool has_effect(int number, const sigset_t *inherited)
{
    struct sigaction action;

    return !sigismember(inherited, number) && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler != SIG_IGN;
}

void signals_hold(struct signals *signals)
{
    sigset_t waiting, blocked;

    sigprocmask(SIG_SETMASK, NULL, &signals->inherited);
    sigemptyset(&waiting);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (has_effect(taken[i], &signals->inherited))
            sigaddset(&waiting, taken[i]);
    signals->pipe_kills = has_effect(SIGPIPE, &signals->inherited);

    sigemptyset(&blocked);
    signals->fd = signalfd(-1, &waiting, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd >= 0)
        blocked = waiting; /* else they end the client, and the server sees it gone */
    if (signals->pipe_kills)
        sigaddset(&blocked, SIGPIPE);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
}

void signals_restore(struct signals *signals)
{
    struct timespec now = {0, 0};
    sigset_t pipe_only;

    if (signals->pipe_kills) { /* the client's own broken pipes are not the compiler's */
        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        sigtimedwait(&pipe_only, NULL, &now);
    }
    sigprocmask(SIG_SETMASK, &signals->inherited, NULL);
    if (signals->fd >= 0)
        close(signals->fd);
    signals->fd = -1;
}

int signals_take(const struct signals *signals)
{
    struct signalfd_siginfo info;

    if (signals->fd < 0 || read(signals->fd, &info, sizeof info) != sizeof info)
        return 0;
    return (int)info.ssi_signo;
}

_Noreturn void signals_die(int number)
{
    struct rlimit no_core = {0, 0};
    sigset_t only;

    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number); /* a signal that doesn't end a process by default */
}
