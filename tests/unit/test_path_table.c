#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "server/path_table.h"

static struct arena arena;
static struct path_table table;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    path_table_init(&table, &arena, "/home/dir");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static void assert_form(const char *base, const char *path, const char *expected)
{
    assert_string_equal(path_table_form(&table, base, path), expected);
}

static void test_forms(void **state)
{
    (void)state;
    assert_form(NULL, "a.c", "a.c");
    assert_form(NULL, "./a.c", "a.c");
    assert_form(NULL, "sub//./a.c", "sub/a.c");
    assert_form(NULL, "../a.c", "../a.c");
    assert_form(NULL, "x/../a.c", "x/../a.c"); /* behind a link x this is another file */
    assert_form(NULL, "/usr//include/", "/usr/include");
    assert_form(NULL, "/", "/");
    assert_form(NULL, ".", ".");
    assert_form(NULL, "", ".");
}

/* Processes that changed their directory. */
static void test_bases(void **state)
{
    (void)state;
    assert_form("/home/dir", "a.c", "a.c");
    assert_form("/home/dir/sub", "a.c", "sub/a.c");
    assert_form("/home/dirt", "a.c", "/home/dirt/a.c");
    assert_form("/tmp", "a.c", "/tmp/a.c");
    assert_form("/tmp", "/etc/x", "/etc/x");
}

static void test_one_entry_a_path(void **state)
{
    char name[32];

    (void)state;
    struct path_entry *first = path_table_get(&table, NULL, "a.c");
    assert_ptr_equal(path_table_get(&table, "/home/dir", "./a.c"), first);
    for (int i = 0; i < 5000; i++) { /* it grows */
        snprintf(name, sizeof name, "file%d", i);
        path_table_get(&table, NULL, name)->use = (unsigned)i;
    }
    assert_int_equal(path_table_get(&table, NULL, "file4321")->use, 4321);
    assert_ptr_equal(path_table_get(&table, NULL, "a.c"), first);
    assert_ptr_equal(table.first, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_entry_a_path, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
