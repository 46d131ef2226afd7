#include "spawn/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

uint64_t peer_host(pid_t process)
{
    char path[40];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%ld/ns/uts", (long)process);
    return process > 0 && stat(path, &status) == 0 ? status.st_ino : 0;
}

uint64_t peer_personality(pid_t process)
{
    char path[40], text[32];

    snprintf(path, sizeof path, "/proc/%ld/personality", (long)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    return strtoull(text, NULL, 16);
}

rlim_t peer_file_limit(pid_t process)
{
    struct rlimit limit;

    if (process <= 0 || prlimit(process, RLIMIT_FSIZE, NULL, &limit) != 0)
        return RLIM_INFINITY;
    return limit.rlim_cur;
}
