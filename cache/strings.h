/* strings: texts by number. The same text gets the same number; numbers count from 0. One owner. */
#ifndef CCWRAP_CACHE_STRINGS_H
#define CCWRAP_CACHE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/buf.h"

struct strings {
    struct arena *arena; /* where the texts are kept */
    const char **texts;
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* hash table of number + 1; twice `room` */
};

/* Allocates nothing. */
void strings_init(struct strings *strings, struct arena *arena);
void strings_release(struct strings *strings);
uint32_t strings_number(struct strings *strings, const char *text);
bool strings_has(const struct strings *strings, const char *text);
uint32_t strings_number_n(struct strings *strings, const char *text, size_t length);
/* Drops the texts that are not in `used` and gives the rest numbers in their byte order. Returns the new
 * numbers by the old ones (the caller's, memory_free). After it no text may be added. */
uint32_t *strings_sort(struct strings *strings, const bool *used);
/* Appends them to `out`, each as what differs from the one before (input_layout.h). */
void strings_put(const struct strings *strings, struct buf *out);

#endif
