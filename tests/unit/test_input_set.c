/* input_set: a set holds exactly as long as all is so as it was, also when checks go by remembered stamps. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cache/input_set.h"
#include "common/memory.h"

static char folder[] = "/tmp/ccwrap-test-XXXXXX";
static int root;
static struct file_digests *digests;

/* What the next check says of the request. */
static struct arena arena;
static struct environment environment;
static char *entries[] = {(char *)"HOME=/home/x", (char *)"EMPTY=", NULL};
static const char *facts[FACT_COUNT];
static const char *failed;

static bool blank_spaces(const char *text, size_t length, struct buf *out)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ')
            buf_add_char(out, text[i]);
    return true;
}

static const char *fact_of_request(void *data, enum input_fact fact)
{
    (void)data;
    return facts[fact];
}

static void put(const char *name, const char *text)
{
    int fd = openat(root, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void make(const char *name)
{
    assert_int_equal(mkdirat(root, name, 0755), 0);
}

static void drop(const char *name)
{
    if (unlinkat(root, name, 0) != 0)
        assert_int_equal(unlinkat(root, name, AT_REMOVEDIR), 0);
}

static void age(void)
{
    usleep(30000);
}

static void add_file(struct input_set_builder *builder, const char *name, bool executable)
{
    struct file_facts file;

    assert_int_equal(file_digest(digests, root, name, true, &file), 0);
    input_set_add_file(builder, name, &file, executable);
}

static struct input_set *pack(struct input_set_builder *builder)
{
    struct buf packed = BUF_INIT;

    input_set_pack(builder, root, &packed);
    input_set_builder_free(builder);
    struct input_set *set = input_set_unpack(packed.data, packed.length);
    assert_non_null(set);
    buf_release(&packed);
    return set;
}

static enum check_result check_in(struct input_set *set, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    int directory = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(directory >= 0);
    struct check check = {.digests = digests,
                          .directory = directory,
                          .directory_path = path,
                          .environment = &environment,
                          .fact = fact_of_request};
    failed = "";
    enum check_result result = input_set_check(set, &check, &failed);
    close(directory);
    return result;
}

static enum check_result check(struct input_set *set)
{
    return check_in(set, "");
}

/* Thrice: by the stamps of packing, by looking closer, by what that remembered. */
#define assert_holds(set)                                                                                    \
    do {                                                                                                     \
        assert_int_equal(check(set), CHECK_HOLDS);                                                           \
        age();                                                                                               \
        assert_int_equal(check(set), CHECK_HOLDS);                                                           \
        assert_int_equal(check(set), CHECK_HOLDS);                                                           \
    } while (0)

#define assert_fails(set, why)                                                                               \
    do {                                                                                                     \
        assert_int_equal(check(set), CHECK_FAILS);                                                           \
        assert_string_equal(failed, why);                                                                    \
    } while (0)

static void files_count_by_content(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    put("a.h", "one");
    put("b.h", "two");
    age();
    add_file(builder, "a.h", false);
    add_file(builder, "b.h", false);
    add_file(builder, "a.h", false);
    struct input_set *set = pack(builder);
    assert_holds(set);
    put("a.h", "eno");
    assert_fails(set, "a.h changed");
    put("a.h", "one");
    assert_holds(set);
    drop("b.h");
    assert_fails(set, "b.h is gone");
    put("c.h", "two");
    assert_int_equal(renameat(root, "c.h", root, "b.h"), 0);
    assert_holds(set);
    input_set_unref(set);
}

static void many_files(void **state)
{
    (void)state;
    enum { COUNT = 53 };
    struct input_set_builder *builder = input_set_builder_new();
    char name[32];

    make("many");
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "many/%d.h", i);
        put(name, name);
    }
    age();
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "many/%d.h", i);
        add_file(builder, name, false);
    }
    struct input_set *set = pack(builder);
    for (int i = 0; i < COUNT; i++) { /* each counts, before and after its group was settled */
        snprintf(name, sizeof name, "many/%d.h", i);
        put(name, "else");
        assert_int_equal(check(set), CHECK_FAILS);
        put(name, name);
        assert_int_equal(check(set), CHECK_HOLDS);
    }
    input_set_unref(set);
}

