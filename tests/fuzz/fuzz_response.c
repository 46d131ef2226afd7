/* Response files: the text of one. Words that come out are what a shell-like reading gives: as many bytes at
 * most as went in. */
#include "tests/fuzz/fuzz.h"

#include "server/compilers/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    char at[80];
    struct arena arena;
    struct words words = {NULL, 0, NULL};
    size_t bytes = 0;

    snprintf(at, sizeof at, "@%s", fuzz_file(&input));
    char *argv[] = {(char *)"cc", at, NULL};
    arena_init(&arena);
    if (response_expand(2, argv, AT_FDCWD, &arena, &words) == RESPONSE_OK) {
        FUZZ_CHECK(words.count >= 1 && strcmp(words.items[0], "cc") == 0 && !words.items[words.count]);
        for (size_t i = 1; i < words.count; i++) {
            bytes += strlen(words.items[i]);
            FUZZ_CHECK(words.items[i][0]);
        }
        FUZZ_CHECK(bytes <= size);
    } else {
        FUZZ_CHECK(words.culprit);
    }
    arena_release(&arena);
    return 0;
}
