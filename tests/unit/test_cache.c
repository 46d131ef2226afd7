/* cache: what is stored is found, in this run and the next; misfortunes cost hits and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sqlite3.h>
#include <cmocka.h>

#include "cache/cache.h"
#include "cache/store.h"

enum { MEGABYTE = 1024 * 1024 };

static char folder[PATH_MAX];
static char database[PATH_MAX + 32];
static struct cache *cache;
static struct cache_reader *reader;
static _Atomic int warnings;
static char last_warning[1024];

static void note_warning(const char *line)
{
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", line);
}

static struct cache *open_with(uint64_t max_size)
{
    struct cache_options options = {.folder = folder,
                                    .max_size = max_size,
                                    .memory = 8 * MEGABYTE,
                                    .pending = 8 * MEGABYTE,
                                    .warn = note_warning};
    return cache_open(&options);
}

static void open_cache(uint64_t max_size)
{
    cache = open_with(max_size);
    reader = cache_reader_open(cache);
}

static void close_cache(void)
{
    cache_reader_close(reader);
    cache_close(cache);
}

static struct digest key_of(int number)
{
    return digest_of(&number, sizeof number);
}

/* The request says this of the name of its output; sets hold for one of them. */
static const char *fact_of_request(void *data, enum input_fact fact)
{
    (void)fact;
    return data;
}

static void pack_set(struct buf *out, const char *fact)
{
    struct input_set_builder *builder = input_set_builder_new();

    input_set_add_fact(builder, FACT_OUTPUT, fact);
    input_set_pack(builder, AT_FDCWD, out);
    input_set_builder_free(builder);
}

/* Contents that don't compress, different for each seed. */
static struct packed *make_packed(uint32_t seed, size_t size)
{
    uint32_t *words = malloc(size + sizeof *words);
    struct packed_file file = {.path = "a.o", .size = size, .bytes = words, .fd = -1};
    struct packed *packed;

    for (size_t i = 0; i < size / sizeof *words + 1; i++) {
        seed += 0x9e3779b9;
        words[i] = seed * (seed ^ seed >> 15);
    }
    words[0] = seed;
    assert_int_equal(packed_make(&file, 1, 1, UINT64_MAX, &packed), 0);
    free(words);
    return packed;
}

static int store_in(struct cache *where, int number, const char *fact, size_t size)
{
    struct buf set = BUF_INIT;
    struct digest key = key_of(number);
    struct packed *packed = make_packed((uint32_t)number, size);

    pack_set(&set, fact);
    int error = cache_store(where, &key, set.data, set.length, packed);
    packed_unref(packed);
    buf_release(&set);
    return error;
}

static int store(int number, const char *fact, size_t size)
{
    return store_in(cache, number, fact, size);
}

/* 1: a hit with the right bytes; 0: a miss; -1: wrong bytes. */
static int look_up_by(struct cache_reader *by, struct cache *in, int number, const char *fact, size_t size)
{
    struct arena arena;
    struct environment environment;
    char *none[] = {NULL};
    struct digest key = key_of(number);
    struct cache_hit hit;
    const char *failed;

    arena_init(&arena);
    environment_init(&environment, &arena, none);
    struct check check = {.digests = cache_digests(in),
                          .directory = AT_FDCWD,
                          .directory_path = "/",
                          .environment = &environment,
                          .fact = fact_of_request,
                          .data = (void *)fact};
    bool found = cache_lookup(by, &key, &check, &hit, &failed);
    int answer = found;
    if (found) {
        struct packed *expected = make_packed((uint32_t)number, size);
        if (expected->size != hit.packed->size ||
            memcmp(expected->bytes, hit.packed->bytes, expected->size) != 0)
            answer = -1;
        packed_unref(expected);
        packed_unref(hit.packed);
    }
    arena_release(&arena);
    return answer;
}

static int look_up(int number, const char *fact, size_t size)
{
    return look_up_by(reader, cache, number, fact, size);
}

