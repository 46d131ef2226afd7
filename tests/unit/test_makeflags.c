/* The jobserver's words in MAKEFLAGS and its like: found, hidden, replaced. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "jobserver/makeflags.h"

struct fixture {
    struct arena arena;
    struct environment environment;
};

static void fill(struct fixture *fixture, char **entries)
{
    arena_init(&fixture->arena);
    environment_init(&fixture->environment, &fixture->arena, entries);
}

static void assert_variable(struct fixture *fixture, const char *name, const char *value)
{
    const char *got = environment_get(&fixture->environment, name);

    if (value) {
        assert_non_null(got);
        assert_string_equal(got, value);
    } else {
        assert_null(got);
    }
}

static void test_hidden(void **state)
{
    char *entries[] = {"A=--jobserver-auth=1,2", "MAKEFLAGS=ks -j4 --jobserver-auth=3,4 -- X=1",
                       "MFLAGS=--jobserver-fds=3,4", "CARGO_MAKEFLAGS=-j --jobserver-auth=fifo:/t/f", NULL};
    struct fixture fixture;

    (void)state;
    fill(&fixture, entries);
    makeflags_hide_jobserver(&fixture.environment);
    assert_variable(&fixture, "A", "--jobserver-auth=1,2");
    assert_variable(&fixture, "MAKEFLAGS", "ks -j4 -- X=1");
    assert_variable(&fixture, "MFLAGS", "");
    assert_variable(&fixture, "CARGO_MAKEFLAGS", "-j");
    arena_release(&fixture.arena);
}

static void assert_announced(char *variable, char *other, enum makeflags_kind kind, int reading, int writing,
                             const char *fifo)
{
    char *entries[] = {variable, other, NULL};
    struct fixture fixture;
    struct makeflags_pool pool;

    fill(&fixture, entries);
    makeflags_announced(&fixture.environment, &pool);
    assert_int_equal(pool.kind, kind);
    if (kind == MAKEFLAGS_PIPE) {
        assert_int_equal(pool.fds[0], reading);
        assert_int_equal(pool.fds[1], writing);
    }
    if (kind == MAKEFLAGS_FIFO)
        assert_string_equal(pool.fifo, fifo);
    arena_release(&fixture.arena);
}

static void test_announced(void **state)
{
    (void)state;
    assert_announced("MAKEFLAGS= -j2 --jobserver-auth=3,4", NULL, MAKEFLAGS_PIPE, 3, 4, NULL);
    assert_announced("MAKEFLAGS= -j2 --jobserver-fds=5,6 -j", NULL, MAKEFLAGS_PIPE, 5, 6, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=1,2 --jobserver-auth=7,8", NULL, MAKEFLAGS_PIPE, 7, 8, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=fifo:/t/G1", NULL, MAKEFLAGS_FIFO, 0, 0, "/t/G1");
    assert_announced("MFLAGS=-j --jobserver-auth=3,4", "CARGO_MAKEFLAGS=--jobserver-auth=9,10",
                     MAKEFLAGS_PIPE, 9, 10, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=3,4", "CARGO_MAKEFLAGS=-j", MAKEFLAGS_PIPE, 3, 4, NULL);
    assert_announced("MAKEFLAGS=-j4", NULL, MAKEFLAGS_NONE, 0, 0, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=3", NULL, MAKEFLAGS_NONE, 0, 0, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=3,4x", NULL, MAKEFLAGS_NONE, 0, 0, NULL);
    assert_announced("MAKEFLAGS=--jobserver-auth=", NULL, MAKEFLAGS_NONE, 0, 0, NULL);
    assert_announced("OTHER=--jobserver-auth=3,4", NULL, MAKEFLAGS_NONE, 0, 0, NULL);
}

static void test_replaced(void **state)
{
    char *entries[] = {"MAKEFLAGS=s -j2 --jobserver-auth=3,4", "MFLAGS=-s", NULL};
    struct makeflags_pool pool = {.kind = MAKEFLAGS_PIPE, .fds = {4, 5}};
    struct fixture fixture;

    (void)state;
    fill(&fixture, entries);
    makeflags_announce(&fixture.environment, &pool);
    assert_variable(&fixture, "CARGO_MAKEFLAGS", "-j --jobserver-fds=4,5 --jobserver-auth=4,5");
    assert_variable(&fixture, "MAKEFLAGS", "s -j2 --jobserver-fds=4,5 --jobserver-auth=4,5");
    assert_variable(&fixture, "MFLAGS", "-s");
    arena_release(&fixture.arena);
}

/* What stands behind "--" is no option any more. */
static void test_put_before_variables(void **state)
{
    char *entries[] = {"MAKEFLAGS=s -j2 --jobserver-auth=3,4 -- CC=gcc A=--jobserver-x",
                       "MFLAGS=--jobserver-auth=3,4 --", NULL};
    struct makeflags_pool pool = {.kind = MAKEFLAGS_PIPE, .fds = {4, 5}};
    struct fixture fixture;

    (void)state;
    fill(&fixture, entries);
    makeflags_announce(&fixture.environment, &pool);
    assert_variable(&fixture, "MAKEFLAGS",
                    "s -j2 --jobserver-fds=4,5 --jobserver-auth=4,5 -- CC=gcc A=--jobserver-x");
    assert_variable(&fixture, "MFLAGS", " --jobserver-fds=4,5 --jobserver-auth=4,5 --");
    arena_release(&fixture.arena);
}

static void test_replaced_by_fifo(void **state)
{
    char *entries[] = {"CARGO_MAKEFLAGS=-j --jobserver-fds=6,7 --jobserver-auth=6,7", NULL};
    struct makeflags_pool pool = {.kind = MAKEFLAGS_FIFO, .fifo = "/run/x"}, again;
    struct fixture fixture;

    (void)state;
    fill(&fixture, entries);
    makeflags_announce(&fixture.environment, &pool);
    assert_variable(&fixture, "CARGO_MAKEFLAGS",
                    "-j --jobserver-fds=fifo:/run/x --jobserver-auth=fifo:/run/x");
    assert_variable(&fixture, "MAKEFLAGS", NULL);
    makeflags_announced(&fixture.environment, &again);
    assert_int_equal(again.kind, MAKEFLAGS_FIFO);
    arena_release(&fixture.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden),           cmocka_unit_test(test_announced),
        cmocka_unit_test(test_replaced),         cmocka_unit_test(test_put_before_variables),
        cmocka_unit_test(test_replaced_by_fifo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
