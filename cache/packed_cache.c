#include "cache/packed_cache.h"

#include <pthread.h>

#include "common/memory.h"

enum { SLOTS = 8192, LARGEST = 256 * 1024 };

/* Each id has one slot in which it can be. Ids are given in turn, so that neighbours don't meet. */
struct slot {
    int64_t id;
    struct packed *packed; /* NULL: free */
};

struct packed_cache {
    pthread_mutex_t lock;
    size_t bytes, limit;
    size_t sweep; /* the next slot to be emptied where room is needed */
    struct slot slots[SLOTS];
};

struct packed_cache *packed_cache_new(size_t limit)
{
    struct packed_cache *cache = memory_zalloc(sizeof *cache);

    pthread_mutex_init(&cache->lock, NULL);
    cache->limit = limit;
    return cache;
}

static void empty(struct packed_cache *cache, struct slot *slot)
{
    if (!slot->packed)
        return;
    cache->bytes -= slot->packed->size;
    packed_unref(slot->packed);
    slot->packed = NULL;
}

void packed_cache_clear(struct packed_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < SLOTS; i++)
        empty(cache, &cache->slots[i]);
    pthread_mutex_unlock(&cache->lock);
}

void packed_cache_free(struct packed_cache *cache)
{
    packed_cache_clear(cache);
    pthread_mutex_destroy(&cache->lock);
    memory_free(cache);
}

struct packed *packed_cache_get(struct packed_cache *cache, int64_t id, uint64_t checksum)
{
    struct slot *slot = &cache->slots[(uint64_t)id % SLOTS];
    struct packed *packed = NULL;

    pthread_mutex_lock(&cache->lock);
    if (slot->packed && slot->id == id && packed_checksum(slot->packed) == checksum)
        packed = packed_ref(slot->packed);
    pthread_mutex_unlock(&cache->lock);
    return packed;
}

void packed_cache_add(struct packed_cache *cache, int64_t id, struct packed *packed)
{
    struct slot *slot = &cache->slots[(uint64_t)id % SLOTS];

    if (packed->size > LARGEST || packed->size > cache->limit)
        return;
    pthread_mutex_lock(&cache->lock);
    empty(cache, slot);
    while (cache->bytes + packed->size > cache->limit)
        empty(cache, &cache->slots[cache->sweep++ % SLOTS]);
    *slot = (struct slot){id, packed_ref(packed)};
    cache->bytes += packed->size;
    pthread_mutex_unlock(&cache->lock);
}
