/* genuine: is a program that bears a compiler's name that compiler, or a wrapper of the user's own? Only the
 * first may be trusted by its name. Any thread. */
#ifndef CCWRAP_SERVER_GENUINE_H
#define CCWRAP_SERVER_GENUINE_H

#include <stdbool.h>

#include "cache/file_digest.h"

/* The program at `path`, relative to the descriptor `directory`. True for names that no wrapper is known to
 * bear; else if the file holds what only such a compiler's driver does. Remembered by content. */
bool genuine_program(struct file_digests *digests, int directory, const char *path);

#endif
