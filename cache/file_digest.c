#include "cache/file_digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/filesystem.h"
#include "common/arena.h"
#include "common/clock.h"
#include "common/memory.h"

/* The table: SHARDS locks, each over SETS short rows of WAYS entries; a full row loses its oldest entry. */
enum { SHARDS = 32, SETS = 512, WAYS = 4 };
enum { READ_SIZE = 32 * 1024, BLANK_LIMIT = 8 * 1024 * 1024 };

/* How far the clocks of two machines may be apart. */
static const int64_t FOREIGN_CLOCK = INT64_C(60) * 1000000000;

enum blank_state { BLANK_UNKNOWN, BLANK_NONE, BLANK_KNOWN };

struct known {
    struct stamp stamp;
    struct digest content, blank;
    uint32_t mounts; /* as in file_facts */
    uint32_t used;   /* turn of the shard at the last use; 0: free */
    enum blank_state blank_state;
};

struct shard {
    pthread_mutex_t lock;
    uint32_t turn;
    struct known *entries; /* SETS * WAYS */
};

struct file_digests {
    bool (*blank)(const char *text, size_t length, struct buf *out);
    _Atomic uint32_t mounts;
    struct shard shards[SHARDS];
};

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

struct stamp stamp_of(const struct stat *status)
{
    struct stamp stamp = {
        .device = status->st_dev,
        .inode = status->st_ino,
        .size = (uint64_t)status->st_size,
        .mtime = nanoseconds(&status->st_mtim),
        .ctime = nanoseconds(&status->st_ctim),
    };
    return stamp;
}

bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime == b->mtime &&
           a->ctime == b->ctime;
}

/* mtime too: file systems exist that keep no ctime of their own. */
bool stamp_trusted(const struct stamp *stamp, int64_t before)
{
    return stamp->ctime < before && stamp->mtime < before;
}

struct file_digests *file_digests_new(bool (*blank)(const char *text, size_t length, struct buf *out))
{
    struct file_digests *digests = memory_zalloc(sizeof *digests);

    digests->blank = blank;
    atomic_init(&digests->mounts, 1);
    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_init(&digests->shards[i].lock, NULL);
        digests->shards[i].entries = memory_zalloc(sizeof(struct known) * SETS * WAYS);
    }
    return digests;
}

void file_digests_free(struct file_digests *digests)
{
    if (!digests)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        pthread_mutex_destroy(&digests->shards[i].lock);
        memory_free(digests->shards[i].entries);
    }
    memory_free(digests);
}

void file_digests_mounts_changed(struct file_digests *digests)
{
    atomic_fetch_add(&digests->mounts, 1);
}

uint32_t file_digests_mounts(struct file_digests *digests)
{
    return atomic_load(&digests->mounts);
}

static struct shard *lock_row(struct file_digests *digests, const struct stamp *stamp, struct known **row)
{
    uint64_t hash = XXH3_64bits(stamp, sizeof *stamp);
    struct shard *shard = &digests->shards[hash % SHARDS];

    pthread_mutex_lock(&shard->lock);
    *row = &shard->entries[hash / SHARDS % SETS * WAYS];
    return shard;
}

static bool still_valid(struct file_digests *digests, const struct known *known)
{
    return !known->mounts || known->mounts == file_digests_mounts(digests);
}

static struct known *find_in_row(struct known *row, const struct stamp *stamp)
{
    for (size_t i = 0; i < WAYS; i++)
        if (row[i].used && stamp_equal(&row[i].stamp, stamp))
            return &row[i];
    return NULL;
}

/* Fills `facts` if the table knows what was asked for. */
static bool recall(struct file_digests *digests, bool want_blank, struct file_facts *facts)
{
    struct known *row;
    struct shard *shard = lock_row(digests, &facts->stamp, &row);
    struct known *known = find_in_row(row, &facts->stamp);

    bool found = known && still_valid(digests, known) &&
                 (!want_blank || known->blank_state != BLANK_UNKNOWN || !digests->blank);
    if (found) {
        known->used = ++shard->turn;
        facts->trusted = true;
        facts->mounts = known->mounts;
        facts->content = known->content;
        facts->has_blank = known->blank_state == BLANK_KNOWN;
        facts->blank = known->blank;
    }
    pthread_mutex_unlock(&shard->lock);
    return found;
}

