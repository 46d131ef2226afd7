/* tiny_compiler: reads like a compiler, and takes a millisecond, so that a fault costs little to try.
 *
 *     gcc -I FOLDER… -c f.c -o f.o -MD -MF f.d
 *
 * "h.h" is looked for in the folders in their order. The object holds the texts of both; a warning goes to
 * stderr. As it is run under the name gcc, the server takes it for one; its questions (-E, -print…) are
 * refused. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };

static ssize_t read_file(const char *path, char *text)
{
    int fd = open(path, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, text, TEXT_MAX);

    if (fd >= 0)
        close(fd);
    return size;
}

static int write_file(const char *path, const char *text, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int failed = fd < 0 || write(fd, text, size) != (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return failed;
}

int main(int argc, char **argv)
{
    char object[2 * TEXT_MAX], path[256] = "", depfile[1024];
    ssize_t source = read_file("f.c", object), header = -1;
    int compiles = 0;

    for (int i = 1; i < argc; i++)
        compiles |= strcmp(argv[i], "-c") == 0;
    for (int i = 1; i + 1 < argc && source >= 0 && header < 0; i++)
        if (strcmp(argv[i], "-I") == 0) {
            snprintf(path, sizeof path, "%s/h.h", argv[i + 1]);
            header = read_file(path, object + source);
        }
    if (header < 0 || !compiles)
        return 1;
    if (write(2, "f.c: warning\n", 13) != 13)
        return 1;
    snprintf(depfile, sizeof depfile, "f.o: f.c %s\n", path);
    return write_file("f.o", object, (size_t)(source + header)) ||
           write_file("f.d", depfile, strlen(depfile));
}
