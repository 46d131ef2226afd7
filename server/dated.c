#include "server/dated.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "server/file_search.h"

/* A slot holds 63 bits of a content's digest, and whether that text is dated; 0: free. The newest stays. */
enum { SLOTS = 1 << 16 };

static _Atomic uint64_t slots[SLOTS];

static const char word[] = "dependency";
enum { NEAR = 64 }; /* bytes before it, in which GCC or clang must stand */

static uint64_t mark_of_content(const struct digest *content)
{
    uint64_t mark;

    memcpy(&mark, content->bytes, sizeof mark);
    return mark | 1;
}

/* The pragma may be split by a line that goes on, or be made by a macro: its words are what counts. */
bool dated_text(const char *text, size_t length)
{
    static const char *const before[] = {"GCC", "clang"};
    const char *end = text + length;

    for (const char *found = text; (found = memmem(found, (size_t)(end - found), word, sizeof word - 1));
         found += sizeof word - 1) {
        const char *near = found - text > NEAR ? found - NEAR : text;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            if (memmem(near, (size_t)(found - near), before[i], strlen(before[i])))
                return true;
    }
    return false;
}

static bool is_dated_piece(const void *data, const char *bytes, size_t length)
{
    (void)data;
    return dated_text(bytes, length);
}

bool dated_file(int directory, const char *path, const struct file_facts *facts)
{
    uint64_t mark = mark_of_content(&facts->content), dated = mark ^ 1;
    _Atomic uint64_t *slot = &slots[(mark >> 1) % SLOTS];
    uint64_t known = atomic_load_explicit(slot, memory_order_relaxed);

    if (facts->stamp.size == 0)
        return false;
    if (known == mark || known == dated)
        return known == dated;
    bool is_dated = file_search(directory, path, NEAR + sizeof word, is_dated_piece, NULL) != 0;
    atomic_store_explicit(slot, is_dated ? dated : mark, memory_order_relaxed);
    return is_dated;
}
