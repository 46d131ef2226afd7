#include "common/environment.h"

#include <stdlib.h>
#include <string.h>

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    if (order)
        return order;
    return a_length < b_length ? -1 : a_length > b_length;
}

void environment_init(struct environment *environment, struct arena *arena, char **entries)
{
    environment->arena = arena;
    environment->entries = entries;
    environment->sorted = NULL;
    environment->count = 0;
    while (entries[environment->count])
        environment->count++;
}

/* Equal names keep their order (compared by where they stand), so that the first is found first. */
static int compare_entries(const void *left, const void *right)
{
    char *const *a = *(char *const *const *)left, *const *b = *(char *const *const *)right;
    int order = compare_names(*a, name_length(*a), *b, name_length(*b));
    return order ? order : (a < b ? -1 : a > b);
}

char *const *environment_sorted(struct environment *environment)
{
    if (environment->sorted)
        return environment->sorted;

    char ***places = ARENA_ARRAY(environment->arena, char **, environment->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < environment->count; i++)
        if (strchr(environment->entries[i], '='))
            places[count++] = &environment->entries[i];
    qsort(places, count, sizeof *places, compare_entries);

    environment->sorted = ARENA_ARRAY(environment->arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        environment->sorted[i] = *places[i];
    return environment->sorted;
}

const char *environment_get_n(struct environment *environment, const char *name, size_t length)
{
    char *const *sorted = environment_sorted(environment);
    size_t low = 0, high = 0;

    while (sorted[high])
        high++;
    while (low < high) { /* the first entry whose name isn't smaller */
        size_t middle = low + (high - low) / 2;
        if (compare_names(sorted[middle], name_length(sorted[middle]), name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!sorted[low] || name_length(sorted[low]) != length || memcmp(sorted[low], name, length) != 0)
        return NULL;
    return sorted[low] + length + 1;
}

const char *environment_get(struct environment *environment, const char *name)
{
    return environment_get_n(environment, name, strlen(name));
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
    size_t length = strlen(name), kept = 0;
    char **entries = ARENA_ARRAY(environment->arena, char *, environment->count + 2);

    for (size_t i = 0; i < environment->count; i++) {
        char *entry = environment->entries[i];
        if (strncmp(entry, name, length) != 0 || entry[length] != '=')
            entries[kept++] = entry;
    }
    if (value)
        entries[kept++] = arena_printf(environment->arena, "%s=%s", name, value);
    environment_init(environment, environment->arena, entries);
}
