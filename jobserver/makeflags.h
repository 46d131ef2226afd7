/* makeflags: the words by which GNU make tells its children of a jobserver.
 *
 * Source: the GNU make manual, "POSIX Jobserver Interaction": --jobserver-auth=R,W (before 4.2:
 * --jobserver-fds=R,W) or --jobserver-auth=fifo:PATH, in MAKEFLAGS; cargo passes the same in CARGO_MAKEFLAGS.
 * Pure functions; any thread. */
#ifndef CCWRAP_JOBSERVER_MAKEFLAGS_H
#define CCWRAP_JOBSERVER_MAKEFLAGS_H

#include <stdbool.h>

#include "common/environment.h"

/* Takes the jobserver's words (--jobserver-auth, --jobserver-fds) out of MAKEFLAGS, MFLAGS and
 * CARGO_MAKEFLAGS; other words keep their order and spelling. Changes nothing where there are none. */
void makeflags_hide_jobserver(struct environment *environment);

/* A variable's value without those words, in `arena`; the value itself if it has none. */
const char *makeflags_without_jobserver(struct arena *arena, const char *value);

#endif
