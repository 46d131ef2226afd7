/* Texts that name the ground: marked, and put for another. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "common/wire.h"
#include "server/grounded.h"

static void add_output(struct buf *frames, unsigned char stream, const char *text)
{
    size_t begun = wire_begin_frame(frames, WIRE_OUTPUT);

    buf_add_u8(frames, stream);
    buf_add_text(frames, text);
    wire_end_frame(frames, begun);
}

static void assert_frames(const struct buf *got, const struct buf *expected)
{
    assert_int_equal(got->length, expected->length);
    assert_memory_equal(got->data, expected->data, expected->length);
}

static void assert_targets(const char *text, enum grounded expected, const char *elsewhere)
{
    struct buf marked = BUF_INIT, put = BUF_INIT;

    assert_int_equal(grounded_take_targets("/t/debug", text, strlen(text), &marked), expected);
    if (expected == GROUNDED_MARKED) {
        grounded_put("/other", marked.data, marked.length, &put);
        assert_string_equal(put.data, elsewhere);
    }
    buf_release(&marked);
    buf_release(&put);
}

static void test_targets(void **state)
{
    (void)state;
    assert_targets("/t/debug/deps/a.d: src/a.rs\n\n/t/debug/deps/liba.rlib: src/a.rs\n\nsrc/a.rs:\n",
                   GROUNDED_MARKED,
                   "/other/deps/a.d: src/a.rs\n\n/other/deps/liba.rlib: src/a.rs\n\nsrc/a.rs:\n");
    assert_targets("/t/debug/a.d: a.rs", GROUNDED_MARKED, "/other/a.d: a.rs");
    assert_targets("/t/debug/a.d: /t/debug/build/out/b.rs\n", GROUNDED_ELSEWHERE, NULL);
    assert_targets("/t/debug2/a.d: a.rs\n", GROUNDED_ELSEWHERE, NULL);
    assert_targets("a.d: /t/debug/x\n", GROUNDED_ELSEWHERE, NULL);
    assert_targets("a.d: a.rs\n", GROUNDED_NOWHERE, NULL);
    assert_targets("", GROUNDED_NOWHERE, NULL);
    assert_targets("/t/debug/a.d: \001ground\n", GROUNDED_ELSEWHERE, NULL);
    assert_targets("a.d: \001ground\n", GROUNDED_ELSEWHERE, NULL);
}

#define NOTICE(path) "{\"$message_type\":\"artifact\",\"artifact\":\"" path "\",\"emit\":\"link\"}\n"
#define MESSAGE      "{\"$message_type\":\"diagnostic\",\"message\":\"unused\"}\n"

static void test_messages(void **state)
{
    struct buf frames = BUF_INIT, marked = BUF_INIT, put = BUF_INIT, expected = BUF_INIT;

    (void)state;
    add_output(&frames, 2, "{\"$message_type\":\"artifact\",\"artif");
    add_output(&frames, 2, "act\":\"/t/debug/deps/a.d\",\"emit\":\"link\"}\n" MESSAGE);
    add_output(&frames, 1, "out\n");
    add_output(&frames, 2, NOTICE("/t/debug/deps/liba.rlib"));
    assert_int_equal(grounded_take_messages("/t/debug", frames.data, frames.length, &marked),
                     GROUNDED_MARKED);
    assert_true(grounded_put_messages("/o", marked.data, marked.length, &put));
    add_output(&expected, 2, NOTICE("/o/deps/a.d") MESSAGE);
    add_output(&expected, 1, "out\n");
    add_output(&expected, 2, NOTICE("/o/deps/liba.rlib"));
    assert_frames(&put, &expected);
    buf_release(&frames);
    buf_release(&marked);
    buf_release(&put);
    buf_release(&expected);
}

static enum grounded take_one(const char *text)
{
    struct buf frames = BUF_INIT, marked = BUF_INIT;

    add_output(&frames, 2, text);
    enum grounded named = grounded_take_messages("/t/debug", frames.data, frames.length, &marked);
    buf_release(&frames);
    buf_release(&marked);
    return named;
}

static void test_messages_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(take_one("warning: /t/debug/build/x.rs\n"), GROUNDED_ELSEWHERE);
    assert_int_equal(take_one(NOTICE("/t/debug/a") "warning: /t/debug/build/x.rs\n"), GROUNDED_ELSEWHERE);
    assert_int_equal(take_one(MESSAGE), GROUNDED_NOWHERE);
    assert_int_equal(take_one(NOTICE("/elsewhere/a")), GROUNDED_NOWHERE);
}

static bool has_messages(const char *text)
{
    struct buf frames = BUF_INIT;

    add_output(&frames, 2, text);
    bool has = grounded_has_messages(frames.data, frames.length);
    buf_release(&frames);
    return has;
}

static void test_notices_are_no_messages(void **state)
{
    (void)state;
    assert_false(grounded_has_messages("", 0));
    assert_false(has_messages(NOTICE("/a") NOTICE("/b")));
    assert_true(has_messages(NOTICE("/a") MESSAGE));
    assert_true(has_messages("warning"));
    assert_true(grounded_has_messages("garbage", 7));
}

static void test_damaged(void **state)
{
    struct buf out = BUF_INIT;

    (void)state;
    assert_false(grounded_put_messages("/o", "garbage", 7, &out));
    assert_int_equal(grounded_take_messages("/o", "garbage", 7, &out), GROUNDED_ELSEWHERE);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_messages_elsewhere),
        cmocka_unit_test(test_notices_are_no_messages),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
