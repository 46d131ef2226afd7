/* hash: digests (XXH3, 128 bit), and keys made of tagged fields. Any thread; a hasher has one owner. */
#ifndef CCWRAP_CACHE_HASH_H
#define CCWRAP_CACHE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
    unsigned char bytes[16]; /* canonical (big-endian) form */
};

enum { DIGEST_TEXT_SIZE = 33 };

bool digest_equal(const struct digest *a, const struct digest *b);
/* 32 hexadecimal figures and a NUL. Returns text. */
char *digest_text(const struct digest *digest, char text[DIGEST_TEXT_SIZE]);
/* Of some bytes. */
struct digest digest_of(const void *bytes, size_t size);

/* Every field is written with its tag and length, so that no two lists of fields give the same bytes. */
struct hasher {
    struct XXH3_state_s *state;
};

/* `format` names what is hashed and the version of its layout. */
void hasher_init(struct hasher *hasher, const char *format);
void hasher_field(struct hasher *hasher, const char *tag, const void *bytes, size_t size);
void hasher_text(struct hasher *hasher, const char *tag, const char *text); /* NULL differs from "" */
void hasher_number(struct hasher *hasher, const char *tag, uint64_t number);
void hasher_digest_field(struct hasher *hasher, const char *tag, const struct digest *digest);
/* Bytes as they come, without a tag: only as the last thing that is hashed. */
void hasher_bytes(struct hasher *hasher, const void *bytes, size_t size);
/* Gives the digest and frees what the hasher holds. */
struct digest hasher_finish(struct hasher *hasher);

#endif
