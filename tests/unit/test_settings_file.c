#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/settings_file.h"

static char path[] = "/tmp/ccwrap-settings.XXXXXX";

struct seen {
    struct buf lines;      /* "NUMBER KEY=VALUE;" */
    struct buf complaints; /* "COMPLAINT;" */
};

static const char *take(void *context, unsigned number, const char *key, const char *value)
{
    struct seen *seen = context;

    if (strcmp(key, "bad") == 0)
        return "no such setting";
    buf_addf(&seen->lines, "%u %s=%s;", number, key, value);
    return NULL;
}

static void complain(void *context, const char *complaint)
{
    struct seen *seen = context;
    buf_addf(&seen->complaints, "%s;", complaint);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* Complaints are given without the path in front. */
static void reads(const char *text, size_t size, const char *lines, const char *complaints)
{
    struct seen seen = {BUF_INIT, BUF_INIT};
    struct arena arena;

    arena_init(&arena);
    write_file(text, size);
    assert_int_equal(settings_file_read(path, &arena, take, complain, &seen), 0);
    assert_string_equal(seen.lines.data ? seen.lines.data : "", lines);
    const char *got = seen.complaints.data ? seen.complaints.data : "";
    if (*complaints) {
        assert_memory_equal(got, path, strlen(path));
        got += strlen(path);
    }
    assert_string_equal(got, complaints);
    assert_int_equal(settings_file_read(path, &arena, take, NULL, &seen), 0);
    buf_release(&seen.lines);
    buf_release(&seen.complaints);
    arena_release(&arena);
}

#define READS(text, lines, complaints) reads(text, sizeof(text) - 1, lines, complaints)

static void test_lines(void **state)
{
    (void)state;
    READS("", "", "");
    READS("dir = /a\nsocket=/b\n", "1 dir=/a;2 socket=/b;", "");
    READS("\n# dir = /a\n  # x\n\t dir\t=  /with space \t\r\n", "4 dir=/with space;", "");
    READS("last = no newline", "1 last=no newline;", "");
    READS("a = b = c # d\n", "1 a=b = c # d;", "");
    READS("empty =\n", "1 empty=;", "");
}

static void test_bad_lines(void **state)
{
    (void)state;
    READS("bad = 1\ndir = /a\n", "2 dir=/a;", ":1: bad: no such setting;");
    READS("dir\n", "", ":1: dir: no \"=\";");
    READS("\n = 3\n", "", ":2: : no key;");
    READS("a\0b = 3\nc = 4\n", "2 c=4;", ":1: a: holds a NUL;");
}

static void test_files(void **state)
{
    (void)state;
    struct arena arena;

    arena_init(&arena);
    assert_int_equal(settings_file_read("/nowhere/at/all", &arena, take, NULL, NULL), -ENOENT);
    assert_int_equal(settings_file_read("/tmp", &arena, take, NULL, NULL), -EISDIR);
    assert_int_equal(settings_file_read("/dev/zero", &arena, take, NULL, NULL), -EINVAL);
    write_file("", 0);
    assert_int_equal(truncate(path, SETTINGS_FILE_MAX + 1), 0);
    assert_int_equal(settings_file_read(path, &arena, take, NULL, NULL), -EFBIG);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(settings_file_read(path, &arena, take, NULL, NULL), -EINVAL); /* and doesn't wait */
    unlink(path);
    arena_release(&arena);
}

static void test_bool(void **state)
{
    (void)state;
    static const char *const yes[] = {"1", "yes", "true", "on", "TRUE"};
    static const char *const no[] = {"0", "no", "false", "off", "Off"};
    static const char *const neither[] = {"", "2", "y", "truex"};
    bool value = false;

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        value = false;
        assert_true(settings_file_bool(yes[i], &value) && value);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        value = true;
        assert_true(settings_file_bool(no[i], &value) && !value);
    }
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++) {
        value = true;
        assert_false(settings_file_bool(neither[i], &value));
        assert_true(value);
    }
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_bool),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