static void stored_results_are_found(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(1, "x", 1000), 0);
    assert_int_equal(store(1, "x", 1000), 0);
    assert_int_equal(look_up(1, "x", 1000), 1); /* before it is on disk */
    cache_flush(cache);
    assert_int_equal(look_up(1, "x", 1000), 1);
    assert_int_equal(look_up(1, "y", 1000), 0);
    assert_int_equal(look_up(2, "x", 1000), 0);
    close_cache();

    struct stat status;
    assert_int_equal(stat(database, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    char wal[PATH_MAX + 64];
    snprintf(wal, sizeof wal, "%s-wal", database);
    assert_int_equal(access(wal, F_OK), -1);

    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(1, "x", 1000), 1);
    assert_int_equal(look_up(1, "y", 1000), 0);
    close_cache();
    assert_int_equal(warnings, 0);
}

static void sets_of_a_key_are_bounded(void **state)
{
    char fact[16];

    (void)state;
    open_cache(100 * MEGABYTE);
    for (int i = 0; i < 100; i++) {
        snprintf(fact, sizeof fact, "%d", i);
        assert_int_equal(store(1, fact, 1000), 0);
        if (i >= 10)
            assert_int_equal(look_up(1, "5", 1000), 1); /* in use: it stays */
        if (i % 7 == 0)
            cache_flush(cache);
    }
    cache_flush(cache);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(look_up(1, "99", 1000), 1);
        assert_int_equal(look_up(1, "5", 1000), 1);
        assert_int_equal(look_up(1, "0", 1000), 0);
        struct cache_sizes sizes;
        cache_sizes(cache, &sizes);
        assert_int_equal(sizes.sets, STORE_SETS_PER_KEY);
        assert_int_equal(sizes.results, STORE_SETS_PER_KEY);
        close_cache();
        open_cache(100 * MEGABYTE);
    }
    close_cache();
}

static uint64_t size_on_disk(void)
{
    struct cache_sizes sizes;
    cache_sizes(cache, &sizes);
    return sizes.bytes;
}

static void a_small_limit_holds(void **state)
{
    (void)state;
    enum { SIZE = 60000 };
    open_cache(2 * MEGABYTE);
    for (int i = 0; i < 120; i++) {
        assert_int_equal(store(i, "x", SIZE), 0);
        if (i >= 20) {
            look_up(3, "x", SIZE);
            cache_flush(cache);
        }
        if (i % 10 == 0)
            assert_true(size_on_disk() < 6 * MEGABYTE);
    }
    cache_flush(cache);
    assert_int_equal(look_up(119, "x", SIZE), 1);
    assert_int_equal(look_up(3, "x", SIZE), 1); /* used again and again */
    assert_int_equal(look_up(0, "x", SIZE), 0);
    int left = 0;
    for (int i = 0; i < 120; i++)
        left += look_up(i, "x", SIZE);
    assert_in_range(left, 15, 35);
    assert_int_equal(store(1000, "x", MEGABYTE + 1), -EFBIG);
    assert_int_equal(look_up(1000, "x", MEGABYTE + 1), 0);
    close_cache();
    struct stat status;
    assert_int_equal(stat(database, &status), 0);
    assert_true(status.st_size <= 2 * MEGABYTE);
    assert_int_equal(warnings, 0);
}

static void orders(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    for (int i = 0; i < 10; i++)
        store(i, "x", 200000);
    cache_flush(cache);
    assert_true(size_on_disk() > MEGABYTE);
    assert_int_equal(cache_evict_older(cache, 3600), 0);
    assert_int_equal(look_up(0, "x", 200000), 1);
    usleep(20000);
    assert_int_equal(cache_evict_older(cache, 0), 0);
    assert_int_equal(look_up(0, "x", 200000), 0);
    assert_true(size_on_disk() < MEGABYTE / 2);

    store(1, "x", 200000);
    cache_add_counter(cache, "hits", 1);
    assert_int_equal(cache_clear(cache), 0);
    assert_int_equal(look_up(1, "x", 200000), 0);
    assert_true(size_on_disk() < MEGABYTE / 2);
    assert_int_equal(store(1, "x", 200000), 0);
    assert_int_equal(cache_trim(cache), 0);
    assert_int_equal(look_up(1, "x", 200000), 1);
    close_cache();
    open_cache(MEGABYTE / 4);
    assert_int_equal(cache_trim(cache), 0);
    assert_true(size_on_disk() <= MEGABYTE / 4 + 16384);
    close_cache();
}

static int64_t hits, misses;