/* The way to a folder of many files is walked once; what holds is the same. */
static void files_of_a_deep_folder(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    char name[64];

    for (const char *const *made = (const char *const[]){"w", "w/a", "w/a/b", "w/a/b/c", "w/a/b/c/d", NULL};
         *made; made++)
        make(*made);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "w/a/b/c/d/h%02d.h", i);
        put(name, name);
    }
    put("w/a/b/c/d.h", "beside");
    put("w/a/z.h", "after");
    age();
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "w/a/b/c/d/h%02d.h", i);
        add_file(builder, name, false);
    }
    add_file(builder, "w/a/b/c/d.h", false);
    add_file(builder, "w/a/z.h", false);
    struct input_set *set = pack(builder);
    assert_holds(set);
    put("w/a/b/c/d/h17.h", "another");
    assert_fails(set, "w/a/b/c/d/h17.h changed");
    put("w/a/b/c/d/h17.h", "w/a/b/c/d/h17.h");
    assert_holds(set);
    put("w/a/z.h", "another");
    assert_fails(set, "w/a/z.h changed");
    put("w/a/z.h", "after");
    assert_int_equal(renameat(root, "w/a/b/c", root, "w/a/b/moved"), 0);
    assert_fails(set, "w/a/b/c/d.h is gone");
    assert_int_equal(symlinkat("moved", root, "w/a/b/c"), 0);
    assert_holds(set);
    put("w/a/b/moved/d/h29.h", "another");
    assert_fails(set, "w/a/b/c/d/h29.h changed");
    drop("w/a/b/moved/d/h29.h");
    assert_fails(set, "w/a/b/c/d/h29.h is gone");
    input_set_unref(set);
}

static void executables_keep_their_bit(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    put("tool", "#!");
    assert_int_equal(fchmodat(root, "tool", 0755, 0), 0);
    age();
    add_file(builder, "tool", true);
    struct input_set *set = pack(builder);
    assert_holds(set);
    assert_int_equal(fchmodat(root, "tool", 0644, 0), 0);
    assert_fails(set, "tool is not executable");
    input_set_unref(set);
}

static void absences_end_when_something_appears(void **state)
{
    (void)state;
    static const char *const names[] = {"inc1/x.h", "inc1/sub/x.h", "none/deep/x.h",
                                        "x.h",      "./y.h",        "inc1//z.h"};
    struct input_set_builder *builder = input_set_builder_new();

    make("inc1");
    age();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        input_set_add_absent(builder, names[i], i % 2);
    struct input_set *set = pack(builder);
    assert_holds(set);

    put("inc1/other.h", "");
    make("inc1/sub"); /* a part of a path that was missing is there, but not the whole */
    assert_holds(set);
    put("inc1/sub/x.h", "");
    assert_fails(set, "inc1/sub/x.h appeared");
    drop("inc1/sub/x.h");
    assert_holds(set);
    make("none");
    make("none/deep");
    assert_holds(set);
    put("none/deep/x.h", "");
    assert_fails(set, "none/deep/x.h appeared");
    drop("none/deep/x.h");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_holds(set);
        put(names[i], "");
        assert_int_equal(check(set), CHECK_FAILS);
        drop(names[i]);
    }
    input_set_unref(set);
}

/* The directory that holds the link doesn't change when what the link names appears. */
static void links_that_lead_nowhere(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    make("links");
    make("targets");
    assert_int_equal(symlinkat("../targets/t", root, "links/before"), 0);
    age();
    input_set_add_absent(builder, "links/before", true);
    input_set_add_absent(builder, "links/after", true);
    struct input_set *set = pack(builder);
    assert_holds(set);
    put("targets/t", "");
    assert_fails(set, "links/before appeared");
    drop("targets/t");
    assert_int_equal(symlinkat("../targets/t", root, "links/after"), 0);
    drop("links/before");
    assert_holds(set);
    put("targets/t", "");
    assert_fails(set, "links/after appeared");
    input_set_unref(set);
}

static void a_file_in_the_way_is_another_absence(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    put("plain", "");
    age();
    input_set_add_absent(builder, "plain/x.h", true);
    struct input_set *set = pack(builder);
    assert_holds(set);
    drop("plain");
    assert_fails(set, "plain/x.h is absent for another reason");
    input_set_unref(set);
}

static void what_appeared_before_packing_fails(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    make("late");
    put("late/x.h", "");
    age();
    input_set_add_absent(builder, "late/x.h", false);
    struct input_set *set = pack(builder);
    assert_fails(set, "late/x.h appeared");
    input_set_unref(set);
}

/* An older directory is renamed into the place of one whose stamp is remembered, within a tick. */
static void exchanged_directories(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    make("d1");
    make("d2");
    put("d2/x.h", "");
    age();
    input_set_add_absent(builder, "d1/x.h", false);
    struct input_set *set = pack(builder);
    assert_holds(set);
    assert_int_equal(renameat(root, "d1", root, "d3"), 0);
    assert_int_equal(renameat(root, "d2", root, "d1"), 0);
    assert_fails(set, "d1/x.h appeared");
    input_set_unref(set);
}

