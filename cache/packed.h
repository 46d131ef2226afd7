/* packed: a packed result: output files and messages of one compile, as one immutable run of bytes.
 *
 * Made once; the pending map, the writer, waiters and later tiers share it (counted). Layout: a header with
 * the index (role, path, mode, size of each file) and a checksum, then one zstd frame with the contents in
 * the order of the index. Sizes are bounded by what the index says, and the index by max_result.
 *
 * A packed result is immutable: any thread. An unpacker has one owner. */
#ifndef CCWRAP_CACHE_PACKED_H
#define CCWRAP_CACHE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/buf.h"

/* Where the pieces of a result that isn't held in memory as a whole come from. */
struct packed_source {
    /* Piece `number` (0 is what packed_open was given) in malloc'ed memory; *size 0: there are no more. 0 or
     * negative errno. */
    int (*read)(void *data, size_t number, unsigned char **bytes, size_t *size);
    /* What came was not what had been packed. */
    void (*damaged)(void *data);
    void (*release)(void *data);
    void *data;
};

struct packed {
    int references;
    size_t size; /* of what is in memory */
    unsigned char *bytes;
    struct packed_source source; /* read is NULL where `bytes` is all */
};

struct packed_file {
    uint32_t role;    /* the caller's: what the file is */
    uint32_t flags;   /* the caller's */
    const char *path; /* the caller's: name of the file, or "" */
    mode_t mode;
    uint64_t size;
    const void *bytes; /* for packed_make: the content, or NULL: read `size` bytes from fd, offset 0 */
    int fd;
};

/* Compresses. 0, -EFBIG if the contents are larger than `limit`, -EIO if a file was shorter than its size,
 * -ENOMEM, or another negative errno. Memory needed: the packed size and a bounded buffer. */
int packed_make(const struct packed_file *files, size_t count, int level, uint64_t limit,
                struct packed **result);
/* Takes over `bytes` (malloc'ed). Checks header, bounds and checksum; NULL if anything is wrong (bytes are
 * freed then). */
struct packed *packed_adopt(unsigned char *bytes, size_t size);
/* The same for a result of which `bytes` is the first piece: the others are read, and the checksum is judged,
 * while it is unpacked. Takes over `source`, too. It belongs to one thread. */
struct packed *packed_open(unsigned char *bytes, size_t size, const struct packed_source *source);
struct packed *packed_ref(struct packed *packed);
void packed_unref(struct packed *packed);

/* The checksum of the header: tells one packed result from another. */
uint64_t packed_checksum(const struct packed *packed);

size_t packed_count(const struct packed *packed);
/* `file` points into the packed bytes (path); bytes is NULL and fd -1. */
void packed_file(const struct packed *packed, size_t index, struct packed_file *file);
/* Sum of the files' sizes. */
uint64_t packed_content_size(const struct packed *packed);

/* Contents come out in the order of the index, each once, by one of these. What came before an error, or
 * before the end of the last file, may be damaged. Memory: one bounded buffer, a piece of the packed result,
 * and a zstd context that belongs to the thread. */
struct unpacker;

struct unpacker *unpacker_new(const struct packed *packed);
void unpacker_free(struct unpacker *unpacker);
int unpacker_next_to_buf(struct unpacker *unpacker, struct buf *out);
/* Writes at the descriptor's position. 0 or negative errno (-EBADMSG: damaged). */
int unpacker_next_to_fd(struct unpacker *unpacker, int fd);
int unpacker_skip(struct unpacker *unpacker);

#endif
