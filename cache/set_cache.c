#include "cache/set_cache.h"

#include <pthread.h>
#include <string.h>

#include "common/memory.h"

enum { FIRST_BUCKETS = 1024, ENTRY_OVERHEAD = 128 };

struct entry {
    struct digest key;
    struct entry *next_in_bucket;
    struct entry *newer, *older; /* by last look-up */
    size_t count, room, bytes;
    bool pinned;             /* one of the sets has a pending result */
    struct cached_set *sets; /* last used first */
};

struct set_cache {
    pthread_mutex_t lock;
    struct entry **buckets;
    size_t bucket_count, entry_count;
    struct entry *newest, *oldest;
    size_t bytes, limit;
    int64_t tickets;
};

struct set_cache *set_cache_new(size_t limit)
{
    struct set_cache *cache = memory_zalloc(sizeof *cache);

    pthread_mutex_init(&cache->lock, NULL);
    cache->limit = limit;
    cache->bucket_count = FIRST_BUCKETS;
    cache->buckets = memory_zalloc(cache->bucket_count * sizeof *cache->buckets);
    return cache;
}

void cached_set_release(struct cached_set *cached)
{
    input_set_unref(cached->set);
    packed_unref(cached->pending);
}

/* Keys are digests: any bits of them will do. */
static size_t bucket_of(const struct set_cache *cache, const struct digest *key)
{
    uint64_t bits;

    memcpy(&bits, key->bytes, sizeof bits);
    return bits & (cache->bucket_count - 1);
}

static struct entry **find_link(const struct set_cache *cache, const struct digest *key)
{
    struct entry **link = &cache->buckets[bucket_of(cache, key)];

    while (*link && !digest_equal(&(*link)->key, key))
        link = &(*link)->next_in_bucket;
    return link;
}

