#include "cache/cache.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/packed_cache.h"
#include "cache/set_cache.h"
#include "cache/store.h"
#include "cache/writer.h"
#include "common/clock.h"
#include "common/memory.h"

enum { RESULTS_SHARE = 4 }; /* packed results may take this part of the bytes that sets may take */

struct cache {
    struct file_digests *digests;
    struct set_cache *sets;
    struct packed_cache *results;
    _Atomic uint32_t foreign_changes; /* of the writer, when the results in memory were begun */
    struct writer *writer;
    uint64_t max_size;
};

struct cache_reader {
    struct cache *cache;
    struct store store;
    bool open;
    uint32_t generation; /* of the writer, when it was opened; 0: never */
};

struct cache *cache_open(const struct cache_options *options)
{
    struct cache *cache = memory_zalloc(sizeof *cache);

    cache->digests = file_digests_new(options->blank);
    cache->sets = set_cache_new(options->memory);
    cache->results = packed_cache_new(options->memory / RESULTS_SHARE);
    cache->max_size = options->max_size;
    cache->writer = writer_new(options, cache->sets);
    return cache;
}

void cache_close(struct cache *cache)
{
    writer_free(cache->writer);
    set_cache_free(cache->sets);
    packed_cache_free(cache->results);
    file_digests_free(cache->digests);
    memory_free(cache);
}

struct file_digests *cache_digests(struct cache *cache)
{
    return cache->digests;
}

/* ---- look-ups ---- */

struct cache_reader *cache_reader_open(struct cache *cache)
{
    struct cache_reader *reader = memory_zalloc(sizeof *reader);

    reader->cache = cache;
    return reader;
}

static void close_store(struct cache_reader *reader)
{
    if (reader->open)
        store_close(&reader->store);
    reader->open = false;
}

void cache_reader_close(struct cache_reader *reader)
{
    close_store(reader);
    memory_free(reader);
}

/* Follows the writer to the store that it has now. False if there is none. */
static bool follow_writer(struct cache_reader *reader)
{
    struct writer *writer = reader->cache->writer;
    uint32_t generation = writer_generation(writer);

    if (reader->generation == generation)
        return reader->open;
    close_store(reader);
    reader->generation = generation;
    enum store_mode mode = writer_mode(writer);
    reader->open = mode != STORE_NONE && store_open_reader(&reader->store, writer_path(writer), mode) == 0;
    return reader->open;
}

static void note_error(struct cache_reader *reader, int error)
{
    if (error == -EUCLEAN)
        writer_damaged(reader->cache->writer, reader->generation);
}

/* A look-up in progress. */
struct look_up {
    struct cache_reader *reader;
    const struct digest *key;
    const struct check *check;
    struct cache_hit *hit;
    const char **failed;
    struct cached_set sets[SET_CACHE_PER_KEY]; /* with references */
    size_t count;
};

/* A result that is read from the store piece by piece. */
struct stored_result {
    struct cache_reader *reader;
    uint32_t generation; /* an id means nothing in another store */
    struct digest key;
    int64_t id;
};

static int read_piece(void *data, size_t number, unsigned char **bytes, size_t *size)
{
    const struct stored_result *result = data;
    struct cache_reader *reader = result->reader;

    if (!follow_writer(reader) || reader->generation != result->generation)
        return -ESTALE;
    int error = store_piece(&reader->store, result->id, number, bytes, size);
    note_error(reader, error);
    if (error != -ENOENT)
        return error;
    *bytes = NULL;
    *size = 0;
    return 0;
}

static void result_is_damaged(void *data)
{
    const struct stored_result *result = data;
    struct cache *cache = result->reader->cache;

    set_cache_forget(cache->sets, &result->key, result->id);
    if (result->generation == writer_generation(cache->writer))
        writer_remove(cache->writer, &result->key, result->id);
}

static void release_result(void *data)
{
    memory_free(data);
}

static struct packed *open_pieces(const struct look_up *look_up, const struct cached_set *cached,
                                  unsigned char *bytes, size_t size)
{
    struct stored_result *result = memory_alloc(sizeof *result);
    struct packed_source source = {read_piece, result_is_damaged, release_result, result};

    *result = (struct stored_result){look_up->reader, look_up->reader->generation, *look_up->key, cached->id};
    return packed_open(bytes, size, &source);
}

static struct packed *recall_result(struct cache *cache, const struct cached_set *cached)
{
    uint32_t changes = writer_foreign_changes(cache->writer);

