#include "server/pool.h"

#include <string.h>
#include <unistd.h>

#include "jobserver/build_pool.h"
#include "spawn/child.h"

bool pool_begin(struct pool *pool, struct environment *environment)
{
    memset(pool, 0, sizeof *pool);
    pool->fds[0] = pool->fds[1] = -1;
    makeflags_announced(environment, &pool->offer);
    return pool->offer.kind == MAKEFLAGS_PIPE;
}

void pool_take(struct pool *pool, const int *fds)
{
    if (fds)
        memcpy(pool->fds, fds, sizeof pool->fds);
    if (fds && build_pool_is_pipe(fds))
        return;
    pool_drop(pool);
    pool->offer.kind = MAKEFLAGS_NONE;
}

void pool_put(struct pool *pool, struct own_pool *own, struct environment *environment)
{
    struct makeflags_pool given = pool->offer;

    if (given.kind == MAKEFLAGS_PIPE) {
        given.fds[0] = CHILD_POOL_FD;
        given.fds[1] = CHILD_POOL_FD + 1;
    } else if (given.kind != MAKEFLAGS_FIFO || !build_pool_is_fifo(given.fifo)) {
        given.fifo = own_pool_join(own);
        given.kind = given.fifo ? MAKEFLAGS_FIFO : MAKEFLAGS_NONE;
        pool->own = given.fifo ? own : NULL;
    }
    pool->fifo = given.kind == MAKEFLAGS_FIFO ? given.fifo : NULL;
    if (given.kind == MAKEFLAGS_NONE)
        makeflags_hide_jobserver(environment);
    else
        makeflags_announce(environment, &given);
}

const int *pool_descriptors(const struct pool *pool)
{
    return pool->offer.kind == MAKEFLAGS_PIPE && pool->fds[0] >= 0 ? pool->fds : NULL;
}

void pool_paths(const struct pool *pool, struct arena *arena, const char *paths[2])
{
    paths[0] = pool->fifo;
    paths[1] = NULL;
    for (int i = 0; pool->offer.kind == MAKEFLAGS_PIPE && i < 2; i++)
        paths[i] = arena_printf(arena, "/dev/fd/%d", CHILD_POOL_FD + i);
}

void pool_drop(struct pool *pool)
{
    for (int i = 0; i < 2; i++) {
        if (pool->fds[i] >= 0)
            close(pool->fds[i]);
        pool->fds[i] = -1;
    }
}

void pool_leave(struct pool *pool)
{
    pool_drop(pool);
    if (pool->own)
        own_pool_leave(pool->own);
    pool->own = NULL;
}
