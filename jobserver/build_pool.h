/* build_pool: the jobserver that a build offers to a compile, checked.
 *
 * What the environment announces (makeflags.h) may be stale: make closes its descriptors for recipes that it
 * doesn't take for a sub-make, and their numbers may be something else by then. No token is ever taken from
 * such a pool nor written to it here, and no flag of its descriptors changed: they are the build's. */
#ifndef CCWRAP_JOBSERVER_BUILD_POOL_H
#define CCWRAP_JOBSERVER_BUILD_POOL_H

#include <stdbool.h>

/* True if they are the two ends of one pipe or FIFO, the first to be read and the second to be written. */
bool build_pool_is_pipe(const int fds[2]);

/* True if there is a FIFO at this absolute path that can be opened both ways. */
bool build_pool_is_fifo(const char *path);

#endif
