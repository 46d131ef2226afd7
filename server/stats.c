#include "server/stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const counter_names[COUNTER_COUNT] = {
#define X(identifier, name) name,
    COUNTERS(X)
#undef X
};

static const char zeroed_name[] = "stats_zeroed_timestamp";

static struct cache *cache;
static _Atomic int64_t counters[COUNTER_COUNT], reasons[REASON_COUNT];
static char words[REASON_COUNT][80]; /* the last ones; a longer word is cut */
static pthread_mutex_t words_lock = PTHREAD_MUTEX_INITIALIZER;

const char *counter_name(enum counter counter)
{
    return counter_names[counter];
}

void stats_start(struct cache *of)
{
    cache = of;
}

void stats_add(enum counter counter, int64_t amount)
{
    atomic_fetch_add_explicit(&counters[counter], amount, memory_order_relaxed);
}

void stats_reason(enum reason reason, const char *word)
{
    if (reason == REASON_NONE)
        return;
    atomic_fetch_add_explicit(&reasons[reason], 1, memory_order_relaxed);
    if (!word || !word[0])
        return;
    pthread_mutex_lock(&words_lock);
    snprintf(words[reason], sizeof words[reason], "%s", word);
    pthread_mutex_unlock(&words_lock);
}

void stats_flush(void)
{
    int64_t amount;

    for (size_t i = 0; cache && i < COUNTER_COUNT; i++)
        if ((amount = atomic_exchange(&counters[i], 0)))
            cache_add_counter(cache, counter_names[i], amount);
    for (size_t i = 1; cache && i < REASON_COUNT; i++)
        if ((amount = atomic_exchange(&reasons[i], 0)))
            cache_add_counter(cache, reason_name(i), amount);
}

void stats_take(void *data, const char *name, int64_t value)
{
    struct stats *stats = data;

    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (strcmp(counter_names[i], name) == 0)
            stats->counters[i] += value;
    for (size_t i = 1; i < REASON_COUNT; i++)
        if (strcmp(reason_name(i), name) == 0)
            stats->reasons[i] += value;
    if (strcmp(name, zeroed_name) == 0)
        stats->zeroed = value;
}

/* ---- forms ---- */

static int64_t hits_of(const struct stats *stats)
{
    return stats->counters[COUNTER_DIRECT_HIT] + stats->counters[COUNTER_PREPROCESSED_HIT];
}

static int64_t uncacheable_of(const struct stats *stats)
{
    int64_t sum = 0;
    for (size_t i = 1; i < REASON_COUNT; i++)
        sum += stats->reasons[i];
    return sum;
}

