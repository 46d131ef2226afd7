#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "common/buf.h"
#include "server/locales.h"

static void names_of(const char *value, const char *expected)
{
    struct arena arena;
    struct locale_name *names = NULL;
    struct buf text = BUF_INIT;

    arena_init(&arena);
    locale_names(value, &arena, &names);
    for (; names; names = names->next)
        buf_addf(&text, "%s ", names->name);
    buf_add_char(&text, '\0');
    assert_string_equal(text.data, expected);
    buf_release(&text);
    arena_release(&arena);
}

static void test_parts(void **state)
{
    (void)state;
    names_of("de", "de ");
    names_of("de_DE", "de_DE de ");
    names_of("de_DE.UTF-8", "de_DE.utf8 de_DE.UTF-8 de_DE de.utf8 de.UTF-8 de ");
    names_of("ca@valencia", "ca@valencia ca ");
    names_of("ja.8859-1", "ja.iso88591 ja.8859-1 ja ");
}

static void test_lists(void **state)
{
    (void)state;
    names_of("de:fr", "de fr ");
    names_of("de:de", "de ");
    names_of("::fr:", "fr ");
}

static void test_without_files(void **state)
{
    (void)state;
    names_of("", "");
    names_of("C", "");
    names_of("POSIX", "");
    names_of("../../tmp", "");
    names_of("C.UTF-8", "C.utf8 C.UTF-8 C ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_without_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
