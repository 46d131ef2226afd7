#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cache/bases.h"

enum { SIZE = 2400, SETS = 400 };

static unsigned draw(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33);
}

/* Each base has about half of the set's bytes, at one place, and noise: so they fit about equally. */
static void add_half_alike(struct bases *bases, int64_t id, const unsigned char *set)
{
    struct base base = {.id = id, .bytes = malloc(SIZE), .size = SIZE};
    size_t from = draw() % (SIZE / 4);

    for (size_t i = 0; i < SIZE; i++)
        base.bytes[i] = (unsigned char)draw();
    memcpy(base.bytes + from, set + from, SIZE / 2 - draw() % 40);
    bases_add(bases, &base);
}

static const struct base *base_of(const struct bases *bases, int64_t id)
{
    for (size_t i = 0; i < bases->count; i++)
        if (bases->list[i].id == id)
            return &bases->list[i];
    return NULL;
}

/* What was packed can be unpacked on the base that was named, also where another one served as well. */
static void test_the_named_base_serves(void **state)
{
    unsigned packed = 0;

    (void)state;
    for (int i = 0; i < SETS; i++) {
        unsigned char set[SIZE], *got;
        struct bases bases = {.count = 0};
        struct buf out = BUF_INIT;
        int64_t id;
        size_t size;

        for (size_t at = 0; at < SIZE; at++)
            set[at] = "abcdefghijklmnopqrstuvwxyz/._-"[draw() % 30];
        for (int64_t number = 1; number <= BASES_TRIED; number++)
            add_half_alike(&bases, number, set);
        assert_int_equal(bases_pack(&bases, set, SIZE, &id, &out), 0);
        if (id) {
            assert_int_equal(base_unpack(base_of(&bases, id), out.data, out.length, &got, &size), 0);
            assert_int_equal(size, SIZE);
            assert_memory_equal(got, set, SIZE);
            free(got);
            packed++;
        }
        buf_release(&out);
        bases_release(&bases);
    }
    assert_true(packed > SETS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_named_base_serves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
