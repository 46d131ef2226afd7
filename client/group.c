#include "client/group.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum { GRACE = 200, BOUND = 2000, PAUSE = 5 }; /* milliseconds */

struct process {
    char state;
    pid_t group;
    uint64_t start_time;
};

/* Field `number` of a line of /proc/PID/stat. The second is the program's name in parentheses and may hold
 * anything: fields are counted from its end. */
static const char *field(const char *line, int number)
{
    const char *place = strrchr(line, ')');

    for (int i = 2; place && i < number; i++) {
        place = strchr(place, ' ');
        place = place ? place + 1 : NULL;
    }
    return place ? place : "";
}

static bool read_process(const char *pid, struct process *process)
{
    char path[64], line[1024];
    int fd;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, line, sizeof line - 1);
    close(fd);
    if (length <= 0)
        return false;
    line[length] = '\0';
    process->state = *field(line, 3);
    process->group = (pid_t)strtol(field(line, 5), NULL, 10);
    process->start_time = strtoull(field(line, 22), NULL, 10);
    return true;
}

static bool is_ours(pid_t group, uint64_t start_time)
{
    struct process leader;
    char pid[24];

    if (group <= 1 || group == getpgrp())
        return false;
    snprintf(pid, sizeof pid, "%d", (int)group);
    /* Without a leader the number still belongs to this group: the kernel gives no process a number that is
     * in use as a group's. */
    return !read_process(pid, &leader) || leader.start_time == start_time;
}

static bool has_living(pid_t group)
{
    if (kill(-group, 0) != 0 && errno == ESRCH)
        return false;

    DIR *folder = opendir("/proc");
    struct dirent *entry;
    struct process process;
    bool living = false;

    if (!folder)
        return true;
    while (!living && (entry = readdir(folder)))
        living = isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, &process) &&
                 process.group == group && process.state != 'Z' && process.state != 'X';
    closedir(folder);
    return living;
}

/* True if the group is gone within so many milliseconds. */
static bool wait_for_end(pid_t group, int milliseconds)
{
    int64_t deadline = clock_monotonic() + (int64_t)milliseconds * 1000000;
    struct timespec pause = {0, PAUSE * 1000000};

    while (has_living(group)) {
        if (clock_monotonic() >= deadline)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void group_end(pid_t group, uint64_t start_time)
{
    if (!is_ours(group, start_time))
        return;
    kill(-group, SIGTERM);
    kill(-group, SIGCONT); /* a stopped process doesn't see the first */
    if (wait_for_end(group, GRACE))
        return;
    kill(-group, SIGKILL);
    wait_for_end(group, BOUND);
}
