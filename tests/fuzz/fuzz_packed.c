/* Packed results. First byte 0: as they lie in the store. 1: with the right magic and checksum put in front.
 * 2: two bytes say how long the index is, and the contents behind it are compressed here. What is accepted is
 * unpacked, and gives what the index says or an error; the same if it is read piece by piece. */
#include "tests/fuzz/fuzz.h"

#include <xxhash.h>
#include <zstd.h>

#include "cache/packed.h"

enum { MAGIC = 0x31706377, HEADER = 12, ALL = 1 << 22, PIECE = 96 };

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

static unsigned char *copy_of(const char *bytes, size_t size)
{
    /* the exact size, so that a read beyond it is seen */
    unsigned char *copy = malloc(size ? size : 1);

    FUZZ_CHECK(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static int read_piece(void *data, size_t number, unsigned char **piece, size_t *size)
{
    const struct buf *bytes = data;
    size_t begin = number * PIECE < bytes->length ? number * PIECE : bytes->length;

    *size = bytes->length - begin < PIECE ? bytes->length - begin : PIECE;
    *piece = copy_of(bytes->data + begin, *size);
    return 0;
}

static void ignore(void *data)
{
    (void)data;
}

static void unpack_pieces(struct buf *bytes)
{
    struct packed_source source = {read_piece, ignore, ignore, bytes};
    size_t first = bytes->length < PIECE ? bytes->length : PIECE;
    struct packed *packed = packed_open(copy_of(bytes->data, first), first, &source);

    if (packed)
        unpack(packed);
    packed_unref(packed);
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
    struct packed *packed = packed_adopt(copy_of(bytes.data, bytes.length), bytes.length);
    if (packed)
        unpack(packed);
    packed_unref(packed);
    unpack_pieces(&bytes);
    buf_release(&bytes);
    return 0;
}
