/* Packed results. First byte 0: as they lie in the store. 1: with the right magic and checksum put in front.
 * 2: two bytes say how long the index is, and the contents behind it are compressed here. What is accepted is
 * unpacked, and gives what the index says or an error. */
#include "tests/fuzz/fuzz.h"

#include <xxhash.h>
#include <zstd.h>

#include "cache/packed.h"

enum { MAGIC = 0x31706377, HEADER = 12, ALL = 1 << 22 };

static void put_header(struct buf *bytes)
{
    struct buf header = BUF_INIT;

    buf_add_u32(&header, MAGIC);
    buf_add_u64(&header, XXH3_64bits(bytes->data + HEADER, bytes->length - HEADER));
    memcpy(bytes->data, header.data, HEADER);
    buf_release(&header);
}

static void put_frame(struct buf *bytes, const uint8_t *data, size_t size)
{
    size_t index = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);

    data += size < 2 ? size : 2;
    size -= size < 2 ? size : 2;
    index = index > size ? size : index;
    buf_add(bytes, data, index);
    size_t bound = ZSTD_compressBound(size - index);
    buf_reserve(bytes, bound);
    size_t length = ZSTD_compress(bytes->data + bytes->length, bound, data + index, size - index, 1);
    FUZZ_CHECK(!ZSTD_isError(length));
    bytes->length += length;
}

static void unpack(const struct packed *packed)
{
    struct unpacker *unpacker = unpacker_new(packed);
    struct packed_file file;
    uint64_t sum = 0;
    int error = 0;

    for (size_t i = 0; i < packed_count(packed); i++) {
        struct buf out = BUF_INIT;
        packed_file(packed, i, &file);
        FUZZ_CHECK(strlen(file.path) < packed->size);
        sum += file.size;
        if (!error && file.size < ALL)
            error = i % 2 ? unpacker_skip(unpacker) : unpacker_next_to_buf(unpacker, &out);
        else if (!error)
            error = unpacker_skip(unpacker);
        FUZZ_CHECK(error || i % 2 || file.size >= ALL || out.length == file.size);
        buf_release(&out);
    }
    FUZZ_CHECK(sum == packed_content_size(packed));
    FUZZ_CHECK(unpacker_skip(unpacker) != 0); /* no more files than the index has */
    unpacker_free(unpacker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char zeros[HEADER];
    struct buf bytes = BUF_INIT;

    if (!size)
        return 0;
    int mode = data[0] % 3;
    if (mode)
        buf_add(&bytes, zeros, HEADER);
    if (mode == 2)
        put_frame(&bytes, data + 1, size - 1);
    else
        buf_add(&bytes, data + 1, size - 1);
    if (mode)
        put_header(&bytes);
    /* the exact size, so that a read beyond it is seen */
    unsigned char *copy = malloc(bytes.length ? bytes.length : 1);
    FUZZ_CHECK(copy);
    if (bytes.length)
        memcpy(copy, bytes.data, bytes.length);
    struct packed *packed = packed_adopt(copy, bytes.length);
    if (packed)
        unpack(packed);
    packed_unref(packed);
    buf_release(&bytes);
    return 0;
}
