/* path_table: what a compile did with each path, in the order of its events.
 *
 * Paths are kept as the compile used them, joined to the working directory of the process that used them:
 * relative to the client's directory where that is possible, absolute otherwise; "." and double slashes are
 * taken out, ".." stays (behind a link it means something else). With a ground, a path is relative to that
 * where it lies below it, however it was named, and absolute otherwise. One owner; memory from an arena. */
#ifndef CCWRAP_SERVER_PATH_TABLE_H
#define CCWRAP_SERVER_PATH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cache/file_digest.h"
#include "common/arena.h"

/* What came first on a path decides whether its former state is an input. */
enum path_use {
    USE_READ = 1 << 0,        /* opened for reading */
    USE_RUN = 1 << 1,         /* executed */
    USE_SEEN = 1 << 2,        /* stat'ed, and it was there */
    USE_SEEN_LINK = 1 << 3,   /* lstat'ed, and it was there */
    USE_MISSED = 1 << 4,      /* looked up, and not there */
    USE_MISSED_LINK = 1 << 5, /* the same by lstat or readlink */
    USE_LISTED = 1 << 6,
    USE_NOT_LINK = 1 << 7,   /* readlink said that it is no link */
    USE_WRITTEN = 1 << 8,    /* made anew by the compile: an output if it is there in the end */
    USE_CHANGED = 1 << 9,    /* written without being made anew: appended to, or written into */
    USE_REMOVED = 1 << 10,   /* something was removed that the compile hadn't made */
    USE_GONE = 1 << 11,      /* its own product, removed or renamed away: a temporary */
    USE_FOLDER = 1 << 12,    /* a directory made by the compile */
    USE_LOADED = 1 << 13,    /* loaded as a library */
    USE_TRIED = 1 << 16,     /* an exec of it was begun; if that doesn't fail, it was run */
    USE_DENIED = 1 << 17,    /* looked up in a folder that may not be searched */
    USE_DATED = 1 << 18,     /* stat'ed by a program to which size and times may say something */
    USE_SCANNED = 1 << 19,   /* … and mode and owner, too */
    USE_CHMODED = 1 << 21,   /* the compile set its mode, or times */
    USE_MODED = 1 << 22,     /* stat'ed for a macro, which may look at its mode and owner */
    USE_ABSOLUTE = 1 << 23,  /* below the client's directory, by an absolute path that no word explains */
    USE_EXPLAINED = 1 << 24, /* … that a word explains */
    USE_SCRIPT = 1 << 20,    /* read by a shell, which may run it */
    USE_SILENT = 1 << 14,    /* whatever is done with it says nothing */
    USE_PRIVATE = 1 << 15,   /* in the compiler's own folder that goes on from compile to compile */
};

struct path_entry {
    const char *path;
    const char *link;     /* target that readlink gave, or NULL */
    const char *resolved; /* what realpath gave, or NULL; "" if it failed */
    int resolve_error;
    struct stamp stamp;      /* when it was opened for reading, if `stamped` */
    int64_t read_at;         /* clock_of_files() then */
    bool stamped, restamped; /* it has a stamp; it was read again with another one */
    unsigned use;
    pid_t holder;            /* the process that opened it only to remove it, should it do so; 0: none */
    int error;               /* of `facts`, which are looked for once */
    struct file_facts facts; /* of what it holds after the compile, for USE_CONTENT */
    struct path_entry *next; /* in order of first use */
    size_t hash;
};

struct path_table {
    struct arena *arena;
    const char *directory; /* the client's */
    const char *bases;  /* setting basedir: absolute paths below it are told relative, too; "" if not set */
    const char *ground; /* NULL: none but the directory */
    const char *real_ground; /* another path of the same folder, without links; NULL: there is none */
    struct path_entry **slots;
    size_t slot_count, count;
    struct path_entry *first, **last;
};

void path_table_init(struct path_table *table, struct arena *arena, const char *directory);
/* Before the first entry: paths below `ground` (absolute), or below what that really is (`real`; NULL: the
 * same), are relative to it, all others absolute. */
void path_table_set_ground(struct path_table *table, const char *ground, const char *real);
/* The entry of `path` as used by a process whose working directory is `base` (NULL: the client's). */
struct path_entry *path_table_get(struct path_table *table, const char *base, const char *path);
/* A path in the table's form. */
const char *path_table_form(const struct path_table *table, const char *base, const char *path);

#endif
