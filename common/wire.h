/* wire: what client and server say to each other.
 *
 * A frame is a 32-bit little-endian length of what follows it, one byte of type, and the payload. Lengths are
 * bounded (WIRE_MAX); strings end in NUL. The build id of both sides must agree: the socket's name is made
 * from it, and a request says it again.
 *
 * client → server                                server → client
 *   REQUEST  a compile                             ALIVE     request received / still at work (heartbeat)
 *   CANCEL   signal received; payload: u8 signal   STARTED   u32 process group, u64 its start time (clock
 *   FDS      answer to ASK_FDS; descriptors as               ticks since boot, /proc/PID/stat field 22)
 *            SCM_RIGHTS                            OUTPUT    u8 stream (1, 2), bytes
 *   ADMIN    word, value, dir: "stats" "json" …    EXIT      u8 how (0 exited, 1 signalled), u8 number: last
 *                                                  RUN       run it yourself; payload: reason's name: last
 *                                                  REFUSE    u8 status, text for stderr: exit with it: last
 *                                                  ASK_FDS   the jobserver's descriptors are wanted
 *                                                  ENDED     answer to CANCEL: nothing runs any more: last
 *                                                  TEXT      part of an admin answer
 *                                                  DONE      u8 status: last frame of an admin answer
 *
 * After STARTED a lost connection means: end that process group, wait for its end, then compile. Before it,
 * just compile. Silence of WIRE_SILENCE milliseconds means that the server is lost. */
#ifndef CCWRAP_COMMON_WIRE_H
#define CCWRAP_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/buf.h"

enum { WIRE_MAX = 8 * 1024 * 1024, WIRE_HEADER = 5, WIRE_SILENCE = 2000, WIRE_HEARTBEAT = 500 };

enum wire_type {
    WIRE_REQUEST = 1,
    WIRE_CANCEL,
    WIRE_FDS,
    WIRE_ADMIN,
    WIRE_ALIVE = 64,
    WIRE_STARTED,
    WIRE_OUTPUT,
    WIRE_EXIT,
    WIRE_RUN,
    WIRE_REFUSE,
    WIRE_ASK_FDS,
    WIRE_ENDED,
    WIRE_TEXT,
    WIRE_DONE,
};

/* bits of wire_request.flags */
enum {
    WIRE_TERMINAL_0 = 1, /* descriptor 0 is a terminal … */
    WIRE_TERMINAL_1 = 2,
    WIRE_TERMINAL_2 = 4,
    WIRE_ONE_STREAM = 8, /* descriptors 1 and 2 are the same file */
    WIRE_LINK = 16,      /* called through a link named like the compiler */
};

/* Where a process lives; a server serves only clients that see the same machine. */
struct wire_view {
    uint64_t root_device, root_inode; /* of "/" */
    uint64_t mounts; /* number of the mount at "/": each belongs to one mount namespace. Where
                        the kernel doesn't tell it, inode of /proc/self/ns/mnt */
    uint64_t user;   /* inode of /proc/self/ns/user; 0 where unreadable */
};

struct wire_request {
    char build[40]; /* build id */
    uint32_t flags;
    uint32_t columns; /* width of the first of 2, 1, 0 that is a terminal */
    uint32_t rows;
    uint32_t umask;
    uint32_t pid; /* as the client knows itself: from another pid namespace the server knows it by another */
    uint32_t personality; /* execution domain: setarch, linux32 */
    uint64_t host;        /* wire_host_of_self */
    struct wire_view view;
    const char *program;   /* absolute path of the compiler that the client's PATH gives */
    const char *directory; /* working directory, absolute, as getcwd gives it */
    char **argv;           /* NULL-terminated; argv[0] as the user gave it (absolute for a link) */
    char **environment;    /* NULL-terminated */
    char **settings;       /* "KEY=VALUE" words in front of the compiler; NULL-terminated */
};

/* Appends a frame. */
void wire_add_frame(struct buf *buf, enum wire_type type, const void *payload, size_t size);
/* The same, with a payload that is written straight into the buffer: begin, append, end. */
size_t wire_begin_frame(struct buf *buf, enum wire_type type);
void wire_end_frame(struct buf *buf, size_t begun);

/* Looks for one whole frame at the head of `bytes`. Returns its size with header, 0 if more bytes are needed,
 * or -EBADMSG if it can't be one. */
long wire_frame(const void *bytes, size_t size, enum wire_type *type, const void **payload,
                size_t *payload_size);

/* False if the request is larger than WIRE_MAX. */
bool wire_put_request(struct buf *buf, const struct wire_request *request);
/* The build that a request comes from, in whatever way it goes on; NULL: it is none. */
const char *wire_build_of_request(const void *payload, size_t size);
/* Strings lie in `payload`, arrays come from the arena. 0 or -EBADMSG. */
int wire_get_request(struct wire_request *request, struct arena *arena, const void *payload, size_t size);

/* A number for the host's name as this process sees it. */
uint64_t wire_host_of_self(void);
/* This process's own. */
void wire_view_of_self(struct wire_view *view);

#endif