static void remember(struct file_digests *digests, const struct file_facts *facts,
                     enum blank_state blank_state)
{
    struct known *row;
    struct shard *shard = lock_row(digests, &facts->stamp, &row);
    struct known *known = find_in_row(row, &facts->stamp);

    for (size_t i = 0; !known && i < WAYS; i++)
        if (!row[i].used)
            known = &row[i];
    if (!known) {
        known = row;
        for (size_t i = 1; i < WAYS; i++)
            if (row[i].used < known->used)
                known = &row[i];
    }
    bool same = known->used && stamp_equal(&known->stamp, &facts->stamp) &&
                digest_equal(&known->content, &facts->content);
    if (!same || blank_state != BLANK_UNKNOWN) { /* never forget a blank digest for nothing */
        known->blank_state = blank_state;
        known->blank = facts->blank;
    }
    known->stamp = facts->stamp;
    known->content = facts->content;
    known->mounts = facts->mounts;
    known->used = ++shard->turn;
    pthread_mutex_unlock(&shard->lock);
}

void file_digest_learn(struct file_digests *digests, const struct file_facts *facts)
{
    if (facts->trusted && (!facts->mounts || facts->mounts == file_digests_mounts(digests)))
        remember(digests, facts, facts->has_blank ? BLANK_KNOWN : BLANK_UNKNOWN);
}

static ssize_t read_some(int fd, void *bytes, size_t size)
{
    ssize_t count;
    do
        count = read(fd, bytes, size);
    while (count < 0 && errno == EINTR);
    return count;
}

/* Digest of all that can be read; in pieces, so that memory does not grow with the file. */
static int digest_stream(int fd, uint64_t *size, struct digest *digest)
{
    unsigned char piece[READ_SIZE];
    XXH3_state_t *state = NULL;
    ssize_t count = read_some(fd, piece, sizeof piece);

    *size = count > 0 ? (uint64_t)count : 0;
    if (count >= 0 && (size_t)count < sizeof piece) { /* most files are one piece */
        ssize_t more = read_some(fd, piece + count, sizeof piece - (size_t)count);
        if (more == 0) {
            *digest = digest_of(piece, (size_t)count);
            return 0;
        }
        *size += more > 0 ? (uint64_t)more : 0;
        count = more < 0 ? more : count + more;
    }
    if (count < 0)
        return -errno;

    state = XXH3_createState();
    if (!state)
        return -ENOMEM;
    XXH3_128bits_reset(state);
    while (count > 0) {
        XXH3_128bits_update(state, piece, (size_t)count);
        count = read_some(fd, piece, sizeof piece);
        *size += count > 0 ? (uint64_t)count : 0;
    }
    int error = count < 0 ? -errno : 0;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    memcpy(digest->bytes, canonical.digest, sizeof digest->bytes);
    XXH3_freeState(state);
    return error;
}

/* The same with the text in memory, and its blank digest. */
static int digest_text_file(struct file_digests *digests, int fd, uint64_t *size, struct file_facts *facts)
{
    char *text = malloc(facts->stamp.size + 1);
    size_t length = 0;
    ssize_t count = 0;

    if (!text)
        return -ENOMEM;
    while (length <= facts->stamp.size &&
           (count = read_some(fd, text + length, facts->stamp.size + 1 - length)) > 0)
        length += (size_t)count;
    int error = count < 0 ? -errno : 0;
    *size = length;
    if (!error && length <= facts->stamp.size) {
        struct buf blank = BUF_INIT;
        facts->content = digest_of(text, length);
        facts->has_blank = digests->blank(text, length, &blank);
        if (facts->has_blank)
            facts->blank = digest_of(blank.data, blank.length);
        buf_release(&blank);
    }
    free(text);
    return error;
}