static void unlink_use(struct set_cache *cache, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct set_cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void remove_entry(struct set_cache *cache, struct entry *entry)
{
    *find_link(cache, &entry->key) = entry->next_in_bucket;
    unlink_use(cache, entry);
    for (size_t i = 0; i < entry->count; i++)
        cached_set_release(&entry->sets[i]);
    cache->bytes -= entry->bytes + sizeof *entry + ENTRY_OVERHEAD;
    cache->entry_count--;
    memory_free(entry->sets);
    memory_free(entry);
}

static void grow(struct set_cache *cache)
{
    memory_free(cache->buckets);
    cache->bucket_count *= 2;
    cache->buckets = memory_zalloc(cache->bucket_count * sizeof *cache->buckets);
    for (struct entry *entry = cache->newest; entry; entry = entry->older) {
        size_t bucket = bucket_of(cache, &entry->key);
        entry->next_in_bucket = cache->buckets[bucket];
        cache->buckets[bucket] = entry;
    }
}

static struct entry *find_or_add(struct set_cache *cache, const struct digest *key)
{
    struct entry *entry = *find_link(cache, key);

    if (entry)
        return entry;
    if (cache->entry_count >= cache->bucket_count)
        grow(cache);
    entry = memory_zalloc(sizeof *entry);
    entry->key = *key;
    *find_link(cache, key) = entry;
    link_newest(cache, entry);
    cache->bytes += sizeof *entry + ENTRY_OVERHEAD;
    cache->entry_count++;
    return entry;
}

static void shrink(struct set_cache *cache)
{
    for (struct entry *entry = cache->oldest, *newer; entry && cache->bytes > cache->limit; entry = newer) {
        newer = entry->newer;
        if (!entry->pinned)
            remove_entry(cache, entry);
    }
}

static size_t find_set(const struct entry *entry, int64_t id)
{
    size_t i = 0;
    while (i < entry->count && entry->sets[i].id != id)
        i++;
    return i;
}

static void update_pin(struct entry *entry)
{
    entry->pinned = false;
    for (size_t i = 0; i < entry->count; i++)
        entry->pinned = entry->pinned || entry->sets[i].pending;
}

static void remove_set(struct set_cache *cache, struct entry *entry, size_t index)
{
    size_t bytes = input_set_memory(entry->sets[index].set);

    cached_set_release(&entry->sets[index]);
    entry->count--;
    memmove(&entry->sets[index], &entry->sets[index + 1], (entry->count - index) * sizeof *entry->sets);
    entry->bytes -= bytes;
    cache->bytes -= bytes;
    update_pin(entry);
}

/* Makes room by the set that was used longest ago. A result that is pending may go too: it is then found when
 * it is on disk. */
static void put_set(struct set_cache *cache, struct entry *entry, size_t index,
                    const struct cached_set *cached)
{
    size_t bytes = input_set_memory(cached->set);

    if (entry->count == SET_CACHE_PER_KEY)
        remove_set(cache, entry, entry->count - 1);
    if (entry->count == entry->room) { /* most keys have one set */
        entry->room = entry->room ? 2 * entry->room : 1;
        entry->sets = memory_realloc(entry->sets, entry->room * sizeof *entry->sets);
    }
    if (index > entry->count)
        index = entry->count;
    memmove(&entry->sets[index + 1], &entry->sets[index], (entry->count - index) * sizeof *entry->sets);
    entry->sets[index] = *cached;
    input_set_ref(cached->set);
    if (cached->pending)
        packed_ref(cached->pending);
    entry->count++;
    entry->bytes += bytes;
    cache->bytes += bytes;
    update_pin(entry);
}

void set_cache_free(struct set_cache *cache)
{
    while (cache->newest)
        remove_entry(cache, cache->newest);
    pthread_mutex_destroy(&cache->lock);
    memory_free(cache->buckets);
    memory_free(cache);
}

size_t set_cache_get(struct set_cache *cache, const struct digest *key,
                     struct cached_set sets[SET_CACHE_PER_KEY])
{
    size_t count = 0;

    pthread_mutex_lock(&cache->lock);
    struct entry *entry = *find_link(cache, key);
    if (entry) {
        unlink_use(cache, entry);
        link_newest(cache, entry);
        for (; count < entry->count; count++) {
            sets[count] = entry->sets[count];
            input_set_ref(sets[count].set);
            if (sets[count].pending)
                packed_ref(sets[count].pending);
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return count;
}

int64_t set_cache_add_pending(struct set_cache *cache, const struct digest *key, struct input_set *set,
                              struct packed *packed)
{
    struct cached_set cached = {.set = set, .checksum = packed_checksum(packed), .pending = packed};

    pthread_mutex_lock(&cache->lock);
    cached.id = --cache->tickets;
    put_set(cache, find_or_add(cache, key), 0, &cached);
    shrink(cache);
    pthread_mutex_unlock(&cache->lock);
    return cached.id;
}

void set_cache_add_stored(struct set_cache *cache, const struct digest *key, const struct cached_set *cached)
{
    pthread_mutex_lock(&cache->lock);
    struct entry *entry = find_or_add(cache, key);
    if (find_set(entry, cached->id) == entry->count && entry->count < SET_CACHE_PER_KEY)
        put_set(cache, entry, entry->count, cached);
    shrink(cache);
    pthread_mutex_unlock(&cache->lock);
}

/* Calls `change` for the set with this id, if it is there. */
static void change_set(struct set_cache *cache, const struct digest *key, int64_t id,
                       void (*change)(struct set_cache *cache, struct entry *entry, size_t index,
                                      int64_t argument),
                       int64_t argument)
{
    pthread_mutex_lock(&cache->lock);
    struct entry *entry = *find_link(cache, key);
    size_t index = entry ? find_set(entry, id) : 0;
    if (entry && index < entry->count)
        change(cache, entry, index, argument);
    pthread_mutex_unlock(&cache->lock);
}

static void move_first(struct set_cache *cache, struct entry *entry, size_t index, int64_t unused)
{
    struct cached_set first = entry->sets[index];

    (void)cache;
    (void)unused;
    memmove(&entry->sets[1], &entry->sets[0], index * sizeof *entry->sets);
    entry->sets[0] = first;
}

static void set_id(struct set_cache *cache, struct entry *entry, size_t index, int64_t id)
{
    (void)cache;
    entry->sets[index].id = id;
}

static void drop_pending(struct set_cache *cache, struct entry *entry, size_t index, int64_t unused)
{
    (void)cache;
    (void)unused;
    packed_unref(entry->sets[index].pending);
    entry->sets[index].pending = NULL;
    update_pin(entry);
}

static void drop_set(struct set_cache *cache, struct entry *entry, size_t index, int64_t unused)
{
    (void)unused;
    remove_set(cache, entry, index);
    if (entry->count == 0)
        remove_entry(cache, entry);
}

void set_cache_use(struct set_cache *cache, const struct digest *key, int64_t id)
{
    change_set(cache, key, id, move_first, 0);
}

void set_cache_number(struct set_cache *cache, const struct digest *key, int64_t ticket, int64_t id)
{
    change_set(cache, key, ticket, set_id, id);
}

void set_cache_settle(struct set_cache *cache, const struct digest *key, int64_t id)
{
    change_set(cache, key, id, drop_pending, 0);
}

void set_cache_forget(struct set_cache *cache, const struct digest *key, int64_t id)
{
    change_set(cache, key, id, drop_set, 0);
}

void set_cache_clear(struct set_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    for (struct entry *entry = cache->newest, *older; entry; entry = older) {
        older = entry->older;
        if (!entry->pinned)
            remove_entry(cache, entry);
    }
    pthread_mutex_unlock(&cache->lock);
}
