/* invocation: which compiler the client was called for, and with what. */
#ifndef CCWRAP_CLIENT_INVOCATION_H
#define CCWRAP_CLIENT_INVOCATION_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/arena.h"

struct invocation {
    char **environment;
    char **settings;       /* KEY=VALUE words in front of the compiler; NULL-terminated */
    char **argv;           /* the compiler's words; argv[0] as given, absolute where ccwrap was passed over */
    const char *program;   /* the compiler's file; absolute where the directory is known */
    const char *directory; /* the working directory; NULL if it can't be told (it was removed) */
    bool link;             /* called through a link that is named like the compiler */
    struct stat streams[3]; /* descriptors 0 to 2 */
};

/* True if this is how ccwrap itself is called: every name but "ccwrap…" is a link's. */
bool invocation_is_own_name(const char *argv0);

/* Finds the compiler. For a link, `words` is the whole argv; else what follows ccwrap's name, which must
 * begin with KEY=VALUE words, the compiler, or ccwrap again. Returns 0 if all but the environment is filled
 * in, INVOCATION_WORDS if *words is an option of ccwrap, or nothing: not a compile; else the status to exit
 * with, after a line on stderr. */
enum { INVOCATION_WORDS = -1 };
int invocation_find(struct invocation *invocation, struct arena *arena, char ***words);

/* Becomes the compiler. Ends with a line on stderr and 126 or 127 if that fails, as a shell would. */
_Noreturn void invocation_run(const struct invocation *invocation, struct arena *arena);

#endif
