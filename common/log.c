#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int log_fd = -1; /* written under the mutex */
static char *log_path;
static off_t log_size;

static int open_file(const char *path, off_t *size)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

    if (fd < 0)
        return -errno;
    int error = fstat(fd, &status) == 0 ? 0 : -errno;
    if (!error && !S_ISREG(status.st_mode))
        error = -EINVAL; /* rotation must not rename a device */
    if (error) {
        close(fd);
        return error;
    }
    *size = status.st_size;
    return fd;
}

static void close_locked(void)
{
    int fd = atomic_exchange(&log_fd, -1);
    if (fd >= 0)
        close(fd);
    memory_free(log_path);
    log_path = NULL;
}

int log_open(const char *path)
{
    off_t size = 0;
    int fd = open_file(path, &size);

    if (fd < 0)
        return fd;
    pthread_mutex_lock(&mutex);
    close_locked();
    log_path = memory_strdup(path);
    log_size = size;
    log_fd = fd;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void log_close(void)
{
    pthread_mutex_lock(&mutex);
    close_locked();
    pthread_mutex_unlock(&mutex);
}

bool log_is_open(void)
{
    return log_fd >= 0;
}

static void rotate_locked(void)
{
    char old[4096];
    int length = snprintf(old, sizeof old, "%s.1", log_path);

    if (length < 0 || (size_t)length >= sizeof old || rename(log_path, old) != 0) {
        close_locked(); /* what can't be bounded is ended */
        return;
    }
    int fd = open_file(log_path, &log_size);
    if (fd < 0) {
        close_locked();
        return;
    }
    close(atomic_exchange(&log_fd, fd));
}

void log_line(const char *format, ...)
{
    enum { LINE = 4096 };
    char line[LINE];
    struct timespec now;
    struct tm parts;
    va_list args;

    if (log_fd < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    size_t length = strftime(line, sizeof line, "%Y-%m-%d %H:%M:%S", &parts);
    length += (size_t)snprintf(line + length, sizeof line - length, ".%03ld ", now.tv_nsec / 1000000);

    va_start(args, format);
    int wanted = vsnprintf(line + length, sizeof line - length - 1, format, args);
    va_end(args);
    size_t room = sizeof line - length - 2;
    length += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room;
    for (size_t i = 0; i < length; i++) /* a name can hold anything, a line is one request */
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[length++] = '\n';

    pthread_mutex_lock(&mutex);
    if (log_fd >= 0 && log_size + (off_t)length > LOG_MAX)
        rotate_locked();
    if (log_fd >= 0 && write(log_fd, line, length) > 0)
        log_size += (off_t)length;
    pthread_mutex_unlock(&mutex);
}
