/* The functions that start a program. Each logs the start, and gives the new program the recorder, also
 * where the caller gives it an environment of its own making (env -i). What is needed for that lies on the
 * stack, because a child between vfork and exec must not allocate. */
#include <elf.h>
#include <errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include <stdarg.h>

#include "spawn/record_format.h"
#include "spawn/recorder_core.h"
#include "spawn/recorder_raw.h"

extern char **environ;

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#else
enum { OWN_MACHINE = EM_AARCH64 };
#endif

/* ---- what a program is ---- */

enum { HEAD_SIZE = 1024 }; /* holds an ELF header with its program headers, or the first line of a script */

/* True if a dynamic loader is named, or there are too many program headers to tell. */
static bool has_loader(const char *head, size_t size)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;

    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t offset = header->e_phoff + (uint64_t)i * header->e_phentsize;
        if (offset > size - sizeof segment)
            return true;
        __builtin_memcpy(&segment, head + offset, sizeof segment);
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

/* True if the file that is open at `fd` is named ccwrap: static, but it starts the compiler at once. */
static bool is_ccwrap(int fd)
{
    char path[RECORDER_PATH_SIZE];
    const char *name = path;

    if (!recorder_descriptor_path(fd, path))
        return false;
    for (const char *c = path; *c; c++)
        if (*c == '/')
            name = c + 1;
    return raw_equal(name, "ccwrap");
}

/* A loader of another machine would complain about the recorder on stderr; a static program has no use for
 * it, and shows it if it prints its environment. */
static uint32_t elf_flags(int fd, const char *head, size_t size)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;

    if (size < sizeof *header || head[EI_CLASS] != ELFCLASS64 || header->e_machine != OWN_MACHINE)
        return 0;
    if (has_loader(head, size))
        return RECORD_KEPT;
    return is_ccwrap(fd) ? RECORD_KEPT | RECORD_STATIC : RECORD_STATIC;
}

/* The interpreter of a script's first line, as a string in `head`; NULL if there is none. */
static const char *interpreter_of(char *head, size_t size)
{
    size_t start = 2;

    if (size < 3 || head[0] != '#' || head[1] != '!')
        return NULL;
    while (start < size && (head[start] == ' ' || head[start] == '\t'))
        start++;
    for (size_t end = start; end < size; end++) {
        if (head[end] == ' ' || head[end] == '\t' || head[end] == '\n' || head[end] == '\0') {
            head[end] = '\0';
            return end > start ? head + start : NULL;
        }
    }
    return NULL;
}

/* Whether the program at `path` is to get the recorder: flags of RECORD_EXEC. `shell`: a file of no known
 * kind is given to sh. What can't be read is kept: if it then writes no start record, that is seen. */
static uint32_t program_flags(const char *path, bool shell)
{
    enum { DEPTH = 5 }; /* of scripts whose interpreter is a script; the kernel's own limit */
    char head[HEAD_SIZE] __attribute__((aligned(8)));

    for (int depth = 0; depth < DEPTH; depth++) {
        int fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0)
            return RECORD_KEPT;
        long size = raw_pread(fd, head, sizeof head, 0);
        bool elf = size >= SELFMAG && raw_after(head, ELFMAG);
        uint32_t flags = elf ? elf_flags(fd, head, (size_t)size) : 0;
        raw_close(fd);
        if (elf)
            return flags;

        path = size > 0 ? interpreter_of(head, (size_t)size) : NULL;
        if (!path && !shell)
            return RECORD_KEPT;
        if (!path)
            path = "/bin/sh";
        struct recorder_event event = {.kind = RECORD_OPEN, .flags = O_RDONLY, .path = path};
        recorder_write(&event);
    }
    return RECORD_KEPT;
}

/* ---- the environment of a new program ---- */

/* ld.so heeds the last LD_PRELOAD where there are several. */
static char *const *last_preload(char *const *list)
{
    char *const *last = NULL;

    for (; list && *list; list++)
        if (raw_after(*list, RECORD_PRELOAD_NAME))
            last = list;
    return last;
}

