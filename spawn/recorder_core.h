/* recorder_core: what the parts of the recorder share: the log in this process, and the way to the functions
 * that they stand before.
 *
 * All of it may be called in any thread, in signal handlers and between vfork and exec. Nothing here changes
 * errno. Before the log is found, and in a process that has none, events are dropped. */
#ifndef CCWRAP_SPAWN_RECORDER_CORE_H
#define CCWRAP_SPAWN_RECORDER_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spawn/record_log.h"

enum { RECORDER_PATH_SIZE = 4096 };

/* Defines a function that the program finds instead of libc's. No libc header may declare it first: libcs
 * differ in their types, attributes and macros, where the calling convention is the same. */
#define INTERPOSE(type, name, ...)                                                                           \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                           \
    static __attribute__((unused)) void *next_##name;                                                        \
    type name(__VA_ARGS__)

/* The function that the program would have called without the recorder: libc's, or that of another preloaded
 * library. It is looked up at its first use, for a failing look-up would be seen in dlerror(). */
#define NEXT(name) ((__typeof__(&name))recorder_next(&next_##name, #name))

void *recorder_resolve(void **slot, const char *name);

static inline void *recorder_next(void **slot, const char *name)
{
    void *next = __atomic_load_n(slot, __ATOMIC_RELAXED);
    return next ? next : recorder_resolve(slot, name);
}

/* Finds the log named in the environment `list` (NULL-terminated), takes the recorder's names out of it, and
 * writes the start record. Does so once a process. */
void recorder_begin(char **list);

/* False where nothing is recorded: callers spare themselves the work for an event. */
bool recorder_active(void);

/* Values for the environment of a new program, as "NAME=value"; "" in a process without a log. */
const char *recorder_preload_entry(void);
const char *recorder_file_entry(void);

/* Looks up the functions that are called between vfork and exec, where a look-up might wait for a lock. */
void recorder_exec_prepare(void);

/* True in a child made by fork or vfork that still runs the program which made it. */
bool recorder_in_child(void);

/* One event with all that it can hold. NULL strings are empty; a folder that isn't empty stands before its
 * name, with a slash between. */
struct recorder_event {
    enum record_kind kind;
    int result;
    uint32_t flags;
    int64_t value;
    const char *folder;
    const char *path;
    const char *text_folder;
    const char *text;
    size_t text_length; /* where the text has no NUL; 0 = up to its NUL */
};

void recorder_write(const struct recorder_event *event);

/* `status` is what the function returned: below 0 means that errno says why. An event about a bad address
 * is dropped. */
void recorder_note(enum record_kind kind, long status, uint32_t flags, const char *path);
void recorder_note_text(enum record_kind kind, long status, uint32_t flags, const char *path,
                        const char *text);
/* With paths relative to descriptors. An empty path is the descriptor's own. */
void recorder_note_at(enum record_kind kind, long status, uint32_t flags, int folder, const char *path);
void recorder_note_text_at(enum record_kind kind, long status, uint32_t flags, int folder, const char *path,
                           int text_folder, const char *text);
/* A file was opened, as descriptor `fd` (below 0: it failed). One that is read has its stamp and the time in
 * the event: what the program will read was written before. */
void recorder_note_open(int fd, uint32_t flags, const char *path);
void recorder_note_open_at(int fd, uint32_t flags, int folder, const char *path);
/* Something was done that can't be followed. */
void recorder_note_unsafe(const char *word);

/* Before the working directory is changed, and after. */
void recorder_prepare_directory(void);
void recorder_note_directory(void);

/* What /proc/self/fd shows for a descriptor: false if nothing. */
bool recorder_descriptor_path(int fd, char path[RECORDER_PATH_SIZE]);

/* The shared objects of this process, if there are other ones than at the last call. */
void recorder_note_loaded(void);

/* A variable of the environment was asked for; logged once a name. */
void recorder_note_getenv(const char *name, bool found);

#endif
