/* The statements of the store. */
#include "cache/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum statement {
    SELECT_ENTRIES,
    SELECT_SET,
    SELECT_BASES,
    SELECT_PIECE,
    SELECT_COUNTERS,
    DATA_VERSION,
    SELECT_OLDEST,
    SELECT_SURPLUS,
    INSERT_ENTRY,
    INSERT_SET,
    INSERT_BASE,
    INSERT_PIECE,
    USE_BASE,
    LEAVE_BASE,
    DELETE_BASE,
    DELETE_ENTRY,
    DELETE_SET,
    DELETE_PIECES,
    UPDATE_USED,
    ADD_COUNTER,
    ZERO_COUNTERS,
    UPDATE_TOTALS,
    BEGIN,
    COMMIT,
    STATEMENT_COUNT
};

_Static_assert((int)STATEMENT_COUNT <= (int)STORE_STATEMENTS, "room for statements");

#define SMALL_PIECE 65536        /* bytes: up to it a copy costs less than a second way to the row */
enum { BASE_MAX = 1024 * 1024 }; /* bytes: a larger set lies by itself */
#define QUOTED(text) #text
#define TEXT(macro)  QUOTED(macro)

/* Statements of several lines: NOLINTBEGIN(bugprone-suspicious-missing-comma) */
static const char *const texts[STATEMENT_COUNT] = {
    [SELECT_ENTRIES] = "SELECT id, checksum FROM entries WHERE key = ?1 ORDER BY used DESC",
    [SELECT_SET] = "SELECT s.content, s.base, b.content FROM sets s LEFT JOIN bases b ON b.id = s.base "
                   "WHERE s.id = ?1",
    [SELECT_BASES] = "SELECT id, content FROM bases ORDER BY id DESC LIMIT ?1",
    [SELECT_PIECE] = "SELECT length(content), CASE WHEN length(content) <= " TEXT(
        SMALL_PIECE) " THEN content END "
                     "FROM results WHERE id = ?1",
    [SELECT_COUNTERS] = "SELECT name, value FROM counters ORDER BY name",
    [DATA_VERSION] = "PRAGMA data_version",
    [SELECT_OLDEST] = "SELECT id, key, size FROM entries WHERE used < ?1 ORDER BY used LIMIT ?2",
    [SELECT_SURPLUS] =
        "SELECT id, key, size FROM entries WHERE key = ?1 ORDER BY used DESC LIMIT -1 OFFSET ?2",
    [INSERT_ENTRY] = "INSERT INTO entries (key, used, checksum, size) VALUES (?1, ?2, ?3, ?4)",
    [INSERT_SET] = "INSERT INTO sets (id, base, content) VALUES (?1, ?3, ?2)",
    [INSERT_BASE] = "INSERT INTO bases (uses, content) VALUES (?1, ?2)",
    [INSERT_PIECE] = "INSERT INTO results (id, content) VALUES (?1, ?2)",
    [USE_BASE] = "UPDATE bases SET uses = uses + 1 WHERE id = ?1",
    [LEAVE_BASE] = "UPDATE bases SET uses = uses - 1 WHERE id = (SELECT base FROM sets WHERE id = ?1)",
    [DELETE_BASE] = "DELETE FROM bases WHERE id = (SELECT base FROM sets WHERE id = ?1) AND uses <= 1",
    [DELETE_ENTRY] = "DELETE FROM entries WHERE id = ?1",
    [DELETE_SET] = "DELETE FROM sets WHERE id = ?1",
    [DELETE_PIECES] = "DELETE FROM results WHERE id BETWEEN ?1 AND ?2",
    [UPDATE_USED] = "UPDATE entries SET used = ?2 WHERE id = ?1 AND used < ?2",
    [ADD_COUNTER] = "INSERT INTO counters (name, value) VALUES (?1, ?2) "
                    "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
    [ZERO_COUNTERS] = "DELETE FROM counters",
    [UPDATE_TOTALS] = "UPDATE totals SET entries = entries + ?1",
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

/* Prepared at its first use. NULL with *error set if that fails. */
static sqlite3_stmt *prepare(struct store *store, enum statement which, int *error)
{
    sqlite3_stmt **statement = &store->statements[which];

    *error = 0;
    if (!*statement)
        *error = store_error(
            sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
    return *statement;
}

/* Ends a statement: an open one would hold its snapshot, and with it the -wal. */
static int finish(sqlite3_stmt *statement, int result)
{
    int error = store_error(result);

    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return error;
}

static int run(sqlite3_stmt *statement)
{
    return finish(statement, sqlite3_step(statement));
}

/* Runs a statement whose only parameters are numbers. */
static int run_with(struct store *store, enum statement which, int64_t first, int64_t second)
{
    int error;
    sqlite3_stmt *statement = prepare(store, which, &error);

    if (!statement)
        return error;
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, first);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite3_bind_int64(statement, 2, second);
    return run(statement);
}

static void forget_bases(struct store *store)
{
    bases_release(&store->bases);
    store->bases_loaded = false;
}

/* ---- reading ---- */

/* What SELECT_SET gives, unpacked into malloc'ed memory. -EBADMSG: it is damaged. */
static int unpack_set(sqlite3_stmt *statement, unsigned char **set, size_t *size)
{
    const void *content = sqlite3_column_blob(statement, 0), *below = sqlite3_column_blob(statement, 2);
    size_t content_size = (size_t)sqlite3_column_bytes(statement, 0);
    struct base base = {0};

    if (!content)
        return -EBADMSG;
    if (sqlite3_column_int64(statement, 1) == 0)
        return base_unpack(NULL, content, content_size, set, size);
    int error = !below ? -EBADMSG
                       : base_unpack(NULL, below, (size_t)sqlite3_column_bytes(statement, 2), &base.bytes,
                                     &base.size);
    if (error)
        return error;
    error = base_unpack(&base, content, content_size, set, size);
    free(base.bytes);
    return error;
}

/* The set of an entry, in malloc'ed memory: NULL if it is damaged or missing. */
static int read_set(struct store *store, int64_t id, unsigned char **set, size_t *size)
{
    int error;
    sqlite3_stmt *statement = prepare(store, SELECT_SET, &error);

    *set = NULL;
    if (!statement)
        return error;
    sqlite3_bind_int64(statement, 1, id);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        error = unpack_set(statement, set, size);
    if (error)
        *set = NULL;
    int last = finish(statement, result);
    return last ? last : error == -EBADMSG ? 0 : error;
}

int store_sets(struct store *store, const struct digest *key, bool (*known)(void *data, int64_t id),
               void (*each)(void *data, const struct store_row *row), void *data)
{
    int error, result;
    sqlite3_stmt *statement = prepare(store, SELECT_ENTRIES, &error);

    if (!statement)
        return error;
    sqlite3_bind_blob(statement, 1, key->bytes, sizeof key->bytes, SQLITE_STATIC);
    while (!error && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        struct store_row row = {.id = sqlite3_column_int64(statement, 0)};
        unsigned char *set;
        if (known(data, row.id)) /* its set isn't even read */
            continue;
        row.checksum = (uint64_t)sqlite3_column_int64(statement, 1);
        error = read_set(store, row.id, &set, &row.set_size);
        row.set = set;
        if (!error)
            each(data, &row);
        free(set);
    }
    int last = finish(statement, error ? SQLITE_OK : result);
    return error ? error : last;
}

int64_t store_data_version(struct store *store)
{
    int error;
    int64_t version = 0;
    sqlite3_stmt *statement = prepare(store, DATA_VERSION, &error);

    if (statement) {
        int result = sqlite3_step(statement);
        if (result == SQLITE_ROW)
            version = sqlite3_column_int64(statement, 0);
        finish(statement, result);
    }
    return version;
}

/* Straight into the memory that is kept, which may be many megabytes: a column would be one more copy. */
static int read_large(struct store *store, int64_t row, unsigned char **bytes, size_t *size)
{
    sqlite3_blob *blob = NULL;
    int result = sqlite3_blob_open(store->db, "main", "results", "content", row, 0, &blob);
    int error = result == SQLITE_ERROR ? -ENOENT : store_error(result); /* the row has gone meanwhile */

    *bytes = NULL;
    if (!error) {
        *size = (size_t)sqlite3_blob_bytes(blob);
        *bytes = malloc(*size);
        error = *bytes ? store_error(sqlite3_blob_read(blob, *bytes, (int)*size, 0)) : -ENOMEM;
    }
    sqlite3_blob_close(blob);
    if (error)
        free(*bytes);
    return error;
}

int store_piece(struct store *store, int64_t id, size_t number, unsigned char **bytes, size_t *size)
{
    int64_t row = id * STORE_PIECES + (int64_t)number;
    int error, result;
    sqlite3_stmt *statement = prepare(store, SELECT_PIECE, &error);

    if (!statement)
        return error;
    sqlite3_bind_int64(statement, 1, row);
    result = sqlite3_step(statement);
    if (result != SQLITE_ROW) {
        error = finish(statement, result);
        return error ? error : -ENOENT;
    }
    *size = (size_t)sqlite3_column_int64(statement, 0);
    if (*size > SMALL_PIECE) {
        finish(statement, SQLITE_OK);
        return read_large(store, row, bytes, size);
    }
    const void *content = sqlite3_column_blob(statement, 1);
    *bytes = content ? malloc(*size) : NULL;
    if (*bytes)
        memcpy(*bytes, content, *size);
    /* A page that is damaged shows as a row without a blob; the reason is in the handle. */
    error = store_error(content ? SQLITE_OK : sqlite3_errcode(store->db));
    finish(statement, SQLITE_OK);
    return *bytes ? 0 : error ? error : -ENOMEM;
}

int store_each_counter(struct store *store, void (*each)(void *data, const char *name, int64_t value),
                       void *data)
{
    int error, result;
    sqlite3_stmt *statement = prepare(store, SELECT_COUNTERS, &error);

    if (!statement)
        return error;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (name)
            each(data, name, sqlite3_column_int64(statement, 1));
    }
    return finish(statement, result);
}

