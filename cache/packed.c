#include "cache/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/zstd_context.h"
#include "common/memory.h"

/* Layout: u32 magic, u64 checksum of all that follows it; varint count; for each file varint role, flags,
 * mode, size, and its path with a NUL; then the zstd frame, whose header says the sum of the sizes. */
enum { MAGIC = 0x31706377, HEADER = 12, MAX_FILES = 1 << 20 };
enum { READ_PIECE = 128 * 1024, WRITE_PIECE = 512 * 1024 };
enum { INDEX_MAX = 512 * 1024 }; /* bytes: it lies in the first piece */

/* The growing packed bytes. Their size is the user's, so memory is checked. */
struct output {
    unsigned char *bytes;
    size_t length, room;
};

static int output_reserve(struct output *output, size_t more)
{
    if (output->room - output->length >= more)
        return 0;
    size_t room = output->length + more;
    if (room < output->room + output->room / 2)
        room = output->room + output->room / 2;
    unsigned char *bytes = realloc(output->bytes, room);
    if (!bytes)
        return -ENOMEM;
    output->bytes = bytes;
    output->room = room;
    return 0;
}

static int compress_piece(ZSTD_CCtx *context, const void *bytes, size_t size, ZSTD_EndDirective how,
                          struct output *output)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;

    do {
        if (output_reserve(output, ZSTD_CStreamOutSize() / 4) != 0)
            return -ENOMEM;
        ZSTD_outBuffer out = {output->bytes, output->room, output->length};
        left = ZSTD_compressStream2(context, &out, &in, how);
        output->length = out.pos;
        if (ZSTD_isError(left))
            return -EIO;
    } while (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
    return 0;
}

static int compress_descriptor(ZSTD_CCtx *context, const struct packed_file *file, void *piece,
                               struct output *output)
{
    for (uint64_t done = 0; done < file->size;) {
        uint64_t left = file->size - done;
        ssize_t count = pread(file->fd, piece, left < READ_PIECE ? (size_t)left : READ_PIECE, (off_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? -errno : -EIO;
        int error = compress_piece(context, piece, (size_t)count, ZSTD_e_continue, output);
        if (error)
            return error;
        done += (uint64_t)count;
    }
    return 0;
}

static int compress_files(const struct packed_file *files, size_t count, int level, uint64_t total,
                          struct output *output)
{
    ZSTD_CCtx *context = zstd_take_compressor();
    void *piece = malloc(READ_PIECE);
    int error = context && piece ? 0 : -ENOMEM;

    if (!error && (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) ||
                   ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, total))))
        error = -EINVAL;
    for (size_t i = 0; !error && i < count; i++)
        error = files[i].bytes
                    ? compress_piece(context, files[i].bytes, files[i].size, ZSTD_e_continue, output)
                    : compress_descriptor(context, &files[i], piece, output);
    if (!error)
        error = compress_piece(context, NULL, 0, ZSTD_e_end, output);
    free(piece);
    if (context)
        zstd_give_compressor(context);
    return error;
}

static void put_index(struct buf *buf, const struct packed_file *files, size_t count)
{
    buf_add_u32(buf, MAGIC);
    buf_add_u64(buf, 0); /* checksum: filled in at the end */
    buf_add_varint(buf, count);
    for (size_t i = 0; i < count; i++) {
        buf_add_varint(buf, files[i].role);
        buf_add_varint(buf, files[i].flags);
        buf_add_varint(buf, files[i].mode);
        buf_add_varint(buf, files[i].size);
        buf_add_string(buf, files[i].path ? files[i].path : "");
    }
}

static uint64_t checksum_of(const unsigned char *bytes, size_t size)
{
    return XXH3_64bits(bytes + HEADER, size - HEADER);
}

static struct packed *new_packed(unsigned char *bytes, size_t size)
{
    struct packed *packed = memory_zalloc(sizeof *packed);

    packed->references = 1;
    packed->bytes = bytes;
    packed->size = size;
    return packed;
}

static int sum_of_sizes(const struct packed_file *files, size_t count, uint64_t limit, uint64_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].size > limit - *total)
            return -EFBIG;
        *total += files[i].size;
    }
    return count > MAX_FILES ? -EFBIG : 0;
}

int packed_make(const struct packed_file *files, size_t count, int level, uint64_t limit,
                struct packed **result)
{
    uint64_t total;
    int error = sum_of_sizes(files, count, limit, &total);
    if (error)
        return error;

    struct buf index = BUF_INIT;
    struct output output = {NULL, 0, 0};

