/* Texts without comments: each byte that stays stands where it stood, lines stay lines, and there is nothing
 * left to take away. */
#include "tests/fuzz/fuzz.h"

#include "server/compilers/comments.h"

/* Line for line: `out` has blanks where `in` has a comment, or ends before it. */
static void check_places(const char *in, size_t in_size, const char *out, size_t out_size)
{
    const char *in_end = in + in_size, *out_end = out + out_size;

    while (out < out_end) {
        if (*out == '\n' && in < in_end && *in != '\n') { /* a comment at the line's end, and blanks before it */
            const char *newline = memchr(in, '\n', (size_t)(in_end - in));
            FUZZ_CHECK(newline);
            in = newline;
        }
        FUZZ_CHECK(in < in_end);
        FUZZ_CHECK(*in == *out || (*out == ' ' && *in != '\n') || (*out == '\n' && *in == '\r'));
        in++, out++;
    }
    FUZZ_CHECK(in == in_end || !memchr(in, '\n', (size_t)(in_end - in)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf out = BUF_INIT, again = BUF_INIT;

    if (comments_blank((const char *)data, size, &out)) {
        FUZZ_CHECK(out.length <= size);
        check_places((const char *)data, size, out.data ? out.data : "", out.length);
        if (comments_blank(out.data ? out.data : "", out.length, &again))
            FUZZ_CHECK(again.length == out.length &&
                       (!again.length || memcmp(again.data, out.data, out.length) == 0));
    }
    buf_release(&out);
    buf_release(&again);
    return 0;
}
