/* packed_cache: packed results that were read from the store lately, so that a result which is asked for
 * again and again (a tree that is cleaned and built anew, branches that are left and come back) costs no
 * query.
 *
 * Small results only, bounded in bytes and in number; which one goes is left to chance. Told apart by id and
 * checksum: a store that gave the id to another entry meanwhile can't be mixed up with. Any thread. */
#ifndef CCWRAP_CACHE_PACKED_CACHE_H
#define CCWRAP_CACHE_PACKED_CACHE_H

#include <stdint.h>

#include "cache/packed.h"

struct packed_cache;

struct packed_cache *packed_cache_new(size_t limit);
void packed_cache_free(struct packed_cache *cache);

/* A reference of the caller's, or NULL. */
struct packed *packed_cache_get(struct packed_cache *cache, int64_t id, uint64_t checksum);
/* Takes a reference, if it keeps it. */
void packed_cache_add(struct packed_cache *cache, int64_t id, struct packed *packed);
void packed_cache_clear(struct packed_cache *cache);

#endif