static double per_cent(int64_t part, int64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void add_size(struct buf *out, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    size_t unit = 0;

    for (; size >= 1024 && unit + 1 < COUNT(units); unit++)
        size /= 1024;
    buf_addf(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void add_row(struct buf *out, const char *name, int64_t value)
{
    buf_addf(out, "  %-58s %10lld\n", name, (long long)value);
}

/* Words are the user's, and may hold anything. */
static void add_word(struct buf *out, enum reason reason)
{
    pthread_mutex_lock(&words_lock);
    if (words[reason][0]) {
        buf_add_text(out, "      last: ");
        for (const char *c = words[reason]; *c; c++)
            buf_add_char(out, (unsigned char)*c < ' ' ? '?' : *c);
        buf_add_char(out, '\n');
    }
    pthread_mutex_unlock(&words_lock);
}

/* Most frequent first; each is taken out of the list when printed. */
static void add_reasons(const struct stats *stats, struct buf *out)
{
    int64_t left[REASON_COUNT];

    memcpy(left, stats->reasons, sizeof left);
    for (;;) {
        size_t most = 0;
        left[0] = 0;
        for (size_t i = 1; i < REASON_COUNT; i++)
            if (left[i] > left[most])
                most = i;
        if (!most)
            return;
        add_row(out, reason_text(most), left[most]);
        add_word(out, most);
        left[most] = 0;
    }
}

static double mean_ms(int64_t nanoseconds, int64_t count)
{
    return count ? (double)nanoseconds / (double)count / 1e6 : 0.0;
}

void stats_print_table(const struct stats *stats, const char *dir, struct buf *out)
{
    int64_t hits = hits_of(stats), misses = stats->counters[COUNTER_MISS], other = uncacheable_of(stats);

    buf_addf(out, "cacheable calls: %lld\n", (long long)(hits + misses));
    buf_addf(out, "  %-58s %10lld  %5.1f %%\n", "hits", (long long)hits, per_cent(hits, hits + misses));
    add_row(out, "  direct", stats->counters[COUNTER_DIRECT_HIT]);
    add_row(out, "  preprocessed", stats->counters[COUNTER_PREPROCESSED_HIT]);
    buf_addf(out, "  %-58s %10lld  %5.1f %%\n", "misses", (long long)misses, per_cent(misses, hits + misses));
    add_row(out, "  stored", stats->counters[COUNTER_STORED]);
    add_row(out, "  waited for an equal compile, then hit", stats->counters[COUNTER_WAITED]);
    if (stats->counters[COUNTER_RECACHE])
        add_row(out, "compiled anew by the setting recache", stats->counters[COUNTER_RECACHE]);
    buf_addf(out, "mean time: hit %.2f ms, compile %.1f ms; compile time saved: %.1f s\n",
             mean_ms(stats->counters[COUNTER_HIT_NANOSECONDS], hits),
             mean_ms(stats->counters[COUNTER_COMPILE_NANOSECONDS], misses),
             (double)stats->counters[COUNTER_SAVED_NANOSECONDS] / 1e9);
    if (other) {
        buf_addf(out, "not cached or not stored: %lld\n", (long long)other);
        add_reasons(stats, out);
    }
    buf_addf(out, "store: %s\n  ", dir ? dir : "none");
    add_size(out, stats->sizes.bytes);
    buf_add_text(out, " of ");
    add_size(out, stats->sizes.max_size);
    buf_addf(out, " (%.1f %%), %llu results\n",
             per_cent((int64_t)stats->sizes.bytes, (int64_t)stats->sizes.max_size),
             (unsigned long long)stats->sizes.results);
}

void stats_print_lines(const struct stats *stats, struct buf *out)
{
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        buf_addf(out, "%s\t%lld\n", counter_names[i], (long long)stats->counters[i]);
    for (size_t i = 1; i < REASON_COUNT; i++)
        buf_addf(out, "%s\t%lld\n", reason_name(i), (long long)stats->reasons[i]);
    buf_addf(out, "%s\t%lld\n", zeroed_name, (long long)stats->zeroed);
    buf_addf(out, "files_in_cache\t%llu\ncache_size_kibibyte\t%llu\nmax_cache_size_kibibyte\t%llu\n",
             (unsigned long long)stats->sizes.results, (unsigned long long)(stats->sizes.bytes / 1024),
             (unsigned long long)(stats->sizes.max_size / 1024));
}

/* ---- sccache's layout ---- */

static void add_json_text(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_add_char(out, '\\');
        if ((unsigned char)*text < 0x20)
            buf_addf(out, "\\u%04x", *text);
        else
            buf_add_char(out, *text);
    }
    buf_add_char(out, '"');
}

static void add_duration(struct buf *out, const char *name, int64_t nanoseconds)
{
    buf_addf(out, "\"%s\":{\"secs\":%lld,\"nanos\":%lld},", name, (long long)(nanoseconds / 1000000000),
             (long long)(nanoseconds % 1000000000));
}

/* A count by language, as sccache groups them. */
static void add_by_language(struct buf *out, const char *name, int64_t all, int64_t rust)
{
    const struct {
        const char *language, *family;
        int64_t count;
    } rows[] = {{"C/C++", "c_family", all - rust}, {"Rust", "rust", rust}};

    for (int advanced = 0; advanced < 2; advanced++) {
        const char *separator = "";
        if (advanced)
            buf_add_text(out, "},\"adv_counts\":{");
        else
            buf_addf(out, "\"%s\":{\"counts\":{", name);
        for (size_t i = 0; i < COUNT(rows); i++)
            if (rows[i].count) {
                buf_addf(out, "%s\"%s\":%lld", separator, advanced ? rows[i].family : rows[i].language,
                         (long long)rows[i].count);
                separator = ",";
            }
    }
    buf_add_text(out, "}},");
}

static void add_json_reasons(const struct stats *stats, struct buf *out)
{
    const char *separator = "";

    buf_add_text(out, "\"not_cached\":{");
    for (size_t i = 1; i < REASON_COUNT; i++)
        if (stats->reasons[i]) {
            buf_addf(out, "%s\"%s\":%lld", separator, reason_name(i), (long long)stats->reasons[i]);
            separator = ",";
        }
    buf_add_text(out, "},");
}

void stats_print_json(const struct stats *stats, const char *dir, struct buf *out)
{
    int64_t hits = hits_of(stats), misses = stats->counters[COUNTER_MISS], other = uncacheable_of(stats);

    buf_addf(out,
             "{\"stats\":{\"compile_requests\":%lld,\"requests_unsupported_compiler\":0,"
             "\"requests_not_compile\":%lld,\"requests_not_cacheable\":%lld,\"requests_executed\":%lld,",
             (long long)(hits + misses + other), (long long)stats->reasons[REASON_LINK],
             (long long)(other - stats->reasons[REASON_LINK]), (long long)(hits + misses));
    add_by_language(out, "cache_errors", 0, 0);
    add_by_language(out, "cache_hits", hits, stats->counters[COUNTER_RUST_HIT]);
    add_by_language(out, "cache_misses", misses, stats->counters[COUNTER_RUST_MISS]);
    buf_add_text(out, "\"cache_timeouts\":0,\"cache_read_errors\":0,\"non_cacheable_compilations\":0,");
    buf_addf(out, "\"forced_recaches\":%lld,\"cache_write_errors\":0,\"cache_writes\":%lld,",
             (long long)stats->counters[COUNTER_RECACHE], (long long)stats->counters[COUNTER_STORED]);
    add_duration(out, "cache_write_duration", 0);
    add_duration(out, "cache_read_hit_duration", stats->counters[COUNTER_HIT_NANOSECONDS]);
    add_duration(out, "compiler_write_duration", stats->counters[COUNTER_COMPILE_NANOSECONDS]);
    buf_addf(out, "\"compilations\":%lld,\"compile_fails\":%lld,", (long long)misses,
             (long long)stats->reasons[REASON_COMPILE_FAILED]);
    add_json_reasons(stats, out);
    buf_add_text(out, "\"dist_compiles\":{},\"dist_errors\":0,\"multi_level\":null},\"cache_location\":");
    add_json_text(out, dir ? dir : "none");
    buf_addf(out,
             ",\"cache_size\":%llu,\"max_cache_size\":%llu,\"use_preprocessor_cache_mode\":true,"
             "\"version\":\"" CCWRAP_VERSION "\",\"basedirs\":[],\"ccwrap\":{",
             (unsigned long long)stats->sizes.bytes, (unsigned long long)stats->sizes.max_size);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        buf_addf(out, "%s\"%s\":%lld", i ? "," : "", counter_names[i], (long long)stats->counters[i]);
    buf_add_text(out, "}}\n");
}
