/* hash: equal contents give equal digests, and no two lists of fields give the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cache/hash.h"

static void digest_has_a_fixed_form(void **state)
{
    (void)state;
    char text[DIGEST_TEXT_SIZE];
    struct digest digest = digest_of("", 0);

    /* XXH3_128bits of nothing, as the reference implementation gives it in canonical form. */
    assert_string_equal(digest_text(&digest, text), "99aa06d3014798d86001c324468d497f");
}

static void digests_differ_by_content(void **state)
{
    (void)state;
    struct digest a = digest_of("abc", 3), same = digest_of("abc", 3), b = digest_of("abd", 3);

    assert_true(digest_equal(&a, &same));
    assert_false(digest_equal(&a, &b));
}

/* Each writes another list of fields that, put one behind the other without framing, would be alike. */
static void split_early(struct hasher *hasher)
{
    hasher_field(hasher, "x", "a", 1);
    hasher_field(hasher, "x", "bc", 2);
}

static void split_late(struct hasher *hasher)
{
    hasher_field(hasher, "x", "ab", 2);
    hasher_field(hasher, "x", "c", 1);
}

static void other_tag(struct hasher *hasher)
{
    hasher_field(hasher, "y", "ab", 2);
    hasher_field(hasher, "x", "c", 1);
}

static void as_text(struct hasher *hasher)
{
    hasher_text(hasher, "x", "ab");
    hasher_text(hasher, "x", "c");
}

static void unset_text(struct hasher *hasher)
{
    hasher_text(hasher, "x", NULL);
}

static void empty_text(struct hasher *hasher)
{
    hasher_text(hasher, "x", "");
}

static void number_zero(struct hasher *hasher)
{
    hasher_number(hasher, "x", 0);
}

static void eight_zeros(struct hasher *hasher)
{
    hasher_field(hasher, "x", "\0\0\0\0\0\0\0", 8);
}

static void nothing(struct hasher *hasher)
{
    (void)hasher;
}

static void (*const writers[])(struct hasher *) = {split_early, split_late,  other_tag,   as_text, unset_text,
                                                   empty_text,  number_zero, eight_zeros, nothing};

static struct digest digest_by(size_t index, const char *format)
{
    struct hasher hasher;

    hasher_init(&hasher, format);
    writers[index](&hasher);
    return hasher_finish(&hasher);
}

static void fields_are_framed(void **state)
{
    (void)state;
    enum { COUNT = sizeof writers / sizeof *writers };

    for (size_t i = 0; i < COUNT; i++) {
        struct digest one = digest_by(i, "f1"), again = digest_by(i, "f1"), other = digest_by(i, "f2");
        assert_true(digest_equal(&one, &again));
        assert_false(digest_equal(&one, &other));
        for (size_t j = 0; j < i; j++) {
            struct digest before = digest_by(j, "f1");
            assert_false(digest_equal(&one, &before));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest_has_a_fixed_form),
        cmocka_unit_test(digests_differ_by_content),
        cmocka_unit_test(fields_are_framed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