int64_t store_entries(struct store *store)
{
    return store_number(store, "SELECT entries FROM totals", 0);
}

static uint64_t pages_to_bytes(struct store *store, int64_t pages)
{
    return (uint64_t)(pages * store_number(store, "PRAGMA page_size", 0));
}

uint64_t store_live_size(struct store *store)
{
    return pages_to_bytes(store, store_number(store, "PRAGMA page_count", 0) -
                                     store_number(store, "PRAGMA freelist_count", 0));
}

uint64_t store_file_size(struct store *store)
{
    return pages_to_bytes(store, store_number(store, "PRAGMA page_count", 0));
}

/* ---- writing ---- */

int store_begin(struct store *store)
{
    store->entries_added = 0;
    return run_with(store, BEGIN, 0, 0);
}

/* Somebody may have removed or replaced the file, which an open descriptor doesn't notice. */
static bool file_is_still_there(const struct store *store)
{
    struct stat status;
    return stat(store->path, &status) == 0 && status.st_dev == store->device && status.st_ino == store->inode;
}

int store_commit(struct store *store)
{
    int error = store->entries_added ? run_with(store, UPDATE_TOTALS, store->entries_added, 0) : 0;

    if (!error)
        error = run_with(store, COMMIT, 0, 0);
    if (error)
        store_rollback(store);
    return error ? error : file_is_still_there(store) ? 0 : -ESTALE;
}

