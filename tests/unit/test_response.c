/* Response files: the words that a compiler would see. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/compilers/response.h"

static char folder[] = "/tmp/ccwrap-response-XXXXXX";
static int directory;
static struct arena arena;

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    directory = open(folder, O_RDONLY | O_DIRECTORY);
    return directory < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    static const char *const names[] = {"a", "b", "loop", "big", "many", "fifo", "sub"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (unlinkat(directory, names[i], 0))
            unlinkat(directory, names[i], AT_REMOVEDIR);
    }
    close(directory);
    rmdir(folder);
    arena_release(&arena);
    return 0;
}

static void write_file(const char *name, const char *text, size_t length)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    while (length) {
        ssize_t put = write(fd, text, length);
        assert_true(put > 0);
        text += put;
        length -= (size_t)put;
    }
    close(fd);
}

static enum response_result expand(const char *word, struct words *words)
{
    char *argv[] = {(char *)"@a", (char *)"-c", (char *)(uintptr_t)word, (char *)"z.c", NULL};
    return response_expand(4, argv, directory, &arena, words);
}

static void check(const char *text, const char *const *expected)
{
    struct words words;
    size_t count = 0;

    write_file("a", text, strlen(text));
    assert_int_equal(expand("@a", &words), RESPONSE_OK);
    assert_string_equal(words.items[0], "@a"); /* argv[0] is never one */
    assert_string_equal(words.items[1], "-c");
    for (; expected[count]; count++) {
        assert_true(count + 3 < words.count);
        assert_string_equal(words.items[count + 2], expected[count]);
    }
    assert_int_equal(words.count, count + 3);
    assert_string_equal(words.items[count + 2], "z.c");
    assert_null(words.items[words.count]);
}

static void test_words(void **state)
{
    (void)state;
    check("", (const char *const[]){NULL});
    check(" \n\t ", (const char *const[]){NULL});
    check("-DA -DB\n-DC\r\n", (const char *const[]){"-DA", "-DB", "-DC", NULL});
    check("'-DA=a b' \"-DB=\\\"x\\\"\" -DC=c\\ d",
          (const char *const[]){"-DA=a b", "-DB=\"x\"", "-DC=c d", NULL});
    check("-D'A'=\"1\"2 @missing @", (const char *const[]){"-DA=12", "@missing", "@", NULL});
    check("'a\\b' \"c'd\"", (const char *const[]){"ab", "c'd", NULL});
}

static void test_nested(void **state)
{
    (void)state;
    write_file("b", "-DIN 'x y'", 10);
    check("-DOUT @b -DEND", (const char *const[]){"-DOUT", "-DIN", "x y", "-DEND", NULL});
}

static void test_unclear(void **state)
{
    static const char *const texts[] = {"'open", "end\\", "''", "\xef\xbb\xbf-DA"};
    struct words words;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_file("a", texts[i], strlen(texts[i]));
        assert_int_equal(expand("@a", &words), RESPONSE_UNCLEAR);
        assert_string_equal(words.culprit, "@a");
    }
    write_file("a", "-DA\0-DB", 7);
    assert_int_equal(expand("@a", &words), RESPONSE_UNCLEAR);
}

static void test_loop_ends(void **state)
{
    struct words words;

    (void)state;
    write_file("loop", "@loop @loop", 11);
    assert_int_equal(expand("@loop", &words), RESPONSE_UNCLEAR);
}

static void test_bounds(void **state)
{
    size_t size = (100 << 20);
    struct words words;
    char *text;
    int fd;

    (void)state;
    fd = openat(directory, "big", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
    assert_int_equal(expand("@big", &words), RESPONSE_UNCLEAR);

    text = malloc(300001);
    for (size_t i = 0; i < 100000; i++)
        memcpy(text + 3 * i, "-w ", 3);
    write_file("many", text, 300000);
    free(text);
    assert_int_equal(expand("@many", &words), RESPONSE_OK);
    assert_int_equal(words.count, 100003);
}

static void test_special(void **state)
{
    struct words words;

    (void)state;
    assert_int_equal(mkfifoat(directory, "fifo", 0600), 0);
    assert_int_equal(expand("@fifo", &words), RESPONSE_SPECIAL);
    assert_int_equal(mkdirat(directory, "sub", 0700), 0);
    assert_int_equal(expand("@sub", &words), RESPONSE_SPECIAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),     cmocka_unit_test(test_nested), cmocka_unit_test(test_unclear),
        cmocka_unit_test(test_loop_ends), cmocka_unit_test(test_bounds), cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
