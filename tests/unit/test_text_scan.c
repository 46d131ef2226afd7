#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/text.h"
#include "server/text_scan.h"

static bool passes(const char *text)
{
    const char *word;
    return text_scan(text, strlen(text), &word);
}

static void test_plain_texts_pass(void **state)
{
    (void)state;
    assert_true(passes(""));
    assert_true(passes("# 1 \"a.c\"\nint main(void) { return 'x' + '\"' + 1'000; }\n"));
    assert_true(passes("extern int scanf(const char *) __asm__ (\"\" \"__isoc99_scanf\") ;\n"));
    assert_true(passes("const char *s = \"asm inc\\n\" /* x */ \"y\";\n"));
    assert_true(passes("# 2 \"include/embed.h\" 1\nint x;\n"));
    assert_true(passes("#pragma GCC diagnostic push\nint y;\n"));
    assert_true(passes("char *r = R\"(a \" b)\";\n"));
}

static void test_what_reads_files_does_not(void **state)
{
    static const char *const texts[] = {
        "__asm__(\".incbin \\\"x\\\"\");",
        "__asm__(\".inc\" \"bin \\\"x\\\"\");",
        "__asm__(\".inc\"\n# 3 \"a.c\"\n\"bin \\\"x\\\"\");",
        "asm(\".inc\\x62in \\\"x\\\"\");",
        "asm(\".\\151ncbin 'x'\");",
        "asm volatile (\"nop\");",
        "asm(\"name\" : \"=r\"(x));",
        "int x __attribute__((section(\".data\\n.incbin \\\"x\\\"\")));",
        "char *r = R\"z(.incbin)z\";",
        "import std;",
        "#pragma GCC pch_preprocess \"x.gch\"\n",
        "#pragma clang module import m\n",
        "\"unterminated",
        "char *s = \"\\u002eincbin\";",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (passes(texts[i]))
            fail_msg("passes: %s", texts[i]);
}

static void test_markers(void **state)
{
    static const char bytes[] =
        "# 1 \"a.c\"\nint x;\n# 1 \"dir/b \\\"q.h\" 1 3\n# 1 \"<built-in>\"\n#line 7 \"c.h\"\n"
        "# 4 \"/cwd//\"\n  # 1 \"no.h\"\n#define D \"no2.h\"\nx # 1 \"no3.h\"\n# 9 \"d.h\" 1\n# 2 \"e.h\" 2\n"
        "# 2 \"f.h\" 12\n#\n#1\n# 5 \"g.h\n# 1 \"unfinished.h\" 1";
    static const char *const named[] = {"a.c", "dir/b \"q.h", "c.h", "d.h", "e.h", "f.h", "g.h"};
    struct text text;

    (void)state;
    text_init(&text);
    text_take(&text, bytes, sizeof bytes - 1);
    assert_int_equal(text.named.count, sizeof named / sizeof *named);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        assert_true(strings_has(&text.named, named[i]));
    /* only what was entered stands in the text: #line says names of other files */
    assert_int_equal(text.entered.count, 2);
    assert_true(text_shows(&text, "dir/b \"q.h"));
    assert_true(text_shows(&text, "d.h"));
    assert_false(text_shows(&text, "c.h"));
    text_release(&text);
}

static void test_file_of_a_text(void **state)
{
    static const char bytes[] = "# 1 \"a.c\"\n# 1 \"b.h\" 1\nint x;\n";
    struct text text, same;

    (void)state;
    text_init(&text);
    assert_int_equal(text_open(&text, false), 0);
    assert_int_equal(write(text.fd, bytes, sizeof bytes - 1), sizeof bytes - 1);
    assert_int_not_equal(ftruncate(text.fd, 3), 0);
    assert_int_equal(text_read(&text), 0);
    assert_int_equal(text.fd, -1);
    assert_true(text_shows(&text, "b.h"));
    text_init(&same);
    text_take(&same, bytes, sizeof bytes - 1);
    assert_true(digest_equal(&text.digest, &same.digest));
    text_release(&same);
    text_release(&text);
}

/* By another way than the descriptor: what was there before may have been written over. */
static void test_file_that_was_opened_anew(void **state)
{
    char path[64];
    struct text text;

    (void)state;
    text_init(&text);
    assert_int_equal(text_open(&text, true), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", text.fd);
    assert_int_equal(write(text.fd, "int y;", 6), 6);
    assert_int_equal(open(path, O_WRONLY | O_TRUNC), -1);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "int x;", 6), 6);
    close(fd);
    assert_int_equal(text_read(&text), -EIO);
    text_release(&text);
}

static void test_empty_text(void **state)
{
    struct text text;

    (void)state;
    text_init(&text);
    assert_int_equal(text_open(&text, false), 0);
    assert_int_equal(text_read(&text), 0);
    assert_false(text_shows(&text, ""));
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_texts_pass),
        cmocka_unit_test(test_what_reads_files_does_not),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_file_of_a_text),
        cmocka_unit_test(test_file_that_was_opened_anew),
        cmocka_unit_test(test_empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