static void quick_appearances_are_seen(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    make("quick");
    input_set_add_absent(builder, "quick/x.h", false);
    struct input_set *set = pack(builder);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(check(set), CHECK_HOLDS);
        put("quick/x.h", "");
        assert_int_equal(check(set), CHECK_FAILS);
        drop("quick/x.h");
    }
    input_set_unref(set);
}

static void checkouts_in_turn(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    struct buf packed = BUF_INIT;

    make("co1");
    make("co2");
    make("co1/inc");
    make("co2/inc");
    put("co1/inc/a.h", "same");
    put("co2/inc/a.h", "same");
    age();
    struct file_facts file;
    assert_int_equal(file_digest(digests, root, "co1/inc/a.h", false, &file), 0);
    input_set_add_file(builder, "inc/a.h", &file, false);
    input_set_add_absent(builder, "inc/b.h", false);
    int directory = openat(root, "co1", O_RDONLY | O_DIRECTORY);
    input_set_pack(builder, directory, &packed);
    close(directory);
    input_set_builder_free(builder);
    struct input_set *set = input_set_unpack(packed.data, packed.length);
    buf_release(&packed);

    for (int i = 0; i < 4; i++)
        assert_int_equal(check_in(set, i % 2 ? "co2" : "co1"), CHECK_HOLDS);
    put("co2/inc/b.h", "");
    assert_int_equal(check_in(set, "co2"), CHECK_FAILS);
    assert_int_equal(check_in(set, "co1"), CHECK_HOLDS);
    input_set_unref(set);
}

static void kinds_links_and_times(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    struct stat status;
    char real[PATH_MAX], target[PATH_MAX + 16];

    make("kind");
    put("kind/file", "x");
    assert_int_equal(symlinkat("kind/file", root, "way"), 0);
    assert_non_null(realpath(folder, real));
    snprintf(target, sizeof target, "%s/kind/file", real);
    input_set_add_exists(builder, "kind", S_IFDIR | 0700, true);
    input_set_add_exists(builder, "way", S_IFLNK, false);
    input_set_add_link(builder, "way", 0, "kind/file");
    input_set_add_link(builder, "kind/file", -EINVAL, NULL);
    input_set_add_realpath(builder, "way", 0, "kind/file");
    input_set_add_realpath(builder, "kind/../way", 0, target);
    input_set_add_realpath(builder, "absent", -ENOENT, NULL);
    assert_int_equal(fstatat(root, "kind/file", &status, 0), 0);
    struct stamp stamp = stamp_of(&status);
    input_set_add_times(builder, "kind/file", &stamp, NULL);
    struct input_set *set = pack(builder);
    assert_holds(set);

    struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(root, "kind/file", times, 0), 0);
    assert_fails(set, "kind/file has another time");
    times[1] = status.st_mtim;
    assert_int_equal(utimensat(root, "kind/file", times, 0), 0);
    assert_holds(set);
    drop("way");
    assert_fails(set, "kind/../way resolves elsewhere");
    put("absent", "");
    assert_int_equal(symlinkat("absent", root, "way"), 0);
    assert_int_equal(check(set), CHECK_FAILS);
    drop("absent");
    drop("way");
    input_set_unref(set);
}

/* A folder whose stamp is watched answers for the folders and links in it. */
static struct input_set *set_with_entries(void)
{
    struct input_set_builder *builder = input_set_builder_new();

    input_set_add_exists(builder, "top", S_IFDIR, false);
    input_set_add_exists(builder, "top/one", S_IFDIR, false);
    input_set_add_exists(builder, "top/two", S_IFDIR, false);
    input_set_add_link(builder, "top/way", 0, "one");
    return pack(builder);
}

static void make_entries(void)
{
    make("top");
    make("top/one");
    make("top/two");
    assert_int_equal(symlinkat("one", root, "top/way"), 0);
}

