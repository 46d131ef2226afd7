/* input_search: what can be asked of a name on PATH and of a file besides its content. Any thread. */
#ifndef CCWRAP_CACHE_INPUT_SEARCH_H
#define CCWRAP_CACHE_INPUT_SEARCH_H

#include <sys/stat.h>

#include "cache/hash.h"

/* What a search for `name` meets in the folders of `path` (PATH's value; NULL: unset, then libc's default):
 * every entry by that name up to the first that can be run. `directory`: what relative folders are relative
 * to. */
struct digest search_digest(const char *name, const char *path, int directory);

/* Owner and mode. */
struct digest attributes_digest(const struct stat *status);

#endif
