#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/settings.h"

static struct arena arena;
static char file[64], complaints[4096];

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    strcpy(file, "/tmp/test_settings-XXXXXX");
    close(mkstemp(file));
    complaints[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(file);
    arena_release(&arena);
    return 0;
}

static void complain(void *data, const char *line)
{
    (void)data;
    strcat(complaints, line);
    strcat(complaints, "\n");
}

static struct settings load(const char *text, const char *variable, char *const *words)
{
    struct environment environment;
    struct settings settings;
    char **entries = ARENA_ARRAY(&arena, char *, 4);
    FILE *out = fopen(file, "w");

    fputs(text, out);
    fclose(out);
    entries[0] = arena_printf(&arena, "CCWRAP_CONFIG=%s", file);
    entries[1] = arena_strdup(&arena, "HOME=/home/someone");
    entries[2] = variable ? arena_strdup(&arena, variable) : NULL;
    environment_init(&environment, &arena, entries);
    settings_load(&settings, &arena, &environment, words, complain, NULL);
    return settings;
}

static void test_defaults(void **state)
{
    struct settings settings = load("", NULL, NULL);

    (void)state;
    assert_string_equal(settings.dir, "/home/someone/.cache/ccwrap");
    assert_true(settings.maxsize == 10ull << 30);
    assert_int_equal(settings.idle_timeout, 600);
    assert_true(settings.direct);
    assert_true(settings.recorder);
    assert_false(settings.disable);
    assert_string_equal(settings.basedir, "");
    assert_string_equal(complaints, "");
}

static void test_order_of_sources(void **state)
{
    char word[] = "namespace=word";
    char *const words[] = {word, NULL};

    (void)state;
    assert_string_equal(load("namespace = file\n", NULL, NULL).name_space, "file");
    assert_string_equal(load("namespace = file\n", "CCWRAP_NAMESPACE=variable", NULL).name_space, "variable");
    assert_string_equal(load("namespace = file\n", "CCWRAP_NAMESPACE=variable", words).name_space, "word");
}

static void test_values(void **state)
{
    struct settings settings =
        load("maxsize = 1.5M\nidle_timeout=0\ndirect = no\nmax_result = 7\n", NULL, NULL);

    (void)state;
    assert_int_equal(settings.maxsize, 1536 * 1024);
    assert_int_equal(settings.idle_timeout, 0);
    assert_false(settings.direct);
    assert_int_equal(settings.max_result, 7);
}

/* A bad line is told with its place, and what was in force stays. */
static void test_bad_lines(void **state)
{
    char expected[256];
    struct settings settings = load("maxsize = lots\nnonsense = 1\nlevel = 3\n", "CCWRAP_JOBS=many", NULL);

    (void)state;
    assert_true(settings.maxsize == 10ull << 30);
    assert_int_equal(settings.level, 3);
    assert_true(settings.jobs >= 1);
    snprintf(expected, sizeof expected, "%s:1: maxsize", file);
    assert_non_null(strstr(complaints, expected));
    snprintf(expected, sizeof expected, "%s:2: nonsense", file);
    assert_non_null(strstr(complaints, expected));
    assert_non_null(strstr(complaints, "CCWRAP_JOBS"));
}

static void test_empty_values(void **state)
{
    struct settings settings =
        load("maxsize = 3M\nmaxsize =\nbasedir = /a\nbasedir =\nlevel = 4\n", "CCWRAP_LEVEL=", NULL);

    (void)state;
    assert_true(settings.maxsize == 3 << 20);
    assert_string_equal(settings.basedir, "");
    assert_int_equal(settings.level, 4);
    assert_string_equal(load("", "CCWRAP_DIR=", NULL).dir, "/home/someone/.cache/ccwrap");
    assert_string_equal(load("log = /x\n", "CCWRAP_LOG=", NULL).log, "");
    assert_string_equal(complaints, "");
}

static void test_values_out_of_range(void **state)
{
    static const char *const lines[] = {"level = 0",        "level = 23",  "jobs = 0",
                                        "basedir = rel:/a", "basedir = /", "idle_timeout = -1",
                                        "log = x",          "dir = x",     "jobs = 99999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        complaints[0] = '\0';
        struct settings settings = load(lines[i], NULL, NULL);
        assert_string_not_equal(complaints, "");
        assert_int_equal(settings.level, 1);
        assert_true(settings.jobs >= 1 && settings.jobs < 99999);
        assert_string_equal(settings.basedir, "");
        assert_string_equal(settings.log, "");
    }
    complaints[0] = '\0';
    assert_string_equal(load("basedir = /a:/b/:", NULL, NULL).basedir, "/a:/b/:");
    assert_string_equal(load("log = ~/l", NULL, NULL).log, "/home/someone/l");
    assert_string_equal(complaints, "");
}

static void test_view_names_the_source(void **state)
{
    struct setting_view views[SETTING_COUNT];
    struct environment environment;
    char *entries[] = {arena_printf(&arena, "CCWRAP_CONFIG=%s", file), arena_strdup(&arena, "CCWRAP_LEVEL=5"),
                       NULL};
    FILE *out = fopen(file, "w");
    int seen = 0;

    (void)state;
    fputs("\nmaxsize = 3M\n", out);
    fclose(out);
    environment_init(&environment, &arena, entries);
    settings_view(views, &arena, &environment, complain, NULL);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(views[i].key, "maxsize") == 0) {
            assert_string_equal(views[i].value, "3M");
            assert_string_equal(views[i].source, arena_printf(&arena, "%s:2", file));
            seen++;
        } else if (strcmp(views[i].key, "level") == 0) {
            assert_string_equal(views[i].value, "5");
            assert_string_equal(views[i].source, "environment");
            seen++;
        }
    }
    assert_int_equal(seen, 2);
}

static void test_ages(void **state)
{
    (void)state;
    assert_int_equal(settings_parse_age("90"), 90);
    assert_int_equal(settings_parse_age("36h"), 36 * 3600);
    assert_int_equal(settings_parse_age("7d"), 7 * 86400);
    assert_int_equal(settings_parse_age("2w"), 14 * 86400);
    assert_int_equal(settings_parse_age(""), -1);
    assert_int_equal(settings_parse_age("d"), -1);
    assert_int_equal(settings_parse_age("-1"), -1);
    assert_int_equal(settings_parse_age("1y"), -1);
    assert_int_equal(settings_parse_age("99999999999999999999"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order_of_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values_out_of_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_view_names_the_source, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ages, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