static void entries_stay_what_they_are(void **state)
{
    (void)state;
    make_entries();
    age();
    struct input_set *set = set_with_entries();
    assert_holds(set);

    put("top/file", ""); /* another stamp, but all is so */
    assert_holds(set);
    drop("top/way");
    assert_fails(set, "top/way leads elsewhere");
    assert_int_equal(symlinkat("two", root, "top/way"), 0);
    assert_fails(set, "top/way leads elsewhere");
    drop("top/way");
    assert_int_equal(symlinkat("one", root, "top/way"), 0);
    assert_holds(set);
    assert_int_equal(renameat(root, "top/two", root, "top/three"), 0);
    assert_fails(set, "top/two is gone");
    assert_int_equal(symlinkat("three", root, "top/two"), 0);
    assert_fails(set, "top/two is of another kind");
    drop("top/two");
    assert_int_equal(renameat(root, "top/three", root, "top/two"), 0);
    assert_holds(set);
    assert_int_equal(renameat(root, "top", root, "other"), 0);
    assert_fails(set, "top is gone");
    assert_int_equal(symlinkat("other", root, "top"), 0);
    assert_fails(set, "top is of another kind");
    drop("top");
    input_set_unref(set);
}

/* What changed after it was observed, but before the stamps were taken. */
static void entries_are_looked_at_after_their_stamp(void **state)
{
    (void)state;
    make_entries();
    assert_int_equal(renameat(root, "top/two", root, "top/three"), 0);
    assert_int_equal(symlinkat("three", root, "top/two"), 0);
    age();
    struct input_set *set = set_with_entries();
    assert_fails(set, "top/two is of another kind");
    input_set_unref(set);

    drop("top/way");
    drop("top/two");
    assert_int_equal(renameat(root, "top/three", root, "top/two"), 0);
    assert_int_equal(symlinkat("two", root, "top/way"), 0);
    age();
    set = set_with_entries();
    assert_fails(set, "top/way leads elsewhere");
    input_set_unref(set);
}

/* gcc's folders, reached by climbing out of another: that one must stay what it is, too. */
static void climbing_paths(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    make("deep");
    make("deep/er");
    make("wide");
    put("deep/er/cc1", "program");
    age();
    add_file(builder, "deep/er/cc1", false);
    input_set_add_exists(builder, "deep/er/../../wide", S_IFDIR, true);
    input_set_add_absent(builder, "deep/er/../../wide/specs", true);
    input_set_add_absent(builder, "deep/er/../lib/specs", true);
    struct input_set *set = pack(builder);
    assert_holds(set);

    put("wide/specs", "");
    assert_fails(set, "wide/specs appeared");
    drop("wide/specs");
    make("deep/lib");
    assert_holds(set);
    put("deep/lib/specs", "");
    assert_fails(set, "deep/lib/specs appeared");
    drop("deep/lib/specs");
    assert_holds(set);

    make("away");
    assert_int_equal(renameat(root, "deep/er", root, "away/er"), 0);
    assert_int_equal(symlinkat("../away/er", root, "deep/er"), 0);
    assert_fails(set, "deep/er is of another kind"); /* deep/er/../lib is away/lib now */
    drop("deep/er");
    assert_int_equal(renameat(root, "away/er", root, "deep/er"), 0);
    assert_holds(set);
    input_set_unref(set);
}

static void twins_stay_as_they_are(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    put("twin1", "x");
    assert_int_equal(linkat(root, "twin1", root, "twin2", 0), 0);
    input_set_add_twins(builder, "twin1", "twin2", true, true);
    struct input_set *set = pack(builder);
    assert_holds(set);
    drop("twin2");
    put("twin2", "x");
    assert_fails(set, "twin1 and its twin are otherwise");
    input_set_unref(set);
}

static void listings_leave_out_outputs(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    const char *own[] = {"a.o", "a.d", NULL};
    struct digest names;

    make("listed");
    put("listed/a.c", "");
    assert_int_equal(directory_digest(root, "listed", NULL, NULL, &names), 0);
    input_set_add_listing(builder, "listed", &names, own);
    struct input_set *set = pack(builder);
    assert_holds(set);
    put("listed/a.o", "");
    assert_holds(set);
    put("listed/a", "");
    assert_fails(set, "listed lists other names");
    drop("listed/a");
    assert_holds(set);
    input_set_unref(set);
}

static void variables_and_facts(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();

    input_set_add_variable(builder, "HOME", "/home/x");
    input_set_add_variable(builder, "EMPTY", "");
    input_set_add_variable(builder, "UNSET", NULL);
    input_set_add_fact(builder, FACT_OUTPUT, "a.o");
    input_set_add_fact(builder, FACT_TERMINAL, NULL);
    struct input_set *set = pack(builder);
    facts[FACT_OUTPUT] = "a.o";
    assert_holds(set);
    facts[FACT_OUTPUT] = "b.o";
    assert_fails(set, "name of the output changed");
    facts[FACT_OUTPUT] = "a.o";
    facts[FACT_TERMINAL] = "";
    assert_fails(set, "terminal changed");
    facts[FACT_TERMINAL] = NULL;
    environment_set(&environment, "UNSET", "");
    assert_fails(set, "UNSET changed");
    environment_set(&environment, "UNSET", NULL);
    environment_set(&environment, "EMPTY", NULL);
    assert_fails(set, "EMPTY changed");
    environment_set(&environment, "EMPTY", "");
    assert_holds(set);
    input_set_unref(set);
}

