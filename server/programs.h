/* programs: what is known of the compilers that were asked for, by path and stamp. Any thread. */
#ifndef CCWRAP_SERVER_PROGRAMS_H
#define CCWRAP_SERVER_PROGRAMS_H

#include <stdbool.h>

#include "server/compilers/frontend.h"

struct program {
    const struct frontend *frontend;
    bool unwatchable; /* it can't begin to record, or was run under the recorder lately and left no record */
};

/* What is known of the program at this absolute path, called by this name. 0 or negative errno (it can't be
 * stat'ed). */
int programs_find(const char *path, const char *argv0, struct program *program);
/* Remembers for a while that this file, as it is now, can't be watched: what spoilt one run needn't spoil the
 * next. */
void programs_mark_unwatchable(const char *path);

#endif
