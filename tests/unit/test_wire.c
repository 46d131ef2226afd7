#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire.h"

static char *argv_words[] = {"gcc", "-c", "", "a b.c", NULL};
static char *environment[] = {"A=1", "EMPTY=", NULL};
static char *settings[] = {"direct=0", NULL};

static struct wire_request sample(void)
{
    struct wire_request request;

    memset(&request, 0, sizeof request);
    strcpy(request.build, "build");
    request.flags = WIRE_TERMINAL_2 | WIRE_LINK;
    request.columns = 81;
    request.rows = 25;
    request.umask = 027;
    request.view = (struct wire_view){1, 2, 3, UINT64_MAX};
    request.program = "/usr/bin/gcc";
    request.directory = "/home/someone";
    request.argv = argv_words;
    request.environment = environment;
    request.settings = settings;
    return request;
}

static void assert_equal_lists(char **a, char **b)
{
    for (; *a && *b; a++, b++)
        assert_string_equal(*a, *b);
    assert_null(*a);
    assert_null(*b);
}

static void payload_of(struct buf *frame, const void **payload, size_t *size)
{
    enum wire_type type;
    struct wire_request request = sample();

    assert_true(wire_put_request(frame, &request));
    assert_int_equal(wire_frame(frame->data, frame->length, &type, payload, size), frame->length);
    assert_int_equal(type, WIRE_REQUEST);
}

static void test_request_comes_back(void **state)
{
    (void)state;
    struct buf frame = BUF_INIT;
    struct arena arena;
    struct wire_request request = sample(), got;
    const void *payload;
    size_t size;

    arena_init(&arena);
    payload_of(&frame, &payload, &size);
    assert_int_equal(wire_get_request(&got, &arena, payload, size), 0);
    assert_string_equal(got.build, request.build);
    assert_int_equal(got.flags, request.flags);
    assert_int_equal(got.columns, 81);
    assert_int_equal(got.rows, 25);
    assert_int_equal(got.umask, 027);
    assert_memory_equal(&got.view, &request.view, sizeof got.view);
    assert_string_equal(got.program, request.program);
    assert_string_equal(got.directory, request.directory);
    assert_equal_lists(got.argv, request.argv);
    assert_equal_lists(got.environment, request.environment);
    assert_equal_lists(got.settings, request.settings);
    arena_release(&arena);
    buf_release(&frame);
}

/* Every cut, in memory of exactly that size, so that a sanitizer sees a read beyond it. */
static void test_cut_requests_are_refused(void **state)
{
    (void)state;
    struct buf frame = BUF_INIT;
    struct wire_request got;
    const void *payload;
    size_t size;

    payload_of(&frame, &payload, &size);
    for (size_t cut = 0; cut < size; cut++) {
        struct arena arena;
        char *copy = malloc(cut + 1);
        arena_init(&arena);
        memcpy(copy, payload, cut);
        assert_int_equal(wire_get_request(&got, &arena, copy, cut), -EBADMSG);
        arena_release(&arena);
        free(copy);
    }
    buf_release(&frame);
}

static void test_damaged_requests_are_survived(void **state)
{
    (void)state;
    struct buf frame = BUF_INIT;
    struct wire_request got;
    const void *payload;
    size_t size, refused = 0;

    payload_of(&frame, &payload, &size);
    char *copy = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        struct arena arena;
        arena_init(&arena);
        memcpy(copy, payload, size);
        copy[i] = (char)0xff;
        refused += wire_get_request(&got, &arena, copy, size) != 0;
        arena_release(&arena);
    }
    assert_true(refused > 0 && refused < size); /* counts are refused, contents of strings aren't */
    memcpy(copy, payload, size);
    copy[size] = 0;
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(wire_get_request(&got, &arena, copy, size + 1), -EBADMSG); /* something behind it */
    arena_release(&arena);
    free(copy);
    buf_release(&frame);
}