static void sum_counter(void *data, const char *name, int64_t value)
{
    (void)data;
    if (strcmp(name, "hits") == 0)
        hits += value;
    if (strcmp(name, "misses") == 0)
        misses += value;
}

static void assert_counters(int64_t expected_hits, int64_t expected_misses)
{
    hits = misses = 0;
    cache_counters(cache, sum_counter, NULL);
    assert_int_equal(hits, expected_hits);
    assert_int_equal(misses, expected_misses);
}

static void counters_outlast_a_run(void **state)
{
    struct cache_sizes sizes;

    (void)state;
    assert_int_equal(cache_read_offline(folder, sum_counter, NULL, &sizes), -ENOENT);
    assert_int_equal(access(folder, F_OK), -1);
    open_cache(100 * MEGABYTE);
    cache_add_counter(cache, "hits", 2);
    cache_add_counter(cache, "misses", 1);
    cache_add_counter(cache, "hits", 3);
    assert_counters(5, 1);
    store(1, "x", 100);
    cache_flush(cache);
    cache_add_counter(cache, "hits", 1);
    close_cache();

    hits = misses = 0;
    assert_int_equal(cache_read_offline(folder, sum_counter, NULL, &sizes), 0);
    assert_int_equal(hits, 6);
    assert_int_equal(sizes.results, 1);
    assert_true(sizes.bytes > 0);

    open_cache(100 * MEGABYTE);
    cache_add_counter(cache, "misses", 1);
    assert_counters(6, 2);
    cache_clear(cache);
    assert_counters(6, 2);
    cache_zero_counters(cache);
    assert_counters(0, 0);
    close_cache();
}

static void too_much_pending_is_dropped(void **state)
{
    (void)state;
    struct cache_options options = {
        .folder = folder, .max_size = 100 * MEGABYTE, .memory = 0, .pending = 100000, .warn = note_warning};
    cache = cache_open(&options);
    reader = cache_reader_open(cache);
    assert_int_equal(store(1, "x", 90000), 0);
    assert_int_equal(look_up(1, "x", 90000), 1); /* pinned, though memory is 0 */
    int error = 0;
    for (int i = 2; i < 20 && !error; i++)
        error = store(i, "x", 90000);
    assert_int_equal(error, -EBUSY);
    cache_flush(cache);
    assert_int_equal(look_up(1, "x", 90000), 1);
    assert_int_equal(store(30, "x", 90000), 0);
    close_cache();
}

/* ---- misfortunes ---- */

static void overwrite_file(const char *path, off_t offset, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, offset), (ssize_t)size);
    close(fd);
}

static void execute(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* After whatever was done to the store: results can be stored and are found again. */
static void assert_works(int number)
{
    assert_int_equal(store(number, "x", 1000), 0);
    cache_flush(cache);
    assert_int_equal(look_up(number, "x", 1000), 1);
}

static void garbage_is_set_aside(void **state)
{
    static const char garbage[8192] = "this is no database at all, but some letters and zeros";

    (void)state;
    assert_int_equal(mkdir(folder, 0700), 0);
    int fd = open(database, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, garbage, sizeof garbage), sizeof garbage);
    close(fd);
    open_cache(100 * MEGABYTE);
    assert_works(1);
    close_cache();
    assert_int_equal(warnings, 1);
    char aside[PATH_MAX + 64];
    snprintf(aside, sizeof aside, "%s.damaged-1", database);
    struct stat status;
    assert_int_equal(stat(aside, &status), 0);
    assert_int_equal(status.st_size, sizeof garbage);
}

static void other_formats(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    close_cache();
    execute("PRAGMA user_version = 1000");
    open_cache(100 * MEGABYTE);
    assert_int_equal(store(2, "x", 1000), -EROFS);
    assert_int_equal(look_up(1, "x", 1000), 0);
    cache_add_counter(cache, "hits", 1);
    assert_counters(1, 0);
    close_cache();
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "newer"));

    execute("PRAGMA user_version = 0");
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(1, "x", 1000), 0);
    assert_works(2);
    close_cache();
    assert_int_equal(warnings, 2);
    assert_non_null(strstr(last_warning, "earlier version"));
}

