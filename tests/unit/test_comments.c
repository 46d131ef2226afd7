/* What is left of a text without its comments; and that columns, lines and tokens stay. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "server/compilers/comments.h"

struct sample {
    const char *text;
    const char *blanked; /* NULL: must not be treated */
};

#define SAME(text)                                                                                           \
    {                                                                                                        \
        text, text                                                                                           \
    }

static const struct sample samples[] = {
    SAME(""),
    SAME("int a;\n"),
    {"int /* x */ a;\n", "int         a;\n"},
    {"int a; /* x */\n", "int a;\n"},
    {"int a; // x\n", "int a;\n"},
    {"int a; // x", "int a;"},
    {"  // x\r\nint b;\r\n", "\r\nint b;\r\n"},
    {"/* a\n * b\n */\nint c;", "\n\n\nint c;"},
    {"a/**/b", "a    b"},
    {"#define F/**/(x) x\n", "#define F    (x) x\n"},
    {"#define X 1 /* a\n b */\nint c;", "#define X 1\n\nint c;"},
    {"x /* gr\xc3\xbc\xc3\x9f */ x", "x              x"},
    /* What a line begins with is its indentation, for gcc. */
    SAME("/* a */ x\n"),
    SAME("/* a\n b */ int c;"),
    SAME("/* a\n b */ #define X\n"),
    SAME("/* a */ /* b */  \nint c;"),
    /* What joins lines stays. */
    SAME("#define X /* a\n b */ 1\n"),
    SAME("x /* a\n b */ #define Y\n"),
    /* What a compiler reads or complains of stays. */
    SAME("/* FALLTHROUGH */\n"),
    SAME("// falls through\n"),
    SAME("/* NOLINT */ x\n"),
    SAME("/* a /* b */\n"),
    SAME("// a \\\n b\nint c;"),
    SAME("// a \\ \n b\nint c;"),
    SAME("x = y //* z */ 2\n"),
    SAME("/*\t*/ x\n"),
    {"/*\t*/\n", "\n"},
    SAME("// \xe2\x80\xae\n"),
    SAME("// \xff\n"),
    SAME("// \xc0\xaf\n"),
    SAME("// \x01\n"),
    /* A backslash that would come to stand before the newline. */
    SAME("a \\ // x\nb\n"),
    SAME("a \\ /* x */\nb\n"),
    {"a \\\n  // x\nb\n", "a \\\n\nb\n"},
    /* No comments at all. */
    SAME("\"/* a */\" '/*' \"\\\"//\" x\n"),
    SAME("\"a\\\n// b\" x\n"),
    SAME("'\"' /x"),
    {"'\"' // \"\n", "'\"'\n"},
    {"don't\n// x\n", "don't\n\n"},
    {"R\"(abc)\" // x\n", "R\"(abc)\"\n"},
    {"R\"q(abc)q\" // x\n", "R\"q(abc)q\"\n"},
    {"FOOR\"a\" // x\n", "FOOR\"a\"\n"},
    {"1'000'000 // x\n", "1'000'000\n"},
    SAME("1'000\n"),
    {"0x1p-3/* a */+1", "0x1p-3       +1"},
    {"#include <a.h> // x\n", "#include <a.h>\n"},
    {"a < b // x\n", "a < b\n"},
    /* Read differently by different compilers or languages, or by column. */
    {"R\"(a\n// b)\" x\n", NULL},
    {"R\"(\")\" // x\n", NULL},
    {"R\"(\\)\" // x\n", NULL},
    {"R\"(a\" // x\n", NULL},
    {"1'000 // x\n", NULL},
    {"don't // x\n", NULL},
    {"\"a\\\n", NULL},
    {"\"a\\ \n// b\" x\n", NULL},
    {"#include <a//b>\n", NULL},
    {"__has_include(<a/*b>)\n", NULL},
    {"/* a", NULL},
    {"/* a *\\\n/ x", NULL},
    {"/\\\n/ x", NULL},
    {"x ?\?/\n", NULL},
    {"a\rb", NULL},
    {"__TIMESTAMP__", NULL},
    {"std::source_location x;", NULL},
    {"#embed \"x\"\n", NULL},
    {"__builtin_COLUMN()", NULL},
    SAME("__TIMESTAMP__x\n"),
    /* gcc: #line counts from the end of its own line, and directives in a comment are seen by a warning */
    SAME("#line 5 /* a\n */\nint c;"),
    SAME(" %: 5 /* a\n */\nint c;"),
    SAME("int a; /* b\n #if c\n d */\nint e;"),
    {"const char *k = R\\\n\"( \" // a\n)\";\n", NULL},
};

