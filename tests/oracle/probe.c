/* probe: does in one program what compilers do rarely, and checks that it ends as it should. The oracle runs
 * it under strace and the recorder. Exit status: 0, or the line of the check that failed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "probe: line %d: %s\n", __LINE__, #condition);                                   \
            _exit(__LINE__ & 0x7f ? __LINE__ & 0x7f : 1);                                                    \
        }                                                                                                    \
    } while (0)

static void wait_for(pid_t pid)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

static void errno_is_the_calls_own(void)
{
    struct stat status;

    errno = 77;
    CHECK(stat("/", &status) == 0 && errno == 77);
    CHECK(open("/absent/1", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(open((const char *)8, O_RDONLY) == -1 && errno == EFAULT);
    CHECK(openat(-5, "relative", O_RDONLY) == -1 && errno == EBADF);
    CHECK(!fopen("/absent/2", "r") && errno == ENOENT);
    CHECK(!realpath("/absent/3", NULL) && errno == ENOENT);
    CHECK(execl("/absent/4", "4", (char *)0) == -1 && errno == ENOENT);
    CHECK(execlp("absent-program", "5", (char *)0) == -1 && errno == ENOENT);
    errno = 77;
    CHECK(posix_spawn(&(pid_t){0}, "/absent/6", NULL, NULL, (char *[]){NULL}, environ) == ENOENT);
}

static void nothing_shows_in_the_environment(void)
{
    CHECK(!getenv("CCWRAP_RECORD") && !getenv("LD_PRELOAD") && getenv("PATH"));
    for (char **entry = environ; *entry; entry++)
        CHECK(strncmp(*entry, "LD_PRELOAD=", 11) != 0 && strncmp(*entry, "CCWRAP_RECORD=", 14) != 0);
}

static void paths_by_descriptor(void)
{
    struct stat status;
    int folder = open("tree", O_RDONLY | O_DIRECTORY);

    CHECK(folder >= 0);
    CHECK(openat(folder, "absent", O_RDONLY) == -1);
    CHECK(fstatat(folder, "present", &status, 0) == 0);
    CHECK(fstatat(folder, "", &status, AT_EMPTY_PATH) == 0);
    CHECK(mkdirat(folder, "made", 0755) == 0);
    CHECK(renameat(folder, "made", folder, "moved") == 0);
    CHECK(symlinkat("present", folder, "link") == 0);
    CHECK(linkat(folder, "present", AT_FDCWD, "hard", 0) == 0);
    CHECK(unlinkat(folder, "moved", AT_REMOVEDIR) == 0);
    CHECK(closedir(fdopendir(folder)) == 0);
}

static void streams_and_mappings(void)
{
    static const char *const modes[] = {"w", "a+", "r+", "rb", "wx"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        FILE *stream = fopen("stream", modes[i]);
        CHECK(stream ? fclose(stream) == 0 : modes[i][1] == 'x');
    }
    int fd = open("mapped", O_RDWR | O_CREAT, 0640);
    struct stat status;
    CHECK(fstat(fd, &status) == 0 && (status.st_mode & 0777 & ~0640u) == 0);
    CHECK(ftruncate(fd, 4096) == 0);
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED);
    map[0] = 'x';
    CHECK(truncate("mapped", 1) == 0);
}

static void calls_by_number(void)
{
    CHECK(syscall(SYS_openat, AT_FDCWD, "/absent/by-number", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(syscall(SYS_mkdirat, AT_FDCWD, "by-number", 0755) == 0);
    CHECK(syscall(SYS_gettid) > 0);
}

static void *look_often(void *thread)
{
    char path[64];
    struct stat status;

    for (int i = 0; i < 500; i++) {
        snprintf(path, sizeof path, "/absent/thread-%s-%d", (const char *)thread, i);
        CHECK(stat(path, &status) == -1 && errno == ENOENT);
    }
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    close(open("/absent/in-signal", O_RDONLY));
}

static void threads_and_signals(void)
{
    static char *const names[] = {"a", "b", "c", "d"};
    pthread_t threads[4];

    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, look_often, names[i]) == 0);
    raise(SIGUSR1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void children(void)
{
    char *const words[] = {"sh", "-c", "test -e in-spawn; exec true", NULL};
    char *const nothing[] = {NULL};
    pid_t pid = vfork();

    if (pid == 0) {
        if (chdir("tree") < 0 || open("absent-in-vfork", O_RDONLY) != -1)
            _exit(1);
        execl("/bin/true", "true", (char *)0);
        _exit(2);
    }
    wait_for(pid);
    close(open("absent-after-vfork", O_RDONLY));
    if ((pid = fork()) == 0) {
        close(open("absent-in-fork", O_RDONLY));
        CHECK(chdir("tree") == 0 && chdir("..") == 0);
        execle("/usr/bin/env", "env", "true", (char *)0, nothing);
        _exit(3);
    }
    wait_for(pid);
    CHECK(posix_spawnp(&pid, "sh", NULL, NULL, words, environ) == 0);
    wait_for(pid);
    CHECK(posix_spawn(&pid, "./script", NULL, NULL, words, nothing) == 0);
    wait_for(pid);
}

static void make_files(void)
{
    CHECK(mkdir("tree", 0755) == 0);
    close(open("tree/present", O_WRONLY | O_CREAT, 0644));
    FILE *script = fopen("script", "w");
    CHECK(script && fputs("#!/bin/sh\ntest -e in-script\nexit 0\n", script) >= 0 && fclose(script) == 0);
    CHECK(chmod("script", 0755) == 0);
}

int main(void)
{
    make_files();
    errno_is_the_calls_own();
    nothing_shows_in_the_environment();
    paths_by_descriptor();
    streams_and_mappings();
    calls_by_number();
    threads_and_signals();
    children();
    _exit(0);
}
