#include "server/traits.h"

#include <stdint.h>
#include <string.h>

#include "server/file_search.h"
#include "server/verdicts.h"

VERDICTS(verdicts, 1 << 16);

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool holds(const char *text, size_t length, const char *word)
{
    return memmem(text, length, word, strlen(word)) != NULL;
}

/* As a word of its own, with or without underscores around. */
static bool holds_whole(const char *text, size_t length, const char *word)
{
    const char *end = text + length;
    size_t size = strlen(word);

    for (const char *found = text; (found = memmem(found, (size_t)(end - found), word, size));
         found += size) {
        const char *before = found, *after = found + size;
        while (before > text && before[-1] == '_')
            before--;
        while (after < end && *after == '_')
            after++;
        if ((before == text || !is_word(before[-1])) && (after == end || !is_word(*after)))
            return true;
    }
    return false;
}

/* The pragma may be split by a line that goes on, or be made by a macro: its words are what counts. */
static bool is_dated(const char *text, size_t length)
{
    enum { NEAR = 64 }; /* bytes before it, in which GCC or clang must stand */
    static const char word[] = "dependency";
    const char *end = text + length;

    for (const char *found = text; (found = memmem(found, (size_t)(end - found), word, sizeof word - 1));
         found += sizeof word - 1) {
        size_t before = found - text > NEAR ? NEAR : (size_t)(found - text);
        if (holds(found - before, before, "GCC") || holds(found - before, before, "clang"))
            return true;
    }
    return false;
}

static bool holds_one_of(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (holds(text, length, *words))
            return true;
    return false;
}

static const char *const raw_words[] = {"incbin", "INCBIN", NULL};
/* gcc's manual, "Standard Predefined Macros" and "Other Builtins"; the C++ standard, [support.srcloc] */
static const char *const name_words[] = {
    "__FILE__",
    "__BASE_FILE__",
    "__FILE_NAME__",
    "__builtin_FILE",
    "source_location",
    "BOOST_CURRENT",
    "__PRETTY_FUNCTION__", /* clang: a lambda's type is told by its place */
    NULL};
static const char *const column_words[] = {"__builtin_COLUMN", "__builtin_source_location", NULL};
static const char *const comment_words[] = {"documentation", "everything", "fallthrough", "-Wextra",
                                            "c90-c99",       "-W\"",       NULL};
/* bash's manual, "Shell Variables"; perlvar for $^T */
static const char *const chance_words[] = {"RANDOM", "EPOCH", "SECONDS", "$^T", NULL};

unsigned traits_of_text(const char *text, size_t length)
{
    unsigned traits = 0;

    if (is_dated(text, length))
        traits |= TRAIT_DATED;
    if (holds_whole(text, length, "asm"))
        traits |= TRAIT_ASSEMBLER;
    if (holds_one_of(text, length, raw_words) || holds_whole(text, length, "embed") ||
        holds_whole(text, length, "has_embed"))
        traits |= TRAIT_RAW;
    if (holds_one_of(text, length, name_words))
        traits |= TRAIT_OWN_NAME;
    if (holds(text, length, "diagnostic"))
        traits |= TRAIT_PRAGMAS | (holds_one_of(text, length, comment_words) ? TRAIT_COMMENTS : 0u);
    if (holds_one_of(text, length, column_words))
        traits |= TRAIT_COLUMNS;
    if (holds_one_of(text, length, chance_words))
        traits |= TRAIT_CHANCE;
    return traits;
}

/* A pragma for a warning has its words on one line, so they are in one piece or in the next. */
static bool add_traits(void *data, const char *bytes, size_t length)
{
    uint8_t *traits = data;

    *traits |= (uint8_t)traits_of_text(bytes, length);
    return *traits == TRAITS_ALL;
}

unsigned traits_of_file(int directory, const char *path, const struct file_facts *facts)
{
    uint8_t traits = 0;

    if (facts->stamp.size == 0)
        return 0;
    if (verdicts_recall(&verdicts, &facts->content, &traits))
        return traits;
    traits = 0;
    if (file_search(directory, path, FILE_SEARCH_OVERLAP, add_traits, &traits) < 0)
        return TRAITS_ALL;
    verdicts_remember(&verdicts, &facts->content, traits);
    return traits;
}
