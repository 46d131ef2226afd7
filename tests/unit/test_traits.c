#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "server/traits.h"
#include "server/verdicts.h"

static const struct {
    const char *text;
    unsigned traits;
} rows[] = {
    {"#pragma GCC dependency \"a.h\"\n", TRAIT_DATED},
    {"int x;\n # pragma  GCC \\\n dependency <a.h>\n", TRAIT_DATED},
    {"#define P(x) _Pragma(#x)\nP(GCC dependency \"a.h\")\n", TRAIT_DATED},
    {"_Pragma(\"clang dependency \\\"a.h\\\"\")", TRAIT_DATED},
    {"/* a dependency */ int y;\n#pragma GCC dependency \"a.h\"\n", TRAIT_DATED},
    {"/* there is no dependency here */", 0},
    {"#pragma GCC poison strcpy\n", 0},
    {"dependency GCC", 0},
    {"", 0},
    {"asm(\".byte 0\");", TRAIT_ASSEMBLER},
    {"__asm__ volatile (\"nop\");", TRAIT_ASSEMBLER},
    {"int plasma, asmx, _asm1;", 0},
    {"#define IN(f) \".incbin \" #f", TRAIT_RAW},
    {"#embed \"x\"", TRAIT_RAW},
    {"#if __has_embed(\"x\")", TRAIT_RAW},
    {"for embedded systems", 0},
    {"int n = sizeof __FILE__;", TRAIT_OWN_NAME},
    {"#include <source_location>", TRAIT_OWN_NAME},
    {"#pragma clang diagnostic error \"-Wdocumentation\"", TRAIT_COMMENTS | TRAIT_PRAGMAS},
    {"#pragma GCC diagnostic warning \"-Wimplicit-fallthrough\"", TRAIT_COMMENTS | TRAIT_PRAGMAS},
    {"#pragma GCC diagnostic ignored \"-Wunused\"", TRAIT_PRAGMAS},
    {"puts(__PRETTY_FUNCTION__);", TRAIT_OWN_NAME},
    {"echo $RANDOM", TRAIT_CHANCE},
    {"V=${EPOCHREALTIME%.*}", TRAIT_CHANCE},
    {"int random(void);", 0},
};

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (traits_of_text(rows[i].text, strlen(rows[i].text)) != rows[i].traits)
            fail_msg("%s", rows[i].text);
}

VERDICTS(table, 2);

static void test_verdicts(void **state)
{
    struct digest one = {{1}}, other = {{0, 0, 0, 0, 0, 0, 0, 9}};
    uint8_t verdict;

    (void)state;
    assert_false(verdicts_recall(&table, &one, &verdict));
    verdicts_remember(&table, &one, 0);
    assert_true(verdicts_recall(&table, &one, &verdict));
    assert_int_equal(verdict, 0);
    assert_false(verdicts_recall(&table, &other, &verdict));
    verdicts_remember(&table, &other, 200);
    assert_true(verdicts_recall(&table, &other, &verdict));
    assert_int_equal(verdict, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