void store_rollback(struct store *store)
{
    forget_bases(store); /* some may not have come to be, and their ids will be given again */
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Into a statement whose second parameter is a blob, and whose others are numbers. */
static int insert_blob(struct store *store, enum statement which, int64_t first, const void *bytes,
                       size_t size, int64_t third)
{
    int error;
    sqlite3_stmt *statement = prepare(store, which, &error);

    if (!statement)
        return error;
    sqlite3_bind_int64(statement, 1, first);
    if (sqlite3_bind_parameter_count(statement) > 2)
        sqlite3_bind_int64(statement, 3, third);
    if (sqlite3_bind_blob64(statement, 2, bytes, size, SQLITE_STATIC) != SQLITE_OK) {
        finish(statement, SQLITE_OK);
        return -EFBIG;
    }
    return run(statement);
}

/* Those that were made last, by this server or another. One that is damaged is of no use here. */
static int load_bases(struct store *store)
{
    struct base found[BASES_TRIED];
    size_t count = 0;
    int error, result;
    sqlite3_stmt *statement = prepare(store, SELECT_BASES, &error);

    if (!statement || store->bases_loaded)
        return error;
    sqlite3_bind_int64(statement, 1, BASES_TRIED);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        struct base *base = &found[count];
        const void *content = sqlite3_column_blob(statement, 1);
        base->id = sqlite3_column_int64(statement, 0);
        count += content && base_unpack(NULL, content, (size_t)sqlite3_column_bytes(statement, 1),
                                        &base->bytes, &base->size) == 0;
    }
    while (count > 0) /* the newest last */
        bases_add(&store->bases, &found[--count]);
    store->bases_loaded = true;
    return finish(statement, result);
}

