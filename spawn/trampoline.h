/* trampoline: what a child must set about itself before it becomes the compiler. libc only.
 *
 * posix_spawn has no action for umask, limits, nice or affinity. So the server starts the client's program
 * (but see child_own_umask in child.h) as
 *
 *     ccwrap --ccwrap-trampoline SETTINGS PROGRAM ARGV0 ARGS…
 *
 * with one end of a socket pair, the gate, at descriptor `gate`. The trampoline waits there for one byte (end
 * of file: it leaves, and the program never runs), sets what SETTINGS say, and execs PROGRAM with its
 * environment as it is. What the server then reads at its end: end of file = the program runs; an int32 in
 * this machine's byte order = errno of what failed, and nothing was run. */
#ifndef CCWRAP_SPAWN_TRAMPOLINE_H
#define CCWRAP_SPAWN_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define TRAMPOLINE_WORD "--ccwrap-trampoline"

/* Statuses of a trampoline that doesn't become its program. */
enum {
    TRAMPOLINE_LEFT = 125,   /* the gate was closed */
    TRAMPOLINE_UNSET = 126,  /* a setting can't be made */
    TRAMPOLINE_FAILED = 127, /* the program can't be executed */
};

enum { TRAMPOLINE_LIMITS = 16 }; /* RLIMIT_* 0 … 15 */

/* Enough for every encoded word, with its NUL. */
enum { TRAMPOLINE_TEXT = 64 + TRAMPOLINE_LIMITS * 34 };

struct trampoline {
    int gate; /* the child's descriptor; 0: there is none, it begins at once and tells by its status alone */
    uint32_t umask;
    int32_t nice;
    uint64_t affinity; /* of the first 64 processors; 0: leave */
    struct rlimit limits[TRAMPOLINE_LIMITS];
};

void trampoline_encode(const struct trampoline *trampoline, char text[TRAMPOLINE_TEXT]);
/* False if the text is not what trampoline_encode writes. */
bool trampoline_decode(struct trampoline *trampoline, const char *text);

#endif
