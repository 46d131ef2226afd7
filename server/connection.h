/* connection: a client's socket on the loop.
 *
 * Frames come in whole and go out in order; what the socket doesn't take at once is kept, up to a bound above
 * which the owner is asked to wait (`connection_is_full`). Every connection that has sent nothing for
 * WIRE_HEARTBEAT is given an ALIVE frame by the timer: a client takes silence for the server's death, and the
 * loop, unlike a thread that serves, does not wait for file systems.
 *
 * Loop thread only. The struct is the caller's and must live until `closed` was called. */
#ifndef CCWRAP_SERVER_CONNECTION_H
#define CCWRAP_SERVER_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "common/buf.h"
#include "common/wire.h"

struct connection;

struct connection_events {
    /* A whole frame; the payload is gone after the call. False: the frame makes no sense, the connection is
     * to be treated as lost. */
    bool (*frame)(struct connection *connection, enum wire_type type, const void *payload, size_t size);
    /* The client is gone (or spoke garbage). Called once; nothing can be sent any more. */
    void (*lost)(struct connection *connection);
    /* Everything that was sent has left. May be NULL. */
    void (*drained)(struct connection *connection);
    void (*closed)(struct connection *connection);
};

enum { CONNECTION_FULL = 256 * 1024 };

struct connection {
    void *data; /* the caller's */
    const struct connection_events *events;

    /* private */
    uv_poll_t poll;
    int fd;
    struct buf in, out;
    size_t sent; /* bytes of `out` that have left */
    bool lost, closing, alive;
    int passed[2];                   /* descriptors that came as SCM_RIGHTS; -1: none */
    int64_t last_sent;               /* clock_monotonic */
    bool overdue;                    /* there was a silence of WIRE_SILENCE */
    struct connection *next, **link; /* in the list of those that get a heartbeat */
};

/* Once, before the first connection; and at the end. */
void connection_start_heartbeat(uv_loop_t *loop);
void connection_stop_heartbeat(void);

/* Takes over `fd` (made non-blocking). `heartbeat`: the client waits for an answer and is to be told that
 * someone lives. 0 or negative errno (the fd is then closed). */
int connection_open(struct connection *connection, uv_loop_t *loop, int fd,
                    const struct connection_events *events, bool heartbeat);
void connection_send(struct connection *connection, enum wire_type type, const void *payload, size_t size);
/* Bytes that were read from the client before; takes them. */
void connection_receive(struct connection *connection, struct buf *bytes);
/* Nothing was sent to this client since then (clock_monotonic), when it was no connection of the loop's yet.
 * One that has waited long is told at once that it is looked after. */
void connection_was_silent_since(struct connection *connection, int64_t moment);
/* Whole frames, ready made. */
void connection_send_bytes(struct connection *connection, const void *bytes, size_t size);
/* Gives the two descriptors that came with the client's last frame to the caller. False if there were none.
 */
bool connection_take_fds(struct connection *connection, int fds[2]);
bool connection_is_full(const struct connection *connection);
bool connection_is_drained(const struct connection *connection);
/* True if the client may have heard nothing for so long (this process was stopped, say) that it has taken the
 * server for lost and compiles by itself: the outputs are then its own. */
bool connection_is_overdue(const struct connection *connection);
void connection_close(struct connection *connection);

#endif
