/* group: ending what a lost server left running.
 *
 * A server that was killed leaves its compiler behind, which would write into the files of the compile that
 * the client is about to do by itself. */
#ifndef CCWRAP_CLIENT_GROUP_H
#define CCWRAP_CLIENT_GROUP_H

#include <stdint.h>
#include <sys/types.h>

/* Ends a process group: TERM, 200 ms of grace, KILL; returns when all its processes are gone (a zombie is),
 * or after 2 s. `start_time` is the leader's, as in field 22 of /proc/PID/stat (proc(5)): if a process of
 * that number started at another time, the group is somebody else's and is left alone. */
void group_end(pid_t group, uint64_t start_time);

#endif
