#include "cache/bases.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cache/zstd_context.h"

enum { LEVEL = 3, SIZE_MAX_UNPACKED = 256 * 1024 * 1024 };

/* A set fits a base well if it shrinks to a quarter: with a stricter measure the bases themselves take more
 * than they save, with a laxer one the sets do (measured on sets of C programs). Where sets have no more in
 * common than that, each of them as a base would save nothing: then some serve for others by and by. */
static bool fits_well(size_t size, size_t packed)
{
    return packed <= size / 4;
}

static bool fits_for_now(const struct bases *bases, size_t size, size_t packed)
{
    return packed <= size / 2 && bases->used < BASE_SERVES;
}

void bases_release(struct bases *bases)
{
    for (size_t i = 0; i < bases->count; i++)
        free(bases->list[i].bytes);
    memset(bases, 0, sizeof *bases);
}

static void use(struct bases *bases, size_t index)
{
    struct base used = bases->list[index];

    memmove(&bases->list[1], &bases->list[0], index * sizeof *bases->list);
    bases->list[0] = used;
}

void bases_add(struct bases *bases, const struct base *base)
{
    if (bases->count == BASES_TRIED)
        free(bases->list[--bases->count].bytes);
    bases->list[bases->count] = *base;
    use(bases, bases->count++);
    bases->used = 0;
}

void bases_forget(struct bases *bases, int64_t id)
{
    size_t i = 0;

    while (i < bases->count && bases->list[i].id != id)
        i++;
    if (i == bases->count)
        return;
    free(bases->list[i].bytes);
    bases->count--;
    memmove(&bases->list[i], &bases->list[i + 1], (bases->count - i) * sizeof *bases->list);
}

int base_pack(const struct base *base, const void *bytes, size_t size, struct buf *out)
{
    ZSTD_CCtx *context = zstd_take_compressor();
    size_t bound = ZSTD_compressBound(size);

    if (!context)
        return -ENOMEM;
    buf_reserve(out, bound);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    if (base)
        ZSTD_CCtx_refPrefix(context, base->bytes, base->size);
    size_t packed = ZSTD_compress2(context, out->data + out->length, bound, bytes, size);
    zstd_give_compressor(context);
    if (ZSTD_isError(packed))
        return -ENOMEM;
    out->length += packed;
    return 0;
}

int bases_pack(struct bases *bases, const void *set, size_t size, int64_t *id, struct buf *out)
{
    size_t begin = out->length, best = 0, last = 0, least = SIZE_MAX;
    int error = 0;

    *id = 0;
    for (size_t i = 0; i < bases->count && !fits_well(size, least); i++) {
        out->length = begin;
        last = i;
        error = base_pack(&bases->list[i], set, size, out);
        if (error)
            return error;
        if (out->length - begin < least) {
            least = out->length - begin;
            best = i;
        }
    }
    bool fits = fits_well(size, least) || fits_for_now(bases, size, least);
    if (!fits || last != best)
        out->length = begin;
    if (!fits)
        return 0;
    if (last != best)
        error = base_pack(&bases->list[best], set, size, out);
    *id = bases->list[best].id;
    use(bases, best);
    bases->used++;
    return error;
}

int base_unpack(const struct base *base, const void *packed, size_t packed_size, unsigned char **bytes,
                size_t *size)
{
    unsigned long long expected = ZSTD_getFrameContentSize(packed, packed_size);

    if (expected > SIZE_MAX_UNPACKED) /* also if it can't be told */
        return -EBADMSG;
    ZSTD_DCtx *context = zstd_take_decompressor();
    int error = -ENOMEM;
    *size = (size_t)expected;
    *bytes = malloc(*size + 1);
    if (context && *bytes) {
        if (base)
            ZSTD_DCtx_refPrefix(context, base->bytes, base->size);
        size_t got = ZSTD_decompressDCtx(context, *bytes, *size, packed, packed_size);
        error = got == *size ? 0 : -EBADMSG;
    }
    if (context)
        zstd_give_decompressor(context);
    if (error)
        free(*bytes);
    return error;
}
