#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buf.h"
#include "spawn/launch.h"
#include "spawn/trampoline.h"

static char *no_environment[] = {NULL};

static int wait_status(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void make_pipe(int fds[2])
{
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
}

/* Runs `script` by the shell with what `change` adds, and gives what it writes to descriptor 1. */
static char *output_of(const char *script, void (*change)(struct launch *launch))
{
    char *argv[] = {"sh", "-c", (char *)script, NULL}, piece[512];
    struct launch launch;
    struct buf text = BUF_INIT;
    int fds[2];
    pid_t pid;
    ssize_t got;

    make_pipe(fds);
    launch_init(&launch, "/bin/sh", argv, no_environment);
    launch_fd(&launch, fds[1], 1);
    if (change)
        change(&launch);
    assert_int_equal(launch_start(&launch, &pid), 0);
    close(fds[1]);
    while ((got = read(fds[0], piece, sizeof piece)) > 0)
        buf_add(&text, piece, (size_t)got);
    close(fds[0]);
    assert_int_equal(wait_status(pid), 0);
    return buf_detach(&text, NULL);
}

static void assert_output(const char *script, void (*change)(struct launch *launch), const char *wanted)
{
    char *got = output_of(script, change);
    assert_string_equal(got ? got : "", wanted);
    free(got);
}

static void test_standard_descriptors(void **state)
{
    (void)state;
    assert_output("readlink /proc/self/fd/0 /proc/self/fd/2", NULL, "/dev/null\n/dev/null\n");
}

static void test_nothing_else_is_open(void **state)
{
    (void)state;
    int high = fcntl(0, F_DUPFD, 200), low = fcntl(0, F_DUPFD, 3), middle = fcntl(0, F_DUPFD, 17);

    /* The shell's echo of a glob opens the folder, which is then the lowest free descriptor: 3. */
    assert_output("echo /proc/self/fd/*", NULL,
                  "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n");
    close(high), close(low), close(middle);
}

/* Two pipes whose ends have each other's numbers: each move would overwrite the next one's source. */
static int crossed[2];

static void cross(struct launch *launch)
{
    launch_fd(launch, crossed[0], crossed[1]);
    launch_fd(launch, crossed[1], crossed[0]);
}

static void test_descriptors_can_change_places(void **state)
{
    (void)state;
    char script[128];

    crossed[0] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    crossed[1] = open("/dev/full", O_RDONLY | O_CLOEXEC);
    assert_true(crossed[0] > 2 && crossed[1] > 2 && crossed[0] < 10 && crossed[1] < 10);
    snprintf(script, sizeof script, "readlink /proc/self/fd/%d /proc/self/fd/%d", crossed[0], crossed[1]);
    assert_output(script, cross, "/dev/full\n/dev/zero\n");
    close(crossed[0]), close(crossed[1]);
}

static int kept;

static void keep(struct launch *launch)
{
    launch_fd(launch, kept, kept);
    launch_fd(launch, kept, 7);
    launch_fd(launch, -1, 6);
}

static void test_same_number_and_holes(void **state)
{
    (void)state;
    kept = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_true(kept > 2 && kept < 6);
    char script[256], wanted[256];
    snprintf(script, sizeof script,
             "readlink /proc/self/fd/%d /proc/self/fd/6 /proc/self/fd/7; for i in 3 4 5 6 7 8; do "
             "[ -e /proc/self/fd/$i ] && echo $i; done; true",
             kept);
    snprintf(wanted, sizeof wanted, "/dev/zero\n/dev/null\n/dev/zero\n%d\n6\n7\n", kept);
    assert_output(script, keep, wanted);
    close(kept);
}

static void in_root(struct launch *launch)
{
    launch->directory = "/";
}

static void test_directory(void **state)
{
    (void)state;
    assert_output("pwd -P", in_root, "/\n");
}

static void session(struct launch *launch)
{
    launch->own_session = true;
    launch->own_group = true; /* a session is a group already: both together must not fail */
}

static void group(struct launch *launch)
{
    launch->own_group = true;
}

static void test_group_and_session(void **state)
{
    (void)state;
    char wanted[64];
    /* fields of /proc/PID/stat: 1 pid, 5 group, 6 session */
    const char *script = "read a b c d e f g < /proc/$$/stat; [ $a = $e ] && echo group; "
                         "[ $a = $f ] && echo session; echo $f";

    snprintf(wanted, sizeof wanted, "%d\n", (int)getsid(0));
    assert_output(script, NULL, wanted);
    snprintf(wanted, sizeof wanted, "group\n%d\n", (int)getsid(0));
    assert_output(script, group, wanted);
    char *got = output_of(script, session);
    assert_memory_equal(got, "group\nsession\n", 14);
    free(got);
}

static void test_signals_are_reset(void **state)
{
    (void)state;
    enum { USUAL = 0x7fffffff }; /* signals 1 to 31: libc keeps some of the real-time ones to itself */
    sigset_t blocked, old;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &old);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    assert_output("sed -n 's/^SigBlk:.//p' /proc/self/status", NULL, "0000000000000000\n");
    char *ignored = output_of("sed -n 's/^SigIgn:.//p' /proc/self/status", NULL);
    assert_int_equal(strtoull(ignored, NULL, 16) & USUAL, 0);
    free(ignored);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

static int error_of(const char *program, const char *directory)
{
    char *argv[] = {"x", NULL};
    struct launch launch;
    pid_t pid;

    launch_init(&launch, program, argv, no_environment);
    launch.directory = directory;
    return launch_start(&launch, &pid);
}

static void test_errors(void **state)
{
    (void)state;
    char script[] = "/tmp/ccwrap-launch.XXXXXX";
    int fd = mkstemp(script);

    assert_int_equal(write(fd, "true\n", 5), 5);
    assert_int_equal(error_of("/no/such/program", NULL), -ENOENT);
    assert_int_equal(error_of(script, NULL), -EACCES);
    fchmod(fd, 0700);
    close(fd);
    assert_int_equal(error_of(script, NULL), -ENOEXEC);
    assert_int_equal(error_of("/bin/true", "/no/such/folder"), -ENOENT);
    unlink(script);

    size_t size = 40 * 1024 * 1024;
    char *large = malloc(size);
    memset(large, 'x', size - 1);
    large[size - 1] = '\0';
    char *argv[] = {"true", large, NULL};
    struct launch launch;
    pid_t pid;
    launch_init(&launch, "/bin/true", argv, no_environment);
    assert_int_equal(launch_start(&launch, &pid), -E2BIG);
    free(large);
}

/* ---- the trampoline's word ---- */

static struct trampoline sample(void)
{
    struct trampoline trampoline = {.gate = 3, .umask = 0777, .nice = -20, .affinity = UINT64_MAX};

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++) {
        trampoline.limits[i].rlim_cur = (rlim_t)i * 1000;
        trampoline.limits[i].rlim_max = RLIM_INFINITY;
    }
    return trampoline;
}

