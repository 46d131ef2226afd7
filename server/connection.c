#include "server/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"

enum { READ_SIZE = 64 * 1024 };

static uv_timer_t heartbeat_timer;
static struct connection *alive;

/* ---- heartbeat ---- */

static void join_alive(struct connection *connection)
{
    connection->next = alive;
    connection->link = &alive;
    if (alive)
        alive->link = &connection->next;
    alive = connection;
    connection->alive = true;
    if (!uv_is_active((uv_handle_t *)&heartbeat_timer))
        uv_timer_again(&heartbeat_timer);
}

static void leave_alive(struct connection *connection)
{
    if (!connection->alive)
        return;
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    connection->alive = false;
    if (!alive) /* an idle server has nothing to wake for */
        uv_timer_stop(&heartbeat_timer);
}

static void on_heartbeat(uv_timer_t *timer)
{
    int64_t now = clock_monotonic();

    (void)timer;
    for (struct connection *connection = alive, *next; connection; connection = next) {
        next = connection->next;
        if (now - connection->last_sent >= (int64_t)WIRE_HEARTBEAT * 1000000 / 2 &&
            connection_is_drained(connection))
            connection_send(connection, WIRE_ALIVE, "", 0);
    }
}

void connection_start_heartbeat(uv_loop_t *loop)
{
    uv_timer_init(loop, &heartbeat_timer);
    uv_timer_start(&heartbeat_timer, on_heartbeat, WIRE_HEARTBEAT, WIRE_HEARTBEAT);
    uv_timer_stop(&heartbeat_timer);
}

void connection_stop_heartbeat(void)
{
    uv_close((uv_handle_t *)&heartbeat_timer, NULL);
}

/* ---- input and output ---- */

static void update_poll(struct connection *connection);

static void lose(struct connection *connection)
{
    if (connection->lost || connection->closing)
        return;
    connection->lost = true;
    buf_reset(&connection->out);
    connection->sent = 0;
    uv_poll_stop(&connection->poll);
    leave_alive(connection);
    connection->events->lost(connection);
}

/* False once the connection is lost or closing. */
static bool take_frames(struct connection *connection)
{
    size_t taken = 0;

    while (!connection->lost && !connection->closing) {
        enum wire_type type;
        const void *payload;
        size_t size;
        long frame =
            wire_frame(connection->in.data + taken, connection->in.length - taken, &type, &payload, &size);
        if (frame == 0)
            break;
        if (frame < 0 || !connection->events->frame(connection, type, payload, size)) {
            lose(connection);
            return false;
        }
        taken += (size_t)frame;
    }
    if (connection->lost || connection->closing)
        return false;
    memmove(connection->in.data, connection->in.data + taken, connection->in.length - taken);
    connection->in.length -= taken;
    return true;
}

static void drop_passed(struct connection *connection)
{
    for (int i = 0; i < 2; i++) {
        if (connection->passed[i] >= 0)
            close(connection->passed[i]);
        connection->passed[i] = -1;
    }
}

/* Two descriptors are kept; a client that sends others gets them closed. */
static void take_passed(struct connection *connection, struct msghdr *message)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        drop_passed(connection);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            if (count == 2)
                connection->passed[i] = fd;
            else
                close(fd);
        }
    }
}

static ssize_t receive(struct connection *connection, void *bytes, size_t size)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct iovec part = {bytes, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    ssize_t got = recvmsg(connection->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0)
        take_passed(connection, &message);
    return got;
}

static void read_input(struct connection *connection)
{
    for (;;) {
        buf_reserve(&connection->in, READ_SIZE);
        ssize_t got = receive(connection, connection->in.data + connection->in.length, READ_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            lose(connection);
            return;
        }
        connection->in.length += (size_t)got;
        if (!take_frames(connection))
            return;
    }
}

static bool silent_too_long(const struct connection *connection, int64_t now)
{
    return now - connection->last_sent >= (int64_t)WIRE_SILENCE * 1000000;
}

