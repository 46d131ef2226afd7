/* store: the sqlite3 database of a store, as the writer (all of it) and readers (look-ups) use it.
 *
 *     entries  id, key, used (microseconds since the epoch), checksum (of the packed result), size (bytes)
 *     sets     id, base (0: none), the input set packed on that base (bases.h)
 *     bases    id, uses (how many sets lie on it), the packed base
 *     results  id * STORE_PIECES + number of the piece, a piece of the packed result
 *     counters name, value
 *     totals   one row: how many entries there are
 *
 * One entry is one set with its result. Ids are never used twice (AUTOINCREMENT), and a result is taken only
 * if it has the checksum that its entry says: another server may remove entries at any time. Blobs lie in
 * tables of their own, so that a use time can be written without them; a large result is several rows, so
 * that neither reading nor writing it needs its size in memory.
 *
 * A connection belongs to one thread at a time. Errors are negative errno: -EUCLEAN: the database is damaged,
 * -ESTALE: the file isn't the one that was opened any more, -ENOSPC, -EBUSY, -EROFS, else -EIO. */
#ifndef CCWRAP_CACHE_STORE_H
#define CCWRAP_CACHE_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/bases.h"
#include "cache/hash.h"

/* Pages are small, because half of the last page of each set and of each result is empty. */
enum { STORE_FORMAT = 2, STORE_SETS_PER_KEY = 64, STORE_PAGE_SIZE = 4096 };
/* Bytes of a piece of a result (but the last one), and how many there may be. */
enum { STORE_PIECE = 1024 * 1024, STORE_PIECES = 1024 };

enum store_mode {
    STORE_NONE,      /* everything misses */
    STORE_LOOK_UPS,  /* the file can't be written */
    STORE_IMMUTABLE, /* nor can anything be made beside it */
    STORE_OPEN
};

/* ---- where it is (store_open.c) ---- */

struct store_place {
    char *folder;
    char *path; /* of the database in it */
    void (*warn)(const char *line);
};

void store_place_init(struct store_place *place, const char *folder, void (*warn)(const char *line));
void store_place_release(struct store_place *place);
void store_warn(const struct store_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A database with its prepared statements (indexes are store.c's own). */
enum { STORE_STATEMENTS = 28 };

struct store {
    sqlite3 *db;
    enum store_mode mode;
    const char *path;       /* the place's */
    uint64_t device, inode; /* of the file that was opened */
    uint64_t wal_pages;     /* in the -wal, as of the last commit */
    int64_t entries_added;  /* in this transaction: for totals */
    struct bases bases;     /* of the last sets that were written */
    bool bases_loaded;
    sqlite3_stmt *statements[STORE_STATEMENTS];
};

/* Makes the folder and the database where they are missing, sets aside what is damaged or foreign, and opens
 * it for the writer. What is wrong is said by one line; the mode is then STORE_NONE or STORE_LOOK_UPS. */
enum store_mode store_open(struct store *store, const struct store_place *place);
/* For look-ups, in the mode that store_open gave. 0 or negative errno. */
int store_open_reader(struct store *store, const char *path, enum store_mode mode);
void store_close(struct store *store);
/* Renames the database and what belongs to it to a name beside it. 0 or negative errno. */
int store_set_aside(const struct store_place *place, const char *why);
int store_error(int sqlite_result);
int store_execute(struct store *store, const char *sql);
/* The one number that the statement gives, or `otherwise`. */
int64_t store_number(struct store *store, const char *sql, int64_t otherwise);

/* ---- reading ---- */

struct store_row {
    int64_t id;
    uint64_t checksum;
    const void *set; /* until the callback returns; NULL: damaged */
    size_t set_size;
};

/* Calls `each` for the key's entries, last used first, but for those of which `known` says true. */
int store_sets(struct store *store, const struct digest *key, bool (*known)(void *data, int64_t id),
               void (*each)(void *data, const struct store_row *row), void *data);
/* A piece of the packed result in malloc'ed memory. One that is shorter than STORE_PIECE is the last. -ENOENT
 * if there is none. */
int store_piece(struct store *store, int64_t id, size_t number, unsigned char **bytes, size_t *size);
/* A number that changes when another connection has changed the store. */
int64_t store_data_version(struct store *store);
int store_each_counter(struct store *store, void (*each)(void *data, const char *name, int64_t value),
                       void *data);
int64_t store_entries(struct store *store);
/* Bytes of the database that hold something, and of the whole file. */
uint64_t store_live_size(struct store *store);
uint64_t store_file_size(struct store *store);

/* ---- writing: between begin and commit or rollback ---- */

int store_begin(struct store *store);
/* -ESTALE also says that what was written is lost. */
int store_commit(struct store *store);
void store_rollback(struct store *store);

struct store_item {
    struct digest key;
    int64_t used;
    uint64_t checksum;
    const void *set, *result;
    size_t set_size, result_size;
};

typedef void store_removed(void *data, const struct digest *key, int64_t id);

int store_insert(struct store *store, const struct store_item *item, int64_t *id);
int store_remove(struct store *store, int64_t id);
int store_touch(struct store *store, int64_t id, int64_t used);
/* Removes the key's entries beyond the STORE_SETS_PER_KEY last used. */
int store_bound_key(struct store *store, const struct digest *key, store_removed *removed, void *data);
/* Removes the entries that were used longest ago, and before `used_before`: at most `most`, and no more than
 * it takes to free `bytes`. Gives their number, or a negative errno. */
int store_remove_oldest(struct store *store, int64_t used_before, uint64_t bytes, int most,
                        store_removed *removed, void *data);
int store_add_counter(struct store *store, const char *name, int64_t amount);
int store_zero_counters(struct store *store);
/* A transaction of its own: removes all entries. */
int store_clear(struct store *store);

/* ---- between transactions ---- */

/* Gives up to `pages` free pages back to the file system. */
int store_vacuum(struct store *store, int pages);
/* Moves the -wal into the database; `how` is SQLITE_CHECKPOINT_*. */
int store_checkpoint(struct store *store, int how);

#endif
