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

int peer_limits(int socket, struct trampoline *trampoline)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -errno;
    if (peer.pid <= 0)
        return -ESRCH;
    errno = 0;
    trampoline->nice = getpriority(PRIO_PROCESS, (id_t)peer.pid);
    if (errno)
        return -errno;
    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        if (prlimit(peer.pid, (enum __rlimit_resource)i, NULL, &trampoline->limits[i]) != 0)
            return -errno;
    return affinity_of(peer.pid, &trampoline->affinity);
}

rlim_t peer_file_limit(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct rlimit limit;

    if (socket < 0 || getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0 ||
        prlimit(peer.pid, RLIMIT_FSIZE, NULL, &limit) != 0)
        return RLIM_INFINITY;
    return limit.rlim_cur;
}