static void test_samples(void **state)
{
    struct buf out = BUF_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        bool done;
        buf_reset(&out);
        buf_add_text(&out, "<");
        done = comments_blank(samples[i].text, strlen(samples[i].text), &out);
        if (done != (samples[i].blanked != NULL))
            fail_msg("%s: %s", samples[i].text, done ? "treated" : "not treated");
        if (done)
            assert_string_equal(out.data + 1, samples[i].blanked);
        else
            assert_int_equal(out.length, 1);
    }
    buf_release(&out);
}

static void test_nul(void **state)
{
    struct buf out = BUF_INIT;

    (void)state;
    assert_false(comments_blank("a\0b", 3, &out));
    assert_true(comments_blank("// a\0b\n", 7, &out));
    assert_int_equal(out.length, 7); /* gcc warns of it: kept */
    buf_release(&out);
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void make_text(struct buf *text)
{
    static const char *const pieces[] = {
        "/*",   "*/",   "//", "\n", "\"",   "'",       "\\",  "\\\n",     " ",
        "\t",   "a",    "1",  "#",  "<",    ">",       "R",   "(",        ")",
        "fall", "\r",   "/",  "*",  "\r\n", "include", "1'0", "\xc3\xa4", "\xe2\x80\xae",
        "x y",  "\"s\""};

    buf_reset(text);
    for (uint32_t count = draw(24) + 1; count; count--)
        buf_add_text(text, pieces[draw(sizeof(pieces) / sizeof(pieces[0]))]);
}

/* Every byte of `once` that isn't blank stands at the same line and column as in `text`. */
static bool keeps_places(const struct buf *text, const struct buf *once)
{
    const char *a = text->data, *b = once->data;

    for (;;) {
        size_t left = strcspn(a, "\n"), right = strcspn(b, "\n");
        if (right > left)
            return false;
        for (size_t i = 0; i < right; i++) {
            bool blank = b[i] == ' ' || (b[i] == '\r' && i + 1 == right);
            if (a[i] != b[i] && !blank)
                return false;
        }
        if (!a[left] || !b[right])
            return !a[left] && !b[right];
        a += left + 1;
        b += right + 1;
    }
}

static void test_random(void **state)
{
    struct buf text = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;
    unsigned treated = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        make_text(&text);
        buf_reset(&once);
        buf_reset(&twice);
        if (!comments_blank(text.data, text.length, &once))
            continue;
        if (!once.data)
            buf_add(&once, "", 0);
        treated++;
        if (!comments_blank(once.data ? once.data : "", once.length, &twice) || once.length != twice.length ||
            (once.length && memcmp(once.data, twice.data, once.length)))
            fail_msg("twice is not once: %s", text.data);
        if (once.length && !keeps_places(&text, &once))
            fail_msg("moved: %s", text.data);
    }
    assert_true(treated > 20000);
    buf_release(&text);
    buf_release(&once);
    buf_release(&twice);
}

/* Generated tables and minified sources are one line: time must grow with its length alone. */
static void test_long_lines(void **state)
{
    static const char *const parts[] = {"1,",   "a<",      "/**/",           "/* x */ ", "\"s\", ",
                                        "'c',", "1'000, ", "a\\ ",           "R\"(",     "// ",
                                        "x /",  "\t",      "__has_include(", "\\\n"};
    enum { COUNT = 1000 * 1000 };

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct buf text = BUF_INIT, out = BUF_INIT;
        buf_add_text(&text, "#include <a> ");
        for (int n = 0; n < COUNT; n++)
            buf_add_text(&text, parts[i]);
        comments_blank(text.data, text.length, &out); /* it ends */
        buf_release(&text);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
