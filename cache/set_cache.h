/* set_cache: unpacked input sets by key, in memory, and the packed results that aren't on disk yet.
 *
 * Bounded in bytes: the keys that were looked up longest ago go first. A key with a pending result stays
 * until that is written. Any thread. */
#ifndef CCWRAP_CACHE_SET_CACHE_H
#define CCWRAP_CACHE_SET_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/hash.h"
#include "cache/input_set.h"
#include "cache/packed.h"

enum { SET_CACHE_PER_KEY = 64 };

struct cached_set {
    struct input_set *set;
    int64_t id;             /* of the entry in the store; negative: a ticket, not in the store yet */
    uint64_t checksum;      /* of its packed result */
    struct packed *pending; /* the result, while it isn't on disk; else NULL */
};

struct set_cache;

struct set_cache *set_cache_new(size_t limit);
void set_cache_free(struct set_cache *cache);

/* Copies the key's sets, last used first, with references of the caller's (cached_set_release). */
size_t set_cache_get(struct set_cache *cache, const struct digest *key,
                     struct cached_set sets[SET_CACHE_PER_KEY]);
void cached_set_release(struct cached_set *cached);

/* Adds a new result, as the last used one. Takes references. Returns its ticket. */
int64_t set_cache_add_pending(struct set_cache *cache, const struct digest *key, struct input_set *set,
                              struct packed *packed);
/* Adds what was read from the store, as the one that was used longest ago, unless its id is known. */
void set_cache_add_stored(struct set_cache *cache, const struct digest *key, const struct cached_set *cached);

/* The entry is used now: it goes first. */
void set_cache_use(struct set_cache *cache, const struct digest *key, int64_t id);
/* The entry gets its id: before the commit, so that a reader that finds its row knows it already. */
void set_cache_number(struct set_cache *cache, const struct digest *key, int64_t ticket, int64_t id);
/* The entry is on disk. */
void set_cache_settle(struct set_cache *cache, const struct digest *key, int64_t id);
void set_cache_forget(struct set_cache *cache, const struct digest *key, int64_t id);
/* Forgets all but what is pending. */
void set_cache_clear(struct set_cache *cache);

#endif
