/* channel: the client's end of the connection: frames in, frames out, never longer than a bound. */
#ifndef CCWRAP_CLIENT_CHANNEL_H
#define CCWRAP_CLIENT_CHANNEL_H

#include "client/signals.h"
#include "common/buf.h"
#include "common/wire.h"

struct channel {
    int fd;                  /* doesn't block */
    struct signals *signals; /* borrowed */
    struct buf in;           /* received bytes */
    size_t used;             /* of these, so many were given out */
};

struct frame {
    enum wire_type type;
    const void *payload; /* until the next channel_next */
    size_t size;
};

enum channel_event {
    CHANNEL_FRAME,
    CHANNEL_SIGNAL, /* one waits to be taken */
    CHANNEL_LOST,   /* closed, broken, talking nonsense, or silent for too long */
};

/* Uses the memory, which stays the caller's, as long as it suffices. */
void channel_init(struct channel *channel, int fd, struct signals *signals, char *memory, size_t size);
void channel_close(struct channel *channel);

/* Waits for a frame for at most `patience` milliseconds. */
enum channel_event channel_next(struct channel *channel, struct frame *frame, int patience);

/* Sends all, or fails: 0 or negative errno. */
int channel_send(struct channel *channel, const void *bytes, size_t size);
/* An FDS frame with the two descriptors, or (NULL) without any. */
int channel_send_fds(struct channel *channel, const int *fds);

#endif