static void note_sent(struct connection *connection)
{
    int64_t now = clock_monotonic();

    connection->overdue |= silent_too_long(connection, now);
    connection->last_sent = now;
}

static void write_output(struct connection *connection)
{
    bool had = connection->out.length > 0;

    while (connection->sent < connection->out.length) {
        ssize_t sent = send(connection->fd, connection->out.data + connection->sent,
                            connection->out.length - connection->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent < 0) {
            lose(connection);
            return;
        }
        connection->sent += (size_t)sent;
        note_sent(connection);
    }
    if (connection->sent == connection->out.length) {
        buf_reset(&connection->out);
        connection->sent = 0;
    }
    update_poll(connection);
    if (had && connection_is_drained(connection) && connection->events->drained)
        connection->events->drained(connection);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct connection *connection = poll->data;

    if (status < 0) {
        lose(connection);
        return;
    }
    if (events & UV_WRITABLE)
        write_output(connection);
    if ((events & UV_READABLE) && !connection->lost && !connection->closing)
        read_input(connection);
}

static void update_poll(struct connection *connection)
{
    if (!connection->lost && !connection->closing)
        uv_poll_start(&connection->poll, UV_READABLE | (connection_is_drained(connection) ? 0 : UV_WRITABLE),
                      on_poll);
}

/* ---- interface ---- */

void connection_receive(struct connection *connection, struct buf *bytes)
{
    buf_add(&connection->in, bytes->data, bytes->length);
    buf_release(bytes);
    take_frames(connection);
}

int connection_open(struct connection *connection, uv_loop_t *loop, int fd,
                    const struct connection_events *events, bool heartbeat)
{
    void *data = connection->data;

    memset(connection, 0, sizeof *connection);
    connection->data = data;
    connection->events = events;
    connection->fd = fd;
    connection->passed[0] = connection->passed[1] = -1;
    connection->last_sent = clock_monotonic();
    fcntl(fd, F_SETFL, O_NONBLOCK);
    int error = uv_poll_init(loop, &connection->poll, fd);
    if (error) {
        close(fd);
        return error;
    }
    connection->poll.data = connection;
    if (heartbeat)
        join_alive(connection);
    update_poll(connection);
    return 0;
}

void connection_was_silent_since(struct connection *connection, int64_t moment)
{
    connection->last_sent = moment;
    if (clock_monotonic() - moment >= (int64_t)WIRE_HEARTBEAT * 1000000 / 2)
        connection_send(connection, WIRE_ALIVE, "", 0);
}

void connection_send_bytes(struct connection *connection, const void *bytes, size_t size)
{
    if (connection->lost || connection->closing)
        return;
    buf_add(&connection->out, bytes, size);
    write_output(connection);
}

void connection_send(struct connection *connection, enum wire_type type, const void *payload, size_t size)
{
    if (connection->lost || connection->closing)
        return;
    wire_add_frame(&connection->out, type, payload, size);
    write_output(connection);
}

bool connection_take_fds(struct connection *connection, int fds[2])
{
    bool passed = connection->passed[0] >= 0;

    memcpy(fds, connection->passed, sizeof connection->passed);
    connection->passed[0] = connection->passed[1] = -1;
    return passed;
}

bool connection_is_full(const struct connection *connection)
{
    return connection->out.length - connection->sent > CONNECTION_FULL;
}

bool connection_is_overdue(const struct connection *connection)
{
    return connection->overdue || silent_too_long(connection, clock_monotonic());
}

bool connection_is_drained(const struct connection *connection)
{
    return connection->sent == connection->out.length;
}

static void on_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;

    drop_passed(connection);
    close(connection->fd);
    buf_release(&connection->in);
    buf_release(&connection->out);
    connection->events->closed(connection);
}

void connection_close(struct connection *connection)
{
    if (connection->closing)
        return;
    connection->closing = true;
    leave_alive(connection);
    uv_close((uv_handle_t *)&connection->poll, on_closed);
}
