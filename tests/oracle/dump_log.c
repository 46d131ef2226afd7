/* dump_log: a recorder's log as text.
 *
 *   dump_log new FOLDER        makes an empty log there and prints its path; the caller removes it
 *   dump_log show FILE ROOT    prints the log's fault for the root pid, then a line a record:
 *                              kind pid result flags value path text, separated by tabs
 *
 * In a path a backslash, a tab, a newline and other control characters are \ooo in octal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spawn/record_log.h"

static const char *const kind_names[] = {
    [RECORD_START] = "START",
    [RECORD_DIRECTORY] = "DIRECTORY",
    [RECORD_LOADED] = "LOADED",
    [RECORD_RUNPATH] = "RUNPATH",
    [RECORD_OPEN] = "OPEN",
    [RECORD_STAT] = "STAT",
    [RECORD_LSTAT] = "LSTAT",
    [RECORD_READLINK] = "READLINK",
    [RECORD_REALPATH] = "REALPATH",
    [RECORD_LIST] = "LIST",
    [RECORD_MKDIR] = "MKDIR",
    [RECORD_UNLINK] = "UNLINK",
    [RECORD_RENAME] = "RENAME",
    [RECORD_LINK] = "LINK",
    [RECORD_SYMLINK] = "SYMLINK",
    [RECORD_ATTRIBUTES] = "ATTRIBUTES",
    [RECORD_MAPPED] = "MAPPED",
    [RECORD_EXEC] = "EXEC",
    [RECORD_EXEC_FAILED] = "EXEC_FAILED",
    [RECORD_SPAWN] = "SPAWN",
    [RECORD_GETENV] = "GETENV",
    [RECORD_TIME] = "TIME",
    [RECORD_CLOCK] = "CLOCK",
    [RECORD_LOCAL_TIME] = "LOCAL_TIME",
    [RECORD_SYSCALL] = "SYSCALL",
    [RECORD_CATALOG] = "CATALOG",
    [RECORD_UNSAFE] = "UNSAFE",
};

static const char *const fault_names[] = {
    [RECORD_WHOLE] = "WHOLE", [RECORD_NO_START] = "NO_START", [RECORD_UNWATCHED] = "UNWATCHED",
    [RECORD_HOLE] = "HOLE",   [RECORD_OVERFLOW] = "OVERFLOW", [RECORD_LEFT] = "LEFT",
};

static void print_escaped(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '\\' || c == 0x7f)
            printf("\\%03o", c);
        else
            putchar(c);
    }
}

static void print_record(const struct record *record)
{
    size_t kind = (size_t)record->kind;
    const char *name = kind < sizeof kind_names / sizeof kind_names[0] ? kind_names[kind] : NULL;

    printf("%s\t%d\t%d\t%u\t%lld\t", name ? name : "?", (int)record->pid, record->result, record->flags,
           (long long)record->value);
    print_escaped(record->path);
    putchar('\t');
    print_escaped(record->text);
    putchar('\n');
}

static int new_log(const char *folder)
{
    struct record_log log;
    int error = record_log_open(&log, folder);

    if (error) {
        fprintf(stderr, "dump_log: %s: %s\n", folder, strerror(-error));
        return 1;
    }
    puts(log.path);
    return 0;
}

static int show(const char *path, pid_t root)
{
    struct record_log log = {.fd = open(path, O_RDWR | O_CLOEXEC)};
    struct stat status;
    const char *culprit;
    struct record record;

    if (log.fd < 0 || fstat(log.fd, &status) < 0) {
        perror(path);
        return 1;
    }
    log.size = (size_t)status.st_size;
    log.map = mmap(NULL, log.size, PROT_READ | PROT_WRITE, MAP_SHARED, log.fd, 0);
    if (log.map == MAP_FAILED) {
        perror(path);
        return 1;
    }
    enum record_fault fault = record_log_check(&log, root, &culprit);
    printf("%s\t", fault_names[fault]);
    print_escaped(culprit);
    putchar('\n');
    record_log_rewind(&log);
    while (record_log_next(&log, &record))
        print_record(&record);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "new") == 0)
        return new_log(argv[2]);
    if (argc == 4 && strcmp(argv[1], "show") == 0)
        return show(argv[2], (pid_t)atol(argv[3]));
    fprintf(stderr, "usage: dump_log new FOLDER | show FILE ROOT\n");
    return 2;
}