static size_t count_strings(char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

/* Bytes for the joined LD_PRELOAD entry. */
static size_t preload_size(char *const *list)
{
    char *const *user = last_preload(list);
    return raw_length(recorder_preload_entry()) + (user ? raw_length(*user) : 0) + 2;
}

static void join_preload(char *joined, const char *user_entry)
{
    const char *own = recorder_preload_entry();
    size_t length = raw_length(own);

    raw_copy(joined, own, length);
    joined[length] = '\0';
    if (user_entry) {
        const char *value = user_entry + sizeof RECORD_PRELOAD_NAME - 1;
        joined[length] = ':';
        raw_copy(joined + length + 1, value, raw_length(value) + 1);
    }
}

/* Fills `list` (count_strings(environment) + 3 places) with the environment and the recorder's names, and
 * `joined` (preload_size(environment) bytes). */
static void add_names(char **list, char *joined, char *const *environment)
{
    char *const *user = last_preload(environment);

    join_preload(joined, user ? *user : NULL);
    for (char *const *entry = environment; entry && *entry; entry++) {
        if (entry == user)
            *list++ = joined;
        else if (!raw_after(*entry, RECORD_PRELOAD_NAME) && !raw_after(*entry, RECORD_FILE_NAME))
            *list++ = *entry;
    }
    if (!user)
        *list++ = joined;
    *list++ = (char *)(uintptr_t)recorder_file_entry();
    *list = NULL;
}

/* Declares `result`, the environment for a program: the given one, or a copy on this function's stack. */
#define ENVIRONMENT(result, given, flags)                                                                    \
    bool result##_kept = recorder_active() && ((flags)&RECORD_KEPT);                                         \
    char *result##_list[result##_kept ? count_strings(given) + 3 : 1];                                       \
    char result##_joined[result##_kept ? preload_size(given) : 1];                                           \
    if (result##_kept)                                                                                       \
        add_names(result##_list, result##_joined, given);                                                    \
    char *const *result = result##_kept ? result##_list : (given)

/* ---- the search along PATH ---- */

static bool is_directory(const char *path)
{
    enum { FORMAT = 0170000, DIRECTORY = 0040000 };
    struct statx status = {.stx_mode = 0};

    raw_statx(path, STATX_TYPE, &status);
    return (status.stx_mode & FORMAT) == DIRECTORY;
}

/* Whether a search ends at this path; the places where it doesn't are logged. */
static bool is_program(const char *path)
{
    enum { EXECUTABLE = 1 };
    long result = raw_access(path, EXECUTABLE);

    if (result == 0 && !is_directory(path))
        return true;
    struct recorder_event event = {.kind = RECORD_STAT, .result = (int)result, .path = path};
    recorder_write(&event);
    return false;
}

static const char *path_variable(char *const *list)
{
    const char *value = NULL;

    for (; list && *list && !value; list++)
        value = raw_after(*list, "PATH=");
    recorder_note_getenv("PATH", value != NULL);
    return value ? value : "/bin:/usr/bin"; /* libc's own */
}

static bool leads_to_ccwrap(const char *path)
{
    int fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool yes = fd >= 0 && is_ccwrap(fd);

    if (fd >= 0)
        raw_close(fd);
    return yes;
}

/* The first program of that name in the folders, in `found`, or the name itself. */
static const char *search_folders(const char *folder, const char *name, char found[RECORDER_PATH_SIZE],
                                  bool pass_ccwrap)
{
    size_t name_length = raw_length(name);

    for (;; folder++) {
        const char *end = raw_find(folder, ':');
        size_t length = (size_t)(end - folder);
        if (length + name_length + 2 <= RECORDER_PATH_SIZE) {
            raw_copy(found, folder, length);
            if (length)
                found[length++] = '/';
            raw_copy(found + length, name, name_length + 1);
            if (is_program(found) && !(pass_ccwrap && leads_to_ccwrap(found)))
                return found;
        }
        folder = end;
        if (!*folder)
            return name;
    }
}

/* The path that libc's own search will find for a program's name, in `found`, or the name itself. The search
 * is done here as well because libc's can't be seen. */
static const char *search_path(const char *name, char found[RECORDER_PATH_SIZE])
{
    if (!recorder_active() || !*name || *raw_find(name, '/'))
        return name;
    return search_folders(path_variable(environ), name, found, false);
}

static const char *base_name(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

/* A ccwrap that is started by a recorded program finds its marker, looks for its compiler on PATH, and
 * becomes it. It is static, so its search can't be seen; it is done here as well. */
static void note_inner_search(uint32_t flags, char *const argv[], char *const envp[])
{
    char found[RECORDER_PATH_SIZE];
    const char *name = argv && argv[0] ? base_name(argv[0]) : "";

    if ((flags & (RECORD_KEPT | RECORD_STATIC)) != (RECORD_KEPT | RECORD_STATIC))
        return;
    if (raw_after(name, "ccwrap")) {
        do
            name = *++argv;
        while (name && (*raw_find(name, '=') || raw_equal(base_name(name), "ccwrap")));
    }
    if (name && *name && !*raw_find(name, '/'))
        search_folders(path_variable(envp), name, found, true);
}

/* ---- exec ---- */

static void note_exec(int folder, const char *path, uint32_t flags)
{
    /* A child made by vfork or fork leaves this to its parent: the loader's lock may be held for ever. */
    if (!recorder_in_child())
        recorder_note_loaded();
    recorder_note_at(RECORD_EXEC, 0, flags, folder, path);
}

static int note_exec_failed(int status, int folder, const char *path)
{
    recorder_note_at(RECORD_EXEC_FAILED, status, 0, folder, path);
    return status;
}

INTERPOSE(int, execve, const char *path, char *const argv[], char *const envp[])
{
    uint32_t flags = recorder_active() ? program_flags(path, false) : 0;
    ENVIRONMENT(environment, envp, flags);

    note_inner_search(flags, argv, envp);
    note_exec(AT_FDCWD, path, flags);
    return note_exec_failed(NEXT(execve)(path, argv, environment), AT_FDCWD, path);
}

INTERPOSE(int, execvpe, const char *name, char *const argv[], char *const envp[])
{
    char found[RECORDER_PATH_SIZE];
    const char *path = search_path(name, found);
    uint32_t flags = recorder_active() ? program_flags(path, true) : 0;
    ENVIRONMENT(environment, envp, flags);

    note_inner_search(flags, argv, envp);
    note_exec(AT_FDCWD, path, flags);
    return note_exec_failed(NEXT(execvpe)(name, argv, environment), AT_FDCWD, path);
}

void recorder_exec_prepare(void)
{
    (void)NEXT(execve);
    (void)NEXT(execvpe);
}

INTERPOSE(int, execv, const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

INTERPOSE(int, execvp, const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

INTERPOSE(int, execveat, int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
    ENVIRONMENT(environment, envp, RECORD_KEPT);

    note_exec(folder, path, RECORD_KEPT);
    return note_exec_failed(NEXT(execveat)(folder, path, argv, environment, flags), folder, path);
}

INTERPOSE(int, fexecve, int fd, char *const argv[], char *const envp[])
{
    ENVIRONMENT(environment, envp, RECORD_KEPT);

    note_exec(fd, "", RECORD_KEPT);
    return note_exec_failed(NEXT(fexecve)(fd, argv, environment), fd, "");
}

/* The words of execl and its kin as a vector on the stack: `last` is then what follows the NULL. */
#define COLLECT_WORDS(words, first, last)                                                                    \
    va_list last;                                                                                            \
    size_t words##_count = 1;                                                                                \
    va_start(last, first);                                                                                   \
    for (const char *word = first; word; word = va_arg(last, const char *))                                  \
        words##_count++;                                                                                     \
    va_end(last);                                                                                            \
    char *words[words##_count];                                                                              \
    words[0] = (char *)(uintptr_t)(first);                                                                   \
    va_start(last, first);                                                                                   \
    for (size_t i = 1; i < words##_count; i++)                                                               \
    words[i] = va_arg(last, char *)

INTERPOSE(int, execl, const char *path, const char *first, ...)
{
    COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return execve(path, words, environ);
}

INTERPOSE(int, execlp, const char *name, const char *first, ...)
{
    COLLECT_WORDS(words, first, rest);
    va_end(rest);
    return execvpe(name, words, environ);
}

INTERPOSE(int, execle, const char *path, const char *first, ...)
{
    COLLECT_WORDS(words, first, rest);
    char *const *envp = va_arg(rest, char *const *);
    va_end(rest);
    return execve(path, words, envp);
}

/* ---- spawn ---- */

/* Set once a program uses file actions that change the child's directory: a relative path of a child is then
 * not that of the parent. */
static int moves_children;

static void note_spawn(int error, int pid, const char *path, uint32_t flags)
{
    struct recorder_event event = {.kind = error ? RECORD_EXEC_FAILED : RECORD_SPAWN,
                                   .result = -error,
                                   .flags = error ? 0 : flags,
                                   .value = error ? 0 : pid,
                                   .path = path};

    if (path[0] != '/' && __atomic_load_n(&moves_children, __ATOMIC_RELAXED))
        recorder_note_unsafe("spawn in another directory");
    recorder_write(&event);
}

INTERPOSE(int, posix_spawn, int *pid, const char *path, const void *actions, const void *attributes,
          char *const argv[], char *const envp[])
{
    uint32_t flags = recorder_active() ? program_flags(path, false) : 0;
    ENVIRONMENT(environment, envp, flags);
    int child = 0;

    note_inner_search(flags, argv, envp);
    int error = NEXT(posix_spawn)(&child, path, actions, attributes, argv, environment);
    if (pid && !error)
        *pid = child;
    note_spawn(error, child, path, flags);
    return error;
}

INTERPOSE(int, posix_spawnp, int *pid, const char *name, const void *actions, const void *attributes,
          char *const argv[], char *const envp[])
{
    char found[RECORDER_PATH_SIZE];
    const char *path = search_path(name, found);
    uint32_t flags = recorder_active() ? program_flags(path, true) : 0;
    ENVIRONMENT(environment, envp, flags);
    int child = 0;

    note_inner_search(flags, argv, envp);
    int error = NEXT(posix_spawnp)(&child, name, actions, attributes, argv, environment);
    if (pid && !error)
        *pid = child;
    note_spawn(error, child, path, flags);
    return error;
}

/* The child opens the file inside libc, later and in its own directory. */
INTERPOSE(int, posix_spawn_file_actions_addopen, void *actions, int fd, const char *path, int flags,
          unsigned mode)
{
    int error = NEXT(posix_spawn_file_actions_addopen)(actions, fd, path, flags, mode);
    if (!error) {
        if (path[0] != '/' && __atomic_load_n(&moves_children, __ATOMIC_RELAXED))
            recorder_note_unsafe("spawn in another directory");
        recorder_note(RECORD_OPEN, 0, (uint32_t)flags, path);
    }
    return error;
}

INTERPOSE(int, posix_spawn_file_actions_addchdir_np, void *actions, const char *path)
{
    __atomic_store_n(&moves_children, 1, __ATOMIC_RELAXED);
    return NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
}

INTERPOSE(int, posix_spawn_file_actions_addfchdir_np, void *actions, int fd)
{
    __atomic_store_n(&moves_children, 1, __ATOMIC_RELAXED);
    return NEXT(posix_spawn_file_actions_addfchdir_np)(actions, fd);
}

/* ---- the shell ---- */

/* system and popen start the shell inside libc, with the environment as it stands, in which the recorder is
 * not. So that shell is made to run a second one, which is recorded, in its place:
 *     LD_PRELOAD='…' CCWRAP_RECORD='…' exec /bin/sh -c 'command' sh
 * Its pid isn't known here: the spawn is logged without. */

enum { LONGEST_COMMAND = 16 * 1024 }; /* four times that, quoted, is still below the kernel's 128 KB a word */

static char *put_text(char *line, const char *text)
{
    size_t length = raw_length(text);
    raw_copy(line, text, length);
    return line + length;
}

/* Quoted for the shell: at most 4 characters for 1, and 2 more. */
static char *put_quoted(char *line, const char *text)
{
    *line++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            line = put_text(line, "'\\''");
        else
            *line++ = *text;
    }
    *line++ = '\'';
    return line;
}

/* "NAME=value" with the value quoted, and a space. */
static char *put_assignment(char *line, const char *entry)
{
    const char *value = raw_find(entry, '=') + 1;

    raw_copy(line, entry, (size_t)(value - entry));
    line = put_quoted(line + (value - entry), value);
    *line++ = ' ';
    return line;
}

/* What to give to libc's shell: `line`, of `size` bytes (see line_size), or the command itself where the
 * recorder has no part in it. */
static const char *shell_line(const char *command, char *line, size_t size, const char *word)
{
    static const char shell[] = "/bin/sh";
    struct recorder_event event = {.kind = RECORD_SPAWN, .flags = RECORD_KEPT, .path = shell};

    if (!recorder_active())
        return command;
    if (size == 1 || program_flags(shell, false) != RECORD_KEPT) {
        recorder_note_unsafe(word);
        return command;
    }
    char preload[preload_size(environ)];
    char *const *user = last_preload(environ);
    join_preload(preload, user ? *user : NULL);
    char *end = put_assignment(line, preload);
    end = put_assignment(end, recorder_file_entry());
    end = put_text(end, "exec /bin/sh -c ");
    end = put_quoted(end, command);
    raw_copy(end, " sh", sizeof " sh");
    recorder_write(&event);
    return line;
}

/* 1 if the command isn't to be changed. */
static size_t line_size(const char *command)
{
    enum { FIXED = 64 };
    size_t length = command && recorder_active() ? raw_length(command) : LONGEST_COMMAND;

    if (length >= LONGEST_COMMAND)
        return 1;
    return FIXED + 4 * (preload_size(environ) + raw_length(recorder_file_entry()) + length);
}

INTERPOSE(int, system, const char *command)
{
    size_t size = line_size(command);
    char line[size];

    return NEXT(system)(command ? shell_line(command, line, size, "system") : NULL);
}

INTERPOSE(void *, popen, const char *command, const char *mode)
{
    size_t size = line_size(command);
    char line[size];

    return NEXT(popen)(shell_line(command, line, size, "popen"), mode);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 39)
/* Only where libc has them: programs ask the loader for these names to find out. */
#define PIDFD_SPAWN_FUNCTION(name)                                                                           \
    INTERPOSE(int, name, int *pidfd, const char *path, const void *actions, const void *attributes,          \
              char *const argv[], char *const envp[])                                                        \
    {                                                                                                        \
        recorder_note_unsafe(#name);                                                                         \
        return NEXT(name)(pidfd, path, actions, attributes, argv, envp);                                     \
    }

PIDFD_SPAWN_FUNCTION(pidfd_spawn)
PIDFD_SPAWN_FUNCTION(pidfd_spawnp)
#endif
