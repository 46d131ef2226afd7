/* lookup: which file a program's name means, as execvp and the shell find it. libc only.
 *
 * ccwrap itself is never an answer where a compiler is looked for: a link to it, or a second copy of it,
 * stands in front of the compiler it is named after and must be passed over. */
#ifndef CCWRAP_COMMON_LOOKUP_H
#define CCWRAP_COMMON_LOOKUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/arena.h"

/* What to pass over. All zero: nothing. */
struct lookup_self {
    dev_t device; /* of the executable of ccwrap */
    ino_t inode;  /* 0: unknown */
};

/* The executable of this process. */
void lookup_self(struct lookup_self *self);

/* True if `path` leads to ccwrap: the same file as `self`, or a chain of links that ends in a file named
 * "ccwrap". */
bool lookup_is_self(struct arena *arena, const char *path, const struct lookup_self *self);

/* Finds `name` in `path` (a value of PATH; NULL: the system's default); a name with a slash is taken as it
 * is. The answer is made absolute with `directory` (NULL: left as it is). `self` NULL: nothing is passed
 * over; a name with a slash is never passed over, but told by *passed. 0 and *found (in the arena), or
 * -ENOENT, or -EACCES if there is only a file that can't be executed (-EISDIR for a name with a slash that is
 * a directory). *passed, if not NULL, says that ccwrap was passed over, or is what a name with a slash leads
 * to. */
int lookup_program(char **found, bool *passed, struct arena *arena, const char *name, const char *path,
                   const char *directory, const struct lookup_self *self);

/* Where the C library looks for programs if PATH is unset. */
#define LOOKUP_DEFAULT_PATH "/bin:/usr/bin"

/* The part of a path behind its last slash. */
const char *lookup_basename(const char *path);

/* `path` made absolute with `directory`, without resolving anything. */
char *lookup_absolute(struct arena *arena, const char *path, const char *directory);

#endif
