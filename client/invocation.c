#include "client/invocation.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/lookup.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* the shell's */

/* So many times may one command come through ccwrap by exec alone. Two copies under other names, or a wrapper
 * script that calls ccwrap by a name that leads to the script, would go round for ever. */
enum { MAX_DEPTH = 50 };
static const char depth_variable[] = "CCWRAP_DEPTH=";

bool invocation_is_own_name(const char *argv0)
{
    return strncmp(lookup_basename(argv0), "ccwrap", strlen("ccwrap")) == 0;
}

static int complain(int status, const char *name, const char *what)
{
    char line[PATH_MAX + 256];
    int length = snprintf(line, sizeof line, "ccwrap: %.*s: %s\n", PATH_MAX, name, what);

    if (write(STDERR_FILENO, line, (size_t)length) < 0) {
        /* nobody to tell */
    }
    return status;
}

static int complain_of_lookup(const char *name, int error)
{
    if (error == -EISDIR)
        return complain(NOT_EXECUTABLE, name, "is a directory");
    if (error == -EACCES)
        return complain(NOT_EXECUTABLE, name, "permission denied");
    return complain(NOT_FOUND, name, strchr(name, '/') ? "no such file" : "command not found");
}

/* Lower-case letters and underscores, and "=". */
static bool is_setting(const char *word)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
    return length > 0 && word[length] == '=';
}

static void take_settings(struct invocation *invocation, struct arena *arena, char ***words)
{
    size_t old = 0, more = 0;

    while (invocation->settings[old])
        old++;
    while ((*words)[more] && is_setting((*words)[more]))
        more++;
    if (!more)
        return;
    char **all = ARENA_ARRAY(arena, char *, old + more + 1);
    memcpy(all, invocation->settings, old * sizeof *all);
    memcpy(all + old, *words, more * sizeof *all);
    invocation->settings = all;
    *words += more;
}

/* The compiler named by the first word, or the next of that name that isn't ccwrap. */
static int find_program(struct invocation *invocation, struct arena *arena, const struct lookup_self *self)
{
    const char *name = invocation->argv[0], *path = getenv("PATH");
    char *program;
    bool passed = invocation->link;
    int error = 0;

    if (!passed)
        error = lookup_program(&program, &passed, arena, name, path, invocation->directory, self);
    if (passed && (invocation->link || strchr(name, '/'))) {
        name = lookup_basename(name);
        error = lookup_program(&program, NULL, arena, name, path, invocation->directory, self);
    }
    if (error)
        return complain_of_lookup(name, error);
    invocation->program = program;
    if (passed) /* a driver that looks for itself on PATH by its bare name would find ccwrap */
        invocation->argv[0] = program;
    return 0;
}

/* Little memory is touched: a page that is costs as much as three system calls. */
static char *working_directory(struct arena *arena)
{
    char *directory = arena_take(arena, PATH_MAX);

    if (!getcwd(directory, PATH_MAX))
        return NULL;
    arena_cut(arena, directory, PATH_MAX, strlen(directory) + 1);
    return directory;
}

int invocation_find(struct invocation *invocation, struct arena *arena, char ***words)
{
    static char *none[] = {NULL};
    struct lookup_self self;

    invocation->settings = none;
    invocation->directory = working_directory(arena);
    lookup_self(&self);
    if (invocation->link) {
        invocation->argv = *words;
        return find_program(invocation, arena, &self);
    }
    for (;; (*words)++) {
        take_settings(invocation, arena, words);
        if (**words && ***words == '-' && invocation->settings != none)
            return complain(1, **words, "settings in front of it are for a compile; use CCWRAP_KEY=VALUE");
        if (!**words || ***words == '-')
            return INVOCATION_WORDS;
        if (strcmp(lookup_basename(**words), "ccwrap") != 0)
            break;
        /* "ccwrap ccwrap gcc" is "ccwrap gcc"; any other program of that name is a compiler like another. */
        char *program;
        if (lookup_program(&program, NULL, arena, **words, getenv("PATH"), NULL, NULL) != 0 ||
            !lookup_is_self(arena, program, &self))
            break;
    }
    invocation->argv = *words;
    return find_program(invocation, arena, &self);
}

/* ---- becoming the compiler ---- */

/* The environment with the count of rounds in it; NULL if there were too many. */
static char **count_round(const struct invocation *invocation, struct arena *arena)
{
    size_t count = 0, length = strlen(depth_variable);
    unsigned long depth = 0;

    while (invocation->environment[count])
        count++;
    char **environment = ARENA_ARRAY(arena, char *, count + 2);
    count = 0;
    for (char **entry = invocation->environment; *entry; entry++) {
        if (strncmp(*entry, depth_variable, length) == 0)
            depth = strtoul(*entry + length, NULL, 10);
        else
            environment[count++] = *entry;
    }
    environment[count] = arena_printf(arena, "%s%lu", depth_variable, depth + 1);
    return depth < MAX_DEPTH ? environment : NULL;
}

/* A script without "#!" is the shell's, as execvp has it. */
static void run_by_shell(const struct invocation *invocation, char **environment, struct arena *arena)
{
    size_t count = 0;

    while (invocation->argv[count])
        count++;
    char **argv = ARENA_ARRAY(arena, char *, count + 2);
    argv[0] = arena_strdup(arena, "/bin/sh");
    memcpy(argv + 1, invocation->argv, count * sizeof *argv);
    argv[1] = arena_strdup(arena, invocation->program);
    execve(argv[0], argv, environment);
}

_Noreturn void invocation_run(const struct invocation *invocation, struct arena *arena)
{
    char **environment = count_round(invocation, arena);

    if (!environment)
        _exit(complain(NOT_EXECUTABLE, invocation->argv[0], "leads back to ccwrap again and again"));
    execve(invocation->program, invocation->argv, environment);
    if (errno == ENOEXEC)
        run_by_shell(invocation, environment, arena);
    _exit(complain(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, invocation->argv[0], strerror(errno)));
}
