#include "jobserver/makeflags.h"

#include <stdio.h>
#include <string.h>

static const char *const variables[] = {"CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"};
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

/* One word, if it is of the jobserver. */
static void read_word(struct arena *arena, const char *word, size_t length, struct makeflags_pool *pool)
{
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (length <= size || memcmp(word, names[i], size) != 0)
            continue;
        const char *value = arena_strndup(arena, word + size, length - size);
        char rest;
        if (strncmp(value, "fifo:", 5) == 0)
            *pool = (struct makeflags_pool){.kind = MAKEFLAGS_FIFO, .fifo = value + 5};
        else if (sscanf(value, "%d,%d%c", &pool->fds[0], &pool->fds[1], &rest) == 2)
            pool->kind = MAKEFLAGS_PIPE;
        else
            pool->kind = MAKEFLAGS_NONE;
    }
}

void makeflags_announced(struct environment *environment, struct makeflags_pool *pool)
{
    *pool = (struct makeflags_pool){.kind = MAKEFLAGS_NONE};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *next = environment_get(environment, variables[i]);
        if (!next || !strstr(next, mark))
            continue;
        for (; *next; next += strcspn(next, " ")) {
            next += strspn(next, " ");
            read_word(environment->arena, next, strcspn(next, " "), pool);
        }
        return;
    }
}

static const char *pool_words(struct arena *arena, const struct makeflags_pool *pool)
{
    const char *value = pool->kind == MAKEFLAGS_FIFO
                            ? arena_printf(arena, "fifo:%s", pool->fifo)
                            : arena_printf(arena, "%d,%d", pool->fds[0], pool->fds[1]);

    /* the older name first: of two the last counts */
    return arena_printf(arena, "--jobserver-fds=%s --jobserver-auth=%s", value, value);
}

/* Options end at a word "--", behind which make puts the variables of its command line. */
static size_t length_of_options(const char *value)
{
    for (const char *at = value; (at = strstr(at, "--")); at += 2)
        if ((at == value || at[-1] == ' ') && (at[2] == ' ' || at[2] == '\0'))
            return (size_t)(at - value);
    return strlen(value);
}

static const char *add_words(struct arena *arena, const char *value, const char *words)
{
    size_t length = length_of_options(value);
    const char *rest = value + length;

    while (length > 0 && value[length - 1] == ' ')
        length--;
    return arena_printf(arena, "%.*s %s%s%s", (int)length, value, words, *rest ? " " : "", rest);
}

void makeflags_announce(struct environment *environment, const struct makeflags_pool *pool)
{
    const char *words = pool_words(environment->arena, pool);

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = environment_get(environment, variables[i]);
        if (value && strstr(value, mark))
            environment_set(
                environment, variables[i],
                add_words(environment->arena, makeflags_without_jobserver(environment->arena, value), words));
        else if (i == 0)
            environment_set(environment, variables[i], arena_printf(environment->arena, "-j %s", words));
    }
}
