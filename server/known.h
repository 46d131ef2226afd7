/* known: tables of names whose meaning is known: programs that may be trusted to be seen whole, variables,
 * and paths that are no inputs. Pure; any thread. */
#ifndef CCWRAP_SERVER_KNOWN_H
#define CCWRAP_SERVER_KNOWN_H

#include <stdbool.h>

enum program_kind {
    PROGRAM_UNKNOWN, /* trusted only if its file shows that it can do nothing unseen; it may see all variables
                      */
    PROGRAM_TRUSTED, /* of a family whose look-ups were compared with strace's */
    PROGRAM_WALKER,  /* the same, and it can see the whole environment (shells, make, python …) */
};

/* By the base name of the executable. */
enum program_kind known_program(const char *path);

/* How much of a file counts for a program that asks the kernel for its attributes. */
enum attention {
    ATTENTION_KIND,  /* that it is there, and of what kind */
    ATTENTION_TIMES, /* size and times too, if the content isn't read */
    ATTENTION_ALL,   /* mode and owner too, whether it is read or not */
};

/* By the base name of the executable, and what it was found to be. */
enum attention known_attention(const char *path, enum program_kind kind);

/* True if a program that asks for the wall clock so often (time(), and by finer ways) does so for its own
 * ends: some always do, when they start or to compare files. */
bool known_asks_clock(const char *path, enum program_kind kind, unsigned times, unsigned clocks);

/* True for the libraries of libc and of the compilers, whose system calls the recorder stands in front of. */
bool known_library(const char *path);

/* True for linkers of LLVM: they open the output's old file before they unlink it, so that its blocks are
 * freed in the background when they close it, and don't read it. */
bool known_holds_old_output(const char *path);

/* Does it run code of the user's that it loads, in its own process? */
bool known_runs_macros(const char *path);

/* Does it run texts whose variables give chance or the clock without a call? */
bool known_is_shell(const char *path);

enum variable_effect {
    VARIABLE_INPUT,    /* its value counts */
    VARIABLE_NONE,     /* its effect is seen elsewhere, or there is none on results */
    VARIABLE_MESSAGES, /* counts only if the compile wrote messages */
};

enum variable_effect known_variable(const char *name);

/* True if a compiler that runs macros asks for it for its own ends. What else it asks for, it does for a
 * source or a macro, whose output may be the value: then it counts whatever the effect is elsewhere. */
bool known_is_asked_by_rustc(const char *name);

/* Variables that libc and the loader read by themselves, unseen by the recorder; NULL-terminated. */
extern const char *const known_libc_variables[];
/* Files that they read by themselves; NULL-terminated. */
extern const char *const known_libc_files[];

/* Variables that make the loader print, or write files, before a program begins: what comes of that is no
 * result of the compiler's. NULL-terminated. */
extern const char *const known_loader_questions[];

enum path_kind {
    PATH_PLAIN,
    PATH_NO_INPUT,   /* /dev/null and the like: always there, its content says nothing */
    PATH_SPECIAL,    /* a device, a kernel's file: a result that depends on it is not stored */
    PATH_OF_PROCESS, /* through a process's own folder: means something else to each that says it */
};

enum path_kind known_path(const char *path);

#endif
