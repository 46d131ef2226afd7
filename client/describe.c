#include "client/describe.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/places.h"
#include "common/wire.h"

static bool is_null_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* Only a character device can be a terminal: most descriptors need no second call. */
static bool is_terminal(int fd, const struct stat *status, struct winsize *size)
{
    return S_ISCHR(status->st_mode) && !is_null_device(status) && ioctl(fd, TIOCGWINSZ, size) == 0;
}

/* Which of 0, 1 and 2 are terminals, and whether what goes to 1 and 2 goes to one place in one order. What is
 * thrown away has no order: nobody should lose a hit for it. */
static void describe_streams(struct wire_request *request, const struct stat streams[3])
{
    static const uint32_t terminal_flag[] = {WIRE_TERMINAL_0, WIRE_TERMINAL_1, WIRE_TERMINAL_2};

    for (int fd = 0; fd < 3; fd++) {
        struct winsize size;
        if (!is_terminal(fd, &streams[fd], &size))
            continue;
        request->flags |= terminal_flag[fd];
        request->columns = size.ws_col; /* the last of them counts: 2 before 1 before 0 */
        request->rows = size.ws_row;
    }
    if (streams[1].st_dev == streams[2].st_dev && streams[1].st_ino == streams[2].st_ino &&
        !is_null_device(&streams[1]))
        request->flags |= WIRE_ONE_STREAM;
}

static void describe_process(struct wire_request *request)
{
    mode_t mask = umask(077); /* it can only be read by setting it */

    umask(mask);
    request->umask = mask;
    request->pid = (uint32_t)getpid();
    request->personality = (uint32_t)personality(0xffffffff);
    request->host = wire_host_of_self();
    wire_view_of_self(&request->view);
}

bool describe_request(struct buf *frame, const struct invocation *invocation)
{
    struct wire_request request;

    if (!invocation->directory || invocation->program[0] != '/')
        return false;
    memset(&request, 0, sizeof request);
    strncpy(request.build, places_build_id(), sizeof request.build - 1);
    if (invocation->link)
        request.flags |= WIRE_LINK;
    request.program = invocation->program;
    request.directory = invocation->directory;
    request.argv = invocation->argv;
    request.environment = invocation->environment;
    request.settings = invocation->settings;
    describe_streams(&request, invocation->streams);
    describe_process(&request);
    return wire_put_request(frame, &request);
}