/* The set becomes a base. */
static int insert_base(struct store *store, const struct store_item *item, int64_t *id)
{
    struct buf packed = BUF_INIT;
    struct base base = {.bytes = malloc(item->set_size), .size = item->set_size};
    int error = base.bytes ? base_pack(NULL, item->set, item->set_size, &packed) : -ENOMEM;

    if (!error)
        error = insert_blob(store, INSERT_BASE, 1, packed.data, packed.length, 0);
    buf_release(&packed);
    if (error) {
        free(base.bytes);
        return error;
    }
    memcpy(base.bytes, item->set, item->set_size);
    *id = base.id = sqlite3_last_insert_rowid(store->db);
    bases_add(&store->bases, &base);
    return 0;
}

/* Packs the set on a base that is in the store for sure: another server may have removed it. */
static int pack_set(struct store *store, const struct store_item *item, int64_t *base, struct buf *packed)
{
    *base = 0;
    if (item->set_size > BASE_MAX)
        return base_pack(NULL, item->set, item->set_size, packed);
    int error = load_bases(store);
    if (!error)
        error = bases_pack(&store->bases, item->set, item->set_size, base, packed);
    if (!error && *base) {
        error = run_with(store, USE_BASE, *base, 0);
        if (error || sqlite3_changes(store->db) > 0)
            return error;
        bases_forget(&store->bases, *base);
        buf_reset(packed);
    }
    if (!error)
        error = insert_base(store, item, base);
    return error ? error : base_pack(&store->bases.list[0], item->set, item->set_size, packed);
}

static int insert_result(struct store *store, const struct store_item *item, int64_t id)
{
    const unsigned char *bytes = item->result;
    int error = item->result_size > (uint64_t)STORE_PIECE * STORE_PIECES ? -EFBIG : 0;

    for (size_t done = 0, piece = 0; !error && (done < item->result_size || piece == 0); piece++) {
        size_t size = item->result_size - done < STORE_PIECE ? item->result_size - done : STORE_PIECE;
        error = insert_blob(store, INSERT_PIECE, id * STORE_PIECES + (int64_t)piece, bytes + done, size, 0);
        done += size;
    }
    return error;
}

int store_insert(struct store *store, const struct store_item *item, int64_t *id)
{
    struct buf set = BUF_INIT;
    int64_t base;
    int error;
    sqlite3_stmt *statement = prepare(store, INSERT_ENTRY, &error);

    if (!error)
        error = pack_set(store, item, &base, &set);
    if (!error) {
        sqlite3_bind_blob(statement, 1, item->key.bytes, sizeof item->key.bytes, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, item->used);
        sqlite3_bind_int64(statement, 3, (int64_t)item->checksum);
        sqlite3_bind_int64(statement, 4, (int64_t)(set.length + item->result_size));
        error = run(statement);
        *id = sqlite3_last_insert_rowid(store->db);
    }
    if (!error)
        error = insert_blob(store, INSERT_SET, *id, set.data, set.length, base);
    if (!error)
        error = insert_result(store, item, *id);
    store->entries_added += !error;
    buf_release(&set);
    return error;
}

int store_remove(struct store *store, int64_t id)
{
    int error = run_with(store, DELETE_ENTRY, id, 0);

    if (error || sqlite3_changes(store->db) == 0)
        return error;
    store->entries_added--;
    error = run_with(store, DELETE_BASE, id, 0);
    if (!error && sqlite3_changes(store->db) == 0)
        error = run_with(store, LEAVE_BASE, id, 0);
    if (!error)
        error = run_with(store, DELETE_SET, id, 0);
    if (!error)
        error = run_with(store, DELETE_PIECES, id * STORE_PIECES, id * STORE_PIECES + STORE_PIECES - 1);
    return error;
}

