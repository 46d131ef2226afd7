#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"

static char path[] = "/tmp/ccwrap-log.XXXXXX";
static char old[sizeof path + 2];

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    snprintf(old, sizeof old, "%s.1", path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    log_close();
    unlink(path);
    unlink(old);
    return 0;
}

static off_t size_of(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 ? status.st_size : -1;
}

static void test_line(void **state)
{
    (void)state;
    char line[256];

    log_line("dropped");
    assert_false(log_is_open());
    assert_int_equal(log_open(path), 0);
    assert_true(log_is_open());
    log_line("%s %d", "number", 7);
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line + strlen("2000-01-01 00:00:00.000 "), "number 7\n");
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void test_long_line_is_cut(void **state)
{
    (void)state;
    char *text = malloc(100000);

    memset(text, 'x', 99999);
    text[99999] = '\0';
    off_t before = size_of(path);
    log_line("%s", text);
    assert_true(size_of(path) - before > 4000 && size_of(path) - before <= 4096);
    free(text);
}

static void *write_lines(void *unused)
{
    char text[1001];

    (void)unused;
    memset(text, 'y', 1000);
    text[1000] = '\0';
    for (int i = 0; i < 3000; i++)
        log_line("%s", text);
    return NULL;
}

static void test_size_is_bounded(void **state)
{
    (void)state;
    pthread_t threads[4];

    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(log_open(path), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(size_of(path) + size_of(old), 12000 * (24 + 1000 + 1)); /* whole lines, none lost */
    assert_true(size_of(old) <= LOG_MAX && size_of(path) <= LOG_MAX);
}

static void test_unwritable(void **state)
{
    (void)state;
    log_close();
    assert_true(log_open("/nowhere/at/all") < 0);
    assert_false(log_is_open());
    assert_int_equal(log_open("/dev/null"), -EINVAL);
    assert_int_equal(log_open("/tmp"), -EISDIR);
    assert_false(log_is_open());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_long_line_is_cut),
        cmocka_unit_test(test_size_is_bounded),
        cmocka_unit_test(test_unwritable),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
