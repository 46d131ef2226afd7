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

/* What the environment announces. */
enum makeflags_kind { MAKEFLAGS_NONE, MAKEFLAGS_PIPE, MAKEFLAGS_FIFO };

struct makeflags_pool {
    enum makeflags_kind kind;
    int fds[2];       /* of a pipe: numbers of the process that has this environment */
    const char *fifo; /* a path; arena of the environment */
};

/* Looked for in CARGO_MAKEFLAGS, MAKEFLAGS and MFLAGS, as the jobserver crate of rustc does; the first
 * variable that has the words counts, and in it the last of them. */
void makeflags_announced(struct environment *environment, struct makeflags_pool *pool);
/* Replaces all that is announced by `pool`: in CARGO_MAKEFLAGS, and in the others where they had the words.
 */
void makeflags_announce(struct environment *environment, const struct makeflags_pool *pool);

/* A variable's value without those words, in `arena`; the value itself if it has none. */
const char *makeflags_without_jobserver(struct arena *arena, const char *value);

#endif