static void damaged_rows_are_no_hits(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    assert_works(2);
    assert_works(3);
    close_cache();
    execute(
        "UPDATE results SET content = substr(content, 1, length(content) - 1) || x'00' WHERE id = 1 * 1024;"
        "UPDATE sets SET content = x'0102' WHERE id = 2;"
        "DELETE FROM results WHERE id = 3 * 1024");
    open_cache(100 * MEGABYTE);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(look_up(i, "x", 1000), 0);
        assert_int_equal(look_up(i, "x", 1000), 0);
        assert_works(i);
    }
    close_cache();
    assert_int_equal(warnings, 0);
}

/* Rows that were exchanged are sound, but not what was asked for. */
static void exchanged_rows_are_no_hits(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    assert_works(2);
    close_cache();
    execute("UPDATE results SET id = id + 2048; UPDATE results SET id = 5 * 1024 - id");
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(1, "x", 1000), 0);
    assert_int_equal(look_up(2, "x", 1000), 0);
    close_cache();
}

/* The number that the database gives. */
static int64_t ask(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

/* Sets that are alike lie on one base, which goes with the last of them. */
static void sets_lie_on_bases(void **state)
{
    char fact[16];

    (void)state;
    for (int run = 0; run < 2; run++) { /* the second one uses what the first one left */
        open_cache(100 * MEGABYTE);
        for (int i = 0; i < 20; i++) {
            snprintf(fact, sizeof fact, "%d", i);
            assert_int_equal(store(20 * run + i, fact, 100), 0);
        }
        cache_flush(cache);
        close_cache();
    }
    assert_int_equal(ask("SELECT sum(uses) FROM bases"), 40);
    int64_t bases = ask("SELECT count(*) FROM bases");
    open_cache(100 * MEGABYTE);
    for (int i = 0; i < 40; i++) {
        snprintf(fact, sizeof fact, "%d", i % 20);
        assert_int_equal(look_up(i, fact, 100), 1);
    }
    close_cache();

    execute("UPDATE bases SET content = x'0102'");
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(0, "0", 100), 0);
    assert_works(50); /* a damaged base isn't taken for new sets */
    close_cache();
    assert_true(ask("SELECT count(*) FROM bases") > bases - 1);

    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(50, "x", 1000), 1);
    assert_int_equal(cache_evict_older(cache, -1), 0);
    close_cache();
    assert_int_equal(ask("SELECT count(*) FROM sets"), 0);
    assert_int_equal(ask("SELECT count(*) FROM bases"), 0);
}

enum { LARGE = 3 * MEGABYTE };

static struct packed *find_large(int number)
{
    struct arena arena;
    struct environment environment;
    char *none[] = {NULL};
    struct digest key = key_of(number);
    struct cache_hit hit = {NULL, false};

    arena_init(&arena);
    environment_init(&environment, &arena, none);
    struct check check = {.digests = cache_digests(cache),
                          .directory = AT_FDCWD,
                          .directory_path = "/",
                          .environment = &environment,
                          .fact = fact_of_request,
                          .data = (void *)"x"};
    if (!cache_lookup(reader, &key, &check, &hit, NULL))
        hit.packed = NULL;
    arena_release(&arena);
    return hit.packed;
}

/* 0 if the large result comes out as it was stored, 1 if it is a miss, -1 if it is damaged. */
static int unpack_large(int number)
{
    struct packed *found = find_large(number);

    if (!found)
        return 1;
    struct packed *made = make_packed((uint32_t)number, LARGE);
    struct unpacker *is = unpacker_new(found), *was = unpacker_new(made);
    struct buf is_bytes = BUF_INIT, was_bytes = BUF_INIT;
    assert_true(found->size <= MEGABYTE); /* in memory */
    int error = unpacker_next_to_buf(is, &is_bytes);
    assert_int_equal(unpacker_next_to_buf(was, &was_bytes), 0);
    if (!error) {
        assert_int_equal(is_bytes.length, LARGE);
        assert_memory_equal(is_bytes.data, was_bytes.data, LARGE);
    } else {
        assert_int_equal(error, -EBADMSG);
    }
    buf_release(&is_bytes);
    buf_release(&was_bytes);
    unpacker_free(is);
    unpacker_free(was);
    packed_unref(found);
    packed_unref(made);
    return error ? -1 : 0;
}

