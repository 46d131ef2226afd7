#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "server/basedir.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static void assert_relative(const char *bases, const char *directory, const char *path, const char *expected)
{
    const char *relative = basedir_relative(&arena, bases, directory, path);

    if (!expected)
        assert_null(relative);
    else
        assert_string_equal(relative, expected);
}

static void test_relative(void **state)
{
    (void)state;
    assert_relative("/home/me", "/home/me/one/build", "/home/me/one/src/a.c", "../src/a.c");
    assert_relative("/home/me", "/home/me/one", "/home/me/one", ".");
    assert_relative("/home/me", "/home/me/one", "/home/me/one/a/b", "a/b");
    assert_relative("/home/me", "/home/me/one/a/b", "/home/me/one", "../../");
    assert_relative("/home/me", "/home/me/one", "/home/me/oneself", "../oneself");
    assert_relative("/home/me/", "/home/me", "/home/me/x", "x");
    assert_relative("/x:/home/me", "/home/me/b", "/home/me/x", "../x");
}

static void test_not_below(void **state)
{
    (void)state;
    assert_relative("/home/me", "/home/me/one", "/home/meg/a.c", NULL);
    assert_relative("/home/me", "/tmp", "/home/me/a.c", NULL);
    assert_relative("", "/tmp", "/tmp/a.c", NULL);
    assert_relative("/", "/tmp", "/tmp/a.c", NULL);
    assert_relative("relative", "/tmp", "/tmp/a.c", NULL);
    assert_relative("/tmp", "/tmp/a", "/tmp/b/../a.c", NULL);
    assert_relative("/tmp", "/tmp/a", "/tmp//a.c", NULL);
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(basedir_word(&arena, "/w", "/w/one", "-I/w/one/inc"), "-I\1inc");
    assert_string_equal(basedir_word(&arena, "/w", "/w/one", "--sysroot=/w/root"), "--sysroot=\1../root");
    assert_string_equal(basedir_word(&arena, "/w", "/w/one", "-Iinc"), "-Iinc");
    assert_string_equal(basedir_word(&arena, "/w", "/w/one", "-Ia/w/one/inc"), "-Ia/w/one/inc");
    assert_string_equal(basedir_word(&arena, "", "/w/one", "-I/w/one/inc"), "-I/w/one/inc");
}

/* The names of one checkout's depfile become another's. */
static void test_names(void **state)
{
    static const char names[] = "\0/w/one/src/a.c\0inc/b.h\0/usr/include/c.h\0/w/one\\ x.h";
    static const char expected[] = "\0/w/two/src/a.c\0inc/b.h\0/usr/include/c.h\0/w/one\\ x.h";
    struct buf hidden = BUF_INIT, shown = BUF_INIT;

    (void)state;
    basedir_hide_names(&arena, "/w", "/w/one/build", names, sizeof names, &hidden);
    basedir_show_names(&arena, "/w/two/build", hidden.data, hidden.length, &shown);
    assert_int_equal(shown.length, sizeof expected);
    assert_memory_equal(shown.data, expected, sizeof expected);
    buf_reset(&shown);
    basedir_show_names(&arena, "/w/one/build", hidden.data, hidden.length, &shown);
    assert_memory_equal(shown.data, names, sizeof names);
    buf_release(&hidden);
    buf_release(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_not_below),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
