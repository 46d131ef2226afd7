#include "cache/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What follows the tag. A kind of its own for each type keeps the number 1 apart from the text "1", and an
 * unset text from an empty one. */
enum field_kind { FIELD_BYTES = 'b', FIELD_TEXT = 't', FIELD_UNSET = 'u', FIELD_NUMBER = 'n' };

static struct digest canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t bytes;
    struct digest digest;

    XXH128_canonicalFromHash(&bytes, hash);
    memcpy(digest.bytes, bytes.digest, sizeof digest.bytes);
    return digest;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

char *digest_text(const struct digest *digest, char text[DIGEST_TEXT_SIZE])
{
    static const char figures[] = "0123456789abcdef";

    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        text[2 * i] = figures[digest->bytes[i] >> 4];
        text[2 * i + 1] = figures[digest->bytes[i] & 15];
    }
    text[2 * sizeof digest->bytes] = '\0';
    return text;
}

struct digest digest_of(const void *bytes, size_t size)
{
    return canonical(XXH3_128bits(bytes, size));
}

static void add_number(struct hasher *hasher, uint64_t number)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    XXH3_128bits_update(hasher->state, bytes, sizeof bytes);
}

/* Tags are our own words and end in NUL; contents can be anything, so their length goes first. */
static void add_field(struct hasher *hasher, enum field_kind kind, const char *tag, const void *bytes,
                      size_t size)
{
    unsigned char kind_byte = (unsigned char)kind;

    XXH3_128bits_update(hasher->state, &kind_byte, 1);
    XXH3_128bits_update(hasher->state, tag, strlen(tag) + 1);
    add_number(hasher, size);
    if (size)
        XXH3_128bits_update(hasher->state, bytes, size);
}

void hasher_init(struct hasher *hasher, const char *format)
{
    hasher->state = XXH3_createState();
    if (!hasher->state)
        abort();
    XXH3_128bits_reset(hasher->state);
    hasher_text(hasher, "format", format);
}

void hasher_field(struct hasher *hasher, const char *tag, const void *bytes, size_t size)
{
    add_field(hasher, FIELD_BYTES, tag, bytes, size);
}

void hasher_text(struct hasher *hasher, const char *tag, const char *text)
{
    if (text)
        add_field(hasher, FIELD_TEXT, tag, text, strlen(text));
    else
        add_field(hasher, FIELD_UNSET, tag, NULL, 0);
}

void hasher_number(struct hasher *hasher, const char *tag, uint64_t number)
{
    add_field(hasher, FIELD_NUMBER, tag, NULL, 0);
    add_number(hasher, number);
}

void hasher_digest_field(struct hasher *hasher, const char *tag, const struct digest *digest)
{
    hasher_field(hasher, tag, digest->bytes, sizeof digest->bytes);
}

void hasher_bytes(struct hasher *hasher, const void *bytes, size_t size)
{
    XXH3_128bits_update(hasher->state, bytes, size);
}

struct digest hasher_finish(struct hasher *hasher)
{
    struct digest digest = canonical(XXH3_128bits_digest(hasher->state));

    XXH3_freeState(hasher->state);
    hasher->state = NULL;
    return digest;
}
