/* packed: what goes in comes out, and nothing that is damaged is taken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cache/packed.h"

static int memory_file(const void *bytes, size_t size)
{
    int fd = memfd_create("packed", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    return fd;
}

static struct packed *three_files(void)
{
    int fd = memory_file("from a file", 11);
    struct packed_file files[] = {
        {.role = 1, .flags = 7, .path = "a.o", .mode = S_IFREG | 0644, .size = 5, .bytes = "hello", .fd = -1},
        {.role = 2, .path = "", .mode = S_IFREG | 0755, .size = 11, .fd = fd},
        {.role = 300, .path = "empty", .size = 0, .fd = -1},
    };
    struct packed *packed;

    assert_int_equal(packed_make(files, 3, 1, 1000, &packed), 0);
    close(fd);
    return packed;
}

static void assert_next(struct unpacker *unpacker, const char *expected)
{
    struct buf buf = BUF_INIT;

    assert_int_equal(unpacker_next_to_buf(unpacker, &buf), 0);
    assert_int_equal(buf.length, strlen(expected));
    if (buf.length)
        assert_memory_equal(buf.data, expected, buf.length);
    buf_release(&buf);
}

static void index_and_contents_come_back(void **state)
{
    (void)state;
    struct packed *packed = three_files();
    struct packed_file file;

    assert_int_equal(packed_count(packed), 3);
    assert_int_equal(packed_content_size(packed), 16);
    packed_file(packed, 0, &file);
    assert_int_equal(file.role, 1);
    assert_int_equal(file.flags, 7);
    assert_string_equal(file.path, "a.o");
    assert_int_equal(file.mode, S_IFREG | 0644);
    packed_file(packed, 2, &file);
    assert_int_equal(file.role, 300);
    assert_string_equal(file.path, "empty");

    struct unpacker *unpacker = unpacker_new(packed);
    assert_next(unpacker, "hello");
    assert_next(unpacker, "from a file");
    assert_next(unpacker, "");
    struct buf buf = BUF_INIT;
    assert_int_equal(unpacker_next_to_buf(unpacker, &buf), -EBADMSG);
    buf_release(&buf);
    unpacker_free(unpacker);
    packed_unref(packed);
}

static void a_file_can_be_skipped(void **state)
{
    (void)state;
    struct packed *packed = three_files();
    struct unpacker *one = unpacker_new(packed), *other = unpacker_new(packed);

    assert_int_equal(unpacker_skip(one), 0);
    assert_next(other, "hello"); /* two at once don't disturb each other */
    assert_next(one, "from a file");
    unpacker_free(one);
    assert_next(other, "from a file");
    unpacker_free(other);
    packed_unref(packed);
}

static void large_files_go_through_pieces(void **state)
{
    (void)state;
    enum { SIZE = 5 * 1024 * 1024 + 17 };
    unsigned char *bytes = malloc(SIZE), *back = malloc(SIZE);
    uint32_t seed = 1;

    for (size_t i = 0; i < SIZE; i++) /* half of it compresses */
        bytes[i] = (unsigned char)(i < SIZE / 2 ? (seed = seed * 1664525 + 1013904223) >> 24 : i / 1000);
    int in = memory_file(bytes, SIZE), out = memfd_create("out", MFD_CLOEXEC);
    struct packed_file files[] = {
        {.role = 1, .path = "one", .size = SIZE, .fd = in},
        {.role = 2, .path = "two", .size = SIZE, .bytes = bytes, .fd = -1},
    };
    struct packed *packed;
    assert_int_equal(packed_make(files, 2, 1, UINT64_MAX, &packed), 0);
    assert_true(packed->size < 2 * SIZE);

    struct unpacker *unpacker = unpacker_new(packed);
    assert_int_equal(unpacker_skip(unpacker), 0);
    assert_int_equal(unpacker_next_to_fd(unpacker, out), 0);
    assert_int_equal(pread(out, back, SIZE, 0), SIZE);
    assert_memory_equal(bytes, back, SIZE);
    unpacker_free(unpacker);
    packed_unref(packed);
    close(in);
    close(out);
    free(bytes);
    free(back);
}

static void limits_are_kept(void **state)
{
    (void)state;
    int fd = memory_file("short", 5);
    struct packed_file file = {.path = "x", .size = 5, .fd = fd};
    struct packed *packed;

    assert_int_equal(packed_make(&file, 1, 1, 4, &packed), -EFBIG);
    file.size = 6;
    assert_int_equal(packed_make(&file, 1, 1, 100, &packed), -EIO);
    close(fd);
    assert_int_equal(packed_make(&file, 1, 1, 100, &packed), -EBADF);
    assert_int_equal(packed_make(NULL, 0, 1, 100, &packed), 0); /* a compile that wrote nothing */
    assert_int_equal(packed_count(packed), 0);
    packed_unref(packed);
}

static unsigned char *copy_of(const struct packed *packed)
{
    unsigned char *bytes = malloc(packed->size);
    memcpy(bytes, packed->bytes, packed->size);
    return bytes;
}

static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    struct packed *packed = three_files();
    struct packed *same = packed_adopt(copy_of(packed), packed->size);

    assert_non_null(same);
    assert_int_equal(packed_checksum(same), packed_checksum(packed));
    packed_unref(same);
    for (size_t i = 0; i < packed->size; i++) {
        unsigned char *bytes = copy_of(packed);
        bytes[i] ^= 1 << (i % 8);
        assert_null(packed_adopt(bytes, packed->size));
    }
    for (size_t size = 0; size < packed->size; size++) {
        unsigned char *bytes = copy_of(packed);
        assert_null(packed_adopt(bytes, size));
    }
    packed_unref(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_and_contents_come_back),  cmocka_unit_test(a_file_can_be_skipped),
        cmocka_unit_test(large_files_go_through_pieces), cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