    put_index(&index, files, count);
    error = index.length > INDEX_MAX ? -EFBIG : 0;
    if (!error)
        error = output_reserve(&output,
                               index.length + (total < 64 * 1024 ? ZSTD_COMPRESSBOUND(total) : total / 4));
    if (error)
        goto out;
    /* never empty: NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    memcpy(output.bytes, index.data, index.length);
    output.length = index.length;
    error = compress_files(files, count, level, total, &output);
    if (error)
        goto out;

    struct buf checksum = BUF_INIT;
    buf_add_u64(&checksum, checksum_of(output.bytes, output.length));
    memcpy(output.bytes + HEADER - 8, checksum.data, 8);
    buf_release(&checksum);

    unsigned char *fitting = realloc(output.bytes, output.length);
    *result = new_packed(fitting ? fitting : output.bytes, output.length);
    output.bytes = NULL;
out:
    free(output.bytes);
    buf_release(&index);
    return error;
}

static void read_file_entry(struct reader *reader, struct packed_file *file)
{
    file->role = (uint32_t)reader_varint(reader);
    file->flags = (uint32_t)reader_varint(reader);
    file->mode = (mode_t)reader_varint(reader);
    file->size = reader_varint(reader);
    file->path = reader_string(reader);
    file->bytes = NULL;
    file->fd = -1;
}

/* Sets `reader` behind the header, on the first file. */
static size_t begin_index(const struct packed *packed, struct reader *reader)
{
    reader_init(reader, packed->bytes, packed->size);
    reader_bytes(reader, HEADER);
    return reader_varint(reader);
}

static bool index_is_sound(const struct packed *packed)
{
    struct reader reader;
    struct packed_file file;
    uint64_t total = 0;
    size_t count = begin_index(packed, &reader);

    if (count > MAX_FILES)
        return false;
    for (size_t i = 0; i < count && !reader.bad; i++) {
        read_file_entry(&reader, &file);
        if (file.size > UINT64_MAX / 2 - total)
            return false;
        total += file.size;
    }
    return !reader.bad && ZSTD_getFrameContentSize(reader.next, reader_left(&reader)) == total;
}

static bool magic_is_right(const unsigned char *bytes)
{
    struct reader reader;

    reader_init(&reader, bytes, HEADER);
    return reader_u32(&reader) == MAGIC;
}

static bool bytes_are_sound(const unsigned char *bytes, size_t size)
{
    struct reader reader;

    if (size < HEADER || !magic_is_right(bytes))
        return false;
    reader_init(&reader, bytes + HEADER - 8, 8);
    return reader_u64(&reader) == checksum_of(bytes, size);
}

struct packed *packed_adopt(unsigned char *bytes, size_t size)
{
    if (!bytes_are_sound(bytes, size)) {
        free(bytes);
        return NULL;
    }
    struct packed *packed = new_packed(bytes, size);
    if (!index_is_sound(packed)) {
        packed_unref(packed);
        return NULL;
    }
    return packed;
}

struct packed *packed_open(unsigned char *bytes, size_t size, const struct packed_source *source)
{
    struct packed *packed = new_packed(bytes, size);

