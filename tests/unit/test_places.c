#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/places.h"

static char folder[] = "/tmp/ccwrap-places.XXXXXX";
static struct arena arena;
static char *no_words[] = {NULL};

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return rmdir(folder);
}

static struct places find(char **environment, char **words)
{
    struct places places;

    places_find(&places, &arena, environment, words);
    return places;
}

static void test_defaults(void **state)
{
    (void)state;
    struct places places = find((char *[]){"HOME=/home/me", NULL}, no_words);

    assert_string_equal(places.dir, "/home/me/.cache/ccwrap");
    assert_string_equal(places.config, "/home/me/.config/ccwrap/config");
    assert_string_equal(places.socket, find((char *[]){"HOME=/home//me/", NULL}, no_words).socket);
    assert_false(places.disable);
    assert_non_null(strstr(places.socket, ".sock"));
}

static void test_xdg_wins_over_home(void **state)
{
    (void)state;
    char *environment[] = {"HOME=/home/me", "XDG_CACHE_HOME=/c", "XDG_CONFIG_HOME=/k", NULL};
    struct places places = find(environment, no_words);

    assert_string_equal(places.dir, "/c/ccwrap");
    assert_string_equal(places.config, "/k/ccwrap/config");
    environment[1] = "XDG_CACHE_HOME=relative"; /* doesn't count, by the XDG specification */
    assert_string_equal(find(environment, no_words).dir, "/home/me/.cache/ccwrap");
}

static void test_no_home(void **state)
{
    (void)state;
    char *environments[][2] = {{NULL}, {"HOME=", NULL}, {"HOME=relative", NULL}};

    for (size_t i = 0; i < 3; i++) {
        struct places places = find(environments[i], no_words);
        assert_null(places.dir);
        assert_null(places.config);
        assert_non_null(places.socket);
    }
}

static void test_precedence(void **state)
{
    (void)state;
    char *path = arena_printf(&arena, "%s/config", folder);
    char *environment[] = {arena_printf(&arena, "CCWRAP_CONFIG=%s", path), "X=", "Y=", NULL};
    FILE *file = fopen(path, "w");

    fputs("# a remark\n dir = /from/file \ndisable=1\nunknown = 3\n", file);
    fclose(file);
    struct places places = find(environment, no_words);
    assert_string_equal(places.config, path);
    assert_string_equal(places.dir, "/from/file");
    assert_true(places.disable);

    environment[1] = "CCWRAP_DIR=/from/environment";
    environment[2] = "CCWRAP_DISABLE=off";
    places = find(environment, no_words);
    assert_string_equal(places.dir, "/from/environment");
    assert_false(places.disable);

    places = find(environment, (char *[]){"dir=/from/word", "disable=true", "socket=/s", NULL});
    assert_string_equal(places.dir, "/from/word");
    assert_string_equal(places.socket, "/s");
    assert_true(places.disable);
    unlink(path);
}

static const char *socket_of(const char *dir)
{
    return find((char *[]){arena_printf(&arena, "CCWRAP_DIR=%s", dir), NULL}, no_words).socket;
}

static void test_one_store_one_socket(void **state)
{
    (void)state;
    assert_string_equal(socket_of("/a/b"), socket_of("/a/b"));
    assert_string_equal(socket_of("/a/b"), socket_of("//a//b/"));
    assert_string_not_equal(socket_of("/a/b"), socket_of("/a/c"));
}

/* They leave what was in force before them. */
static void test_empty_and_bad_values(void **state)
{
    (void)state;
    char *path = arena_printf(&arena, "%s/config", folder);
    FILE *file = fopen(path, "w");

    fputs("dir = /from/file\ndir =\ndir = relative\nsocket = ~/s\ndisable = 1\n", file);
    fclose(file);
    struct places places = find((char *[]){arena_printf(&arena, "CCWRAP_CONFIG=%s", path), "HOME=/home/me",
                                           "CCWRAP_DIR=", "CCWRAP_SOCKET=s", "CCWRAP_DISABLE=maybe", NULL},
                                (char *[]){"dir=", "disable=", NULL});
    assert_string_equal(places.dir, "/from/file");
    assert_string_equal(places.socket, "/home/me/s");
    assert_true(places.disable);
    unlink(path);
}

static void test_paths(void **state)
{
    (void)state;
    char *home[] = {"HOME=/home/me", NULL};

    assert_string_equal(places_path(&arena, home, "/a"), "/a");
    assert_string_equal(places_path(&arena, home, "~/a"), "/home/me/a");
    assert_null(places_path(&arena, home, "~you/a"));
    assert_null(places_path(&arena, home, "a"));
    assert_null(places_path(&arena, home, ""));
    assert_null(places_path(&arena, no_words, "~/a"));
}

static void test_chosen_folder(void **state)
{
    (void)state;
    const char *socket_path = arena_printf(&arena, "%s/s.sock", folder);

    assert_int_equal(places_make_socket_folder(socket_path), 0);
    chmod(folder, 0755);
    assert_int_equal(places_make_socket_folder(socket_path), 0);
    chmod(folder, 0777);
    assert_int_equal(places_make_socket_folder(socket_path), -EPERM);
    chmod(folder, 0700);
    assert_int_equal(places_make_socket_folder(arena_printf(&arena, "%s/none/s.sock", folder)), -ENOENT);
    close(creat(socket_path, 0600));
    assert_int_equal(places_make_socket_folder(socket_path), -ENOTSOCK);
    unlink(socket_path);
}

/* Binds and connects by two addresses that were made apart. */
static void assert_meets(const char *path)
{
    struct sockaddr_un address;
    int opened, listener = socket(AF_UNIX, SOCK_STREAM, 0), caller = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_int_equal(places_socket_address(path, &address, &opened), 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    if (opened >= 0)
        close(opened);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(places_socket_address(path, &address, &opened), 0);
    assert_int_equal(connect(caller, (struct sockaddr *)&address, sizeof address), 0);
    if (opened >= 0)
        close(opened);
    close(listener);
    close(caller);
    unlink(path);
}

static void test_addresses(void **state)
{
    (void)state;
    struct sockaddr_un address;
    int opened;
    char *deep = arena_printf(&arena, "%s/%0200d", folder, 0);

    assert_meets(arena_printf(&arena, "%s/s.sock", folder));
    mkdir(deep, 0700);
    assert_meets(arena_printf(&arena, "%s/s.sock", deep));
    assert_int_equal(places_socket_address(arena_printf(&arena, "%s/%0120d", folder, 0), &address, &opened),
                     -ENAMETOOLONG);
    assert_int_equal(opened, -1);
    rmdir(deep);
    assert_int_equal(places_socket_address(arena_printf(&arena, "%s/s.sock", deep), &address, &opened),
                     -ENOENT);
}

static void test_own_files(void **state)
{
    (void)state;
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(length > 0);
    self[length] = '\0';
    assert_string_equal(places_own_file(&arena, strrchr(self, '/') + 1), self);
    assert_null(places_own_file(&arena, "no-such-file-of-ours"));
}

static void test_build_id(void **state)
{
    (void)state;
    assert_true(strlen(places_build_id()) > 0 && strlen(places_build_id()) <= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_xdg_wins_over_home),
        cmocka_unit_test(test_no_home),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_one_store_one_socket),
        cmocka_unit_test(test_empty_and_bad_values),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_chosen_folder),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_own_files),
        cmocka_unit_test(test_build_id),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
