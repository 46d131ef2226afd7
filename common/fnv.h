/* fnv: the FNV-1a hash of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), for short names where nobody
 * chooses them to collide. What decides over results is hashed by cache/hash.h. */
#ifndef CCWRAP_COMMON_FNV_H
#define CCWRAP_COMMON_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

/* Goes on from `hash`: FNV_BASIS, or what came before. */
static inline uint64_t fnv_add(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;

    for (const unsigned char *end = next + size; next < end; next++)
        hash = (hash ^ *next) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
