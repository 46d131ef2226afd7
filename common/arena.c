#include "common/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"

enum { BLOCK_SIZE = 32 * 1024, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *older;
    _Alignas(ALIGNMENT) char bytes[];
};

void arena_init(struct arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

void arena_lend(struct arena *arena, void *memory, size_t size)
{
    size_t skip = -(uintptr_t)memory & (ALIGNMENT - 1);

    arena_init(arena);
    if (size < skip)
        return;
    arena->next = (char *)memory + skip;
    arena->left = size - skip;
}

void arena_release(struct arena *arena)
{
    for (struct arena_block *block = arena->blocks, *older; block; block = older) {
        older = block->older;
        memory_free(block);
    }
    arena_init(arena);
}

static size_t round_up(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *arena_take(struct arena *arena, size_t size)
{
    size_t rounded = round_up(size);

    if (rounded > arena->left) {
        size_t room = rounded > BLOCK_SIZE / 4 ? rounded : BLOCK_SIZE;
        struct arena_block *block = memory_alloc(sizeof *block + room);

        if (room == rounded && arena->blocks) { /* a large piece gets a block of its own, behind the newest */
            block->older = arena->blocks->older;
            arena->blocks->older = block;
            return block->bytes;
        }
        block->older = arena->blocks;
        arena->blocks = block;
        arena->next = block->bytes;
        arena->left = room;
    }
    void *piece = arena->next;
    arena->next += rounded;
    arena->left -= rounded;
    return piece;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(arena_take(arena, size), 0, size);
}

void arena_cut(struct arena *arena, void *piece, size_t size, size_t kept)
{
    size_t taken = round_up(size), rest = taken - round_up(kept);

    if ((char *)piece + taken != arena->next)
        return;
    arena->next -= rest;
    arena->left += rest;
}

void *arena_memdup(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    char *text = arena_alloc(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}
