/* prefix_map: -ffile-prefix-map=OLD=NEW and its like, by what they do to the working directory.
 *
 * Where OLD is the directory or an ancestor, the map hides which directory it is: two checkouts may share.
 * Pure; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_PREFIX_MAP_H
#define CCWRAP_SERVER_COMPILERS_PREFIX_MAP_H

#include <stddef.h>

#include "common/arena.h"

struct prefix_map {
    const char *value; /* OLD=NEW */
    size_t old_length;
    const char *remainder; /* of the directory after OLD ("" or "/sub") */
};

/* Takes `value` apart for the absolute path `directory`. 0, or -1 where OLD isn't the directory or an
 * ancestor of it, is one of the system's own folders, or can't be told from NEW. */
int prefix_map_read(struct prefix_map *map, const char *value, const char *directory);

/* The option (its name ends in "=") with OLD said relative to the directory: equal for two commands that map
 * their directories to the same. */
char *prefix_map_effect(const struct prefix_map *map, const char *option, size_t option_length,
                        struct arena *arena);

#endif