    packed->source = *source;
    if (size < HEADER || !magic_is_right(bytes) || !index_is_sound(packed)) {
        packed_unref(packed);
        return NULL;
    }
    return packed;
}

struct packed *packed_ref(struct packed *packed)
{
    __atomic_add_fetch(&packed->references, 1, __ATOMIC_RELAXED);
    return packed;
}

void packed_unref(struct packed *packed)
{
    if (!packed || __atomic_sub_fetch(&packed->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (packed->source.read)
        packed->source.release(packed->source.data);
    free(packed->bytes);
    memory_free(packed);
}

uint64_t packed_checksum(const struct packed *packed)
{
    struct reader reader;

    reader_init(&reader, packed->bytes, packed->size);
    reader_u32(&reader);
    return reader_u64(&reader);
}

size_t packed_count(const struct packed *packed)
{
    struct reader reader;
    return begin_index(packed, &reader);
}

void packed_file(const struct packed *packed, size_t index, struct packed_file *file)
{
    struct reader reader;

    begin_index(packed, &reader);
    for (size_t i = 0; i <= index; i++)
        read_file_entry(&reader, file);
}

uint64_t packed_content_size(const struct packed *packed)
{
    struct reader reader;
    struct packed_file file;
    uint64_t total = 0;

    for (size_t left = begin_index(packed, &reader); left > 0; left--) {
        read_file_entry(&reader, &file);
        total += file.size;
    }
    return total;
}

struct unpacker {
    const struct packed *packed;
    struct reader index; /* on the next file */
    size_t left;         /* files */
    ZSTD_DCtx *context;
    ZSTD_inBuffer in;
    unsigned char *packed_piece; /* from the source, if `in` is beyond the first one */
    size_t pieces;               /* that were read */
    XXH3_state_t *checksum;      /* of them; NULL: it was judged before */
    unsigned char *piece;        /* contents that were unpacked and not yet asked for: start to end */
    size_t room, start, end;
};

struct unpacker *unpacker_new(const struct packed *packed)
{
    struct unpacker *unpacker = memory_zalloc(sizeof *unpacker);
    struct packed_file file;
    struct reader reader;
    uint64_t total = packed_content_size(packed);

    unpacker->packed = packed;
    unpacker->left = begin_index(packed, &unpacker->index);
    reader = unpacker->index;
    for (size_t i = 0; i < unpacker->left; i++)
        read_file_entry(&reader, &file);
    unpacker->in = (ZSTD_inBuffer){reader.next, reader_left(&reader), 0};
    unpacker->context = zstd_take_decompressor();
    /* Where all contents fit, zstd writes them in one go, without a window of its own. */
    unpacker->room = total < WRITE_PIECE ? (size_t)total + 1 : WRITE_PIECE;
    unpacker->piece = memory_alloc(unpacker->room);
    unpacker->pieces = 1;
    if (packed->source.read && (unpacker->checksum = XXH3_createState()) != NULL) {
        XXH3_64bits_reset(unpacker->checksum);
        XXH3_64bits_update(unpacker->checksum, packed->bytes + HEADER, packed->size - HEADER);
    }
    return unpacker;
}

void unpacker_free(struct unpacker *unpacker)
{
    if (!unpacker)
        return;
    if (unpacker->context)
        zstd_give_decompressor(unpacker->context);
    XXH3_freeState(unpacker->checksum);
    free(unpacker->packed_piece);
    memory_free(unpacker->piece);
    memory_free(unpacker);
}

static int damaged(struct unpacker *unpacker)
{
    const struct packed_source *source = &unpacker->packed->source;

    if (source->read)
        source->damaged(source->data);
    return -EBADMSG;
}

/* Puts the next piece of the packed result into `in`; an empty one at the end. */
static int next_packed_piece(struct unpacker *unpacker)
{
    const struct packed_source *source = &unpacker->packed->source;
    size_t size = 0;

    free(unpacker->packed_piece);
    unpacker->packed_piece = NULL;
    if (source->read) {
        int error = source->read(source->data, unpacker->pieces++, &unpacker->packed_piece, &size);
        if (error)
            return error;
        XXH3_64bits_update(unpacker->checksum, unpacker->packed_piece, size);
    }
    unpacker->in = (ZSTD_inBuffer){unpacker->packed_piece, size, 0};
    return 0;
}

/* After the last file: was all as it had been packed? */
static int judge(struct unpacker *unpacker)
{
    int error = 0;

    if (!unpacker->packed->source.read)
        return 0;
    while (!error && unpacker->in.size > 0)
        error = next_packed_piece(unpacker);
    if (!error && XXH3_64bits_digest(unpacker->checksum) != packed_checksum(unpacker->packed))
        error = damaged(unpacker);
    return error;
}

/* Makes start < end, or says why not. */
static int refill(struct unpacker *unpacker)
{
    if (!unpacker->context || (unpacker->packed->source.read && !unpacker->checksum))
        return -ENOMEM;
    ZSTD_outBuffer out = {unpacker->piece, unpacker->room, 0};
    while (out.pos == 0) {
        size_t before = unpacker->in.pos;
        size_t hint = ZSTD_decompressStream(unpacker->context, &out, &unpacker->in);
        if (ZSTD_isError(hint))
            return damaged(unpacker);
        if (out.pos > 0 || unpacker->in.pos > before)
            continue;
        int error = next_packed_piece(unpacker);
        if (error)
            return error;
        if (unpacker->in.size == 0) /* the frame ends before the index does */
            return damaged(unpacker);
    }
    unpacker->start = 0;
    unpacker->end = out.pos;
    return 0;
}

/* The next bytes of the present file, at most `most`; sets *size. */
static int next_piece(struct unpacker *unpacker, uint64_t most, const void **bytes, size_t *size)
{
    if (unpacker->start == unpacker->end) {
        int error = refill(unpacker);
        if (error)
            return error;
    }
    *bytes = unpacker->piece + unpacker->start;
    *size = unpacker->end - unpacker->start;
    if (*size > most)
        *size = (size_t)most;
    unpacker->start += *size;
    return 0;
}

static int write_whole(int fd, const void *bytes, size_t size)
{
    for (const char *next = bytes; size > 0;) {
        ssize_t count = write(fd, next, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        next += count;
        size -= (size_t)count;
    }
    return 0;
}

/* Where a file's bytes go: to a buf, to a descriptor, or (neither) nowhere. */
static int unpack_next(struct unpacker *unpacker, struct buf *out, int fd)
{
    struct packed_file file;

    if (unpacker->left == 0)
        return -EBADMSG;
    unpacker->left--;
    read_file_entry(&unpacker->index, &file);
    if (out)
        buf_reserve(out, file.size);
    while (file.size > 0) {
        const void *bytes;
        size_t size;
        int error = next_piece(unpacker, file.size, &bytes, &size);
        if (!error && out)
            buf_add(out, bytes, size);
        else if (!error && fd >= 0)
            error = write_whole(fd, bytes, size);
        if (error)
            return error;
        file.size -= size;
    }
    return unpacker->left == 0 ? judge(unpacker) : 0;
}

int unpacker_next_to_buf(struct unpacker *unpacker, struct buf *out)
{
    return unpack_next(unpacker, out, -1);
}

int unpacker_next_to_fd(struct unpacker *unpacker, int fd)
{
    return unpack_next(unpacker, NULL, fd);
}

int unpacker_skip(struct unpacker *unpacker)
{
    return unpack_next(unpacker, NULL, -1);
}
