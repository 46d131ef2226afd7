/* record_log: what the recorder saw of a process tree, as a sequence of events.
 *
 * The recorder (recorder.c) is preloaded into every program of a compile and appends events to a file that
 * each process maps shared. Here the server makes such a file, and reads it when the tree has ended. The
 * layout of the file is in record_format.h, which recorder.c shares.
 *
 * Threads: a log belongs to one request; one thread at a time uses it. */
#ifndef CCWRAP_SPAWN_RECORD_LOG_H
#define CCWRAP_SPAWN_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An event's fields beyond its kind are named in brackets. `result` is 0 or a negative errno, unless said.
 * A path is as the program gave it (relative to the process's working directory, see record_path), but a path
 * relative to a directory descriptor is made absolute by the recorder. */
enum record_kind {
    RECORD_START = 1,   /* a program began under the recorder [path = its executable, value = parent's pid] */
    RECORD_DIRECTORY,   /* working directory of this pid from here on [path, absolute] */
    RECORD_LOADED,      /* a shared object is in the process [path] */
    RECORD_RUNPATH,     /* [path = object, text = its DT_RUNPATH or DT_RPATH as written] */
    RECORD_OPEN,        /* open, creat, fopen, mkstemp … [path, flags = O_*, result; if opened for reading:
                           text = stamp, value = clock_of_files() before anything was read] */
    RECORD_STAT,        /* stat, access: follows links [path, result] */
    RECORD_LSTAT,       /* [path, result] */
    RECORD_READLINK,    /* [path, result, text = target] */
    RECORD_REALPATH,    /* [path, result, text = resolved] */
    RECORD_LIST,        /* directory opened for listing [path, result] */
    RECORD_MKDIR,       /* [path, result] */
    RECORD_UNLINK,      /* unlink, rmdir, remove [path, result] */
    RECORD_RENAME,      /* [path, text = new path, result, flags = RENAME_* of renameat2] */
    RECORD_LINK,        /* hard link [path = old, text = new, result] */
    RECORD_SYMLINK,     /* [path = target text, text = new link, result] */
    RECORD_ATTRIBUTES,  /* chmod, chown, utime by path [path, result] */
    RECORD_MAPPED,      /* a file mapped shared and writable [path] */
    RECORD_EXEC,        /* about to become another program [path, flags = RECORD_KEPT, RECORD_STATIC] */
    RECORD_EXEC_FAILED, /* … but that failed [path, result] */
    RECORD_SPAWN,       /* a child was spawned [path, value = its pid, 0 = not known, flags as above] */
    RECORD_GETENV,      /* [path = the variable's name, result = 0 or -ENOENT] */
    RECORD_TIME,        /* time(): the wall clock as such was asked for; the first two times of a program */
    RECORD_CLOCK,       /* the same by a finer way: gettimeofday, clock_gettime; likewise */
    RECORD_LOCAL_TIME,  /* a time (the clock's, a file's) was made readable: localtime, ctime */
    RECORD_SYSCALL,     /* a system call by number that the recorder doesn't know [value = number] */
    RECORD_CATALOG,     /* translated messages were asked for [path = folder of locales, text = the domain] */
    RECORD_UNSAFE,      /* something that can't be followed, io_uring for one [path = word for the log] */
};

/* flags of RECORD_EXEC and RECORD_SPAWN. */
enum {
    RECORD_KEPT = 1,   /* the new program was given the recorder */
    RECORD_STATIC = 2, /* it has no loader, so it writes no start record itself; with RECORD_KEPT it is a
                          ccwrap, which becomes a compiler that does */
};

struct record {
    enum record_kind kind;
    pid_t pid;
    int result;
    uint32_t flags;
    int64_t value;
    const char *path; /* never NULL; lies in the log */
    const char *text; /* never NULL */
};

/* A stamp in a record's text: device, inode, size, mtime, ctime (nanoseconds), each a ":" and hexadecimal
 * figures. */
enum { RECORD_STAMP_SIZE = 5 * 17 + 1 };

struct record_log {
    int fd;             /* -1 if none */
    char path[64];      /* what a child opens: /proc/<server>/fd/N won't do for another user's child, so a
                           file in /dev/shm or the runtime folder, unlinked by record_log_close */
    unsigned char *map; /* whole file, shared */
    size_t size;
    size_t next; /* reading position */
};

/* Why a log can't be relied on; 0 means that all that was recorded is there. */
enum record_fault {
    RECORD_WHOLE = 0,
    RECORD_NO_START,  /* the root program wrote no start record: it can't be watched */
    RECORD_UNWATCHED, /* a program that was exec'd or spawned wrote none */
    RECORD_HOLE,      /* a record was begun and not finished (its process was killed) */
    RECORD_OVERFLOW,  /* the file was too small */
    RECORD_LEFT,      /* a program was started without the recorder, or used what can't be followed */
};

/* Makes an empty log in directory `folder` (which must be ours and 0700). Sparse, so its size costs nothing
 * until it is written. 0 or negative errno. */
int record_log_open(struct record_log *log, const char *folder);
/* Unmaps, closes, unlinks. Safe on a log whose open failed (fd -1). */
void record_log_close(struct record_log *log);
/* Empties a log for another run. */
int record_log_reset(struct record_log *log);

/* True as soon as process `root` has written a start record; cheap, may be called while the tree runs. */
bool record_log_started(struct record_log *log, pid_t root);

/* Walks the events in the order of their writing. Memory of the log may be changed by a process that outlived
 * its tree: every length is checked, and strings end inside the map. */
void record_log_rewind(struct record_log *log);
bool record_log_next(struct record_log *log, struct record *record);

/* The canary: walks the whole log once. `root` is the pid that was spawned (the trampoline, which execs the
 * program: its start record has this pid). *culprit, if not NULL, is set to the path of the program that
 * couldn't be watched (in the log), or "". */
enum record_fault record_log_check(struct record_log *log, pid_t root, const char **culprit);

/* Names and values of the environment variables that put the recorder into a child, in `pair[0]`, `pair[1]`
 * ("NAME=value"; LD_PRELOAD is joined with the value that `environment` has). The strings are allocated with
 * memory_alloc. `recorder` is the path of the shared object, without space or colon. */
void record_log_environment(const struct record_log *log, const char *recorder, char *const *environment,
                            char *pair[2]);

#endif
