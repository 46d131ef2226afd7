#include "client/trampoline.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spawn/trampoline.h"

static _Noreturn void fail(int gate, int status, int error)
{
    int32_t number = error;

    if (gate == 0)
        _exit(status);
    /* A server that is gone needs no answer, and must not end us by SIGPIPE with another status. */
    if (send(gate, &number, sizeof number, MSG_NOSIGNAL) < 0 && errno == ENOTSOCK &&
        write(gate, &number, sizeof number) < 0)
        status = TRAMPOLINE_LEFT;
    _exit(status);
}

static void wait_at_gate(int gate)
{
    char byte;
    ssize_t got;

    do {
        got = read(gate, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(TRAMPOLINE_LEFT);
}

/* Only the first 64 processors are spoken of: what the mask says of the others stays. */
static int set_affinity(uint64_t wanted)
{
    cpu_set_t set;
    bool changed = false;

    CPU_ZERO(&set);
    if (!wanted || sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < 64; i++) {
        bool want = wanted >> i & 1;
        if (want == !!CPU_ISSET(i, &set))
            continue;
        changed = true;
        if (want)
            CPU_SET(i, &set);
        else
            CPU_CLR(i, &set);
    }
    return changed && sched_setaffinity(0, sizeof set, &set) != 0 ? errno : 0;
}

static int set_nice(int wanted)
{
    if (getpriority(PRIO_PROCESS, 0) == wanted)
        return 0;
    return setpriority(PRIO_PROCESS, 0, wanted) == 0 ? 0 : errno;
}

static int set_limits(const struct rlimit *limits)
{
    for (int i = 0; i < TRAMPOLINE_LIMITS; i++) {
        struct rlimit now;
        if (getrlimit(i, &now) != 0)
            continue; /* a limit that this kernel doesn't know */
        if (now.rlim_cur == limits[i].rlim_cur && now.rlim_max == limits[i].rlim_max)
            continue;
        if (setrlimit(i, &limits[i]) != 0)
            return errno;
    }
    return 0;
}

static int set_all(const struct trampoline *trampoline)
{
    umask(trampoline->umask);
    int error = set_affinity(trampoline->affinity);
    if (!error)
        error = set_nice(trampoline->nice);
    return error ? error : set_limits(trampoline->limits);
}

_Noreturn void trampoline_main(int argc, char **argv, char **environment)
{
    enum { SETTINGS = 2, PROGRAM, ARGV0 };
    struct trampoline trampoline;

    if (argc <= ARGV0 || !trampoline_decode(&trampoline, argv[SETTINGS]))
        _exit(TRAMPOLINE_LEFT);
    int gate = trampoline.gate;
    if (gate != 0) {
        if (fcntl(gate, F_SETFD, FD_CLOEXEC) != 0) /* that it closes by the exec is the sign of success */
            _exit(TRAMPOLINE_LEFT);
        wait_at_gate(gate);
    }
    int error = set_all(&trampoline);
    if (error)
        fail(gate, TRAMPOLINE_UNSET, error);
    execve(argv[PROGRAM], argv + ARGV0, environment);
    fail(gate, TRAMPOLINE_FAILED, errno);
}
