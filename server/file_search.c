#include "server/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int file_search(int directory, const char *path, size_t overlap,
                bool (*found)(void *data, const char *bytes, size_t length), void *data)
{
    char bytes[64 * 1024];
    size_t kept = 0;
    ssize_t count;
    int result = 0, fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    while (!result && (count = read(fd, bytes + kept, sizeof bytes - kept)) != 0) {
        if (count < 0) {
            result = -errno;
            break;
        }
        size_t length = kept + (size_t)count;
        result = found(data, bytes, length);
        kept = length < overlap ? length : overlap;
        memmove(bytes, bytes + length - kept, kept);
    }
    close(fd);
    return result;
}
