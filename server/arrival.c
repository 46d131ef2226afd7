#include "server/arrival.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "server/connection.h"
#include "server/loop.h"
#include "server/request.h"

enum { ARRIVALS_MAX = 512 };

struct arrival {
    struct server *server;
    struct connection connection;
    struct buf in;
    int fd;
    bool counts;                   /* in server->active */
    struct request *request;
    enum answer answer;
    uv_work_t work;
    struct arrival *next, **link;  /* newest first */
};

static struct arrival *arrivals;
static int arrival_count;

static void forget(struct arrival *arrival)
{
    if (!arrival->link)
        return;
    *arrival->link = arrival->next;
    if (arrival->next)
        arrival->next->link = arrival->link;
    arrival->link = NULL;
    arrival_count--;
}

static void arrival_closed(struct connection *connection)
{
    struct arrival *arrival = connection->data;

    if (arrival->counts)
        server_leave(arrival->server);
    memory_free(arrival);
}

static void end(struct arrival *arrival)
{
    forget(arrival);
    connection_close(&arrival->connection);
}

static void arrival_lost(struct connection *connection)
{
    end(connection->data);
}

static void answer_request(uv_work_t *work)
{
    struct arrival *arrival = work->data;
    arrival->answer = request_answer(arrival->request);
}

static void request_answered(uv_work_t *work, int status)
{
    struct arrival *arrival = work->data;

    (void)status;
    miss_begin(arrival->request, arrival->answer);
    memory_free(arrival);
}

/* The socket goes on under another number: closing this connection must not end it. */
static bool arrival_frame(struct connection *connection, enum wire_type type, const void *payload, size_t size)
{
    struct arrival *arrival = connection->data, *next;

    if (type != WIRE_REQUEST)
        return false;
    char *copy = memory_alloc(size ? size : 1);
    memcpy(copy, payload, size);
    int fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 3);
    struct request *request = fd < 0 ? NULL : request_new(arrival->server, fd, copy, copy, size);
    if (!request) {
        memory_free(copy);
        if (fd >= 0)
            close(fd);
        return false;
    }
    next = memory_zalloc(sizeof *next); /* the request's own; this one ends with its connection */
    next->request = request;
    next->work.data = next;
    arrival->counts = false;
    end(arrival);
    uv_queue_work(&request->server->loop, &next->work, answer_request, request_answered);
    return true;
}

static const struct connection_events arrival_events = {
    .frame = arrival_frame,
    .lost = arrival_lost,
    .closed = arrival_closed,
};

static void end_oldest(void)
{
    struct arrival *oldest = arrivals;

    while (oldest && oldest->next)
        oldest = oldest->next;
    if (oldest)
        end(oldest);
}

static void arrive(void *data)
{
    struct arrival *arrival = data;

    arrival->connection.data = arrival;
    if (connection_open(&arrival->connection, &arrival->server->loop, arrival->fd, &arrival_events, false) != 0) {
        buf_release(&arrival->in);
        server_leave(arrival->server);
        memory_free(arrival);
        return;
    }
    arrival->next = arrivals;
    arrival->link = &arrivals;
    if (arrivals)
        arrivals->link = &arrival->next;
    arrivals = arrival;
    if (++arrival_count > ARRIVALS_MAX)
        end_oldest();
    connection_receive(&arrival->connection, &arrival->in);
}

void arrival_hand_over(struct server *server, int fd, struct buf *in)
{
    struct arrival *arrival = memory_zalloc(sizeof *arrival);

    arrival->server = server;
    arrival->fd = fd;
    arrival->in = *in;
    arrival->counts = true;
    buf_init(in);
    loop_call(arrive, arrival);
}

void arrival_end_all(void)
{
    while (arrivals)
        end(arrivals);
}
