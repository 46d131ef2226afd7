/* record_log: the log as its reader sees it, written here entry by entry as a recorder would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "spawn/record_format.h"
#include "spawn/record_log.h"

enum { ROOT = 100, CHILD = 200 };

struct fixture {
    char folder[32];
    struct record_log log;
};

static int set_up(void **state)
{
    struct fixture *fixture = memory_zalloc(sizeof *fixture);

    strcpy(fixture->folder, "/tmp/recordlogXXXXXX");
    if (!mkdtemp(fixture->folder) || record_log_open(&fixture->log, fixture->folder) != 0)
        return -1;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    record_log_close(&fixture->log);
    int error = rmdir(fixture->folder); /* fails if the log is still there */
    memory_free(fixture);
    return error;
}

static struct record_log *log_of(void **state)
{
    return &((struct fixture *)*state)->log;
}

static struct record_file *file_of(struct record_log *log)
{
    return (struct record_file *)(void *)log->map;
}

/* Appends a record and returns its entry. */
static struct record_entry *put(struct record_log *log, const struct record *record)
{
    size_t path_size = strlen(record->path) + 1, text_size = strlen(record->text) + 1;
    size_t size = (sizeof(struct record_entry) + path_size + text_size + 7) / 8 * 8;
    struct record_entry *entry = (void *)(log->map + file_of(log)->used);

    file_of(log)->used += size;
    while (file_of(log)->backed < file_of(log)->used) /* as a writer does first */
        file_of(log)->backed += RECORD_CHUNK;
    entry->pid = record->pid;
    entry->kind = record->kind;
    entry->result = record->result;
    entry->flags = record->flags;
    entry->value = record->value;
    entry->path_size = (uint32_t)path_size;
    memcpy(entry->strings, record->path, path_size);
    memcpy(entry->strings + path_size, record->text, text_size);
    entry->size = (uint32_t)size;
    return entry;
}

static struct record_entry *put_path(struct record_log *log, pid_t pid, enum record_kind kind,
                                     const char *path)
{
    return put(log, &(struct record){.kind = kind, .pid = pid, .path = path, .text = ""});
}

static void put_start(struct record_log *log, pid_t pid)
{
    put_path(log, pid, RECORD_DIRECTORY, "/");
    put_path(log, pid, RECORD_START, "/bin/started");
    if (!file_of(log)->first)
        file_of(log)->first = pid;
}

static void put_exec(struct record_log *log, pid_t pid, uint32_t flags, const char *path)
{
    put(log, &(struct record){.kind = RECORD_EXEC, .pid = pid, .flags = flags, .path = path, .text = ""});
}

static void put_spawn(struct record_log *log, pid_t child, uint32_t flags, const char *path)
{
    put(log,
        &(struct record){
            .kind = RECORD_SPAWN, .pid = ROOT, .flags = flags, .value = child, .path = path, .text = ""});
}

static void assert_fault(struct record_log *log, enum record_fault expected, const char *expected_culprit)
{
    const char *culprit = NULL;

    assert_int_equal(record_log_check(log, ROOT, &culprit), expected);
    assert_string_equal(culprit, expected_culprit);
}

/* ---- the file ---- */

