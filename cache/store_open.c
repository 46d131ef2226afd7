/* Finding, making and judging the store's folder and file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/filesystem.h"
#include "cache/store.h"
#include "common/buf.h"
#include "common/memory.h"

enum { APPLICATION = 0x63637770, BUSY_MILLISECONDS = 10000, SET_ASIDE_MAX = 3 };
enum { OPEN_AGAIN = 50000 /* microseconds after a first failure */ };

static const char schema[] =
    "CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, used INTEGER NOT NULL,"
    "  checksum INTEGER NOT NULL, size INTEGER NOT NULL);"
    "CREATE INDEX entries_by_key ON entries (key);"
    "CREATE INDEX entries_by_use ON entries (used);"
    "CREATE TABLE sets (id INTEGER PRIMARY KEY, base INTEGER NOT NULL, content BLOB NOT NULL);"
    "CREATE TABLE bases (id INTEGER PRIMARY KEY AUTOINCREMENT, uses INTEGER NOT NULL, content BLOB NOT NULL);"
    "CREATE TABLE results (id INTEGER PRIMARY KEY, content BLOB NOT NULL);"
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE totals (entries INTEGER NOT NULL);"
    "INSERT INTO totals VALUES (0);";

void store_place_init(struct store_place *place, const char *folder, void (*warn)(const char *line))
{
    struct buf path = BUF_INIT;

    buf_addf(&path, "%s/cache.sqlite", folder);
    place->folder = memory_strdup(folder);
    place->path = buf_detach(&path, NULL);
    place->warn = warn;
}

void store_place_release(struct store_place *place)
{
    memory_free(place->folder);
    memory_free(place->path);
    memset(place, 0, sizeof *place);
}

void store_warn(const struct store_place *place, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (!place->warn)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    place->warn(line);
}

