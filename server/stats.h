/* stats: what is counted, for `--stats` and `--print-stats`.
 *
 * Counters live in the store under their names and outlast the server; a running server adds to them in
 * memory and hands the sums to the store's writer. Any thread. */
#ifndef CCWRAP_SERVER_STATS_H
#define CCWRAP_SERVER_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/cache.h"
#include "common/buf.h"
#include "server/reasons.h"

/*  identifier, name in --print-stats (ccache's where it counts the same) */
#define COUNTERS(X)                                                                                          \
    X(DIRECT_HIT, "direct_cache_hit")                                                                        \
    X(PREPROCESSED_HIT, "preprocessed_cache_hit")                                                            \
    X(MISS, "cache_miss")                                                                                    \
    X(RECACHE, "recache")                                                                                    \
    X(STORED, "results_stored")                                                                              \
    X(WAITED, "waited_for_same_compile")                                                                     \
    X(COMMENT_HIT, "hit_despite_comments")                                                                   \
    X(HIT_NANOSECONDS, "hit_nanoseconds")                                                                    \
    X(MISS_NANOSECONDS, "miss_nanoseconds")                                                                  \
    X(COMPILE_NANOSECONDS, "compile_nanoseconds")                                                            \
    X(SAVED_NANOSECONDS, "saved_nanoseconds")                                                                \
    X(STORED_BYTES, "stored_content_bytes")                                                                  \
    X(RESTORED_BYTES, "restored_content_bytes")                                                              \
    X(RUST_HIT, "rust_cache_hit")                                                                            \
    X(RUST_MISS, "rust_cache_miss")

enum counter {
#define X(identifier, name) COUNTER_##identifier,
    COUNTERS(X)
#undef X
        COUNTER_COUNT
};

const char *counter_name(enum counter counter);

/* Counts for this process's cache; before stats_start counting goes nowhere. */
void stats_start(struct cache *cache);
void stats_add(enum counter counter, int64_t amount);
/* A compile that wasn't served or stored for this reason. The last word of each (an option, a path; may be
 * NULL) is shown by --stats while the server runs. */
void stats_reason(enum reason reason, const char *word);
/* Hands what was counted to the store's writer. Called before stats are shown, every now and then, and at
 * the end. */
void stats_flush(void);

/* All values by name, as read from a live cache or from a store without a server. */
struct stats {
    int64_t counters[COUNTER_COUNT];
    int64_t reasons[REASON_COUNT];
    int64_t zeroed; /* seconds since the epoch, or 0 */
    struct cache_sizes sizes;
};

/* Callback for cache_counters and cache_read_offline; data is a struct stats. */
void stats_take(void *data, const char *name, int64_t value);

/* Appends the forms that --stats, --stats-format=json and --print-stats give. `dir` may be NULL. */
void stats_print_table(const struct stats *stats, const char *dir, struct buf *out);
void stats_print_json(const struct stats *stats, const char *dir, struct buf *out);
void stats_print_lines(const struct stats *stats, struct buf *out);

#endif
