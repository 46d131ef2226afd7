/* arena: memory that lives as long as one request and is freed with it.
 *
 * One thread at a time uses an arena; it may be handed from thread to thread. Nothing in it is freed singly.
 * Out of memory ends the process (every client then compiles by itself): callers need not check. Buffers
 * that hold file contents are not taken from here, because their size is the user's. */
#ifndef CCWRAP_COMMON_ARENA_H
#define CCWRAP_COMMON_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *next;                 /* free bytes of the newest block */
    size_t left;
};

/* Allocates nothing. */
void arena_init(struct arena *arena);
/* The first pieces come from this memory, which must outlive the arena and is not freed. */
void arena_lend(struct arena *arena, void *memory, size_t size);
/* Frees all that came from the arena; it is then as after arena_init. */
void arena_release(struct arena *arena);

/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
/* The same, but not zeroed: pages that are never written are never there. */
void *arena_take(struct arena *arena, size_t size);
/* Of a piece of `size` bytes the first `kept` stay; if it was the last that was taken, the rest is free
 * again.
 */
void arena_cut(struct arena *arena, void *piece, size_t size, size_t kept);
void *arena_memdup(struct arena *arena, const void *bytes, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
/* The first `length` bytes of text, and a NUL. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type)          ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (count)))

#endif
