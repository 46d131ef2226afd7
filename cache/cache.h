/* cache: keys → input sets → results, on disk and in memory. The server's only door to this folder, beside
 * the builders (input_set.h, packed.h) and digests (hash.h, file_digest.h).
 *
 * One sqlite3 database in the store's folder (WAL). Serving threads each own a reader; one writer thread
 * inside commits in groups, trims and checkpoints. Between cache_store and the commit a result is found in
 * memory (bounded). Use times are collected in memory and written in groups. An error of the disk or the
 * database never reaches a compile: look-ups miss, stores are dropped, and one line says why (warn).
 *
 * A store that is damaged (at the second sign of it), foreign or of another format is set aside (renamed)
 * with one line and a new one begun; a newer format, a network file system or a folder of another owner mean
 * no store: everything misses. */
#ifndef CCWRAP_CACHE_CACHE_H
#define CCWRAP_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/file_digest.h"
#include "cache/hash.h"
#include "cache/input_set.h"
#include "cache/packed.h"

struct cache;
struct cache_reader;

struct cache_options {
    const char *folder; /* made if missing (0700) */
    uint64_t max_size;  /* bytes of the database file */
    size_t memory;      /* bytes for unpacked input sets */
    size_t pending;     /* bytes of packed results that wait for the writer; above, they are dropped */
    /* One line for people, without a newline; any thread. */
    void (*warn)(const char *line);
    bool (*blank)(const char *text, size_t length, struct buf *out); /* file_digests_new */
};

/* Always gives a cache (perhaps one without a store). Starts the writer thread. */
struct cache *cache_open(const struct cache_options *options);
/* Writes what is pending, checkpoints (leaving no -wal), ends the writer. All readers must be closed. */
void cache_close(struct cache *cache);
struct file_digests *cache_digests(struct cache *cache);

struct cache_reader *cache_reader_open(struct cache *cache);
void cache_reader_close(struct cache_reader *reader);

struct cache_hit {
    struct packed *packed; /* the caller's reference; may read on by the reader (packed_open) */
    bool but_comments;     /* CHECK_HOLDS_BUT_COMMENTS */
};

/* Tries the key's sets, most recently used first, until one holds and its result can be read. True: a hit.
 * `failed` as for input_set_check, of the last set tried; "" if there was none. A stored row that is damaged
 * is removed and is no hit. Of a large result that may turn out only when it is unpacked. */
bool cache_lookup(struct cache_reader *reader, const struct digest *key, const struct check *check,
                  struct cache_hit *hit, const char **failed);

/* Stores a result under key and set. Takes a reference of `packed`; copies the set. Can be found by look-ups
 * when it returns. 0, or -EBUSY: dropped, too much is pending, -EFBIG: larger than half the store, -EINVAL:
 * not a packed set, or -EROFS: there is no store. Sets of one key are bounded (the least recently used goes).
 */
int cache_store(struct cache *cache, const struct digest *key, const void *set, size_t set_size,
                struct packed *packed);

/* Counters by name, kept in the store; they outlast the server. Adding is queued for the writer. */
void cache_add_counter(struct cache *cache, const char *name, int64_t amount);
/* Calls `each` with the stored counters and those still queued; on the writer's thread, while the caller
 * waits. */
void cache_counters(struct cache *cache, void (*each)(void *data, const char *name, int64_t value),
                    void *data);
int cache_zero_counters(struct cache *cache);

struct cache_sizes {
    uint64_t results, sets; /* rows */
    uint64_t bytes;         /* of the database file and its -wal */
    uint64_t max_size;
};

void cache_sizes(struct cache *cache, struct cache_sizes *sizes);

/* These wait until done. 0 or negative errno. */
int cache_clear(struct cache *cache);                        /* all results; counters stay */
int cache_trim(struct cache *cache);                         /* down to max_size */
int cache_evict_older(struct cache *cache, int64_t seconds); /* not used since */
/* All that was given to cache_store and cache_add_counter before is on disk. */
void cache_flush(struct cache *cache);

/* Counters of a store that no server has open (--print-stats without a server): reads only, creates nothing.
 * 0, -ENOENT if there is none, or negative errno. */
int cache_read_offline(const char *folder, void (*each)(void *data, const char *name, int64_t value),
                       void *data, struct cache_sizes *sizes);
/* The same for --zero-stats, --clear, --trim and --evict-older-than without a server: the caller opens a
 * cache by cache_open and closes it. */

#endif
