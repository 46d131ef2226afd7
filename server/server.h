/* server: what all parts of the running server share.
 *
 * Threads: serving threads (serve.c), the loop (loop.c, misses), libuv's pool (heavy parts of misses), and
 * the store's writer. A request belongs to one of them at a time. Fields without a remark don't change after
 * the start. */
#ifndef CCWRAP_SERVER_SERVER_H
#define CCWRAP_SERVER_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include "cache/cache.h"
#include "common/wire.h"
#include "jobserver/own_pool.h"
#include "jobserver/slots.h"
#include "server/settings.h"
#include "spawn/trampoline.h"

struct server {
    struct settings settings;
    struct arena arena; /* of the settings */
    struct cache *cache;
    struct wire_view view;                 /* what a client must see too */
    rlim_t hard_limits[TRAMPOLINE_LIMITS]; /* above which no child can be given any */
    int nice;                              /* below which none can go */
    bool privileged;                       /* … but for the superuser */
    uint32_t personality;                  /* a client's must be the same */
    const char *recorder;                  /* path of ccwrap-recorder.so; NULL: can't watch */
    const char *trampoline;                /* path of ccwrap */
    const char *logs;                      /* folder for recorder logs (0700) */
    char *runtime;                         /* the socket's folder: recorder logs live there */
    int log_error;                         /* why the log can't be written; 0 */
    int listener;
    int lock; /* descriptor of the held lock file */
    atomic_bool stopping;
    atomic_int active;             /* requests being worked on, by whatever thread */
    _Atomic int64_t last_activity; /* clock_monotonic */

    struct slots slots;
    uv_loop_t loop; /* the loop thread's, and all below */
    struct own_pool pool;
};

/* This thread's reader of the cache; opened at the first call, closed by server_close_readers (when no other
 * thread reads any more). */
struct cache_reader *server_reader(struct server *server);
void server_close_readers(void);

/* daemon.c: runs until told to stop. `ready` is a descriptor on which "R" is written, or -1. Exit status. */
int server_run(struct settings *settings, struct arena *arena, int ready);
/* Begins to stop: no new connections, those at work end first. Loop thread. */
void server_stop(struct server *server);

/* Every request is counted from accept to the last frame: neither idle exit nor stop ends one in the middle.
 * Any thread. */
void server_enter(struct server *server);
void server_leave(struct server *server);

/* Appends a line each for a log that can't be written and for the last warning about the store. Any thread.
 */
void server_warnings(const struct server *server, struct buf *out);

/* serve.c: threads that accept and serve. serve_stop ends them after all that had connected were served. */
int serve_start(struct server *server);
/* Blocks until they have ended. */
void serve_stop(struct server *server);

#endif