static int read_open_file(struct file_digests *digests, int fd, bool want_blank, struct file_facts *facts)
{
    bool with_blank = want_blank && digests->blank && facts->stamp.size <= BLANK_LIMIT;
    uint64_t size = 0;
    struct stat status;

    int error =
        with_blank ? digest_text_file(digests, fd, &size, facts) : digest_stream(fd, &size, &facts->content);
    if (error)
        return error;
    if (fstat(fd, &status) != 0)
        return -errno;
    struct stamp after = stamp_of(&status);
    return size == facts->stamp.size && stamp_equal(&after, &facts->stamp) ? 0 : -EAGAIN;
}

static int look_again(struct file_digests *digests, int directory, const char *path, bool want_blank,
                      struct file_facts *facts)
{
    uint32_t mounts = file_digests_mounts(digests); /* read first: a change meanwhile makes the answer old */
    int64_t before = clock_of_files();
    /* O_NONBLOCK: the file may have become a FIFO since it was looked at. */
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    int error = 0;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0) {
        error = -errno;
        goto out;
    }
    if (!S_ISREG(status.st_mode)) {
        error = -EINVAL;
        goto out;
    }
    facts->stamp = stamp_of(&status);
    facts->mode = status.st_mode;
    facts->has_blank = false;
    error = read_open_file(digests, fd, want_blank, facts);
    if (error)
        goto out;

    struct filesystem filesystem = filesystem_of(fd);
    facts->trusted = stamp_trusted(&facts->stamp, filesystem.local ? before : before - FOREIGN_CLOCK);
    facts->mounts = filesystem.read_only ? mounts : 0;
    if (facts->trusted)
        remember(digests, facts, facts->has_blank ? BLANK_KNOWN : want_blank ? BLANK_NONE : BLANK_UNKNOWN);
out:
    close(fd);
    return error;
}

int file_digest(struct file_digests *digests, int directory, const char *path, bool want_blank,
                struct file_facts *facts)
{
    struct stat status;

    memset(facts, 0, sizeof *facts);
    if (fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -errno;
    facts->no_link = !S_ISLNK(status.st_mode);
    if (!facts->no_link && fstatat(directory, path, &status, 0) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode)) /* before any open, which alone can have effects on a device */
        return -EINVAL;
    facts->stamp = stamp_of(&status);
    facts->mode = status.st_mode;
    if (recall(digests, want_blank, facts))
        return 0;
    return look_again(digests, directory, path, want_blank, facts);
}

struct name {
    const char *text;
    unsigned char kind; /* d_type */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Some file systems leave the kind to a look-up. */
static unsigned char kind_of(int directory, const struct dirent *entry)
{
    struct stat status;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    return fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? IFTODT(status.st_mode)
                                                                                : DT_UNKNOWN;
}

static struct digest digest_of_names(struct name *names, size_t count)
{
    struct hasher hasher;

    if (count)
        qsort(names, count, sizeof *names, compare_names);
    hasher_init(&hasher, "directory 1");
    for (size_t i = 0; i < count; i++) {
        hasher_text(&hasher, "name", names[i].text);
        hasher_number(&hasher, "kind", names[i].kind);
    }
    return hasher_finish(&hasher);
}

int directory_digest(int directory, const char *path, bool (*leave_out)(void *data, const char *name),
                     void *data, struct digest *digest)
{
    int fd = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    DIR *stream = fdopendir(fd);
    if (!stream) {
        int error = -errno;
        close(fd);
        return error;
    }

    struct arena arena;
    struct name *names = NULL;
    size_t count = 0, room = 0;
    struct dirent *entry;

    arena_init(&arena);
    while (errno = 0, (entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (leave_out && leave_out(data, entry->d_name))
            continue;
        if (count == room)
            names = memory_realloc(names, (room = room ? 2 * room : 64) * sizeof *names);
        names[count++] = (struct name){arena_strdup(&arena, entry->d_name), kind_of(fd, entry)};
    }
    int error = -errno;
    if (!error)
        *digest = digest_of_names(names, count);
    memory_free(names);
    arena_release(&arena);
    closedir(stream);
    return error;
}
