#include "spawn/record_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"
#include "spawn/record_format.h"

/* ---- the file ---- */

static struct record_file *file_of(const struct record_log *log)
{
    return (struct record_file *)(void *)log->map;
}

/* Maps the file, and a page of zeros behind it: a string in the log whose end was overwritten ends there. */
static int map_file(struct record_log *log)
{
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *map =
        mmap(NULL, log->size + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        return -errno;
    if (mmap(map, log->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, log->fd, 0) == MAP_FAILED) {
        int error = -errno;
        munmap(map, log->size + guard);
        return error;
    }
    log->map = map;
    return 0;
}

static void write_header(struct record_log *log, uint64_t backed)
{
    struct record_file *file = file_of(log);

    memset(file, 0, RECORD_FIRST);
    memcpy(file->magic, RECORD_MAGIC, sizeof file->magic);
    file->version = RECORD_VERSION;
    file->used = RECORD_FIRST;
    file->backed = backed;
    log->next = RECORD_FIRST;
}

int record_log_open(struct record_log *log, const char *folder)
{
    int error;

    memset(log, 0, sizeof *log);
    log->fd = -1;
    int length = snprintf(log->path, sizeof log->path, "%s/record-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof log->path)
        return -ENAMETOOLONG;
    log->fd = mkostemp(log->path, O_CLOEXEC);
    if (log->fd < 0)
        return -errno;
    log->size = RECORD_FILE_SIZE;
    if (ftruncate(log->fd, (off_t)log->size) < 0) {
        error = -errno;
        goto out;
    }
    /* The first chunk gets its memory now, so that a full tmpfs is an error here and not a signal later. */
    error = -posix_fallocate(log->fd, 0, RECORD_CHUNK);
    if (!error)
        error = map_file(log);
    if (!error)
        write_header(log, RECORD_CHUNK);
out:
    if (error)
        record_log_close(log);
    return error;
}

void record_log_close(struct record_log *log)
{
    if (log->map)
        munmap(log->map, log->size + (size_t)sysconf(_SC_PAGESIZE));
    if (log->fd >= 0) {
        close(log->fd);
        unlink(log->path);
    }
    log->map = NULL;
    log->fd = -1;
}

/* Up to where entries were begun: what the writers say, as far as it can be true. */
static size_t begun_entries(const struct record_log *log)
{
    uint64_t used = __atomic_load_n(&file_of(log)->used, __ATOMIC_ACQUIRE);
    return used > log->size ? log->size : (size_t)used;
}

/* … and up to where they can be read: pages beyond `backed` may have no memory, and to touch them be a
 * signal; nobody has written there. */
static size_t end_of_entries(const struct record_log *log)
{
    uint64_t backed = __atomic_load_n(&file_of(log)->backed, __ATOMIC_ACQUIRE);
    size_t begun = begun_entries(log);
    return begun > backed ? (size_t)backed : begun;
}

int record_log_reset(struct record_log *log)
{
    uint64_t backed = file_of(log)->backed;
    size_t end = end_of_entries(log);

    if (backed < RECORD_CHUNK || backed > log->size)
        return -EUCLEAN;
    memset(log->map, 0, end);
    write_header(log, backed);
    return 0;
}

bool record_log_started(struct record_log *log, pid_t root)
{
    return __atomic_load_n(&file_of(log)->first, __ATOMIC_ACQUIRE) == root;
}

/* ---- reading ---- */

void record_log_rewind(struct record_log *log)
{
    log->next = RECORD_FIRST;
}

/* The entry at the reading position if it is finished and lies inside the log. Its sizes are copied out
 * before they are checked, since the map may change meanwhile. */
static const struct record_entry *entry_at(const struct record_log *log, size_t *size, size_t *path_size)
{
    size_t end = end_of_entries(log);

    if (log->next > end || end - log->next < sizeof(struct record_entry))
        return NULL;
    const struct record_entry *entry = (const void *)(log->map + log->next);
    *size = __atomic_load_n(&entry->size, __ATOMIC_ACQUIRE);
    *path_size = __atomic_load_n(&entry->path_size, __ATOMIC_RELAXED);
    if (*size < sizeof *entry + 2 || *size > end - log->next || *size % RECORD_ALIGNMENT)
        return NULL;
    if (*path_size < 1 || *path_size > *size - sizeof *entry - 1)
        return NULL;
    return entry;
}

bool record_log_next(struct record_log *log, struct record *record)
{
    size_t size, path_size;
    const struct record_entry *entry = entry_at(log, &size, &path_size);

    if (!entry)
        return false;
    if (entry->strings[path_size - 1] || ((const char *)entry)[size - 1])
        return false;
    record->kind = entry->kind;
    record->pid = entry->pid;
    record->result = entry->result;
    record->flags = entry->flags;
    record->value = entry->value;
    record->path = entry->strings;
    record->text = entry->strings + path_size;
    log->next += size;
    return true;
}

/* ---- the canary ---- */

/* What the log says of one process id: how many programs were started in it more than began to record. A
 * count, because a process runs one program after the other, and an id may be used again. */
struct process {
    pid_t pid; /* 0 = free place */
    int missing;
    uint32_t flags;    /* of the start that is missing */
    const char *path;  /* the program that it runs, or should */
    const char *tried; /* an exec of its own that hasn't come to anything yet; NULL: none */
};

/* Open addressing; the number of places is a power of 2. */
struct processes {
    struct process *places;
    size_t size;
    size_t count;
    long nameless; /* spawns of children whose id isn't known */
};

static struct process *place_of(struct processes *table, pid_t pid)
{
    size_t at = (size_t)pid * 2654435761u & (table->size - 1);

    while (table->places[at].pid && table->places[at].pid != pid)
        at = (at + 1) & (table->size - 1);
    return &table->places[at];
}

static void grow(struct processes *table)
{
    struct processes larger = *table;

    larger.size = table->size ? table->size * 2 : 64;
    larger.places = memory_zalloc(larger.size * sizeof *larger.places);
    for (size_t i = 0; i < table->size; i++)
        if (table->places[i].pid)
            *place_of(&larger, table->places[i].pid) = table->places[i];
    memory_free(table->places);
    *table = larger;
}

/* The process of an id (not 0), made if it is new. */
static struct process *process_of(struct processes *table, pid_t pid)
{
    if (table->count * 2 >= table->size)
        grow(table);
    struct process *process = place_of(table, pid);
    if (!process->pid) {
        *process = (struct process){.pid = pid, .path = ""};
        table->count++;
    }
    return process;
}

static void expect_start(struct process *process, const struct record *record)
{
    /* A child may have begun before its parent could log that it was spawned: then nothing is missing, and
     * the path is that of the child's own start record. */
    if (++process->missing > 0) {
        process->flags = record->flags;
        process->path = record->path;
    }
}

static enum record_fault fault_of(const struct process *process)
{
    return process->flags & RECORD_KEPT ? RECORD_UNWATCHED : RECORD_LEFT;
}

/* Takes up one record. Returns the fault that it is by itself, with the culprit's path. */
static enum record_fault take_up(struct processes *table, const struct record *record, const char **culprit)
{
    pid_t pid = record->kind == RECORD_SPAWN ? (pid_t)record->value : record->pid;

    if (pid == 0) {
        table->nameless += record->kind == RECORD_SPAWN;
        return RECORD_WHOLE;
    }
    struct process *process = process_of(table, pid);
    switch ((int)record->kind) {
    case RECORD_START:
        process->missing--;
        process->path = record->path;
        process->tried = NULL;
        return RECORD_WHOLE;
    case RECORD_EXEC:
    case RECORD_SPAWN:
        if (record->kind == RECORD_EXEC)
            process->tried = record->path;
        expect_start(process, record);
        /* An inner ccwrap has the recorder for the compiler that it becomes, whose start stands for both. */
        if (!(record->flags & RECORD_STATIC) || (record->flags & RECORD_KEPT))
            return RECORD_WHOLE;
        /* What it starts may record, in the same process, and would then stand for it. */
        *culprit = record->path;
        return RECORD_UNWATCHED;
    case RECORD_EXEC_FAILED:
        /* A failed spawn has the same kind, and was announced by no exec. */
        if (process->tried && strcmp(process->tried, record->path) == 0) {
            process->missing--;
            process->tried = NULL;
        }
        return RECORD_WHOLE;
    case RECORD_SYSCALL:
    case RECORD_UNSAFE:
        *culprit = process->path;
        return RECORD_LEFT;
    default:
        return RECORD_WHOLE;
    }
}

/* The first process of the table whose program didn't begin to record. */
static const struct process *missing_start(const struct processes *table)
{
    for (size_t i = 0; i < table->size; i++)
        if (table->places[i].missing > 0)
            return &table->places[i];
    return NULL;
}

/* Whether there is a start that nothing else explains for each child whose id isn't known. */
static bool has_nameless(const struct processes *table)
{
    long unexplained = 0;

    for (size_t i = 0; i < table->size; i++)
        if (table->places[i].missing < 0)
            unexplained -= table->places[i].missing;
    return unexplained >= table->nameless;
}

static enum record_fault check_records(struct record_log *log, struct processes *table, pid_t root,
                                       const char **culprit)
{
    struct record record;
    enum record_fault fault = RECORD_WHOLE;

    process_of(table, root ? root : -1)->missing = 1;
    record_log_rewind(log);
    while (record_log_next(log, &record)) {
        const char *path = "";
        enum record_fault found = take_up(table, &record, &path);
        if (!fault && found) {
            fault = found;
            *culprit = path;
        }
    }
    if (__atomic_load_n(&file_of(log)->overflow, __ATOMIC_RELAXED))
        return RECORD_OVERFLOW;
    if (log->next != begun_entries(log))
        return RECORD_HOLE;

    const struct process *missing = missing_start(table);
    if (!record_log_started(log, root))
        return RECORD_NO_START;
    if (!fault && missing) {
        fault = fault_of(missing);
        *culprit = missing->path;
    }
    if (!fault && !has_nameless(table)) {
        fault = RECORD_UNWATCHED;
        *culprit = "/bin/sh";
    }
    return fault;
}

enum record_fault record_log_check(struct record_log *log, pid_t root, const char **culprit)
{
    struct processes table = {.places = NULL};
    const char *path = "";

    enum record_fault fault = check_records(log, &table, root, &path);
    memory_free(table.places);
    if (culprit)
        *culprit = fault == RECORD_UNWATCHED || fault == RECORD_LEFT ? path : "";
    return fault;
}

/* ---- the child's environment ---- */

static char *joined(const char *name, const char *first, const char *separator, const char *second)
{
    size_t size = strlen(name) + strlen(first) + strlen(separator) + strlen(second) + 1;
    char *entry = memory_alloc(size);

    snprintf(entry, size, "%s%s%s%s", name, first, separator, second);
    return entry;
}

/* ld.so heeds the last one. An empty value is kept too, for the program may ask for it. */
static const char *user_preload(char *const *environment)
{
    const size_t length = sizeof RECORD_PRELOAD_NAME - 1;
    const char *value = NULL;

    for (; environment && *environment; environment++)
        if (strncmp(*environment, RECORD_PRELOAD_NAME, length) == 0)
            value = *environment + length;
    return value;
}

void record_log_environment(const struct record_log *log, const char *recorder, char *const *environment,
                            char *pair[2])
{
    const char *user = user_preload(environment);

    pair[0] = joined(RECORD_PRELOAD_NAME, recorder, user ? ":" : "", user ? user : "");
    pair[1] = joined(RECORD_FILE_NAME, log->path, "", "");
}
