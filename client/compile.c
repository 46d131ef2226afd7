#include "client/compile.h"

#include <unistd.h>

#include "client/channel.h"
#include "client/describe.h"
#include "client/group.h"
#include "client/relay.h"
#include "client/tokens.h"
#include "common/clock.h"
#include "spawn/server_start.h"

enum { CANCEL_PATIENCE = 3000 }; /* milliseconds in which the server must have ended what it started */
enum { ANSWER = 512, REQUEST = 8 * 1024 }; /* bytes that do for the frames of most calls */

struct compile {
    struct channel channel;
    struct signals signals;
    char **environment;
    pid_t group; /* of the running compiler; 0: none was started */
    uint64_t group_start;
};

/* What a frame leads to. */
enum step {
    GO_ON,
    RUN_HERE, /* the server says so */
    LOST,     /* the server can't be relied on any more */
};

static void end_started(const struct compile *compile)
{
    if (compile->group)
        group_end(compile->group, compile->group_start);
}

static enum step take_started(struct compile *compile, struct reader *payload)
{
    uint32_t group = reader_u32(payload);
    uint64_t start = reader_u64(payload);

    if (payload->bad || group <= 1 || group > INT32_MAX)
        return LOST;
    compile->group = (pid_t)group;
    compile->group_start = start;
    return GO_ON;
}

/* ---- being told to stop ---- */

/* Waits until the server has ended what it had started. False if it doesn't, or is told a second time. */
static bool wait_for_ended(struct compile *compile)
{
    int64_t deadline = clock_monotonic() + (int64_t)CANCEL_PATIENCE * 1000000, left;
    struct frame frame;

    while ((left = deadline - clock_monotonic()) > 0) {
        enum channel_event event = channel_next(&compile->channel, &frame, (int)(left / 1000000) + 1);
        if (event == CHANNEL_SIGNAL && !signals_take(&compile->signals))
            continue;
        if (event != CHANNEL_FRAME)
            return false;
        struct reader payload;
        reader_init(&payload, frame.payload, frame.size);
        if (frame.type == WIRE_STARTED && take_started(compile, &payload) == LOST)
            return false;
        if (frame.type == WIRE_ENDED || frame.type == WIRE_EXIT || frame.type == WIRE_RUN ||
            frame.type == WIRE_REFUSE)
            return true;
    }
    return false;
}

static _Noreturn void cancel(struct compile *compile, int number)
{
    struct buf frame = BUF_INIT;
    uint8_t payload = (uint8_t)number;

    wire_add_frame(&frame, WIRE_CANCEL, &payload, 1);
    if (channel_send(&compile->channel, frame.data, frame.length) != 0 || !wait_for_ended(compile))
        end_started(compile);
    signals_die(number);
}

/* ---- frames: each function takes one type ---- */

static enum step take_alive(struct compile *compile, struct reader *payload)
{
    (void)compile, (void)payload;
    return GO_ON;
}

static enum step take_output(struct compile *compile, struct reader *payload)
{
    uint8_t stream = reader_u8(payload);
    size_t size = reader_left(payload);

    if (stream != STDOUT_FILENO && stream != STDERR_FILENO)
        return LOST;
    int number = relay_output(stream, reader_bytes(payload, size), size, &compile->signals);
    if (number > 0)
        cancel(compile, number);
    return number < 0 ? LOST : GO_ON;
}

static enum step take_exit(struct compile *compile, struct reader *payload)
{
    uint8_t how = reader_u8(payload), number = reader_u8(payload);

    (void)compile;
    if (payload->bad || how > 1 || (how == 1 && !number))
        return LOST;
    if (how == 1)
        signals_die(number);
    _exit(number);
}

static enum step take_run(struct compile *compile, struct reader *payload)
{
    (void)payload;
    return compile->group ? LOST : RUN_HERE;
}

static enum step take_refuse(struct compile *compile, struct reader *payload)
{
    uint8_t status = reader_u8(payload);
    size_t size = reader_left(payload);

    if (payload->bad)
        return LOST;
    int number = relay_output(STDERR_FILENO, reader_bytes(payload, size), size, &compile->signals);
    if (number > 0)
        signals_die(number);
    _exit(status);
}

static enum step take_ask_fds(struct compile *compile, struct reader *payload)
{
    int fds[2];
    bool found = tokens_find(compile->environment, fds);

    (void)payload;
    return channel_send_fds(&compile->channel, found ? fds : NULL) == 0 ? GO_ON : LOST;
}

static enum step take_frame(struct compile *compile, const struct frame *frame)
{
    static const struct {
        enum wire_type type;
        enum step (*take)(struct compile *compile, struct reader *payload);
    } types[] = {
        {WIRE_ALIVE, take_alive},     {WIRE_STARTED, take_started}, {WIRE_OUTPUT, take_output},
        {WIRE_EXIT, take_exit},       {WIRE_RUN, take_run},         {WIRE_REFUSE, take_refuse},
        {WIRE_ASK_FDS, take_ask_fds},
    };
    struct reader payload;

    reader_init(&payload, frame->payload, frame->size);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == frame->type)
            return types[i].take(compile, &payload);
    return LOST;
}

/* ---- the whole ---- */

/* Until the compile has ended (then so has this process), or the compiler is to be run here. */
static void converse(struct compile *compile, const struct buf *request)
{
    enum step step = channel_send(&compile->channel, request->data, request->length) == 0 ? GO_ON : LOST;

    while (step == GO_ON) {
        struct frame frame;
        int number;
        switch (channel_next(&compile->channel, &frame, WIRE_SILENCE)) {
        case CHANNEL_FRAME:
            step = take_frame(compile, &frame);
            break;
        case CHANNEL_SIGNAL:
            number = signals_take(&compile->signals);
            if (number)
                cancel(compile, number);
            break;
        case CHANNEL_LOST:
            step = LOST;
            break;
        }
    }
    if (step == LOST)
        end_started(compile);
}

void compile_by_server(const struct invocation *invocation, const struct places *places, struct arena *arena)
{
    struct compile compile = {.environment = invocation->environment};
    char *answer = arena_take(arena, ANSWER);
    struct buf request;

    buf_lend(&request, arena_take(arena, REQUEST), REQUEST);
    if (!describe_request(&request, invocation))
        return;
    /* A server that runs is asked at once when the connection stands: a thread of it waits. */
    signals_hold(&compile.signals);
    int fd = server_connect(places->socket);
    if (fd < 0) {
        signals_restore(&compile.signals);
        if (!server_is_absent(fd))
            return;
        fd = server_start(places, invocation->environment, arena, NULL);
        if (fd < 0)
            return;
        signals_hold(&compile.signals);
    }
    channel_init(&compile.channel, fd, &compile.signals, answer, ANSWER);
    converse(&compile, &request);
    /* The end of file tells the server, if it still lives, that this request is over. */
    channel_close(&compile.channel);
    signals_restore(&compile.signals);
}
