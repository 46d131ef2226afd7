#include "server/genuine.h"

#include <fnmatch.h>
#include <string.h>

#include "common/lookup.h"
#include "server/file_search.h"
#include "server/verdicts.h"

enum { MARKS = 2 };

/* Names of drivers, and strings of which the file has one: gcc's driver passes its words to collect2 by a
 * variable, clang is linked with LLVM or holds it. */
static const struct family {
    const char *name;
    const char *marks[MARKS];
} families[] = {
    {"gcc*", {"COLLECT_GCC_OPTIONS", NULL}},   {"g++*", {"COLLECT_GCC_OPTIONS", NULL}},
    {"c++*", {"COLLECT_GCC_OPTIONS", "LLVM"}}, {"cpp*", {"COLLECT_GCC_OPTIONS", NULL}},
    {"cc", {"COLLECT_GCC_OPTIONS", "LLVM"}},   {"*-gcc*", {"COLLECT_GCC_OPTIONS", NULL}},
    {"*-g++*", {"COLLECT_GCC_OPTIONS", NULL}}, {"*-cpp*", {"COLLECT_GCC_OPTIONS", NULL}},
    {"clang*", {"LLVM", "libclang"}},
};

VERDICTS(verdicts, 256);

static const struct family *family_of(const char *path)
{
    const char *name = lookup_basename(path);

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (fnmatch(families[i].name, name, 0) == 0)
            return &families[i];
    return NULL;
}

static bool holds_mark(void *data, const char *bytes, size_t length)
{
    const struct family *family = *(const struct family **)data;

    for (size_t i = 0; i < MARKS && family->marks[i]; i++)
        if (memmem(bytes, length, family->marks[i], strlen(family->marks[i])))
            return true;
    return false;
}

bool genuine_program(struct file_digests *digests, int directory, const char *path)
{
    const struct family *family = family_of(path);
    struct file_facts facts;
    uint8_t genuine;

    if (!family)
        return true;
    if (file_digest(digests, directory, path, false, &facts) != 0)
        return false;
    if (verdicts_recall(&verdicts, &facts.content, &genuine))
        return genuine;
    genuine = file_search(directory, path, FILE_SEARCH_OVERLAP, holds_mark, &family) == 1;
    verdicts_remember(&verdicts, &facts.content, genuine);
    return genuine;
}
