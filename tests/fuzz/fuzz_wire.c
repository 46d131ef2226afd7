/* Frames as a server takes them from a socket, and the request in them: what is accepted is written again as
 * the same bytes. */
#include "tests/fuzz/fuzz.h"

#include "common/wire.h"

static void check_list(char *const *list)
{
    for (; *list; list++)
        FUZZ_CHECK(strlen(*list) < WIRE_MAX);
}

static void check_request(const void *payload, size_t size)
{
    struct wire_request request;
    struct arena arena;
    struct buf again = BUF_INIT;

    arena_init(&arena);
    if (wire_get_request(&request, &arena, payload, size) == 0) {
        check_list(request.argv);
        check_list(request.environment);
        check_list(request.settings);
        FUZZ_CHECK(request.argv[0] && request.program[0] == '/' && request.directory[0] == '/');
        if (wire_put_request(&again, &request)) {
            FUZZ_CHECK(again.length == WIRE_HEADER + size);
            FUZZ_CHECK(memcmp(again.data + WIRE_HEADER, payload, size) == 0);
        }
    }
    buf_release(&again);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t taken = 0;

    while (taken < size) {
        enum wire_type type;
        const void *payload;
        size_t payload_size;
        long frame = wire_frame(data + taken, size - taken, &type, &payload, &payload_size);
        if (frame <= 0)
            break;
        FUZZ_CHECK((size_t)frame <= size - taken && payload_size + WIRE_HEADER == (size_t)frame);
        if (type == WIRE_REQUEST)
            check_request(payload, payload_size);
        taken += (size_t)frame;
    }
    check_request(data, size);
    return 0;
}
