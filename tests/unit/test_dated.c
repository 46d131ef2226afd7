#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "server/dated.h"

static bool dated(const char *text)
{
    return dated_text(text, strlen(text));
}

static void test_words(void **state)
{
    (void)state;
    assert_true(dated("#pragma GCC dependency \"a.h\"\n"));
    assert_true(dated("int x;\n # pragma  GCC \\\n dependency <a.h>\n"));
    assert_true(dated("#define P(x) _Pragma(#x)\nP(GCC dependency \"a.h\")\n"));
    assert_true(dated("_Pragma(\"clang dependency \\\"a.h\\\"\")"));
    assert_true(dated("/* a dependency */ int y;\n#pragma GCC dependency \"a.h\"\n"));
    assert_false(dated("/* there is no dependency here */"));
    assert_false(dated("#pragma GCC poison strcpy\n"));
    assert_false(dated("dependency GCC"));
    assert_false(dated(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