static void the_file_is_private_and_sparse(void **state)
{
    struct record_log *log = log_of(state);
    struct stat status;

    assert_int_equal(stat(log->path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(status.st_size, RECORD_FILE_SIZE);
    assert_true(status.st_blocks * 512 < 1024 * 1024);
}

static void a_missing_folder_is_an_error_and_may_be_closed(void **state)
{
    struct record_log log;

    (void)state;
    assert_int_equal(record_log_open(&log, "/nonexistent/folder"), -ENOENT);
    assert_int_equal(log.fd, -1);
    record_log_close(&log);
    assert_int_equal(
        record_log_open(&log, "/a/folder/whose/name/is/too/long/for/the/path/in/the/structure/of/a/log"),
        -ENAMETOOLONG);
    record_log_close(&log);
}

static void started_is_about_the_root(void **state)
{
    struct record_log *log = log_of(state);

    assert_false(record_log_started(log, ROOT));
    put_start(log, ROOT);
    assert_true(record_log_started(log, ROOT));
    assert_false(record_log_started(log, CHILD));
}

static void reset_forgets_all(void **state)
{
    struct record_log *log = log_of(state);
    struct record record;

    put_start(log, ROOT);
    assert_int_equal(record_log_reset(log), 0);
    assert_false(record_log_started(log, ROOT));
    assert_false(record_log_next(log, &record));
    put_start(log, ROOT);
    assert_fault(log, RECORD_WHOLE, "");
}

/* ---- reading ---- */

static void a_record_comes_back_as_it_was_written(void **state)
{
    struct record_log *log = log_of(state);
    struct record written = {RECORD_RENAME, ROOT, -ENOENT, 7, 1234567890123, "old", "new"}, read;

    put(log, &written);
    assert_true(record_log_next(log, &read));
    assert_int_equal(read.kind, written.kind);
    assert_int_equal(read.pid, written.pid);
    assert_int_equal(read.result, written.result);
    assert_int_equal(read.flags, written.flags);
    assert_int_equal(read.value, written.value);
    assert_string_equal(read.path, "old");
    assert_string_equal(read.text, "new");
    assert_false(record_log_next(log, &read));
    record_log_rewind(log);
    assert_true(record_log_next(log, &read));
}

static void damage_ends_the_reading(void **state)
{
    struct record_log *log = log_of(state);
    struct record record;
    struct record_entry *entry = put_path(log, ROOT, RECORD_OPEN, "path");
    const struct record_entry good = *entry;
    const uint32_t sizes[] = {0, 8, sizeof *entry, good.size + 1, good.size + 8, 0xfffffff8u};
    const uint32_t path_sizes[] = {0, 1, good.size, 0xffffffffu};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        entry->size = sizes[i];
        record_log_rewind(log);
        assert_false(record_log_next(log, &record));
    }
    entry->size = good.size;
    for (size_t i = 0; i < sizeof path_sizes / sizeof path_sizes[0]; i++) {
        entry->path_size = path_sizes[i];
        record_log_rewind(log);
        assert_false(record_log_next(log, &record));
    }
    entry->path_size = good.path_size;
    record_log_rewind(log);
    assert_true(record_log_next(log, &record));
    file_of(log)->used = UINT64_MAX;
    assert_false(record_log_next(log, &record));
}

/* ---- the canary ---- */

static void an_empty_log_has_no_start(void **state)
{
    assert_fault(log_of(state), RECORD_NO_START, "");
}

static void a_start_of_another_process_is_not_the_roots(void **state)
{
    put_start(log_of(state), CHILD);
    assert_fault(log_of(state), RECORD_NO_START, "");
}

static void programs_that_start_are_whole(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_exec(log, ROOT, RECORD_KEPT, "/bin/next");
    put_start(log, ROOT);
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/child");
    put_start(log, CHILD);
    assert_fault(log, RECORD_WHOLE, "");
}

static void a_child_may_start_before_its_spawn_is_logged(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_start(log, CHILD);
    put_exec(log, CHILD, RECORD_KEPT, "/bin/more");
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/child");
    assert_fault(log, RECORD_UNWATCHED, "/bin/child");
    put_start(log, CHILD);
    assert_fault(log, RECORD_WHOLE, "");
}

static void an_exec_without_a_start_is_unwatched(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_exec(log, CHILD, RECORD_KEPT, "/bin/silent");
    assert_fault(log, RECORD_UNWATCHED, "/bin/silent");
}

static void a_failed_exec_needs_no_start(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_exec(log, CHILD, RECORD_KEPT, "/bin/absent");
    put(log, &(struct record){RECORD_EXEC_FAILED, CHILD, -ENOENT, 0, 0, "/bin/absent", ""});
    assert_fault(log, RECORD_WHOLE, "");
}

/* A parent under load logs its spawn late: meanwhile a shell looks for a program on PATH by trying. */
static void failed_execs_before_the_spawn_is_logged(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_start(log, CHILD);
    for (int i = 0; i < 3; i++) {
        put_exec(log, CHILD, RECORD_KEPT, "/bin/absent");
        put(log, &(struct record){RECORD_EXEC_FAILED, CHILD, -ENOENT, 0, 0, "/bin/absent", ""});
    }
    put_exec(log, CHILD, RECORD_KEPT, "/bin/there");
    put_start(log, CHILD);
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/sh");
    assert_fault(log, RECORD_WHOLE, "");
}

static void a_failed_spawn_does_not_excuse_an_exec(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_exec(log, ROOT, RECORD_KEPT, "/bin/silent");
    put(log, &(struct record){RECORD_EXEC_FAILED, ROOT, -ENOENT, 0, 0, "/bin/absent", ""});
    assert_fault(log, RECORD_UNWATCHED, "/bin/silent");
}

static void a_pid_used_again_is_counted(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/one");
    put_start(log, CHILD);
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/two");
    assert_fault(log, RECORD_UNWATCHED, "/bin/two");
}

static void a_program_without_a_loader_hides_what_it_starts(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_exec(log, CHILD, RECORD_STATIC, "/bin/static");
    put_start(log, CHILD);
    assert_fault(log, RECORD_UNWATCHED, "/bin/static");
}

static void a_program_without_the_recorder_has_left(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_spawn(log, CHILD, 0, "/bin/other-class");
    assert_fault(log, RECORD_LEFT, "/bin/other-class");
}

static void what_cannot_be_followed_has_left(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_path(log, ROOT, RECORD_UNSAFE, "glob");
    assert_fault(log, RECORD_LEFT, "/bin/started");
}

static void a_child_without_a_name_needs_a_start_of_its_own(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_spawn(log, 0, RECORD_KEPT, "/bin/sh");
    assert_fault(log, RECORD_UNWATCHED, "/bin/sh");
    put_spawn(log, CHILD, RECORD_KEPT, "/bin/child");
    put_start(log, CHILD);
    assert_fault(log, RECORD_UNWATCHED, "/bin/sh");
    put_start(log, CHILD + 1);
    assert_fault(log, RECORD_WHOLE, "");
}

static void an_unfinished_record_is_a_hole(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    put_path(log, ROOT, RECORD_OPEN, "lost")->size = 0;
    put_path(log, ROOT, RECORD_OPEN, "later");
    assert_fault(log, RECORD_HOLE, "");
}

static void overflow_is_told(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    file_of(log)->overflow = 1;
    assert_fault(log, RECORD_OVERFLOW, "");
}

static void many_processes_are_told_apart(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    for (pid_t pid = 1000; pid < 3000; pid++) {
        put_spawn(log, pid, RECORD_KEPT, "/bin/one-of-many");
        put_start(log, pid);
    }
    assert_fault(log, RECORD_WHOLE, "");
    put_exec(log, 2345, RECORD_KEPT, "/bin/silent");
    assert_fault(log, RECORD_UNWATCHED, "/bin/silent");
}

/* A writer that was killed before it had memory for its entry. */
static void what_has_no_memory_is_a_hole(void **state)
{
    struct record_log *log = log_of(state);

    put_start(log, ROOT);
    file_of(log)->backed = file_of(log)->used; /* all that is readable is whole */
    assert_fault(log, RECORD_WHOLE, "");
    file_of(log)->used += 4096;
    assert_fault(log, RECORD_HOLE, "");
}

/* ---- the environment ---- */

static void assert_pair(struct record_log *log, char *const *environment, const char *expected)
{
    char *pair[2];

    record_log_environment(log, "/lib/recorder.so", environment, pair);
    assert_string_equal(pair[0], expected);
    assert_int_equal(strncmp(pair[1], "CCWRAP_RECORD=", 14), 0);
    assert_string_equal(pair[1] + 14, log->path);
    memory_free(pair[0]);
    memory_free(pair[1]);
}

static void the_users_preload_is_kept(void **state)
{
    char *none[] = {"A=1", NULL};
    char *own[] = {"LD_PRELOAD_X=no", "LD_PRELOAD=libuser.so other.so", NULL};
    char *empty[] = {"LD_PRELOAD=", NULL};

    assert_pair(log_of(state), none, "LD_PRELOAD=/lib/recorder.so");
    assert_pair(log_of(state), own, "LD_PRELOAD=/lib/recorder.so:libuser.so other.so");
    assert_pair(log_of(state), empty, "LD_PRELOAD=/lib/recorder.so:");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_file_is_private_and_sparse),
        cmocka_unit_test(a_missing_folder_is_an_error_and_may_be_closed),
        TEST(started_is_about_the_root),
        TEST(reset_forgets_all),
        TEST(a_record_comes_back_as_it_was_written),
        TEST(damage_ends_the_reading),
        TEST(an_empty_log_has_no_start),
        TEST(a_start_of_another_process_is_not_the_roots),
        TEST(programs_that_start_are_whole),
        TEST(a_child_may_start_before_its_spawn_is_logged),
        TEST(an_exec_without_a_start_is_unwatched),
        TEST(a_failed_exec_needs_no_start),
        TEST(failed_execs_before_the_spawn_is_logged),
        TEST(a_failed_spawn_does_not_excuse_an_exec),
        TEST(a_pid_used_again_is_counted),
        TEST(a_program_without_a_loader_hides_what_it_starts),
        TEST(a_program_without_the_recorder_has_left),
        TEST(what_cannot_be_followed_has_left),
        TEST(a_child_without_a_name_needs_a_start_of_its_own),
        TEST(an_unfinished_record_is_a_hole),
        TEST(overflow_is_told),
        TEST(many_processes_are_told_apart),
        TEST(what_has_no_memory_is_a_hole),
        TEST(the_users_preload_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