    if (atomic_load(&cache->foreign_changes) != changes) {
        atomic_store(&cache->foreign_changes, changes);
        packed_cache_clear(cache->results);
    }
    return packed_cache_get(cache->results, cached->id, cached->checksum);
}

/* Another server may have removed the row, which is no damage. */
static struct packed *read_result(struct look_up *look_up, const struct cached_set *cached)
{
    struct cache_reader *reader = look_up->reader;
    struct cache *cache = reader->cache;
    struct packed *packed = recall_result(cache, cached);
    unsigned char *bytes;
    size_t size = 0;

    if (packed || !follow_writer(reader))
        return packed;
    int error = store_piece(&reader->store, cached->id, 0, &bytes, &size);
    bool whole = size < STORE_PIECE;
    if (!error)
        packed = whole ? packed_adopt(bytes, size) : open_pieces(look_up, cached, bytes, size);
    if (packed && packed_checksum(packed) == cached->checksum) {
        if (whole)
            packed_cache_add(cache->results, cached->id, packed);
        return packed;
    }

    note_error(reader, error);
    set_cache_forget(cache->sets, look_up->key, cached->id);
    if (!error && !packed) /* else it is a sound result, but of another entry */
        writer_remove(cache->writer, look_up->key, cached->id);
    packed_unref(packed);
    return NULL;
}

static bool try_set(struct look_up *look_up, const struct cached_set *cached)
{
    struct cache *cache = look_up->reader->cache;
    enum check_result result = input_set_check(cached->set, look_up->check, look_up->failed);

    if (result == CHECK_FAILS)
        return false;
    look_up->hit->packed = cached->pending ? packed_ref(cached->pending) : read_result(look_up, cached);
    if (!look_up->hit->packed)
        return false;
    look_up->hit->but_comments = result == CHECK_HOLDS_BUT_COMMENTS;
    set_cache_use(cache->sets, look_up->key, cached->id);
    if (cached->id > 0)
        writer_use(cache->writer, cached->id);
    return true;
}

static bool is_known(void *data, int64_t id)
{
    const struct look_up *look_up = data;

    for (size_t i = 0; i < look_up->count; i++)
        if (look_up->sets[i].id == id)
            return true;
    return look_up->count == SET_CACHE_PER_KEY;
}

static void add_row(void *data, const struct store_row *row)
{
    struct look_up *look_up = data;
    struct cached_set cached = {.id = row->id, .checksum = row->checksum};

    cached.set = row->set ? input_set_unpack(row->set, row->set_size) : NULL;
    if (cached.set)
        look_up->sets[look_up->count++] = cached;
    else
        writer_remove(look_up->reader->cache->writer, look_up->key, row->id);
}

/* Sets that aren't in memory: of another run of the server, of another server, or dropped for room. */
static bool try_stored_sets(struct look_up *look_up)
{
    struct cache_reader *reader = look_up->reader;
    size_t begin = look_up->count;

    if (!follow_writer(reader))
        return false;
    note_error(reader, store_sets(&reader->store, look_up->key, is_known, add_row, look_up));
    for (size_t i = begin; i < look_up->count; i++)
        set_cache_add_stored(reader->cache->sets, look_up->key, &look_up->sets[i]);
    for (size_t i = begin; i < look_up->count; i++)
        if (try_set(look_up, &look_up->sets[i]))
            return true;
    return false;
}

bool cache_lookup(struct cache_reader *reader, const struct digest *key, const struct check *check,
                  struct cache_hit *hit, const char **failed)
{
    struct look_up look_up = {.reader = reader, .key = key, .check = check, .hit = hit, .failed = failed};
    bool found = false;

    if (failed)
        *failed = "";
    look_up.count = set_cache_get(reader->cache->sets, key, look_up.sets);
    for (size_t i = 0; i < look_up.count && !found; i++)
        found = try_set(&look_up, &look_up.sets[i]);
    if (!found)
        found = try_stored_sets(&look_up);
    for (size_t i = 0; i < look_up.count; i++)
        cached_set_release(&look_up.sets[i]);
    return found;
}

/* ---- storing and counting ---- */

int cache_store(struct cache *cache, const struct digest *key, const void *set, size_t set_size,
                struct packed *packed)
{
    struct input_set *unpacked = input_set_unpack(set, set_size);
    if (!unpacked)
        return -EINVAL;

    int error = writer_store(cache->writer, key, unpacked, set, set_size, packed);
    input_set_unref(unpacked);
    return error;
}

