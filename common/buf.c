#include "common/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"

void buf_init(struct buf *buf)
{
    memset(buf, 0, sizeof *buf);
}

void buf_lend(struct buf *buf, char *memory, size_t size)
{
    *buf = (struct buf){.data = memory, .capacity = size, .lent = true};
    memory[0] = '\0';
}

void buf_release(struct buf *buf)
{
    if (!buf->lent)
        memory_free(buf->data);
    buf_init(buf);
}

void buf_reset(struct buf *buf)
{
    buf->length = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

/* From lent memory to memory of this many bytes of its own. */
static void own(struct buf *buf, size_t capacity)
{
    char *data = memory_alloc(capacity);

    memcpy(data, buf->data, buf->length + 1);
    buf->data = data;
    buf->lent = false;
}

void buf_reserve(struct buf *buf, size_t more)
{
    size_t needed = buf->length + more + 1;
    if (needed <= buf->capacity)
        return;
    size_t capacity = buf->capacity * 2 > needed ? buf->capacity * 2 : needed;
    if (capacity < 64)
        capacity = 64;
    if (buf->lent)
        own(buf, capacity);
    else
        buf->data = memory_realloc(buf->data, capacity);
    buf->capacity = capacity;
}

char *buf_detach(struct buf *buf, size_t *length)
{
    if (buf->lent)
        own(buf, buf->length + 1);
    char *data = buf->data;
    if (length)
        *length = buf->length;
    buf_init(buf);
    return data;
}

void buf_add(struct buf *buf, const void *bytes, size_t size)
{
    buf_reserve(buf, size);
    if (size)
        memcpy(buf->data + buf->length, bytes, size);
    buf->length += size;
    buf->data[buf->length] = '\0';
}

void buf_add_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_add_string(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text) + 1);
}

void buf_add_char(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_addf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    buf_reserve(buf, (size_t)length);
    va_start(args, format);
    vsnprintf(buf->data + buf->length, (size_t)length + 1, format, args);
    va_end(args);
    buf->length += (size_t)length;
}

static void add_little_endian(struct buf *buf, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    buf_add(buf, bytes, size);
}

void buf_add_u8(struct buf *buf, uint8_t value)
{
    buf_add(buf, &value, 1);
}

void buf_add_u32(struct buf *buf, uint32_t value)
{
    add_little_endian(buf, value, 4);
}

void buf_add_u64(struct buf *buf, uint64_t value)
{
    add_little_endian(buf, value, 8);
}

void buf_add_varint(struct buf *buf, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_add_u8(buf, (uint8_t)(value | 0x80));
    buf_add_u8(buf, (uint8_t)value);
}

void reader_init(struct reader *reader, const void *bytes, size_t size)
{
    reader->next = bytes;
    reader->end = reader->next + size;
    reader->bad = false;
}

size_t reader_left(const struct reader *reader)
{
    return reader->bad ? 0 : (size_t)(reader->end - reader->next);
}

const void *reader_bytes(struct reader *reader, size_t size)
{
    if (size > reader_left(reader)) {
        reader->bad = true;
        return NULL;
    }
    const void *bytes = reader->next;
    reader->next += size;
    return bytes;
}

static uint64_t read_little_endian(struct reader *reader, size_t size)
{
    const unsigned char *bytes = reader_bytes(reader, size);
    uint64_t value = 0;

    for (size_t i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t reader_u8(struct reader *reader)
{
    return (uint8_t)read_little_endian(reader, 1);
}

uint32_t reader_u32(struct reader *reader)
{
    return (uint32_t)read_little_endian(reader, 4);
}

uint64_t reader_u64(struct reader *reader)
{
    return read_little_endian(reader, 8);
}

uint64_t reader_varint(struct reader *reader)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = reader_u8(reader);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return reader->bad ? 0 : value;
    }
    reader->bad = true;
    return 0;
}

const char *reader_string(struct reader *reader)
{
    const unsigned char *start = reader->next;
    const unsigned char *nul = reader_left(reader) ? memchr(start, '\0', reader_left(reader)) : NULL;

    if (!nul) {
        reader->bad = true;
        return "";
    }
    reader->next = nul + 1;
    return (const char *)start;
}
