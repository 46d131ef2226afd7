/* Texts that name the ground: what is marked becomes, put back for the same ground, the same text. */
#include "tests/fuzz/fuzz.h"

#include "server/grounded.h"

#define GROUND "/t/d"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct buf marked = BUF_INIT, again = BUF_INIT;

    if (grounded_take_targets(GROUND, text, size, &marked) == GROUNDED_MARKED) {
        grounded_put(GROUND, marked.data, marked.length, &again);
        FUZZ_CHECK(again.length == size && memcmp(again.data, text, size) == 0);
    }
    buf_reset(&marked);
    buf_reset(&again);
    if (grounded_take_messages(GROUND, data, size, &marked) == GROUNDED_MARKED)
        FUZZ_CHECK(grounded_put_messages(GROUND, marked.data, marked.length, &again));
    buf_reset(&again);
    grounded_put_messages(GROUND, data, size, &again); /* frames that nobody has made */
    grounded_has_messages(data, size);
    buf_release(&marked);
    buf_release(&again);
    return 0;
}
