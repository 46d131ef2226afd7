/* Depfiles as gcc 12 and clang 14 really write them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "server/compilers/depfile.h"

#define LONG_NAME                                                                                            \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
    "a.o"
#define FIVE_TARGETS                                                                                         \
    "target_number_one target_number_two.o target_number_three.o target_number_four f\\ i\\ v\\ e"

static const char gcc_long[] =
    LONG_NAME ": \\\n"
              " m.c header_number_1.h header_number_2.h header_number_3.h \\\n"
              " header_number_4.h header_number_5.h header_number_6.h header_number_7.h \\\n"
              " header_number_8.h header_number_9.h sp\\ ace$$d\\#.h\n";
static const char clang_long[] =
    LONG_NAME ": \\\n"
              "  m.c header_number_1.h header_number_2.h header_number_3.h \\\n"
              "  header_number_4.h header_number_5.h header_number_6.h \\\n"
              "  header_number_7.h header_number_8.h header_number_9.h sp\\ ace$$d\\#.h\n";
static const char gcc_five[] =
    "target_number_one target_number_two.o target_number_three.o \\\n"
    " target_number_four f\\ i\\ v\\ e: m.c header_number_1.h header_number_2.h \\\n"
    " header_number_3.h header_number_4.h header_number_5.h header_number_6.h \\\n"
    " header_number_7.h header_number_8.h header_number_9.h sp\\ ace$$d\\#.h\n";
static const char clang_five[] =
    "target_number_one target_number_two.o target_number_three.o \\\n"
    "  target_number_four f\\ i\\ v\\ e: m.c header_number_1.h header_number_2.h \\\n"
    "  header_number_3.h header_number_4.h header_number_5.h \\\n"
    "  header_number_6.h header_number_7.h header_number_8.h \\\n"
    "  header_number_9.h sp\\ ace$$d\\#.h\n";
static const char gcc_phony[] =
    "out.o: m.c /usr/include/stdc-predef.h header_number_1.h header_number_2.h \\\n"
    " header_number_3.h header_number_4.h header_number_5.h header_number_6.h \\\n"
    " header_number_7.h header_number_8.h header_number_9.h sp\\ ace$$d\\#.h\n"
    "/usr/include/stdc-predef.h:\nheader_number_1.h:\nheader_number_2.h:\n"
    "header_number_3.h:\nheader_number_4.h:\nheader_number_5.h:\nheader_number_6.h:\n"
    "header_number_7.h:\nheader_number_8.h:\nheader_number_9.h:\nsp\\ ace$$d\\#.h:\n";
static const char clang_phony[] =
    "out.o: m.c header_number_1.h header_number_2.h header_number_3.h \\\n"
    "  header_number_4.h header_number_5.h header_number_6.h \\\n"
    "  header_number_7.h header_number_8.h header_number_9.h sp\\ ace$$d\\#.h\n"
    "\nheader_number_1.h:\n\nheader_number_2.h:\n\nheader_number_3.h:\n\nheader_number_4.h:\n"
    "\nheader_number_5.h:\n\nheader_number_6.h:\n\nheader_number_7.h:\n\nheader_number_8.h:\n"
    "\nheader_number_9.h:\n\nsp\\ ace$$d\\#.h:\n";

static enum depfile_style split(const char *text, const char *targets, struct buf *rest)
{
    return depfile_split(text, strlen(text), targets, rest);
}

/* The text of `from` becomes that of `to` by another target. */
static void check(enum depfile_style style, const char *from, const char *targets, const char *to,
                  const char *other)
{
    struct buf rest = BUF_INIT, text = BUF_INIT;

    assert_int_equal(split(from, targets, &rest), style);
    assert_true(depfile_write(style, rest.data, rest.length, other, &text));
    assert_string_equal(text.data, to);
    buf_reset(&text);
    assert_true(depfile_write(style, rest.data, rest.length, targets, &text));
    assert_string_equal(text.data, from);
    buf_release(&text);
    buf_release(&rest);
}

static void test_gcc(void **state)
{
    (void)state;
    check(DEPFILE_GCC, gcc_long, LONG_NAME, gcc_five, FIVE_TARGETS);
    check(DEPFILE_GCC, gcc_five, FIVE_TARGETS, gcc_long, LONG_NAME);
    check(DEPFILE_GCC, gcc_phony, "out.o", gcc_phony, "out.o");
}

static void test_clang(void **state)
{
    (void)state;
    check(DEPFILE_CLANG, clang_long, LONG_NAME, clang_five, FIVE_TARGETS);
    check(DEPFILE_CLANG, clang_five, FIVE_TARGETS, clang_long, LONG_NAME);
    check(DEPFILE_CLANG, clang_phony, "out.o", clang_phony, "out.o");
}

static void test_either(void **state)
{
    struct buf rest = BUF_INIT, text = BUF_INIT;

    (void)state;
    check(DEPFILE_EITHER, "a.o: a.c h.h\n", "a.o", "dir/b.o: a.c h.h\n", "dir/b.o");
    assert_int_equal(split("a.o: a.c h.h\n", "a.o", &rest), DEPFILE_EITHER);
    /* The compilers break this line differently: who wrote the first one isn't known. */
    assert_false(depfile_write(DEPFILE_EITHER, rest.data, rest.length, LONG_NAME, &text));
    buf_release(&rest);
    buf_release(&text);
}

static void test_not_a_depfile(void **state)
{
    static const char *const texts[] = {
        "",
        "a.o",
        "a.o:",
        "a.o:\n",
        "a.o: a.c",
        "b.o: a.c\n",
        "a.o b.o: a.c\n",
        "a.o:  a.c\n",
        "a.o: a.c h.h\nb.h:\n",
        "a.o: a.c h.h\nh.h:\nCXX_IMPORTS += x\n",
        "a.o: a.c \\\n h.h\n",
        "a.o: a.c\n\n",
    };
    struct buf rest = BUF_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(split(texts[i], "a.o", &rest), DEPFILE_UNKNOWN);
        assert_int_equal(rest.length, 0);
    }
    assert_int_equal(split("a.o: a.c\n", "", &rest), DEPFILE_UNKNOWN);
    assert_int_equal(split("a.o: a.c\n", "a.o b.o", &rest), DEPFILE_UNKNOWN);
    buf_release(&rest);
}

static void test_bad_rest(void **state)
{
    struct buf text = BUF_INIT;

    (void)state;
    assert_false(depfile_write(DEPFILE_GCC, "", 0, "a.o", &text));
    assert_false(depfile_write(DEPFILE_GCC, "\0a.c", 4, "a.o", &text));
    assert_false(depfile_write(DEPFILE_GCC, "\7a.c", 5, "a.o", &text));
    assert_false(depfile_write(DEPFILE_UNKNOWN, "\0a.c", 5, "a.o", &text));
    assert_false(depfile_write(DEPFILE_GCC, "\0a.c", 5, "", &text));
    assert_true(depfile_write(DEPFILE_GCC, "\0a.c", 5, "a.o", &text));
    assert_string_equal(text.data, "a.o: a.c\n");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcc),           cmocka_unit_test(test_clang),    cmocka_unit_test(test_either),
        cmocka_unit_test(test_not_a_depfile), cmocka_unit_test(test_bad_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
