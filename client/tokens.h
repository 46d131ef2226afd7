/* tokens: the descriptors of the jobserver that the build offers, if it does. */
#ifndef CCWRAP_CLIENT_TOKENS_H
#define CCWRAP_CLIENT_TOKENS_H

#include <stdbool.h>

/* Finds them in CARGO_MAKEFLAGS, MAKEFLAGS or MFLAGS ("POSIX Jobserver Interaction" in the manual of GNU
 * make) and checks that they are the two ends of one pipe: in a recipe that make doesn't take for a sub-make
 * it announces numbers that are closed by then, and may be something else's. */
bool tokens_find(char *const *environment, int fds[2]);

#endif