int store_error(int sqlite_result)
{
    switch (sqlite_result & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* our statements are fixed: the schema isn't what it must be */
    case SQLITE_SCHEMA:
        return -EUCLEAN;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return -EROFS;
    case SQLITE_NOMEM:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

int store_execute(struct store *store, const char *sql)
{
    return store_error(sqlite3_exec(store->db, sql, NULL, NULL, NULL));
}

static int read_number(struct store *store, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    if (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return store_error(result);
}

int64_t store_number(struct store *store, const char *sql, int64_t otherwise)
{
    read_number(store, sql, &otherwise);
    return otherwise;
}

/* ---- the folder ---- */

/* Makes the folder and those above it, for this user alone whatever the umask is. */
static int make_folders(const char *folder)
{
    char path[PATH_MAX];
    struct stat status;

    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return -ENAMETOOLONG;
    for (char *slash = path; slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) == 0)
            chmod(path, 0700);
        else if (errno != EEXIST && stat(path, &status) != 0)
            return -errno;
        if (slash)
            *slash = '/';
    }
    return 0;
}

/* Says by one line what is wrong with the folder, if anything is. */
static bool folder_is_good(const struct store_place *place)
{
    if (!place->folder[0]) {
        store_warn(place, "no store: there is no home, and dir is not set");
        return false;
    }
    int error = make_folders(place->folder);
    int fd = error ? -1 : open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0) {
        store_warn(place, "no store: %s: %s", place->folder, strerror(error ? -error : errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    struct filesystem filesystem = filesystem_of(fd);
    close(fd);
    if (status.st_uid != geteuid())
        store_warn(place, "no store: %s belongs to another user", place->folder);
    else if (filesystem.remote)
        store_warn(place, "no store: %s is on a network file system; set dir to a local folder",
                   place->folder);
    else
        return true;
    return false;
}

/* ---- the file ---- */

static char *with_suffix(const char *path, const char *suffix)
{
    struct buf name = BUF_INIT;

    buf_addf(&name, "%s%s", path, suffix);
    return buf_detach(&name, NULL);
}

static int rename_suffixed(const char *from, const char *to, const char *suffix)
{
    char *old = with_suffix(from, suffix), *new = with_suffix(to, suffix);
    int error = rename(old, new) == 0 ? 0 : -errno;

    memory_free(old);
    memory_free(new);
    return error;
}

int store_set_aside(const struct store_place *place, const char *why)
{
    char suffix[32], *aside = NULL;
    struct stat status;

    /* The last name is used again and again: a store that keeps breaking must not fill the disk. */
    for (int i = 1; i <= SET_ASIDE_MAX; i++) {
        memory_free(aside);
        snprintf(suffix, sizeof suffix, ".damaged-%d", i);
        aside = with_suffix(place->path, suffix);
        if (lstat(aside, &status) != 0)
            break;
    }
    /* its companions first: whoever makes a new one meanwhile must not find them */
    rename_suffixed(place->path, aside, "-wal");
    rename_suffixed(place->path, aside, "-shm");
    int error = rename(place->path, aside) == 0 ? 0 : -errno;
    if (!error) {
        store_warn(place, "the store was set aside as %s (%s); a new one is begun", aside, why);
    } else if (error != -ENOENT) {
        store_warn(place, "no store: %s (%s) can't be set aside: %s", place->path, why, strerror(-error));
    }
    memory_free(aside);
    return error == -ENOENT ? 0 : error;
}

/* The file must be made here: sqlite would give it the umask's mode. Its companions get the file's mode. A
 * file that exists is not opened by us: closing it would drop the locks that sqlite holds in this process. */
static enum store_mode judge_file(const struct store_place *place)
{
    struct stat status;
    int fd = open(place->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd >= 0) {
        fchmod(fd, 0600);
        close(fd);
        return STORE_OPEN;
    }
    int error = errno;
    if (lstat(place->path, &status) != 0)
        store_warn(place, "no store: %s: %s", place->path, strerror(error));
    else if (!S_ISREG(status.st_mode))
        store_warn(place, "no store: %s is not a plain file", place->path);
    else if (status.st_uid != geteuid())
        store_warn(place, "no store: %s belongs to another user", place->path);
    else if (faccessat(AT_FDCWD, place->folder, W_OK, AT_EACCESS) != 0)
        return STORE_IMMUTABLE;
    else if (faccessat(AT_FDCWD, place->path, W_OK, AT_EACCESS) != 0 || !(status.st_mode & S_IWUSR))
        return STORE_LOOK_UPS;
    else
        return STORE_OPEN;
    return STORE_NONE;
}

static char *uri_of(const char *path, const char *query)
{
    struct buf uri = BUF_INIT;

    buf_add_text(&uri, "file:");
    for (; *path; path++)
        if (*path == '%' || *path == '?' || *path == '#')
            buf_addf(&uri, "%%%02x", *path);
        else
            buf_add_char(&uri, *path);
    buf_add_text(&uri, query);
    return buf_detach(&uri, NULL);
}

static int connect_to(struct store *store, const char *path, enum store_mode mode, bool write)
{
    int flags =
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    char *uri = uri_of(path, mode == STORE_IMMUTABLE ? "?immutable=1" : "");
    struct stat status;

    memset(store, 0, sizeof *store);
    store->mode = mode;
    store->path = path;
    int result = sqlite3_open_v2(uri, &store->db, flags, NULL);
    memory_free(uri);
    if (result != SQLITE_OK || stat(path, &status) != 0) {
        store_close(store);
        return result != SQLITE_OK ? store_error(result) : -errno;
    }
    store->device = status.st_dev;
    store->inode = status.st_ino;
    sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
    return 0;
}

int store_open_reader(struct store *store, const char *path, enum store_mode mode)
{
    int error = connect_to(store, path, mode, false);
    if (!error && (error = store_execute(store, "PRAGMA query_only = 1; PRAGMA temp_store = MEMORY")) != 0)
        store_close(store);
    return error;
}

void store_close(struct store *store)
{
    for (size_t i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close_v2(store->db);
    bases_release(&store->bases);
    memset(store, 0, sizeof *store);
}

enum identity { IDENTITY_EMPTY, IDENTITY_OURS, IDENTITY_EARLIER, IDENTITY_NEWER, IDENTITY_FOREIGN };

/* A disk that fails for a moment must not look like a foreign file, which would be set aside. */
static int identify(struct store *store, enum identity *identity)
{
    int64_t application = 0, format = 0, objects = 0;
    int error = read_number(store, "SELECT count(*) FROM sqlite_schema", &objects);

    if (!error)
        error = read_number(store, "PRAGMA application_id", &application);
    if (!error)
        error = read_number(store, "PRAGMA user_version", &format);
    if (application == APPLICATION)
        *identity = format > STORE_FORMAT    ? IDENTITY_NEWER
                    : format == STORE_FORMAT ? IDENTITY_OURS
                                             : IDENTITY_EARLIER;
    else
        *identity = objects ? IDENTITY_FOREIGN : IDENTITY_EMPTY;
    return error;
}

/* Another server may be making the same file: whoever gets the lock first does it. */
static int create(struct store *store)
{
    char sql[128];
    enum identity identity;

    snprintf(sql, sizeof sql, "PRAGMA page_size = %d; PRAGMA auto_vacuum = INCREMENTAL", STORE_PAGE_SIZE);
    int error = store_execute(store, sql);
    if (!error)
        error = store_execute(store, "BEGIN EXCLUSIVE");
    if (error)
        return error;
    error = identify(store, &identity);
    if (!error && identity == IDENTITY_EMPTY) {
        snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
                 STORE_FORMAT);
        error = store_execute(store, schema);
        if (!error)
            error = store_execute(store, sql);
    }
    if (!error)
        error = store_execute(store, "COMMIT");
    if (error)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

static int count_wal(void *data, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct store *)data)->wal_pages = (uint64_t)pages;
    return SQLITE_OK;
}

static int prepare_for_writing(struct store *store)
{
    /* Going over to WAL needs the file alone for a moment, and sqlite doesn't wait for that by itself. */
    int error = -EBUSY;
    for (int tries = 0; error == -EBUSY && tries < 100; tries++) {
        error = store_execute(store, "PRAGMA journal_mode = WAL");
        if (error == -EBUSY)
            usleep(10000);
    }
    if (!error)
        error = store_execute(store, "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF;"
                                     "PRAGMA journal_size_limit = 1048576; PRAGMA temp_store = MEMORY");
    /* A hook of our own also ends sqlite's checkpoints at commits. */
    sqlite3_wal_hook(store->db, count_wal, store);
    return error;
}

/* One try. -EUCLEAN or -ENOEXEC (of an earlier format) if the file must be set aside; -ENOTUNIQ if it must be
 * left alone. */
static int try_open(struct store *store, const struct store_place *place, enum store_mode mode)
{
    enum identity identity = IDENTITY_EMPTY;
    int error = connect_to(store, place->path, mode, mode == STORE_OPEN);

    if (error)
        return error;
    error = identify(store, &identity);
    if (!error && identity == IDENTITY_EMPTY && mode == STORE_OPEN) {
        error = create(store);
        if (!error)
            error = identify(store, &identity);
    }
    if (!error && identity == IDENTITY_NEWER)
        error = -ENOTUNIQ;
    else if (!error && identity == IDENTITY_EARLIER)
        error = -ENOEXEC;
    else if (!error && identity != IDENTITY_OURS)
        error = -EUCLEAN;
    if (!error && mode == STORE_OPEN)
        error = prepare_for_writing(store);
    if (error)
        store_close(store);
    return error;
}

enum store_mode store_open(struct store *store, const struct store_place *place)
{
    enum store_mode mode = STORE_NONE;
    bool sure = false; /* a read that fails for once looks like damage, too */
    int error = 0;

    memset(store, 0, sizeof *store);
    if (!folder_is_good(place))
        return STORE_NONE;
    for (int tries = 0; tries < 3; tries++) {
        mode = judge_file(place);
        if (mode == STORE_NONE)
            return STORE_NONE;
        error = try_open(store, place, mode);
        if ((error == -EUCLEAN || error == -EIO) && !sure) {
            sure = true;
            usleep(OPEN_AGAIN);
            continue;
        }
        if ((error != -EUCLEAN && error != -ENOEXEC) || mode != STORE_OPEN)
            break;
        if (store_set_aside(place, error == -ENOEXEC ? "made by an earlier version"
                                                     : "damaged, or not a store of this kind") != 0)
            return STORE_NONE;
    }
    if (error == -ENOTUNIQ)
        store_warn(place, "no store: %s was made by a newer version", place->path);
    else if (error == -ENOEXEC)
        store_warn(place, "no store: %s was made by an earlier version", place->path);
    else if (error)
        store_warn(place, "no store: %s can't be opened: %s", place->path, strerror(-error));
    else if (mode != STORE_OPEN)
        store_warn(place, "%s can't be written: nothing new is stored", place->path);
    return error ? STORE_NONE : mode;
}