static void test_trampoline_word(void **state)
{
    (void)state;
    struct trampoline trampoline = sample(), got;
    char text[TRAMPOLINE_TEXT];

    trampoline_encode(&trampoline, text);
    memset(&got, 0xee, sizeof got);
    assert_true(trampoline_decode(&got, text));
    assert_int_equal(got.gate, 3);
    assert_int_equal(got.umask, 0777);
    assert_int_equal(got.nice, -20);
    assert_true(got.affinity == UINT64_MAX);
    assert_memory_equal(got.limits, trampoline.limits, sizeof got.limits);

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++) /* the longest there is */
        trampoline.limits[i].rlim_cur = RLIM_INFINITY;
    trampoline_encode(&trampoline, text);
    assert_true(trampoline_decode(&got, text));
}

static void test_bad_trampoline_words(void **state)
{
    (void)state;
    struct trampoline trampoline = sample(), got;
    char text[TRAMPOLINE_TEXT + 8];

    trampoline_encode(&trampoline, text);
    size_t length = strlen(text);
    strcpy(text + length, ",1");
    assert_false(trampoline_decode(&got, text));
    text[length] = '\0';
    *strrchr(text, ',') = '\0';
    assert_false(trampoline_decode(&got, text));
    assert_false(trampoline_decode(&got, ""));
    assert_false(trampoline_decode(&got, "3,-1,40,1"));
    assert_false(trampoline_decode(&got, "3, 1,40,1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard_descriptors),
        cmocka_unit_test(test_nothing_else_is_open),
        cmocka_unit_test(test_descriptors_can_change_places),
        cmocka_unit_test(test_same_number_and_holes),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_group_and_session),
        cmocka_unit_test(test_signals_are_reset),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_trampoline_word),
        cmocka_unit_test(test_bad_trampoline_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
