#include "jobserver/own_pool.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKENS_MAX = 4096 }; /* a FIFO takes so many at once */

void own_pool_init(struct own_pool *pool, const char *folder, unsigned jobs)
{
    memset(pool, 0, sizeof *pool);
    pool->fd = -1;
    pool->folder = jobs && folder && !strpbrk(folder, " \t") ? folder : NULL;
    pool->tokens = jobs ? jobs - 1 : 0;
    if (pool->tokens > TOKENS_MAX)
        pool->tokens = TOKENS_MAX;
}

static void make_whole(struct own_pool *pool)
{
    char bytes[TOKENS_MAX];

    while (read(pool->fd, bytes, sizeof bytes) > 0)
        ;
    memset(bytes, '+', pool->tokens);
    if (pool->tokens && write(pool->fd, bytes, pool->tokens) != (ssize_t)pool->tokens) {
        /* fewer threads are all that comes of it */
    }
}

/* The descriptor is never anyone else's, so it may be non-blocking. */
static int open_fifo(struct own_pool *pool)
{
    if ((size_t)snprintf(pool->path, sizeof pool->path, "%s/jobserver-%d", pool->folder, (int)getpid()) >=
        sizeof pool->path)
        return -1;
    unlink(pool->path); /* of a server that had this number and was killed */
    if (mkfifo(pool->path, 0600) != 0)
        return -1;
    int fd = open(pool->path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        unlink(pool->path);
    return fd;
}

const char *own_pool_join(struct own_pool *pool)
{
    struct stat named, opened;

    if (!pool->folder)
        return NULL;
    if (pool->fd >= 0 && pool->users == 0 &&
        (stat(pool->path, &named) != 0 || fstat(pool->fd, &opened) != 0 || named.st_ino != opened.st_ino)) {
        close(pool->fd); /* somebody has tidied up */
        pool->fd = -1;
    }
    if (pool->fd < 0) {
        pool->fd = open_fifo(pool);
        if (pool->fd < 0)
            return NULL;
        make_whole(pool);
    }
    pool->users++;
    return pool->path;
}

void own_pool_leave(struct own_pool *pool)
{
    if (--pool->users == 0)
        make_whole(pool);
}

void own_pool_close(struct own_pool *pool)
{
    if (pool->fd < 0)
        return;
    close(pool->fd);
    pool->fd = -1;
    unlink(pool->path);
}
