#include "client/channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECEIVE = 16 * 1024, FRAME_OF_A_HIT = 128 };

void channel_init(struct channel *channel, int fd, struct signals *signals, char *memory, size_t size)
{
    channel->fd = fd;
    channel->signals = signals;
    channel->used = 0;
    buf_lend(&channel->in, memory, size);
}

void channel_close(struct channel *channel)
{
    close(channel->fd);
    channel->fd = -1;
    buf_release(&channel->in);
}

/* Makes room by moving what wasn't given out yet to the front, and receives what there is. 1 if something
 * came, 0 if nothing is there, or negative errno. */
static int receive(struct channel *channel)
{
    struct buf *in = &channel->in;

    if (channel->used) {
        memmove(in->data, in->data + channel->used, in->length - channel->used);
        in->length -= channel->used;
        channel->used = 0;
    }
    if (in->capacity - in->length < FRAME_OF_A_HIT)
        buf_reserve(in, RECEIVE);
    ssize_t got = recv(channel->fd, in->data + in->length, in->capacity - in->length - 1, MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (got == 0)
        return -ECONNRESET;
    in->length += (size_t)got;
    return 1;
}

static long take_frame(struct channel *channel, struct frame *frame)
{
    const char *start = channel->in.data ? channel->in.data + channel->used : "";
    long size =
        wire_frame(start, channel->in.length - channel->used, &frame->type, &frame->payload, &frame->size);

    if (size > 0)
        channel->used += (size_t)size;
    return size;
}

enum channel_event channel_next(struct channel *channel, struct frame *frame, int patience)
{
    struct pollfd fds[2] = {{channel->fd, POLLIN, 0}, {channel->signals->fd, POLLIN, 0}};

    for (;;) {
        long size = take_frame(channel, frame);
        if (size > 0)
            return CHANNEL_FRAME;
        if (size < 0)
            return CHANNEL_LOST;
        int ready = poll(fds, 2, patience);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready > 0 && fds[1].revents)
            return CHANNEL_SIGNAL;
        /* After a time-out, too: this process may have been stopped for longer than the server was silent. */
        int received = receive(channel);
        if (received < 0 || (received == 0 && ready <= 0))
            return CHANNEL_LOST;
    }
}

/* 0 once there is room to send, or -ETIMEDOUT. */
static int wait_for_room(struct channel *channel)
{
    struct pollfd fd = {channel->fd, POLLOUT, 0};
    int ready;

    do {
        ready = poll(&fd, 1, WIRE_SILENCE);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : -ETIMEDOUT;
}

int channel_send(struct channel *channel, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size) {
        ssize_t sent = send(channel->fd, next, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            int error = wait_for_room(channel);
            if (error)
                return error;
        } else if (sent < 0 && errno != EINTR) {
            return -errno;
        } else if (sent > 0) {
            next += sent;
            size -= (size_t)sent;
        }
    }
    return 0;
}

int channel_send_fds(struct channel *channel, const int *fds)
{
    char bytes[WIRE_HEADER] = {1, 0, 0, 0, WIRE_FDS};
    union {
        struct cmsghdr header; /* for its alignment */
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (!fds)
        return channel_send(channel, bytes, sizeof bytes);
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));

    for (;;) {
        ssize_t sent = sendmsg(channel->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) /* the descriptors went with the first byte */
            return channel_send(channel, bytes + sent, sizeof bytes - (size_t)sent);
        int error = errno == EAGAIN ? wait_for_room(channel) : errno == EINTR ? 0 : -errno;
        if (error)
            return error;
    }
}
