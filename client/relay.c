#include "client/relay.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

int relay_output(int stream, const char *bytes, size_t size, const struct signals *signals)
{
    struct pollfd fds[2] = {{stream, POLLOUT, 0}, {signals->fd, POLLIN, 0}};

    while (size) {
        /* A write that blocks couldn't be interrupted, as the signals are held: where poll says that there is
         * room, a pipe takes this much at once. */
        size_t piece = size < PIPE_BUF ? size : PIPE_BUF;
        if (poll(fds, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        int number = fds[1].revents ? signals_take(signals) : 0;
        if (number)
            return number;
        if (!fds[0].revents)
            continue;
        ssize_t written = write(stream, bytes, piece);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}