static void large_results_are_read_by_pieces(void **state)
{
    static const char *const damage[] = {
        "UPDATE results SET content = zeroblob(length(content)) WHERE id = 1024 + 1",
        "UPDATE results SET content = substr(content, 1, 5000) WHERE id = 2 * 1024 + 2",
        "DELETE FROM results WHERE id = 3 * 1024 + 1",
        "DELETE FROM results WHERE id = (SELECT max(id) FROM results WHERE id < 5 * 1024)",
        "INSERT INTO results VALUES ((SELECT max(id) FROM results WHERE id < 6 * 1024) + 1, x'00')",
        ("UPDATE results SET content = CAST(substr(content, 1, length(content) - 1) || x'42' AS BLOB) "
         "WHERE id = 6 * 1024"),
    };
    enum { COUNT = sizeof damage / sizeof *damage };

    (void)state;
    open_cache(100 * MEGABYTE);
    for (int i = 1; i <= COUNT; i++) {
        assert_int_equal(store(i, "x", LARGE), 0);
        cache_flush(cache);
        assert_int_equal(unpack_large(i), 0);
    }
    close_cache();
    assert_int_equal(ask("SELECT max(length(content)) FROM results"), STORE_PIECE);

    for (int i = 1; i <= COUNT; i++)
        execute(damage[i - 1]);
    open_cache(100 * MEGABYTE);
    for (int i = 1; i <= COUNT; i++) {
        assert_int_equal(unpack_large(i), -1);
        cache_flush(cache);
        assert_int_equal(unpack_large(i), 1); /* it was removed */
    }
    close_cache();
    assert_int_equal(ask("SELECT count(*) FROM entries"), 0);
}

static void damaged_pages_while_open(void **state)
{
    static const char rubbish[3 * 8192] = "\xff\xfe rubbish";

    (void)state;
    open_cache(100 * MEGABYTE);
    for (int i = 0; i < 50; i++)
        store(i, "x", 20000);
    close_cache();
    for (int page = 1; page < 40; page += 4)
        overwrite_file(database, page * 8192, rubbish, sizeof rubbish);
    open_cache(100 * MEGABYTE);
    for (int i = 0; i < 50; i++) {
        assert_true(look_up(i, "x", 20000) >= 0);
        store(100 + i, "x", 20000);
        cache_flush(cache);
        if (i == 25) /* the first sign may be a read that failed for once; a second counts a second later */
            usleep(1100000);
    }
    assert_works(500);
    close_cache();
    assert_in_range(warnings, 1, 3);
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(500, "x", 1000), 1);
    close_cache();
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void removed_while_open(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    assert_int_equal(unlink(database), 0);
    store(2, "x", 1000);
    cache_flush(cache);
    assert_works(3);
    remove_folder();
    store(4, "x", 1000);
    cache_flush(cache);
    assert_works(5);
    close_cache();
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(5, "x", 1000), 1);
    close_cache();
}

