/* Texts without comments: each byte that stays stands where it stood, lines stay lines, and there is nothing
 * left to take away. */
#include "tests/fuzz/fuzz.h"

#include "server/compilers/comments.h"

static size_t newline_at(const char *text, const char *end)
{
    if (text < end && *text == '\n')
        return 1;
    return end - text >= 2 && text[0] == '\r' && text[1] == '\n' ? 2 : 0;
}

/* Line for line: `out` has blanks where `in` has a comment, or ends before it. */
static void check_places(const char *in, size_t in_size, const char *out, size_t out_size)
{
    const char *in_end = in + in_size, *out_end = out + out_size;

    while (out < out_end) {
        size_t newline = newline_at(out, out_end);
        while (newline && in < in_end && !newline_at(in, in_end)) /* a comment that ends the line */
            in++;
        FUZZ_CHECK(in < in_end);
        if (newline) {
            FUZZ_CHECK(newline_at(in, in_end) == newline);
            in += newline, out += newline;
        } else {
            FUZZ_CHECK(*in == *out || (*out == ' ' && !newline_at(in, in_end)));
            in++, out++;
        }
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
