/* own_pool: a jobserver of the server's own, for compilers that read one where their build offers none.
 *
 * A FIFO with one token fewer than there are jobs (whoever reads a jobserver has one for itself). It is made
 * at the first use, shared by all who have joined, and made whole whenever nobody has: a compiler that was
 * killed keeps the tokens that it had taken. The loop thread's alone. */
#ifndef CCWRAP_JOBSERVER_OWN_POOL_H
#define CCWRAP_JOBSERVER_OWN_POOL_H

struct own_pool {
    const char *folder; /* of ours and closed to others; NULL: no pool */
    unsigned tokens;
    unsigned users;
    int fd; /* -1 while there is no FIFO */
    char path[128];
};

/* `jobs` 0: no bound, and no pool. Touches no file. */
void own_pool_init(struct own_pool *pool, const char *folder, unsigned jobs);
/* Path of the FIFO, without blanks; NULL where none can be made, else each join needs a leave. */
const char *own_pool_join(struct own_pool *pool);
void own_pool_leave(struct own_pool *pool);
/* Removes the FIFO. */
void own_pool_close(struct own_pool *pool);

#endif
