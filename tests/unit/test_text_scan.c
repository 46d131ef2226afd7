#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* Names in markers are found wherever the text is cut in two. */
static void test_markers(void **state)
{
    static const char bytes[] =
        "# 1 \"a.c\"\nint x;\n# 1 \"dir/b \\\"q.h\" 1 3\n# 1 \"<built-in>\"\n#line 7 \"c.h\"\n"
        "# 4 \"/cwd//\"\n  # 1 \"no.h\"\n#define D \"no2.h\"\n";

    (void)state;
    for (size_t cut = 0; cut < sizeof bytes; cut++) {
        struct text text;
        text_init(&text, false);
        text_add(&text, bytes, cut);
        text_add(&text, bytes + cut, sizeof bytes - 1 - cut);
        assert_true(text_names(&text, "a.c"));
        assert_true(text_names(&text, "dir/b \"q.h"));
        assert_true(text_names(&text, "c.h"));
        assert_false(text_names(&text, "<built-in>"));
        assert_false(text_names(&text, "/cwd//"));
        assert_false(text_names(&text, "no.h"));
        assert_false(text_names(&text, "no2.h"));
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_texts_pass),
        cmocka_unit_test(test_what_reads_files_does_not),
        cmocka_unit_test(test_markers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
