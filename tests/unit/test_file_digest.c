/* file_digest: a remembered digest is never that of another content. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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

#include "cache/file_digest.h"
#include "common/clock.h"

static char folder[] = "/tmp/ccwrap-test-XXXXXX";
static int directory;
static int blanked; /* calls of blank_spaces */

static bool blank_spaces(const char *text, size_t length, struct buf *out)
{
    blanked++;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '!')
            return false;
        if (text[i] != ' ')
            buf_add_char(out, text[i]);
    }
    return true;
}

static void put(const char *name, const char *text)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Until stamps of what was written may be trusted. */
static void age(void)
{
    usleep(30000);
}

static void assert_content(struct file_digests *digests, const char *name, const char *text)
{
    struct file_facts facts;
    struct digest expected = digest_of(text, strlen(text));

    assert_int_equal(file_digest(digests, directory, name, false, &facts), 0);
    assert_true(digest_equal(&facts.content, &expected));
}

static void contents_are_digested(void **state)
{
    struct file_digests *digests = *state;
    struct stat status;
    struct file_facts facts;

    put("a", "text of a");
    age();
    assert_int_equal(file_digest(digests, directory, "a", false, &facts), 0);
    assert_int_equal(fstatat(directory, "a", &status, 0), 0);
    struct stamp stamp = stamp_of(&status);
    assert_true(stamp_equal(&facts.stamp, &stamp));
    assert_true(facts.trusted);
    assert_int_equal(facts.mode, S_IFREG | 0644);
    assert_content(digests, "a", "text of a");
    put("a", "");
    assert_content(digests, "a", "");
}

static void sizes_around_a_piece(void **state)
{
    struct file_digests *digests = *state;
    static const size_t sizes[] = {32767, 32768, 32769, 65536, 200000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = malloc(sizes[i] + 1);
        memset(text, 'a' + (int)i, sizes[i]);
        text[sizes[i]] = '\0';
        put("large", text);
        assert_content(digests, "large", text);
        free(text);
    }
}

/* The stamp of a file that was written within the present tick says nothing. */
static void quick_changes_are_seen(void **state)
{
    struct file_digests *digests = *state;
    char text[16];

    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "%06d", i);
        put("quick", text);
        assert_content(digests, "quick", text);
    }
}

static void old_mtime_does_not_deceive(void **state)
{
    struct file_digests *digests = *state;
    struct stat status;

    put("touched", "one");
    age();
    assert_content(digests, "touched", "one");
    assert_int_equal(fstatat(directory, "touched", &status, 0), 0);
    put("touched", "two");
    struct timespec times[] = {status.st_atim, status.st_mtim};
    assert_int_equal(utimensat(directory, "touched", times, 0), 0);
    assert_content(digests, "touched", "two");
}

static void only_regular_files(void **state)
{
    struct file_digests *digests = *state;
    struct file_facts facts;

    assert_int_equal(mkfifoat(directory, "fifo", 0600), 0);
    assert_int_equal(file_digest(digests, directory, "fifo", false, &facts), -EINVAL);
    assert_int_equal(file_digest(digests, directory, "/dev/null", false, &facts), -EINVAL);
    assert_int_equal(file_digest(digests, directory, ".", false, &facts), -EINVAL);
    assert_int_equal(file_digest(digests, directory, "none", false, &facts), -ENOENT);
    assert_int_equal(file_digest(digests, directory, "/proc/self/status", false, &facts), -EAGAIN);
    put("target", "text");
    assert_int_equal(symlinkat("target", directory, "link"), 0);
    assert_content(digests, "link", "text");
}

static void blank_digests(void **state)
{
    struct file_digests *digests = *state;
    struct file_facts one, other;

    put("one", "a b c");
    put("other", "ab  c");
    put("never", "a!");
    age();
    assert_int_equal(file_digest(digests, directory, "one", false, &one), 0);
    assert_false(one.has_blank);
    assert_int_equal(file_digest(digests, directory, "one", true, &one), 0);
    assert_int_equal(file_digest(digests, directory, "other", true, &other), 0);
    assert_true(one.has_blank && other.has_blank);
    assert_true(digest_equal(&one.blank, &other.blank));
    assert_false(digest_equal(&one.content, &other.content));
    int before = blanked;
    assert_int_equal(file_digest(digests, directory, "one", true, &one), 0);
    assert_true(one.has_blank);
    assert_int_equal(file_digest(digests, directory, "never", true, &one), 0);
    assert_false(one.has_blank);
    assert_int_equal(file_digest(digests, directory, "never", true, &one), 0);
    assert_int_equal(blanked, before + 1); /* both answers are remembered */
}

static void learned_facts_are_believed(void **state)
{
    struct file_digests *digests = *state;
    struct file_facts facts, lie;

    put("learn", "text");
    age();
    assert_int_equal(file_digest(digests, directory, "learn", false, &facts), 0);
    lie = facts;
    lie.content = digest_of("lie", 3);
    file_digest_learn(digests, &lie); /* only to see that it is remembered at all */
    assert_int_equal(file_digest(digests, directory, "learn", false, &facts), 0);
    assert_true(digest_equal(&facts.content, &lie.content));

    lie.mounts = file_digests_mounts(digests);
    file_digest_learn(digests, &lie);
    file_digests_mounts_changed(digests);
    assert_content(digests, "learn", "text");
}

static bool is_output(void *data, const char *name)
{
    return strcmp(name, data) == 0;
}

static void listings_hold_names_and_kinds(void **state)
{
    struct digest empty, one, other;
    char out[] = "out";

    (void)state;
    assert_int_equal(mkdirat(directory, "list", 0700), 0);
    assert_int_equal(directory_digest(directory, "list", NULL, NULL, &empty), 0);
    put("list/out", "");
    assert_int_equal(directory_digest(directory, "list", is_output, out, &other), 0);
    assert_true(digest_equal(&empty, &other));
    assert_int_equal(directory_digest(directory, "list", NULL, NULL, &one), 0);
    assert_false(digest_equal(&empty, &one));
    assert_int_equal(unlinkat(directory, "list/out", 0), 0);
    assert_int_equal(mkdirat(directory, "list/out", 0700), 0);
    assert_int_equal(directory_digest(directory, "list", NULL, NULL, &other), 0);
    assert_false(digest_equal(&one, &other));
    assert_int_equal(directory_digest(directory, "nowhere", NULL, NULL, &other), -ENOENT);
}

static void stamps_within_the_tick(void **state)
{
    (void)state;
    struct stamp stamp = {.mtime = 5, .ctime = 10};

    assert_true(stamp_trusted(&stamp, 11));
    assert_false(stamp_trusted(&stamp, 10));
    stamp.mtime = 20;
    assert_false(stamp_trusted(&stamp, 11));
}

static int set_up(void **state)
{
    *state = file_digests_new(blank_spaces);
    return 0;
}

static int tear_down(void **state)
{
    file_digests_free(*state);
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

#define WITH_DIGESTS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIGESTS(contents_are_digested),      WITH_DIGESTS(sizes_around_a_piece),
        WITH_DIGESTS(quick_changes_are_seen),     WITH_DIGESTS(old_mtime_does_not_deceive),
        WITH_DIGESTS(only_regular_files),         WITH_DIGESTS(blank_digests),
        WITH_DIGESTS(learned_facts_are_believed), WITH_DIGESTS(listings_hold_names_and_kinds),
        WITH_DIGESTS(stamps_within_the_tick),
    };

    assert_non_null(mkdtemp(folder));
    directory = open(folder, O_RDONLY | O_DIRECTORY);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
