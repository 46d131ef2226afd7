/* environment: a process's environment as a value, for look-ups and edits.
 *
 * Strings are borrowed and must outlive the environment; the arrays come from an arena. */
#ifndef CCWRAP_COMMON_ENVIRONMENT_H
#define CCWRAP_COMMON_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

struct environment {
    struct arena *arena;
    char **entries; /* "NAME=value" as given and in that order; NULL-terminated */
    size_t count;
    char **sorted;   /* the same by name, first of equal names first; NULL until it is asked for */
    uint32_t *slots; /* hash table of the first entry of each name, + 1; NULL until the first look-up */
    uint32_t mask;
};

/* Takes `entries` (NULL-terminated; not changed) as they are. */
void environment_init(struct environment *environment, struct arena *arena, char **entries);
/* The value that getenv would give: of equal names the first. NULL if unset. */
const char *environment_get(struct environment *environment, const char *name);
/* Same with a name of `length` bytes that isn't terminated. */
const char *environment_get_n(struct environment *environment, const char *name, size_t length);
/* Replaces, adds, or (value NULL) removes a variable; order of the others stays. */
void environment_set(struct environment *environment, const char *name, const char *value);
/* Entries ordered by name; an entry without "=" is left out. */
char *const *environment_sorted(struct environment *environment);

#endif
