/* pool: the jobserver that one compile gets: its build's, else the server's own.
 *
 * Steps, on the loop: pool_begin says whether the client must be asked for descriptors; they are given by
 * pool_take (or their lack); pool_put writes the choice into the compiler's environment; pool_drop closes the
 * descriptors once the compiler has them; pool_leave ends the use. */
#ifndef CCWRAP_SERVER_POOL_H
#define CCWRAP_SERVER_POOL_H

#include <stdbool.h>

#include "common/environment.h"
#include "jobserver/makeflags.h"
#include "jobserver/own_pool.h"

struct pool {
    struct makeflags_pool offer; /* what the build announces; kind NONE once it has proved stale */
    int fds[2];                  /* of the build's pipe, while they are open here; else -1 */
    const char *fifo;            /* what the compiler will open; NULL: none */
    struct own_pool *own;        /* that was joined, or NULL */
};

/* True: ask for descriptors. */
bool pool_begin(struct pool *pool, struct environment *environment);
/* Takes over what came; fds NULL: none did. */
void pool_take(struct pool *pool, const int *fds);
void pool_put(struct pool *pool, struct own_pool *own, struct environment *environment);
/* For child_options; NULL if the compiler gets no descriptors. */
const int *pool_descriptors(const struct pool *pool);
/* The paths by which a compiler opens what it was given (rustc opens descriptors anew, to have flags of its
 * own); NULL for none. Also after pool_drop. */
void pool_paths(const struct pool *pool, struct arena *arena, const char *paths[2]);
void pool_drop(struct pool *pool);
/* Does pool_drop, too; a second call does nothing. */
void pool_leave(struct pool *pool);

#endif
