#include "server/arrival.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "server/admin.h"
#include "server/connection.h"
#include "server/loop.h"
#include "server/request.h"

enum { ARRIVALS_MAX = 512 };

struct arrival {
    struct server *server;
    struct connection connection;
    struct buf in;
    int fd;
    bool counts;                  /* in server->active */
    struct arrival *next, **link; /* newest first */
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

/* What has arrived, on its way through the pool. */
struct question {
    struct server *server;
    uv_work_t work;
    struct request *request; /* a compile, or … */
    enum answer answer;
    int fd; /* … a word for admin_answer */
    char *payload;
    size_t size;
};

static void answer_question(uv_work_t *work)
{
    struct question *question = work->data;

    if (question->request)
        question->answer = request_answer(question->request);
    else
        admin_answer(question->server, question->fd, question->payload, question->size);
}

static void question_answered(uv_work_t *work, int status)
{
    struct question *question = work->data;

    (void)status;
    if (question->request) {
        miss_begin(question->request, question->answer);
    } else {
        memory_free(question->payload);
        server_leave(question->server);
    }
    memory_free(question);
}

/* The socket goes on under another number: closing this connection must not end it. */
static bool arrival_frame(struct connection *connection, enum wire_type type, const void *payload,
                          size_t size)
{
    struct arrival *arrival = connection->data;
    struct question *question;
    /* Only a cancel can follow so soon: it's to be heard. */
    bool last = (const char *)payload + size == connection->in.data + connection->in.length;
    int fd =
        last && (type == WIRE_REQUEST || type == WIRE_ADMIN) ? fcntl(connection->fd, F_DUPFD_CLOEXEC, 3) : -1;

    if (fd < 0)
        return false;
    question = memory_zalloc(sizeof *question);
    question->server = arrival->server;
    question->work.data = question;
    question->fd = fd;
    question->size = size;
    question->payload = memory_alloc(size);
    memcpy(question->payload, payload, size);
    if (type == WIRE_REQUEST)
        question->request = request_new(arrival->server, fd, question->payload, question->payload, size);
    if (type == WIRE_REQUEST && !question->request) {
        close(fd);
        memory_free(question->payload);
        memory_free(question);
        return false;
    }
    arrival->counts = false; /* the question does from now on */
    end(arrival);
    uv_queue_work(&question->server->loop, &question->work, answer_question, question_answered);
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
    if (connection_open(&arrival->connection, &arrival->server->loop, arrival->fd, &arrival_events, false) !=
        0) {
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

static void make_room(void *data)
{
    (void)data;
    end_oldest();
}

void arrival_make_room(void)
{
    loop_call(make_room, NULL);
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
