/* ask: runs a program for its answer on stdout: what are your parts called, which libraries do you load?
 *
 * Blocks; for pool threads. The program gets no input, its stderr goes nowhere, and it is ended when it takes
 * too long or says too much. */
#ifndef CCWRAP_SPAWN_ASK_H
#define CCWRAP_SPAWN_ASK_H

#include "common/buf.h"

enum { ASK_PATIENCE = 5000 /* milliseconds */, ASK_MAX = 256 * 1024 };

/* Appends its stdout to `answer`. 0 if it exited with 0, -EIO if not, or negative errno. */
int ask(const char *program, char *const *argv, char *const *environment, const char *directory,
        struct buf *answer);

#endif
