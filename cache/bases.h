/* bases: input sets of one store are much alike (the same compiler, the same headers, the same folders), so
 * each is kept as what it has beyond an earlier one, its base.
 *
 * A packed set is a zstd frame with the bytes of its base as prefix, and a checksum; a packed base is a frame
 * by itself. The writer tries the bases that served last; a set that fits none of them becomes one. */
#ifndef CCWRAP_CACHE_BASES_H
#define CCWRAP_CACHE_BASES_H

#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum { BASES_TRIED = 4, BASE_SERVES = 16 };

struct base {
    int64_t id;
    unsigned char *bytes; /* from malloc */
    size_t size;
};

/* Those to be tried, last used first. */
struct bases {
    struct base list[BASES_TRIED];
    size_t count;
    unsigned used; /* how often one of them served since the last was added */
};

void bases_release(struct bases *bases);
/* Takes over `base`, as the one used last; the one that wasn't used longest is forgotten for it. */
void bases_add(struct bases *bases, const struct base *base);
void bases_forget(struct bases *bases, int64_t id);
/* Appends the packed set to `out`, and gives the base that it needs: 0 if none fits. 0 or -ENOMEM. */
int bases_pack(struct bases *bases, const void *set, size_t size, int64_t *id, struct buf *out);

/* Appends the packed form of `bytes` on that base, or on none (NULL). 0 or -ENOMEM. */
int base_pack(const struct base *base, const void *bytes, size_t size, struct buf *out);
/* What was packed on that base, or on none (NULL), in malloc'ed memory. 0, -ENOMEM, or -EBADMSG: damaged. */
int base_unpack(const struct base *base, const void *packed, size_t packed_size, unsigned char **bytes,
                size_t *size);

#endif
