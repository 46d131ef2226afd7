#include "server/dated.h"

#include <string.h>

#include "server/file_search.h"
#include "server/verdicts.h"

VERDICTS(verdicts, 1 << 16);

static const char word[] = "dependency";
enum { NEAR = 64 }; /* bytes before it, in which GCC or clang must stand */

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
    bool dated;

    if (facts->stamp.size == 0)
        return false;
    if (verdicts_recall(&verdicts, &facts->content, &dated))
        return dated;
    dated = file_search(directory, path, NEAR + sizeof word, is_dated_piece, NULL) != 0;
    verdicts_remember(&verdicts, &facts->content, dated);
    return dated;
}
