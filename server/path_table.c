#include "server/path_table.h"

#include <stdint.h>
#include <string.h>

#include "common/fnv.h"
#include "server/basedir.h"

enum { FIRST_SLOTS = 1024 };

void path_table_init(struct path_table *table, struct arena *arena, const char *directory)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
    table->directory = directory;
    table->bases = "";
    table->slot_count = FIRST_SLOTS;
    table->slots = ARENA_ARRAY(arena, struct path_entry *, FIRST_SLOTS);
    table->last = &table->first;
}

static size_t hash_of(const char *path)
{
    uint64_t hash = fnv_add(FNV_BASIS, path, strlen(path));
    return (size_t)(hash ^ hash >> 32);
}

/* Copies `path` to `out` without "." components and double slashes; returns the new end. */
static char *append_components(char *out, const char *path)
{
    while (*path) {
        const char *start = path;
        for (; *path && *path != '/'; path++)
            ;
        size_t length = (size_t)(path - start);
        if (length > 1 || (length == 1 && *start != '.')) {
            if (out[-1] != '/' && out[-1] != '\0')
                *out++ = '/';
            memcpy(out, start, length);
            out += length;
        }
        path += *path == '/';
    }
    return out;
}

/* The part of `path` below `folder`, or NULL. Both absolute. */
static const char *below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (strncmp(path, folder, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return path + length;
    return path[length] == '/' ? path + length + 1 : NULL;
}

const char *path_table_form(const struct path_table *table, const char *base, const char *path)
{
    const char *prefix = "";

    if (table->ground && path[0] != '/') {
        prefix = base ? base : table->directory;
    } else if (path[0] != '/' && base) {
        prefix = below(base, table->directory); /* a process elsewhere uses absolute paths */
        if (!prefix)
            prefix = base;
    }
    /* One byte in front, so that append_components can look back. */
    char *form = arena_alloc(table->arena, strlen(prefix) + strlen(path) + 4), *start = form + 1,
         *end = start;
    if (path[0] == '/' || prefix[0] == '/')
        *end++ = '/';
    end = append_components(end, prefix);
    end = append_components(end, path);
    if (end == start)
        *end++ = '.';
    *end = '\0';
    if (!table->ground) {
        const char *relative = *start == '/' && *table->bases
                                   ? basedir_relative(table->arena, table->bases, table->directory, start)
                                   : NULL;
        return relative ? relative : start;
    }
    const char *rest = below(start, table->ground);
    if (!rest && table->real_ground)
        rest = below(start, table->real_ground);
    return !rest ? start : *rest ? rest : ".";
}

void path_table_set_ground(struct path_table *table, const char *ground, const char *real)
{
    table->ground = ground;
    table->real_ground = real;
}

static struct path_entry **slot_of(const struct path_table *table, const char *form, size_t hash)
{
    size_t index = hash & (table->slot_count - 1);

    while (table->slots[index] &&
           (table->slots[index]->hash != hash || strcmp(table->slots[index]->path, form) != 0))
        index = (index + 1) & (table->slot_count - 1);
    return &table->slots[index];
}

static void grow(struct path_table *table)
{
    table->slot_count *= 4;
    table->slots = ARENA_ARRAY(table->arena, struct path_entry *, table->slot_count);
    for (struct path_entry *entry = table->first; entry; entry = entry->next)
        *slot_of(table, entry->path, entry->hash) = entry;
}

struct path_entry *path_table_get(struct path_table *table, const char *base, const char *path)
{
    const char *form = path_table_form(table, base, path);
    size_t hash = hash_of(form);
    struct path_entry **slot = slot_of(table, form, hash);

    if (*slot)
        return *slot;
    struct path_entry *entry = ARENA_NEW(table->arena, struct path_entry);
    entry->path = form;
    entry->hash = hash;
    *slot = entry;
    *table->last = entry;
    table->last = &entry->next;
    if (++table->count * 2 > table->slot_count)
        grow(table);
    return entry;
}
