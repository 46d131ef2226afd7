#include "jobserver/makeflags.h"

#include <string.h>

static const char *const variables[] = {"MAKEFLAGS", "MFLAGS", "CARGO_MAKEFLAGS"};
static const char mark[] = "--jobserver-";

static bool names_jobserver(const char *word)
{
    return strncmp(word, mark, sizeof mark - 1) == 0;
}

const char *makeflags_without_jobserver(struct arena *arena, const char *value)
{
    if (!strstr(value, mark))
        return value;

    char *out = arena_alloc(arena, strlen(value) + 1), *end = out;
    const char *next = value;

    while (*next) {
        size_t blanks = strspn(next, " "), word = strcspn(next + blanks, " ");
        if (!names_jobserver(next + blanks)) {
            memcpy(end, next, blanks + word);
            end += blanks + word;
        }
        next += blanks + word;
    }
    return out;
}

void makeflags_hide_jobserver(struct environment *environment)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = environment_get(environment, variables[i]);
        if (!value)
            continue;
        const char *without = makeflags_without_jobserver(environment->arena, value);
        if (without != value)
            environment_set(environment, variables[i], without);
    }
}