static void comments_count_unless_allowed(void **state)
{
    (void)state;
    put("comments.h", "a b");
    age();
    struct input_set_builder *strict = input_set_builder_new(), *lax = input_set_builder_new();
    add_file(strict, "comments.h", false);
    add_file(lax, "comments.h", false);
    input_set_allow_comments(lax);
    struct input_set *strict_set = pack(strict), *lax_set = pack(lax);

    assert_holds(lax_set);
    put("comments.h", "a  b");
    assert_int_equal(check(lax_set), CHECK_HOLDS_BUT_COMMENTS);
    assert_int_equal(check(lax_set), CHECK_HOLDS_BUT_COMMENTS);
    assert_int_equal(check(strict_set), CHECK_FAILS);
    put("comments.h", "a c");
    assert_int_equal(check(lax_set), CHECK_FAILS);
    input_set_unref(strict_set);
    input_set_unref(lax_set);
}

static void damaged_bytes_do_no_harm(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    struct buf packed = BUF_INIT;

    put("some.h", "x");
    add_file(builder, "some.h", false);
    input_set_add_absent(builder, "no/where.h", true);
    input_set_add_link(builder, "some.h", -EINVAL, NULL);
    input_set_add_variable(builder, "HOME", "/home/x");
    input_set_pack(builder, root, &packed);
    input_set_builder_free(builder);
    for (size_t size = 0; size < packed.length; size++)
        assert_null(input_set_unpack(packed.data, size));
    for (size_t bit = 0; bit < 8 * packed.length; bit++) {
        char *copy = memory_alloc(packed.length);
        memcpy(copy, packed.data, packed.length);
        copy[bit / 8] ^= (char)(1 << bit % 8);
        struct input_set *set = input_set_unpack(copy, packed.length);
        if (set) /* a digest or a name: it may not hold, but must not crash */
            check(set);
        input_set_unref(set);
        memory_free(copy);
    }
    buf_release(&packed);
}

/* Several threads check one set while its stamps are learned. */
static void *check_often(void *set)
{
    struct arena own_arena;
    struct environment own_environment;
    struct check own = {.digests = digests, .directory = root, .directory_path = folder};
    long bad = 0;

    arena_init(&own_arena);
    environment_init(&own_environment, &own_arena, entries);
    own.environment = &own_environment;
    for (int i = 0; i < 200; i++)
        bad += input_set_check(set, &own, NULL) != CHECK_HOLDS;
    arena_release(&own_arena);
    return (void *)bad;
}

static void threads_share_a_set(void **state)
{
    (void)state;
    struct input_set_builder *builder = input_set_builder_new();
    pthread_t threads[4];

    make("shared");
    put("shared/a.h", "x");
    add_file(builder, "shared/a.h", false);
    input_set_add_absent(builder, "shared/b.h", true);
    struct input_set *set = pack(builder);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, check_often, set), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    input_set_unref(set);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_count_by_content),
        cmocka_unit_test(many_files),
        cmocka_unit_test(files_of_a_deep_folder),
        cmocka_unit_test(executables_keep_their_bit),
        cmocka_unit_test(absences_end_when_something_appears),
        cmocka_unit_test(links_that_lead_nowhere),
        cmocka_unit_test(a_file_in_the_way_is_another_absence),
        cmocka_unit_test(what_appeared_before_packing_fails),
        cmocka_unit_test(exchanged_directories),
        cmocka_unit_test(quick_appearances_are_seen),
        cmocka_unit_test(checkouts_in_turn),
        cmocka_unit_test(kinds_links_and_times),
        cmocka_unit_test(entries_stay_what_they_are),
        cmocka_unit_test(entries_are_looked_at_after_their_stamp),
        cmocka_unit_test(climbing_paths),
        cmocka_unit_test(twins_stay_as_they_are),
        cmocka_unit_test(listings_leave_out_outputs),
        cmocka_unit_test(variables_and_facts),
        cmocka_unit_test(comments_count_unless_allowed),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(threads_share_a_set),
    };

    assert_non_null(mkdtemp(folder));
    root = open(folder, O_RDONLY | O_DIRECTORY);
    digests = file_digests_new(blank_spaces);
    arena_init(&arena);
    environment_init(&environment, &arena, entries);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    file_digests_free(digests);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failures;
}
