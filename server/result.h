/* result: what a compile left behind, as a packed result, and back.
 *
 * A packed result's files are, in order: the messages (OUTPUT frames of the wire, ready to be sent), then the
 * output files. A file's role (frontend.h) says which name of *this* request it gets; a file without a role
 * keeps the name that was observed, from the ground of this request. A depfile that can be made for other
 * targets is kept without its targets (depfile.h; flag RESULT_DEPFILE_*), any other as written. */
#ifndef CCWRAP_SERVER_RESULT_H
#define CCWRAP_SERVER_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/packed.h"
#include "server/request.h"

/* roles beyond those of frontend.h */
enum { RESULT_MESSAGES = 100 };

/* flags of a packed file */
enum {
    RESULT_STYLE_MASK = 0x0f, /* depfile without targets: its enum depfile_style */
    RESULT_EXACT_MODE = 0x10, /* mode is the file's own, not one that a umask makes */
    RESULT_GROUNDED = 0x20,   /* messages or dep-info in which the ground is marked (grounded.h) */
};

struct output_file {
    const char *path; /* as the compile named it, relative to the directory or absolute */
    enum output_role role;
    mode_t mode; /* of the file as written */
    int fd;      /* open for reading; -1 if `content` is set */
    uint64_t size;
    const char *content; /* depfile without targets */
    uint32_t flags;
};

/* Packs messages and outputs. 0 or negative errno (packed_make). */
int result_pack(struct request *request, const struct buf *messages, uint32_t message_flags,
                const struct output_file *outputs, size_t count, struct packed **packed);

/* Step 6 of a hit: writes the files of a result where this request wants them, with its umask, and appends
 * its messages and the EXIT frame to the reply. -EDOM: the result can't be made fit for this request, and
 * -EBADMSG, -ESTALE: it is damaged or gone, which is a miss. On another failure (negative errno) some files
 * may be written: the client then runs the compiler, which rewrites them. *size gets the bytes written. */
int result_restore(struct request *request, const struct packed *packed, uint64_t *size);

/* May a result hold a file by this name of its own making? Only in a folder that the command names, or in the
 * working directory: nothing that stands in a store may write anywhere else. */
bool result_is_asked_for(const struct request *request, const char *path);

/* Is `path` named as rustc names its dep-info? That is written into the old file, where others replace it. */
bool result_is_dep_info(const char *path);

/* May the file at `path` be replaced by a restored one? True if it is absent or a plain file that this user
 * may write, of one link unless the compiler itself would replace it. */
bool result_may_replace(const struct request *request, int directory, const char *path);

/* Does the folder of `path` (relative to the descriptor) have a default ACL? Then that makes the modes of new
 * files, and no umask. */
bool result_folder_sets_modes(int directory, const char *path);

#endif
