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
    environment->slots = NULL;
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

/* Where a name stands in the table, or where it would. */
static uint32_t *find_slot(const struct environment *environment, const char *name, size_t length)
{
    uint32_t hash = UINT32_C(2166136261);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT32_C(16777619);
    for (uint32_t at = hash;; at++) {
        uint32_t *slot = &environment->slots[at & environment->mask];
        const char *entry = *slot ? environment->entries[*slot - 1] : NULL;
        if (!entry || (strncmp(entry, name, length) == 0 && entry[length] == '='))
            return slot;
    }
}

static void make_slots(struct environment *environment)
{
    uint32_t size = 16;

    while (size < 2 * environment->count)
        size *= 2;
    environment->slots = ARENA_ARRAY(environment->arena, uint32_t, size);
    environment->mask = size - 1;
    for (size_t i = 0; i < environment->count; i++) {
        const char *entry = environment->entries[i], *equals = strchr(entry, '=');
        uint32_t *slot = equals ? find_slot(environment, entry, (size_t)(equals - entry)) : NULL;
        if (slot && !*slot)
            *slot = (uint32_t)i + 1;
    }
}

const char *environment_get_n(struct environment *environment, const char *name, size_t length)
{
    if (!environment->slots)
        make_slots(environment);
    uint32_t place = *find_slot(environment, name, length);
    return place ? environment->entries[place - 1] + length + 1 : NULL;
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
