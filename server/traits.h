/* traits: what a text of the C family, or a script, asks for that no look of its reader's shows. Told by its
 * words alone, in comments and strings too: a text may be held to have a trait that it hasn't. Any thread. */
#ifndef CCWRAP_SERVER_TRAITS_H
#define CCWRAP_SERVER_TRAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/file_digest.h"

enum trait {
    TRAIT_DATED = 1 << 0,     /* times of files: `#pragma GCC dependency` warns if the file is newer */
    TRAIT_ASSEMBLER = 1 << 1, /* inline assembly, which can take in any file as it is */
    TRAIT_RAW = 1 << 2,       /* a file as it is: .incbin, embed */
    TRAIT_OWN_NAME = 1 << 3,  /* its own path: __FILE__ and its like */
    TRAIT_COMMENTS = 1 << 4,  /* pragmas for warnings that read comments */
    TRAIT_CHANCE = 1 << 5,    /* a shell's variables for chance and the clock */
    TRAIT_COLUMNS = 1 << 6,   /* where in its line something stands */
    TRAIT_PRAGMAS = 1 << 7,   /* pragmas for warnings, which gcc's -E doesn't heed */
    TRAITS_ALL = (1 << 8) - 1
};

/* Those of the file at `path`, relative to the descriptor `directory`, whose facts were found a moment ago: a
 * set of enum trait. Remembered by content. All of them if it can't be read. */
unsigned traits_of_file(int directory, const char *path, const struct file_facts *facts);

unsigned traits_of_text(const char *text, size_t length);

#endif
