#include "spawn/peer.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>

static int affinity_of(pid_t pid, uint64_t *mask)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(pid, sizeof set, &set) != 0)
        return -errno;
    *mask = 0;
    for (int i = 0; i < 64; i++)
        if (CPU_ISSET(i, &set))
            *mask |= UINT64_C(1) << i;
    return 0;
}

pid_t peer_process(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid < 0)
        return 0;
    return peer.pid;
}

int peer_limits(pid_t process, struct trampoline *trampoline)
{
    if (process <= 0)
        return -ESRCH;
    errno = 0;
    trampoline->nice = getpriority(PRIO_PROCESS, (id_t)process);
    if (errno)
        return -errno;
    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        if (prlimit(process, (enum __rlimit_resource)i, NULL, &trampoline->limits[i]) != 0)
            return -errno;
    return affinity_of(process, &trampoline->affinity);
}

rlim_t peer_file_limit(pid_t process)
{
    struct rlimit limit;

    if (process <= 0 || prlimit(process, RLIMIT_FSIZE, NULL, &limit) != 0)
        return RLIM_INFINITY;
    return limit.rlim_cur;
}
