#include "client/signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Two system calls for what nearly never is needed: dispositions are looked at when a signal comes. What was
 * blocked before waits for the compiler, and isn't taken. */
void signals_hold(struct signals *signals)
{
    sigset_t blocked, waiting;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(&blocked, taken[i]);
    sigprocmask(SIG_BLOCK, &blocked, &signals->inherited);

    sigemptyset(&waiting);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!sigismember(&signals->inherited, taken[i]))
            sigaddset(&waiting, taken[i]);
    signals->fd = signalfd(-1, &waiting, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0) /* they end the client, and the server sees it gone */
        sigprocmask(SIG_UNBLOCK, &waiting, NULL);
}

void signals_restore(struct signals *signals)
{
    struct timespec now = {0, 0};
    sigset_t pipe_only;

    if (!sigismember(&signals->inherited, SIGPIPE)) { /* our own broken pipes are not the compiler's */
        sigemptyset(&pipe_only);
        sigaddset(&pipe_only, SIGPIPE);
        sigtimedwait(&pipe_only, NULL, &now);
    }
    sigprocmask(SIG_SETMASK, &signals->inherited, NULL);
    if (signals->fd >= 0)
        close(signals->fd);
    signals->fd = -1;
}

/* The kernel keeps a blocked signal even if it is ignored. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_take(const struct signals *signals)
{
    struct signalfd_siginfo info;

    if (signals->fd < 0 || read(signals->fd, &info, sizeof info) != sizeof info)
        return 0;
    return is_ignored((int)info.ssi_signo) ? 0 : (int)info.ssi_signo;
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