static void refuse(void (*spoil)(struct wire_request *request))
{
    struct buf frame = BUF_INIT;
    struct arena arena;
    struct wire_request request = sample(), got;

    arena_init(&arena);
    spoil(&request);
    assert_true(wire_put_request(&frame, &request));
    assert_int_equal(wire_get_request(&got, &arena, frame.data + WIRE_HEADER, frame.length - WIRE_HEADER),
                     -EBADMSG);
    arena_release(&arena);
    buf_release(&frame);
}

static void relative_program(struct wire_request *request)
{
    request->program = "gcc";
}

static void relative_directory(struct wire_request *request)
{
    request->directory = "";
}

static void no_words(struct wire_request *request)
{
    request->argv = argv_words + 4;
}

static void test_impossible_requests_are_refused(void **state)
{
    (void)state;
    refuse(relative_program);
    refuse(relative_directory);
    refuse(no_words);
}

static void test_too_large_a_request(void **state)
{
    (void)state;
    struct buf frame = BUF_INIT;
    struct wire_request request = sample();
    char *large = malloc(WIRE_MAX + 1);

    memset(large, 'x', WIRE_MAX);
    large[WIRE_MAX] = '\0';
    char *words[] = {"gcc", large, NULL};
    request.argv = words;
    assert_false(wire_put_request(&frame, &request));
    assert_int_equal(frame.length, 0);
    large[WIRE_MAX - 4096] = '\0';
    assert_true(wire_put_request(&frame, &request));
    assert_true(frame.length <= WIRE_MAX);
    free(large);
    buf_release(&frame);
}

static void test_frames_in_pieces(void **state)
{
    (void)state;
    struct buf stream = BUF_INIT;
    enum wire_type type;
    const void *payload;
    size_t size;

    wire_add_frame(&stream, WIRE_OUTPUT, "\1text", 5);
    wire_add_frame(&stream, WIRE_ALIVE, NULL, 0);
    for (size_t have = 0; have < WIRE_HEADER + 5; have++)
        assert_int_equal(wire_frame(stream.data, have, &type, &payload, &size), 0);
    assert_int_equal(wire_frame(stream.data, stream.length, &type, &payload, &size), WIRE_HEADER + 5);
    assert_int_equal(type, WIRE_OUTPUT);
    assert_int_equal(size, 5);
    assert_memory_equal(payload, "\1text", 5);
    assert_int_equal(wire_frame(stream.data + 10, stream.length - 10, &type, &payload, &size), WIRE_HEADER);
    assert_int_equal(type, WIRE_ALIVE);
    assert_int_equal(size, 0);
    assert_memory_equal(stream.data + 10, "\1\0\0\0", 4); /* the length counts the type, in little-endian */
    buf_release(&stream);
}

static void test_impossible_lengths(void **state)
{
    (void)state;
    enum wire_type type;
    const void *payload;
    size_t size;

    assert_int_equal(wire_frame("\0\0\0\0", 4, &type, &payload, &size), -EBADMSG);
    assert_int_equal(wire_frame("\xff\xff\xff\xff", 4, &type, &payload, &size), -EBADMSG);
    assert_int_equal(wire_frame("\x00\x00\x80\x00", 4, &type, &payload, &size),
                     -EBADMSG); /* 8 MB and header */
    assert_int_equal(wire_frame("\x00\x00\x7f\x00", 4, &type, &payload, &size), 0);
}

static void test_view_is_the_same_twice(void **state)
{
    (void)state;
    struct wire_view a, b;

    wire_view_of_self(&a);
    wire_view_of_self(&b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.root_inode && a.mounts && a.user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_comes_back),
        cmocka_unit_test(test_cut_requests_are_refused),
        cmocka_unit_test(test_damaged_requests_are_survived),
        cmocka_unit_test(test_impossible_requests_are_refused),
        cmocka_unit_test(test_too_large_a_request),
        cmocka_unit_test(test_frames_in_pieces),
        cmocka_unit_test(test_impossible_lengths),
        cmocka_unit_test(test_view_is_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
