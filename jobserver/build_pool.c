#include "jobserver/build_pool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool build_pool_is_pipe(const int fds[2])
{
    struct stat reading, writing;
    int read_flags = fcntl(fds[0], F_GETFL), write_flags = fcntl(fds[1], F_GETFL);

    if (read_flags < 0 || write_flags < 0 || fstat(fds[0], &reading) != 0 || fstat(fds[1], &writing) != 0)
        return false;
    return S_ISFIFO(reading.st_mode) && reading.st_dev == writing.st_dev &&
           reading.st_ino == writing.st_ino && (read_flags & O_ACCMODE) != O_WRONLY &&
           (write_flags & O_ACCMODE) != O_RDONLY;
}

/* Opened both ways, a FIFO blocks nobody; O_NONBLOCK is this descriptor's own, which is closed at once. */
bool build_pool_is_fifo(const char *path)
{
    struct stat status;
    int fd;

    if (path[0] != '/' || stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
        return false;
    fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool fifo = fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
    close(fd);
    return fifo;
}
