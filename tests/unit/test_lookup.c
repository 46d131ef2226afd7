#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/lookup.h"

static char root[] = "/tmp/ccwrap-lookup.XXXXXX";
static struct arena arena;
static struct lookup_self self;

static void make(const char *name, mode_t mode)
{
    int fd = open(name, O_CREAT | O_WRONLY, mode);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* own/ccwrap, own/copy (another copy), and three folders of a path. */
static int set_up(void **state)
{
    struct stat status;

    (void)state;
    arena_init(&arena);
    if (!mkdtemp(root) || chdir(root) != 0)
        return -1;
    mkdir("own", 0700), mkdir("other", 0700), mkdir("a", 0700), mkdir("b", 0700), mkdir("b/dir", 0700);
    make("own/ccwrap", 0755), make("other/ccwrap", 0755);
    make("a/plain", 0644), make("b/gcc", 0755), make("b/plain-2", 0644), make("b/link-target", 0755);
    if (link("own/ccwrap", "a/hard") != 0 || symlink("../own/ccwrap", "a/gcc") != 0 ||
        symlink("../other/ccwrap", "a/far") != 0 || symlink("far", "a/chain") != 0 ||
        symlink("link-target", "b/chain") != 0 || symlink("nowhere", "a/dangling") != 0 ||
        symlink("loop", "a/loop") != 0)
        return -1;
    if (stat("own/ccwrap", &status) != 0)
        return -1;
    self.device = status.st_dev;
    self.inode = status.st_ino;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"own/ccwrap", "other/ccwrap",  "a/plain",    "a/hard", "a/gcc",
                                        "a/far",      "a/chain",       "a/dangling", "a/loop", "b/gcc",
                                        "b/plain-2",  "b/link-target", "b/chain"};
    static const char *const folders[] = {"own", "other", "a", "b/dir", "b", root};

    (void)state;
    arena_release(&arena);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    int error = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        error |= rmdir(folders[i]);
    return error;
}

static void finds(const char *name, const char *path, const char *wanted)
{
    char *found = NULL;

    assert_int_equal(lookup_program(&found, NULL, &arena, name, path, root, &self), 0);
    assert_string_equal(found, arena_printf(&arena, "%s/%s", root, wanted));
}

static void fails(const char *name, const char *path, int error)
{
    char *found = NULL;
    assert_int_equal(lookup_program(&found, NULL, &arena, name, path, root, &self), error);
}

static void test_path(void **state)
{
    (void)state;
    char *found, *absolute = arena_printf(&arena, "/nowhere:%s/a:%s/b", root, root);

    finds("gcc", "b", "b/gcc");
    finds("link-target", absolute, "b/link-target");
    finds("gcc", "b/:a", "b//gcc");
    fails("none", absolute, -ENOENT);
    fails("", absolute, -ENOENT);
    fails("dir", absolute, -ENOENT);
    fails("dangling", absolute, -ENOENT);
    fails("loop", absolute, -ENOENT);
    assert_int_equal(lookup_program(&found, NULL, &arena, "sh", NULL, root, NULL), 0);
    assert_string_equal(found, "/bin/sh");
}

static void test_empty_parts_are_the_directory(void **state)
{
    (void)state;
    make("here", 0755);
    finds("here", "", "here");
    finds("here", "/nowhere:", "here");
    finds("here", ":/nowhere", "here");
    finds("here", "/nowhere::/nowhere", "here");
    unlink("here");
}

static void test_not_executable(void **state)
{
    (void)state;
    fails("plain", "a:b", -EACCES);
    fails("./a/plain", "b", -EACCES);
    fails("./b/dir", "b", -EISDIR);
    fails("./b/none", "b", -ENOENT);
    make("b/plain", 0755);
    finds("plain", "a:b", "b/plain"); /* one that can't be executed doesn't hide one that can */
    unlink("b/plain");
}

static void test_slash(void **state)
{
    (void)state;
    finds("b/gcc", "a", "b/gcc");
    finds("./b/gcc", "a", "b/gcc");
    finds("a/gcc", "b", "a/gcc"); /* never passed over: the caller decides */
}

static void passes(const char *name, const char *wanted)
{
    char *found;
    bool passed = false;

    assert_int_equal(lookup_program(&found, &passed, &arena, name, "a:b", root, &self), wanted ? 0 : -ENOENT);
    assert_true(passed);
    if (wanted)
        assert_string_equal(found, arena_printf(&arena, "%s/%s", root, wanted));
}

static void test_ccwrap_is_passed_over(void **state)
{
    (void)state;
    char *found;
    bool passed = true;

    passes("gcc", "b/gcc");     /* a link to this one */
    passes("chain", "b/chain"); /* a chain of links to another copy */
    passes("far", NULL);
    passes("hard", NULL);
    assert_int_equal(lookup_program(&found, &passed, &arena, "gcc", "b", root, &self), 0);
    assert_false(passed);
    assert_int_equal(lookup_program(&found, &passed, &arena, "gcc", "a:b", root, NULL), 0);
    assert_string_equal(found, arena_printf(&arena, "%s/a/gcc", root));
}

static void test_is_self(void **state)
{
    (void)state;
    struct lookup_self unknown = {0, 0};

    assert_true(lookup_is_self(&arena, "a/gcc", &self));
    assert_true(lookup_is_self(&arena, "a/hard", &self));
    assert_true(lookup_is_self(&arena, "a/chain", &unknown));
    assert_false(lookup_is_self(&arena, "a/hard", &unknown));
    assert_false(lookup_is_self(&arena, "b/chain", &self));
    assert_false(lookup_is_self(&arena, "a/loop", &self));
    assert_false(lookup_is_self(&arena, "a/dangling", &self));
}

static void test_self_is_this_program(void **state)
{
    (void)state;
    struct lookup_self mine;
    struct stat status;

    lookup_self(&mine);
    assert_int_equal(stat("/proc/self/exe", &status), 0);
    assert_true(mine.inode == status.st_ino && mine.device == status.st_dev);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(lookup_basename("gcc"), "gcc");
    assert_string_equal(lookup_basename("/usr/bin/gcc"), "gcc");
    assert_string_equal(lookup_basename("x/"), "");
    assert_string_equal(lookup_absolute(&arena, "/a", "/d"), "/a");
    assert_string_equal(lookup_absolute(&arena, "a", "/d"), "/d/a");
    assert_string_equal(lookup_absolute(&arena, ".//./a", "/"), "/a");
    assert_string_equal(lookup_absolute(&arena, "../a", "/d"), "/d/../a");
    assert_string_equal(lookup_absolute(&arena, "a", NULL), "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_empty_parts_are_the_directory),
        cmocka_unit_test(test_not_executable),
        cmocka_unit_test(test_slash),
        cmocka_unit_test(test_ccwrap_is_passed_over),
        cmocka_unit_test(test_is_self),
        cmocka_unit_test(test_self_is_this_program),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
