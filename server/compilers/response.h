/* response: the words of a command line with its response files (@file) put in place.
 *
 * As libiberty's expandargv and LLVM's ExpandResponseFiles do it where the two agree: words are parted by
 * blanks, quoted by ', " and backslash, nested files are found from the working directory, and a file that
 * can't be opened leaves its word as it is. Where they don't agree, or a bound is met, the answer is
 * RESPONSE_UNCLEAR. Pure but for reading those files; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_RESPONSE_H
#define CCWRAP_SERVER_COMPILERS_RESPONSE_H

#include <stddef.h>

#include "common/arena.h"

enum response_limits {
    RESPONSE_MAX_BYTES = 8 << 20, /* of all files of a command together */
    RESPONSE_MAX_FILES = 1000,
    RESPONSE_MAX_WORDS = 1 << 19
};

enum response_result {
    RESPONSE_OK,
    RESPONSE_UNCLEAR, /* too much, or read differently by different compilers */
    RESPONSE_SPECIAL  /* names a FIFO, a device …: reading it would take it from the compiler */
};

struct words {
    const char **items; /* in the arena; NULL-terminated */
    size_t count;
    const char *culprit; /* the @word that was unclear or special */
};

/* `words` gets all of argv[0..argc), argv[0] untouched. `directory` is a descriptor for openat. */
enum response_result response_expand(int argc, char *const *argv, int directory, struct arena *arena,
                                     struct words *words);

#endif
