/* The trampoline's word: what is understood is written and understood again as the same. */
#include "tests/fuzz/fuzz.h"

#include "spawn/trampoline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    char *text = fuzz_text(&input), again[TRAMPOLINE_TEXT];
    struct trampoline first, second;

    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (trampoline_decode(&first, text)) {
        trampoline_encode(&first, again);
        FUZZ_CHECK(trampoline_decode(&second, again));
        FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
    }
    free(text);
    return 0;
}
