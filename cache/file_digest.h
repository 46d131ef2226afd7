/* file_digest: what a file holds, remembered under its stamp.
 *
 * A stamp is (device, inode, size, mtime, ctime). It is trusted only if the file was last changed before the
 * present tick of the file clock (clock.h): within one tick a file can change without moving its stamp. On a
 * read-only mount it is trusted only until the mount table changes: two images mounted in turn can agree in
 * all five. On network file systems (by statfs) stamps of directories are not trusted at all, and those of
 * files only when they are a minute old, because another machine's clock made them.
 *
 * Any thread. The table is bounded; what falls out is read again. */
#ifndef CCWRAP_CACHE_FILE_DIGEST_H
#define CCWRAP_CACHE_FILE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cache/hash.h"
#include "common/buf.h"

struct stamp {
    uint64_t device, inode, size;
    int64_t mtime, ctime; /* nanoseconds */
};

struct stamp stamp_of(const struct stat *status);
bool stamp_equal(const struct stamp *a, const struct stamp *b);
/* May this stamp stand for what it stands on from now on? `before` is what clock_of_files() gave before the
 * file was looked at. */
bool stamp_trusted(const struct stamp *stamp, int64_t before);

struct file_digests;

/* `blank` (comments.h's comments_blank, or NULL) makes the text of the second digest. */
struct file_digests *file_digests_new(bool (*blank)(const char *text, size_t length, struct buf *out));
void file_digests_free(struct file_digests *digests);
/* The mount table changed: nothing learned of read-only mounts holds any more. */
void file_digests_mounts_changed(struct file_digests *digests);
/* Number of the present mount table, from 1 on. */
uint32_t file_digests_mounts(struct file_digests *digests);

struct file_facts {
    struct stamp stamp;
    mode_t mode;
    bool no_link;    /* the path's last step is none (file_digest alone says so) */
    bool trusted;    /* the stamp may stand for the content from now on */
    uint32_t mounts; /* … while file_digests_mounts gives this; 0: for ever */
    struct digest content;
    bool has_blank;      /* only if asked for, and the text allows it */
    struct digest blank; /* digest of the text without comments */
};

/* Looks at the regular file `path` (relative to directory descriptor `directory`), following links. Never
 * blocks on a FIFO or device: anything but a regular file is -EINVAL. Reads the content only if its stamp
 * isn't known. 0 or negative errno; -EAGAIN if the file changed while it was read. */
int file_digest(struct file_digests *digests, int directory, const char *path, bool want_blank,
                struct file_facts *facts);
/* Remembers what another source (a stored input set) knows. */
void file_digest_learn(struct file_digests *digests, const struct file_facts *facts);

/* Digest of the names in a directory with their kinds, sorted; names for which `leave_out` says true don't
 * count (NULL: all count). */
int directory_digest(int directory, const char *path, bool (*leave_out)(void *data, const char *name),
                     void *data, struct digest *digest);

#endif
