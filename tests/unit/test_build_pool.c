/* Jobservers of a build, checked, and the server's own. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobserver/build_pool.h"
#include "jobserver/own_pool.h"

static char folder[] = "/tmp/ccwrap-pool-XXXXXX";

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void test_pipe(void **state)
{
    int one[2], two[2];

    (void)state;
    assert_int_equal(pipe(one), 0);
    assert_int_equal(pipe(two), 0);
    assert_true(build_pool_is_pipe(one));
    assert_false(build_pool_is_pipe((int[]){one[1], one[0]}));
    assert_false(build_pool_is_pipe((int[]){one[0], two[1]}));
    assert_false(build_pool_is_pipe((int[]){-1, -1}));
    int file = open("/dev/null", O_RDWR);
    assert_false(build_pool_is_pipe((int[]){file, file}));
    close(file);
    close(one[1]);
    assert_false(build_pool_is_pipe(one));
    close(one[0]);
    close(two[0]);
    close(two[1]);
}

static void test_fifo(void **state)
{
    char path[64], file[64];

    (void)state;
    snprintf(path, sizeof path, "%s/fifo", folder);
    snprintf(file, sizeof file, "%s/file", folder);
    assert_false(build_pool_is_fifo(path));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(build_pool_is_fifo(path));
    assert_false(build_pool_is_fifo("fifo"));
    close(open(file, O_WRONLY | O_CREAT, 0600));
    assert_false(build_pool_is_fifo(file));
    unlink(path);
    unlink(file);
}

static int tokens(const char *path)
{
    int fd = open(path, O_RDWR | O_NONBLOCK), count = -1;

    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, FIONREAD, &count), 0);
    close(fd);
    return count;
}

static void test_own(void **state)
{
    struct own_pool pool;
    char byte;

    (void)state;
    own_pool_init(&pool, folder, 4);
    const char *path = own_pool_join(&pool);
    assert_non_null(path);
    assert_int_equal(tokens(path), 3);
    assert_ptr_equal(own_pool_join(&pool), path);

    int fd = open(path, O_RDWR | O_NONBLOCK); /* one that took tokens and died */
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(read(fd, &byte, 1), 1);
    close(fd);
    assert_int_equal(tokens(path), 1);
    own_pool_leave(&pool);
    assert_int_equal(tokens(path), 1); /* the other may have them */
    own_pool_leave(&pool);
    assert_int_equal(tokens(path), 3);

    fd = open(path, O_RDWR | O_NONBLOCK); /* one that gave back more than it took */
    own_pool_join(&pool);
    assert_int_equal(write(fd, "+++", 3), 3);
    own_pool_leave(&pool);
    assert_int_equal(tokens(path), 3);
    close(fd);
    own_pool_close(&pool);
    assert_int_not_equal(access(path, F_OK), 0);
    own_pool_close(&pool);
}

static void test_tidied_up(void **state)
{
    struct own_pool pool;

    (void)state;
    own_pool_init(&pool, folder, 2);
    const char *path = own_pool_join(&pool);
    own_pool_leave(&pool);
    assert_int_equal(unlink(path), 0);
    path = own_pool_join(&pool);
    assert_non_null(path);
    assert_int_equal(tokens(path), 1);
    own_pool_leave(&pool);
    own_pool_close(&pool);
}

static void test_none(void **state)
{
    struct own_pool pool;

    (void)state;
    own_pool_init(&pool, folder, 0);
    assert_null(own_pool_join(&pool));
    own_pool_init(&pool, NULL, 4);
    assert_null(own_pool_join(&pool));
    own_pool_init(&pool, "/a b", 4);
    assert_null(own_pool_join(&pool));
    own_pool_init(&pool, "/nowhere/at/all", 4);
    assert_null(own_pool_join(&pool));
    own_pool_init(&pool, folder, 1);
    const char *path = own_pool_join(&pool);
    assert_non_null(path);
    assert_int_equal(tokens(path), 0);
    own_pool_leave(&pool);
    own_pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe),      cmocka_unit_test(test_fifo), cmocka_unit_test(test_own),
        cmocka_unit_test(test_tidied_up), cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
