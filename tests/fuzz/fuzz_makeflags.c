/* MAKEFLAGS: no word of a jobserver is left, and the others are as they were. */
#include "tests/fuzz/fuzz.h"

#include "jobserver/makeflags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    char *text = fuzz_text(&input);
    struct arena arena;

    arena_init(&arena);
    const char *without = makeflags_without_jobserver(&arena, text);
    char *left = arena_strdup(&arena, without), *given = arena_strdup(&arena, text), *word;

    while ((word = strsep(&given, " "))) {
        if (!*word || strncmp(word, "--jobserver-", 12) == 0)
            continue;
        char *kept;
        do
            kept = strsep(&left, " ");
        while (kept && !*kept);
        FUZZ_CHECK(kept && strcmp(kept, word) == 0);
    }
    while ((word = strsep(&left, " ")))
        FUZZ_CHECK(!*word);
    FUZZ_CHECK(strlen(without) <= strlen(text));
    arena_release(&arena);
    free(text);
    return 0;
}
