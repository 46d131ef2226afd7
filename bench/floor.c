/* floor: the least that a hit can cost here: a client that starts, asks a server over a socket, and leaves; a
 * server that looks at each input once and writes the object from memory.
 *
 *     floor serve SOCKET LIST OBJECT    LIST: a file with a path a line; OBJECT: the bytes to deliver
 *     floor ask SOCKET TARGET           status 0 when TARGET is written
 *
 * No keys, no digests, no checks, one thread. The object is written as a cache has to: to a temporary beside
 * its target, the old target is unlinked, the temporary renamed. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { REQUEST_SIZE = 4096 }; /* about what argv and environment of a build's compile take */

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

static int open_socket(const char *path, struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        die("socket");
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        fprintf(stderr, "floor: the socket's path is too long\n");
        exit(1);
    }
    strcpy(address->sun_path, path);
    return fd;
}

static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        die(path);
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size + 1);
    if (!bytes || read(fd, bytes, *size) != (ssize_t)*size)
        die(path);
    bytes[*size] = '\0';
    close(fd);
    return bytes;
}

static void stat_all(const char *list)
{
    struct stat status;
    for (const char *path = list; *path; path += strlen(path) + 1)
        stat(path, &status);
}

static int deliver(const char *target, const char *object, size_t size)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.tmp", target);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    ssize_t written = write(fd, object, size);
    close(fd);
    unlink(target);
    return written == (ssize_t)size ? rename(temporary, target) : -1;
}

static void answer(int client, const char *list, const char *object, size_t size)
{
    char request[REQUEST_SIZE];
    size_t have = 0;
    while (have < sizeof request) {
        ssize_t count = read(client, request + have, sizeof request - have);
        if (count <= 0)
            return;
        have += (size_t)count;
    }
    request[sizeof request - 1] = '\0';
    stat_all(list);
    char status = deliver(request, object, size) < 0;
    if (write(client, &status, 1) != 1)
        return;
}

static _Noreturn void serve(const char *socket_path, const char *list_path, const char *object_path)
{
    struct sockaddr_un address;
    int listener = open_socket(socket_path, &address);
    unlink(socket_path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 128) < 0)
        die(socket_path);
    size_t list_size, object_size;
    char *list = read_file(list_path, &list_size);
    char *object = read_file(object_path, &object_size);
    for (size_t i = 0; i < list_size; i++)
        if (list[i] == '\n')
            list[i] = '\0';
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            die("accept");
        answer(client, list, object, object_size);
        close(client);
    }
}

static int ask(const char *socket_path, const char *target)
{
    struct sockaddr_un address;
    char request[REQUEST_SIZE] = "", status = 1;
    int fd = open_socket(socket_path, &address);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        die(socket_path);
    snprintf(request, sizeof request, "%s", target);
    if (write(fd, request, sizeof request) != (ssize_t)sizeof request || read(fd, &status, 1) != 1)
        return 1;
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "serve") == 0)
        serve(argv[2], argv[3], argv[4]);
    if (argc == 4 && strcmp(argv[1], "ask") == 0)
        return ask(argv[2], argv[3]);
    fprintf(stderr, "usage: floor serve SOCKET LIST OBJECT | floor ask SOCKET TARGET\n");
    return 2;
}