static void places_that_will_not_do(void **state)
{
    (void)state;
    int fd = open(folder, O_CREAT | O_WRONLY, 0600); /* a file where the folder should be */
    close(fd);
    open_cache(100 * MEGABYTE);
    assert_int_equal(store(1, "x", 1000), -EROFS);
    assert_int_equal(look_up(1, "x", 1000), 0);
    assert_int_equal(cache_clear(cache), -EROFS);
    cache_flush(cache);
    close_cache();
    assert_int_equal(warnings, 1);

    assert_int_equal(unlink(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(database, 0700), 0);
    open_cache(100 * MEGABYTE);
    assert_int_equal(store(1, "x", 1000), -EROFS);
    close_cache();
    assert_int_equal(warnings, 2);
}

static void a_file_that_can_not_be_written(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    close_cache();
    assert_int_equal(chmod(database, 0400), 0);
    open_cache(100 * MEGABYTE);
    assert_int_equal(look_up(1, "x", 1000), 1);
    assert_int_equal(store(2, "x", 1000), -EROFS);
    close_cache();
    assert_int_equal(warnings, 1);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk(void **state)
{
    (void)state;
    open_cache(100 * MEGABYTE);
    assert_works(1);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(MEGABYTE); /* writing further fails */
    for (int i = 10; i < 40; i++) {
        store(i, "x", 100000);
        if (i % 5 == 0)
            cache_flush(cache);
        assert_true(look_up(i, "x", 100000) >= 0);
    }
    cache_flush(cache);
    limit_files(RLIM_INFINITY);
    assert_int_equal(warnings, 1);
    assert_works(50);
    assert_int_equal(look_up(1, "x", 1000), 1);
    close_cache();
    assert_int_equal(warnings, 1);
}

/* ---- at once ---- */

static void two_servers_share_a_store(void **state)
{
    (void)state;
    open_cache(3 * MEGABYTE);
    struct cache *other = open_with(3 * MEGABYTE);
    struct cache_reader *other_reader = cache_reader_open(other);

    for (int i = 0; i < 100; i++) {
        assert_int_equal(store_in(i % 2 ? cache : other, i, "x", 40000), 0);
        if (i % 10 == 9) {
            cache_flush(cache);
            cache_flush(other);
            assert_int_equal(look_up(i - 1, "x", 40000), 1);
            assert_int_equal(look_up_by(other_reader, other, i, "x", 40000), 1);
        }
    }
    for (int i = 0; i < 100; i++)
        assert_true(look_up(i, "x", 40000) >= 0);
    cache_clear(other);
    cache_flush(cache); /* its writer sees then that another has changed the store */
    for (int i = 0; i < 100; i++) {
        assert_int_equal(look_up(i, "x", 40000), 0);
        assert_int_equal(store(i, "x", 5000), 0);
    }
    cache_flush(cache);
    for (int i = 0; i < 100; i++) /* ids of the removed aren't used again */
        assert_int_equal(look_up_by(other_reader, other, i, "x", 5000), 1);
    cache_reader_close(other_reader);
    cache_close(other);
    close_cache();
    assert_int_equal(warnings, 0);
}

struct worker {
    pthread_t thread;
    int number;
    int wrong, found;
};

static void *work(void *data)
{
    struct worker *worker = data;
    struct cache_reader *own = cache_reader_open(cache);
    char fact[16];

    for (int i = 0; i < 150; i++) {
        int key = (i * 7 + worker->number) % 60;
        snprintf(fact, sizeof fact, "%d", i % 3);
        int answer = look_up_by(own, cache, key, fact, 20000);
        worker->wrong += answer < 0;
        worker->found += answer > 0;
        if (answer == 0)
            store(key, fact, 20000);
        cache_add_counter(cache, answer > 0 ? "hits" : "misses", 1);
        if (i % 50 == 49 && worker->number == 0)
            cache_clear(cache);
    }
    cache_reader_close(own);
    return NULL;
}

static void threads_at_once(void **state)
{
    struct worker workers[4] = {0};
    int found = 0;

    (void)state;
    open_cache(2 * MEGABYTE);
    for (int i = 0; i < 4; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
        found += workers[i].found;
    }
    assert_true(found > 0);
    hits = misses = 0;
    cache_counters(cache, sum_counter, NULL);
    assert_int_equal(hits, found);
    assert_int_equal(hits + misses, 600);
    close_cache();
    assert_int_equal(warnings, 0);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ccwrap-test-%d", (int)getpid());
    remove_folder();
    snprintf(database, sizeof database, "%s/cache.sqlite", folder);
    warnings = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder();
    unlink(folder);
    return 0;
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(stored_results_are_found),
        WITH_FOLDER(sets_of_a_key_are_bounded),
        WITH_FOLDER(a_small_limit_holds),
        WITH_FOLDER(orders),
        WITH_FOLDER(counters_outlast_a_run),
        WITH_FOLDER(too_much_pending_is_dropped),
        WITH_FOLDER(garbage_is_set_aside),
        WITH_FOLDER(other_formats),
        WITH_FOLDER(damaged_rows_are_no_hits),
        WITH_FOLDER(exchanged_rows_are_no_hits),
        WITH_FOLDER(sets_lie_on_bases),
        WITH_FOLDER(large_results_are_read_by_pieces),
        WITH_FOLDER(damaged_pages_while_open),
        WITH_FOLDER(removed_while_open),
        WITH_FOLDER(places_that_will_not_do),
        WITH_FOLDER(a_file_that_can_not_be_written),
        WITH_FOLDER(a_full_disk),
        WITH_FOLDER(two_servers_share_a_store),
        WITH_FOLDER(threads_at_once),
    };
    umask(0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
