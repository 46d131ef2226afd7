/* Depfiles: the first line holds the targets, the rest is the file. What can be taken apart is put together
 * again to the same bytes; for other targets, to a file that can be taken apart for those. */
#include "tests/fuzz/fuzz.h"

#include "server/compilers/depfile.h"

static void check_other(enum depfile_style style, const struct buf *rest, const char *targets)
{
    struct buf text = BUF_INIT, again = BUF_INIT;

    if (depfile_write(style, rest->data, rest->length, targets, &text)) {
        enum depfile_style found = depfile_split(text.data, text.length, targets, &again);
        FUZZ_CHECK(found == DEPFILE_UNKNOWN ||
                   (again.length == rest->length && memcmp(again.data, rest->data, rest->length) == 0) ||
                   found != style);
    }
    buf_release(&text);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct fuzz_input line = fuzz_part(&input, '\n');
    char *targets = fuzz_text(&line);
    const char *text = (const char *)input.next;
    struct buf rest = BUF_INIT, again = BUF_INIT;

    enum depfile_style style = depfile_split(text, input.left, targets, &rest);
    if (style != DEPFILE_UNKNOWN) {
        FUZZ_CHECK(depfile_write(style, rest.data, rest.length, targets, &again));
        FUZZ_CHECK(again.length == input.left && memcmp(again.data, text, again.length) == 0);
        check_other(style, &rest, "other.o");
        check_other(style, &rest, "a/much/longer/name/of/a/target/than/the/one/before/it.o second.o");
    }
    buf_reset(&again);
    for (int i = DEPFILE_UNKNOWN; i <= DEPFILE_EITHER; i++) /* a rest that nobody has made */
        depfile_write((enum depfile_style)i, text, input.left, targets, &again);
    buf_release(&again);
    buf_release(&rest);
    free(targets);
    return 0;
}
