#include "cache/strings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/memory.h"

void strings_init(struct strings *strings, struct arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
}

void strings_release(struct strings *strings)
{
    memory_free(strings->texts);
    memory_free(strings->slots);
    strings_init(strings, NULL);
}

static uint32_t *find_slot(const struct strings *strings, const char *text, size_t length)
{
    uint32_t mask = 2 * strings->room - 1;
    uint32_t at = (uint32_t)XXH3_64bits(text, length) & mask;

    for (; strings->slots[at]; at = (at + 1) & mask) {
        const char *there = strings->texts[strings->slots[at] - 1];
        if (strncmp(there, text, length) == 0 && there[length] == '\0')
            break;
    }
    return &strings->slots[at];
}

static void grow(struct strings *strings)
{
    strings->room = strings->room ? 2 * strings->room : 256;
    strings->texts = memory_realloc(strings->texts, strings->room * sizeof *strings->texts);
    memory_free(strings->slots);
    strings->slots = memory_zalloc(2 * (size_t)strings->room * sizeof *strings->slots);
    for (uint32_t i = 0; i < strings->count; i++)
        *find_slot(strings, strings->texts[i], strlen(strings->texts[i])) = i + 1;
}

uint32_t strings_number_n(struct strings *strings, const char *text, size_t length)
{
    if (strings->count == strings->room)
        grow(strings);
    uint32_t *slot = find_slot(strings, text, length);
    if (!*slot) {
        strings->texts[strings->count] = arena_strndup(strings->arena, text, length);
        *slot = ++strings->count;
    }
    return *slot - 1;
}

bool strings_has(const struct strings *strings, const char *text)
{
    return strings->room && *find_slot(strings, text, strlen(text));
}

uint32_t strings_number(struct strings *strings, const char *text)
{
    return strings_number_n(strings, text, strlen(text));
}

struct numbered {
    const char *text;
    uint32_t number;
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct numbered *)a)->text, ((const struct numbered *)b)->text);
}

uint32_t *strings_sort(struct strings *strings, const bool *used)
{
    struct numbered *order = memory_alloc((strings->count + 1) * sizeof *order);
    uint32_t *changed = memory_zalloc((strings->count + 1) * sizeof *changed);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < strings->count; i++)
        if (used[i])
            order[kept++] = (struct numbered){strings->texts[i], i};
    if (kept)
        qsort(order, kept, sizeof *order, compare_texts);
    for (uint32_t i = 0; i < kept; i++) {
        strings->texts[i] = order[i].text;
        changed[order[i].number] = i;
    }
    strings->count = kept;
    memory_free(order);
    return changed;
}

static size_t shared_length(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

void strings_put(const struct strings *strings, struct buf *out)
{
    const char *last = "";

    buf_add_varint(out, strings->count);
    for (uint32_t i = 0; i < strings->count; i++) {
        size_t shared = shared_length(last, strings->texts[i]);
        buf_add_varint(out, shared);
        buf_add_string(out, strings->texts[i] + shared);
        last = strings->texts[i];
    }
}
