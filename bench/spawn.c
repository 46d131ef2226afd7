/* spawn: what it costs to start a child, by the memory of the parent.
 *
 *     spawn CCWRAP RECORDER FOLDER ROUNDS
 *
 * For each size of memory: how long the calling thread is blocked (median, µs) by fork, vfork, posix_spawn,
 * ccwrap's launch (other directory, descriptors and environment) and its child (the same, through trampoline
 * and recorder), and for the last two how long the whole lasts until the end of the program is known. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "spawn/child.h"
#include "spawn/launch.h"
#include "spawn/record_log.h"

static const char program[] = "/bin/true";
static char *const arguments[] = {"true", NULL};
static char *environment[] = {"PATH=/opt/other:/usr/bin:/bin", "LC_ALL=C", NULL, NULL, NULL};

static const char *trampoline;
static struct record_log record;
static uv_loop_t loop;
static struct child child;
static bool ended;

static void wait_for(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Each way returns how long the caller was blocked, in nanoseconds, and leaves the end to *whole. */

static int64_t by_fork(int64_t *whole)
{
    int64_t began = clock_monotonic();
    pid_t pid = fork();

    if (pid == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    int64_t blocked = clock_monotonic() - began;
    wait_for(pid);
    *whole = clock_monotonic() - began;
    return blocked;
}

static int64_t by_vfork(int64_t *whole)
{
    int64_t began = clock_monotonic();
    pid_t pid = vfork();

    if (pid == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    int64_t blocked = clock_monotonic() - began;
    wait_for(pid);
    *whole = clock_monotonic() - began;
    return blocked;
}

static int64_t by_posix_spawn(int64_t *whole)
{
    int64_t began = clock_monotonic();
    pid_t pid;

    if (posix_spawn(&pid, program, NULL, NULL, arguments, environment) != 0)
        exit(1);
    int64_t blocked = clock_monotonic() - began;
    wait_for(pid);
    *whole = clock_monotonic() - began;
    return blocked;
}

static int64_t by_launch(int64_t *whole)
{
    struct launch launch;
    pid_t pid;
    int64_t began = clock_monotonic();

    launch_init(&launch, program, arguments, environment);
    launch.directory = "/usr";
    launch.own_group = true;
    if (launch_start(&launch, &pid) != 0)
        exit(1);
    int64_t blocked = clock_monotonic() - began;
    wait_for(pid);
    *whole = clock_monotonic() - began;
    return blocked;
}

static void on_exec_failed(struct child *failed, int error)
{
    (void)failed;
    fprintf(stderr, "spawn: %s\n", strerror(-error));
    exit(1);
}

static void on_output(struct child *of, int stream, const char *bytes, size_t size)
{
    (void)of, (void)stream, (void)bytes, (void)size;
}

static void on_ended(struct child *of, int status, bool held)
{
    (void)of, (void)held;
    if (status != 0)
        exit(1);
    ended = true;
}

static void on_closed(struct child *of)
{
    (void)of;
}

static int64_t by_child(int64_t *whole)
{
    static const struct child_events events = {on_exec_failed, on_output, on_ended, on_closed};
    struct trampoline settings = {.umask = 022};
    struct child_options options = {.trampoline = trampoline,
                                    .settings = &settings,
                                    .program = program,
                                    .argv = arguments,
                                    .environment = environment,
                                    .directory = "/usr"};

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        getrlimit(i, &settings.limits[i]);
    record_log_reset(&record);
    ended = false;
    int64_t began = clock_monotonic();
    if (child_spawn(&child, &options) != 0)
        exit(1);
    child_watch(&child, &loop, &events);
    int64_t blocked = clock_monotonic() - began;
    child_go(&child);
    while (!ended)
        uv_run(&loop, UV_RUN_ONCE);
    *whole = clock_monotonic() - began;
    child_close(&child);
    uv_run(&loop, UV_RUN_DEFAULT);
    return blocked;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median(int64_t *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return (double)times[count / 2] / 1000;
}

static void measure(const char *name, int64_t (*way)(int64_t *whole), double gigabytes, int rounds)
{
    int64_t blocked[rounds], whole[rounds];

    for (int i = 0; i < rounds; i++)
        blocked[i] = way(&whole[i]);
    double until_blocked = median(blocked, rounds), until_end = median(whole, rounds);
    printf("%-12s %6.2f GB  blocked %9.1f us   until its end %9.1f us\n", name, gigabytes, until_blocked,
           until_end);
    fflush(stdout);
}

/* Small pages, as a server's heap has them; MADV_NOHUGEPAGE makes the figures those of any machine. */
static void *take_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_NOHUGEPAGE);
    memset(memory, 1, size);
    return memory;
}

static bool is_free(double gigabytes)
{
    return (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) > (gigabytes + 0.5) * 1e9;
}

int main(int argc, char **argv)
{
    static const double sizes[] = {0.01, 0.1, 1, 4};
    static const struct {
        const char *name;
        int64_t (*way)(int64_t *whole);
    } ways[] = {{"fork", by_fork},
                {"vfork", by_vfork},
                {"posix_spawn", by_posix_spawn},
                {"launch", by_launch},
                {"child", by_child}};

    if (argc != 5)
        return 2;
    trampoline = argv[1];
    int rounds = atoi(argv[4]);
    uv_loop_init(&loop);
    if (record_log_open(&record, argv[3]) != 0)
        return 1;
    record_log_environment(&record, argv[2], environment, environment + 2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = (size_t)(sizes[i] * 1e9);
        void *memory = is_free(sizes[i]) ? take_memory(size) : NULL;
        if (!memory) {
            printf("%.2f GB: not enough memory, left out\n", sizes[i]);
            continue;
        }
        for (size_t j = 0; j < sizeof ways / sizeof *ways; j++)
            measure(ways[j].name, ways[j].way, sizes[i], rounds);
        munmap(memory, size);
    }
    record_log_close(&record);
    return 0;
}
