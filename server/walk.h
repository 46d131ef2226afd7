/* walk: the first pass of observe.c: the recorder's log is walked once, and every path gets its uses
 * (path_table.h), in the order of the events. Also here: which programs ran, what variables they asked for,
 * and where the loader looked. One owner; memory from the request's arena. */
#ifndef CCWRAP_SERVER_WALK_H
#define CCWRAP_SERVER_WALK_H

#include <stdbool.h>
#include <sys/types.h>

#include "server/known.h"
#include "server/observe.h"
#include "server/path_table.h"

enum { PROCESSES = 256, USE_CONTENT = USE_READ | USE_RUN | USE_TRIED | USE_LOADED };

struct process {
    pid_t pid;
    const char *directory; /* NULL: not yet said */
    enum program_kind kind;
    enum attention attention;
    bool holds_old_output;
    bool is_shell, runs_macros;
    const char *program;
    unsigned times, clocks; /* how often it asked (known_asks_clock) */
};

struct name {
    const char *name;
    struct name *next;
};

/* Where a program looks for translated messages. */
struct catalog {
    const char *folder, *domain;
    struct catalog *next;
};

struct walk {
    struct observation *observation;
    struct arena *arena;
    struct path_table paths;
    struct process processes[PROCESSES];
    size_t process_count;
    struct name *variables;       /* read by getenv … */
    struct name *macro_variables; /* … by a compiler that runs macros */
    struct name *runpaths;        /* folders that the loader searched, $ORIGIN replaced */
    struct catalog *catalogs;
    bool whole_environment;
    const char
        *clock_of_macros; /* a program that asked the clock, perhaps for code that it loaded; or NULL */
    unsigned traits;      /* of all texts that were read (traits.h), without those that are no danger there */
    const char *private_folder; /* in the table's form; NULL: none */
};

/* The first reason counts; the word is copied. */
void walk_give_up(struct walk *walk, enum reason reason, const char *word);
/* What the compile made itself is no input afterwards. */
bool walk_is_own(const struct path_entry *entry);
/* Was something below the client's directory found by an absolute path that came from elsewhere than the
 * words of the command? In another directory that path still leads here. */
bool walk_went_by_other_names(const struct walk *walk);
bool walk_is_absence(int result);
/* Walks the log of walk->observation; gives up where it isn't whole. */
void walk_log(struct walk *walk);

/* elf_calls_kernel, remembered. */
bool walk_calls_kernel(struct walk *walk, const char *path);

/* observe_environment.c: conditions for what libc and the loader read unseen, and for variables. */
void observe_add_environment(struct walk *walk);
/* … and, where nothing tells which of them the source asked for, for those that rustc asks for always. */
void observe_add_own_questions(struct walk *walk);

#endif