int store_touch(struct store *store, int64_t id, int64_t used)
{
    return run_with(store, UPDATE_USED, id, used);
}

/* Entries to be removed: collected first, because a statement must not read what another one changes. */
struct doomed {
    int64_t id;
    struct digest key;
};

enum { DOOMED_MAX = 256 };

/* Steps through rows of id, key and size, until their sizes reach `bytes`. */
static int collect(sqlite3_stmt *statement, uint64_t bytes, struct doomed doomed[DOOMED_MAX], int *count)
{
    int result = SQLITE_DONE;
    uint64_t sum = 0;

    while (*count < DOOMED_MAX && sum < bytes && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        struct doomed *next = &doomed[(*count)++];
        const void *key = sqlite3_column_blob(statement, 1);
        next->id = sqlite3_column_int64(statement, 0);
        memset(&next->key, 0, sizeof next->key);
        if (key && sqlite3_column_bytes(statement, 1) == (int)sizeof next->key.bytes)
            memcpy(next->key.bytes, key, sizeof next->key.bytes);
        sum += (uint64_t)sqlite3_column_int64(statement, 2);
    }
    return finish(statement, result);
}

static int remove_doomed(struct store *store, const struct doomed *doomed, int count, store_removed *removed,
                         void *data)
{
    for (int i = 0; i < count; i++) {
        int error = store_remove(store, doomed[i].id);
        if (error)
            return error;
        removed(data, &doomed[i].key, doomed[i].id);
    }
    return count;
}

int store_bound_key(struct store *store, const struct digest *key, store_removed *removed, void *data)
{
    struct doomed doomed[DOOMED_MAX];
    int error, count = 0;
    sqlite3_stmt *statement = prepare(store, SELECT_SURPLUS, &error);

    if (!statement)
        return error;
    sqlite3_bind_blob(statement, 1, key->bytes, sizeof key->bytes, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, STORE_SETS_PER_KEY);
    error = collect(statement, UINT64_MAX, doomed, &count);
    return error ? error : remove_doomed(store, doomed, count, removed, data);
}

int store_remove_oldest(struct store *store, int64_t used_before, uint64_t bytes, int most,
                        store_removed *removed, void *data)
{
    struct doomed doomed[DOOMED_MAX];
    int error, count = 0;
    sqlite3_stmt *statement = prepare(store, SELECT_OLDEST, &error);

    if (!statement)
        return error;
    sqlite3_bind_int64(statement, 1, used_before);
    sqlite3_bind_int64(statement, 2, most);
    error = collect(statement, bytes, doomed, &count);
    return error ? error : remove_doomed(store, doomed, count, removed, data);
}

int store_add_counter(struct store *store, const char *name, int64_t amount)
{
    int error;
    sqlite3_stmt *statement = prepare(store, ADD_COUNTER, &error);

    if (!statement)
        return error;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, amount);
    return run(statement);
}

int store_zero_counters(struct store *store)
{
    return run_with(store, ZERO_COUNTERS, 0, 0);
}

int store_clear(struct store *store)
{
    int error = store_begin(store);

    if (!error)
        error = store_execute(store, "DELETE FROM entries; DELETE FROM sets; DELETE FROM bases;"
                                     "DELETE FROM results; UPDATE totals SET entries = 0");
    forget_bases(store);
    if (!error)
        return store_commit(store);
    store_rollback(store);
    return error;
}

/* ---- between transactions ---- */

int store_vacuum(struct store *store, int pages)
{
    char sql[64];

    sqlite3_snprintf(sizeof sql, sql, "PRAGMA incremental_vacuum(%d)", pages);
    return store_execute(store, sql);
}

int store_checkpoint(struct store *store, int how)
{
    int pages = 0, moved = 0;
    int result = sqlite3_wal_checkpoint_v2(store->db, NULL, how, &pages, &moved);

    if (result == SQLITE_OK && pages == moved)
        store->wal_pages = 0; /* the next commit begins the -wal anew */
    return store_error(result);
}