void cache_add_counter(struct cache *cache, const char *name, int64_t amount)
{
    writer_add_counter(cache->writer, name, amount);
}

struct counter_visit {
    void (*each)(void *data, const char *name, int64_t value);
    void *data;
};

static int visit_counters(struct writer *writer, struct store *store, void *data)
{
    struct counter_visit *visit = data;
    int error = store ? store_each_counter(store, visit->each, visit->data) : 0;

    writer_queued_counters(writer, visit->each, visit->data);
    return error;
}

void cache_counters(struct cache *cache, void (*each)(void *data, const char *name, int64_t value),
                    void *data)
{
    struct counter_visit visit = {each, data};
    writer_call(cache->writer, visit_counters, &visit);
}

static int zero_counters(struct writer *writer, struct store *store, void *data)
{
    (void)data;
    writer_drop_counters(writer);
    return store ? store_zero_counters(store) : -EROFS;
}

int cache_zero_counters(struct cache *cache)
{
    return writer_call(cache->writer, zero_counters, NULL);
}

static uint64_t size_of_file(const char *path, const char *suffix)
{
    struct buf name = BUF_INIT;
    struct stat status;

    buf_addf(&name, "%s%s", path, suffix);
    uint64_t size = stat(name.data, &status) == 0 ? (uint64_t)status.st_size : 0;
    buf_release(&name);
    return size;
}

static void fill_sizes(struct store *store, const char *path, struct cache_sizes *sizes)
{
    sizes->results = sizes->sets = (uint64_t)store_entries(store);
    sizes->bytes = size_of_file(path, "") + size_of_file(path, "-wal");
}

static int find_sizes(struct writer *writer, struct store *store, void *data)
{
    struct cache_sizes *sizes = data;

    if (store)
        fill_sizes(store, writer_path(writer), sizes);
    else if (writer_mode(writer) != STORE_NONE)
        sizes->bytes = size_of_file(writer_path(writer), "");
    return 0;
}

void cache_sizes(struct cache *cache, struct cache_sizes *sizes)
{
    memset(sizes, 0, sizeof *sizes);
    sizes->max_size = cache->max_size;
    writer_call(cache->writer, find_sizes, sizes);
}

/* ---- orders ---- */

static int clear_store(struct writer *writer, struct store *store, void *data)
{
    (void)data;
    if (!store)
        return -EROFS;
    int error = store_clear(store);
    if (error)
        return error;
    writer_new_generation(writer);
    writer_compact(writer);
    return 0;
}

int cache_clear(struct cache *cache)
{
    packed_cache_clear(cache->results);
    return writer_call(cache->writer, clear_store, NULL);
}

struct trim_order {
    int64_t used_before;
    uint64_t bytes;
};

static int trim_store(struct writer *writer, struct store *store, void *data)
{
    const struct trim_order *order = data;

    if (!store)
        return -EROFS;
    int error = writer_trim_to(writer, order->used_before, order->bytes);
    if (!error)
        writer_compact(writer);
    return error;
}

int cache_trim(struct cache *cache)
{
    struct trim_order order = {INT64_MAX, cache->max_size};
    return writer_call(cache->writer, trim_store, &order);
}

int cache_evict_older(struct cache *cache, int64_t seconds)
{
    int64_t now = clock_real() / 1000;

    if (seconds > now / 1000000) /* older than time itself: nothing is */
        return 0;
    struct trim_order order = {now - seconds * 1000000, 0};
    return writer_call(cache->writer, trim_store, &order);
}

void cache_flush(struct cache *cache)
{
    writer_call(cache->writer, NULL, NULL);
}

int cache_read_offline(const char *folder, void (*each)(void *data, const char *name, int64_t value),
                       void *data, struct cache_sizes *sizes)
{
    struct store_place place;
    struct store store;
    struct stat status;

    memset(sizes, 0, sizeof *sizes);
    store_place_init(&place, folder, NULL);
    int error = stat(place.path, &status) == 0 ? 0 : -errno;
    if (!error) {
        /* Without a -wal nobody writes; then nothing needs to be made beside the file either. */
        bool quiet = size_of_file(place.path, "-wal") == 0;
        error = store_open_reader(&store, place.path, quiet ? STORE_IMMUTABLE : STORE_LOOK_UPS);
    }
    if (!error) {
        error = store_each_counter(&store, each, data);
        if (!error)
            fill_sizes(&store, place.path, sizes);
        store_close(&store);
    }
    store_place_release(&place);
    return error;
}
