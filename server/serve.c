/* Serving threads: each accepts a connection, reads its frame, and answers from the cache, without handing
 * anything over; where the preprocessed text decides, it also waits for the preprocessor, for a while and if
 * enough others are free. A client that doesn't send a whole frame at once, a miss, and an answer that the
 * socket doesn't take go to the loop, so that no client holds a thread. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/memory.h"
#include "server/admin.h"
#include "server/arrival.h"
#include "server/children.h"
#include "server/request.h"
#include "server/server.h"
#include "server/stats.h"
#include "spawn/child.h"

enum {
    THREADS_MIN = 4,
    THREADS_MAX = 32,
    FIRST_READ = 64 * 1024,
    PATIENCE = 2, /* milliseconds that a thread waits for more of a frame, */
    WAITS = 8,    /* so often */
    GROUPS_MAX = 256,
};

static pthread_t threads[THREADS_MAX];
static atomic_int thread_count;
static atomic_int idle_threads;

/* For a preprocessor, on this thread: others must be left for hits. */
static bool may_wait(void)
{
    return atomic_load(&idle_threads) >= atomic_load(&thread_count) / 2;
}

/* ---- who is it? ---- */

static int compare_groups(const void *a, const void *b)
{
    gid_t left = *(const gid_t *)a, right = *(const gid_t *)b;
    return left < right ? -1 : left > right;
}

/* This process's own, sorted. */
static gid_t own_groups[GROUPS_MAX];
static int own_group_count;

static void learn_own_groups(void)
{
    own_group_count = getgroups(GROUPS_MAX, own_groups);
    if (own_group_count > 0)
        qsort(own_groups, (size_t)own_group_count, sizeof *own_groups, compare_groups);
}

/* Another group could read what our compiler may not, or the other way round. */
static bool same_groups(int fd)
{
    gid_t peer[GROUPS_MAX];
    socklen_t size = sizeof peer;

    if (own_group_count < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer, &size) != 0 ||
        size != (size_t)own_group_count * sizeof *peer)
        return false;
    qsort(peer, (size_t)own_group_count, sizeof *peer, compare_groups);
    return memcmp(own_groups, peer, size) == 0;
}

static bool is_our_user(int fd, bool *same)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != getauxval(AT_EUID))
        return false;
    *same = peer.gid == getauxval(AT_EGID) && same_groups(fd);
    return true;
}

/* ---- one connection ---- */

static void put_complaints_first(struct request *request)
{
    buf_add(&request->complaints, request->reply.data, request->reply.length);
    buf_release(&request->reply);
    request->reply = request->complaints;
    buf_init(&request->complaints);
}

/* Sends what the socket takes; the loop sends the rest. */
static void send_reply(struct request *request)
{
    const struct buf *reply = &request->reply;

    if (request->complaints.length)
        put_complaints_first(request);
    ssize_t sent = send(request->fd, reply->data, reply->length, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0 && errno != EAGAIN)
        sent = (ssize_t)reply->length; /* gone: nobody to tell */
    if (sent < 0)
        sent = 0;
    if ((size_t)sent < reply->length) {
        memmove(reply->data, reply->data + sent, reply->length - (size_t)sent);
        request->reply.length -= (size_t)sent;
        miss_hand_over(request, ANSWER_REPLIED);
        return;
    }
    request_log(request);
    struct server *server = request->server;
    request_free(request);
    server_leave(server);
}

/* Takes over fd and frame. */
static void serve_frame(struct server *server, int fd, char *frame, enum wire_type type, const void *payload,
                        size_t size)
{
    struct request *request;

    if (type == WIRE_ADMIN) {
        admin_answer(server, fd, payload, size);
        memory_free(frame);
        server_leave(server);
        return;
    }
    if (type != WIRE_REQUEST || !(request = request_new(server, fd, frame, payload, size))) {
        memory_free(frame);
        close(fd);
        server_leave(server);
        return;
    }
    enum answer answer = request_answer(request);
    if (answer == ANSWER_PREPROCESS && may_wait())
        answer = children_answer_by_text(request);
    if (answer == ANSWER_REPLIED)
        send_reply(request);
    else
        miss_hand_over(request, answer);
}

static void refuse_view(int fd)
{
    struct buf reply = BUF_INIT;

    wire_add_frame(&reply, WIRE_RUN, "other_view", sizeof "other_view");
    if (send(fd, reply.data, reply.length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
        stats_reason(REASON_OTHER_VIEW, NULL);
    buf_release(&reply);
}

static void serve_connection(struct server *server, int fd)
{
    bool same = false;

    server_enter(server);
    if (!is_our_user(fd, &same) || !same) {
        if (same || is_our_user(fd, &same))
            refuse_view(fd);
        close(fd);
        server_leave(server);
        return;
    }
    struct buf in = BUF_INIT;
    for (int waits = 0;;) {
        enum wire_type type;
        const void *payload;
        size_t size;

        buf_reserve(&in, FIRST_READ);
        ssize_t got = recv(fd, in.data + in.length, in.capacity - in.length - 1, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            if (waits++ < WAITS && poll(&wait, 1, PATIENCE) > 0)
                continue;
            arrival_hand_over(server, fd, &in); /* takes both */
            return;
        }
        if (got <= 0)
            break;
        in.length += (size_t)got;
        long frame = wire_frame(in.data, in.length, &type, &payload, &size);
        if (frame < 0)
            break;
        if (frame > 0) {
            if ((size_t)frame < in.length) /* only a cancel can follow so soon: it's to be heard */
                break;
            serve_frame(server, fd, buf_detach(&in, NULL), type, payload, size);
            return;
        }
    }
    buf_release(&in);
    close(fd);
    server_leave(server);
}

/* ---- threads ---- */

static void *serve(void *data)
{
    struct server *server = data;

    child_own_umask();
    for (;;) {
        atomic_fetch_add(&idle_threads, 1);
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        atomic_fetch_sub(&idle_threads, 1);
        if (fd >= 0)
            serve_connection(server, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            arrival_make_room();
            poll(NULL, 0, 10); /* until some descriptor is free again */
        } else if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
            return NULL; /* serve_stop */
    }
}

int serve_start(struct server *server)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int count = processors > 0 ? (int)processors * 2 : THREADS_MIN;

    learn_own_groups();
    count = count < THREADS_MIN ? THREADS_MIN : count > THREADS_MAX ? THREADS_MAX : count;
    for (thread_count = 0; thread_count < count; thread_count++) {
        int error = pthread_create(&threads[thread_count], NULL, serve, server);
        if (error)
            return thread_count ? 0 : -error;
    }
    return 0;
}

/* After a shutdown those that are in the queue are still accepted, and then accept fails at once. */
void serve_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}
