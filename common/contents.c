#include "common/contents.h"

#include <errno.h>
#include <unistd.h>

ssize_t contents_read(int fd, void *bytes, size_t size)
{
    size_t have = 0;

    while (have < size) {
        ssize_t got = pread(fd, (char *)bytes + have, size - have, (off_t)have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}
