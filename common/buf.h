/* buf: a growable run of bytes, and a bounded reader over one.
 *
 * git's law of names: buf_init allocates nothing, buf_release frees what the buf holds and leaves it as after
 * buf_init. Integers are little-endian. Out of memory: see memory.h. */
#ifndef CCWRAP_COMMON_BUF_H
#define CCWRAP_COMMON_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* NULL while nothing was added; else followed by a NUL that is not counted */
    size_t length;
    size_t capacity;
    bool lent; /* data is the caller's (buf_lend) */
};

#define BUF_INIT                                                                                             \
    {                                                                                                        \
        NULL, 0, 0, false                                                                                    \
    }

void buf_init(struct buf *buf);
/* An empty buf that uses this memory as long as it suffices; it isn't freed. */
void buf_lend(struct buf *buf, char *memory, size_t size);
void buf_release(struct buf *buf);
/* Makes the buf empty and keeps its memory. */
void buf_reset(struct buf *buf);
/* Makes room for `more` bytes beyond the length. */
void buf_reserve(struct buf *buf, size_t more);
/* The caller gets the bytes (NULL if none), to be freed by memory_free; the buf is then empty. */
char *buf_detach(struct buf *buf, size_t *length);

void buf_add(struct buf *buf, const void *bytes, size_t size);
void buf_add_text(struct buf *buf, const char *text);   /* without its NUL */
void buf_add_string(struct buf *buf, const char *text); /* with its NUL */
void buf_add_char(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_add_u8(struct buf *buf, uint8_t value);
void buf_add_u32(struct buf *buf, uint32_t value);
void buf_add_u64(struct buf *buf, uint64_t value);
void buf_add_varint(struct buf *buf, uint64_t value); /* 7 bits a byte, low first */

/* A reader never leaves its bytes: after the first read beyond the end `bad` is set, and that read and all
 * later ones give 0, "" or NULL. Check `bad` once, at the end (and before trusting a count). */
struct reader {
    const unsigned char *next;
    const unsigned char *end;
    bool bad;
};

void reader_init(struct reader *reader, const void *bytes, size_t size);
size_t reader_left(const struct reader *reader);
uint8_t reader_u8(struct reader *reader);
uint32_t reader_u32(struct reader *reader);
uint64_t reader_u64(struct reader *reader);
uint64_t reader_varint(struct reader *reader);
/* `size` bytes where they lie, or NULL. */
const void *reader_bytes(struct reader *reader, size_t size);
/* A NUL-terminated string where it lies, or "". */
const char *reader_string(struct reader *reader);

#endif
