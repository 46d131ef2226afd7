/* record_format: the layout of a recorder's log, shared by the recorder (writer) and record_log.c (reader).
 *
 * The file is made by the server at its full size, sparse, and mapped shared by every process of the tree.
 * It begins with a struct record_file; entries follow each other from RECORD_FIRST on. A writer takes its
 * place by one atomic addition to `used`, fills the entry, and writes its `size` last (release): an entry
 * whose size is 0 was begun and not finished. Numbers are in the machine's own order, for writer and reader
 * always run on the same machine. */
#ifndef CCWRAP_SPAWN_RECORD_FORMAT_H
#define CCWRAP_SPAWN_RECORD_FORMAT_H

#include <stdint.h>

#define RECORD_MAGIC "ccwrapRL" /* 8 bytes, without the NUL */

/* What puts the recorder into a program. LD_PRELOAD holds the recorder first, then the user's own value. */
#define RECORD_PRELOAD_NAME "LD_PRELOAD="
#define RECORD_FILE_NAME    "CCWRAP_RECORD="

enum {
    RECORD_VERSION = 2,
    RECORD_FILE_SIZE = 16 * 1024 * 1024,
    RECORD_FIRST = 64,        /* offset of the first entry */
    RECORD_ALIGNMENT = 8,     /* of every entry */
    RECORD_CHUNK = 64 * 1024, /* memory is asked for in pieces of this size, see `backed` */
};

struct record_file {
    char magic[8];
    uint32_t version;
    uint32_t overflow; /* not 0: an entry found no room, in the file or in memory */
    uint64_t used;     /* where the next entry goes; it only grows, and may grow beyond the file */
    uint64_t backed;   /* bytes that surely have memory: writing beyond could end in SIGBUS on a full tmpfs */
    int32_t first;     /* pid of the first start record, or 0 */
};

struct record_entry {
    uint32_t size; /* of the whole entry with its strings, a multiple of RECORD_ALIGNMENT */
    int32_t pid;
    uint32_t kind; /* enum record_kind */
    int32_t result;
    uint32_t flags;
    uint32_t path_size; /* with its NUL; the text begins after it */
    int64_t value;
    char strings[]; /* path NUL text NUL, then zeros */
};

#endif
