/* peer: what a client's process has that a compiler in its place would have inherited.
 *
 * Read from the kernel by the server, and only when something is to be started: a client that is answered
 * from the cache needs to send none of it. */
#ifndef CCWRAP_SPAWN_PEER_H
#define CCWRAP_SPAWN_PEER_H

#include "spawn/trampoline.h"

/* The process that connected to this socket; 0 if it can't be seen from here. */
pid_t peer_process(int socket);

/* Fills nice, affinity and limits with those of the process. 0 or negative errno: it is gone, or isn't ours
 * to look at. */
int peer_limits(pid_t process, struct trampoline *trampoline);

/* The largest file that the process may write; RLIM_INFINITY if that can't be found out. */
rlim_t peer_file_limit(pid_t process);

#endif
