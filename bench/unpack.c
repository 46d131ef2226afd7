/* unpack: the least that a large object can cost: it is decompressed and written.
 *
 *     unpack pack FILE PACKED       by zstd, level 1
 *     unpack PACKED TARGET          to a temporary, which is renamed */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 512 * 1024 };

static char *read_whole(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &status) != 0)
        return NULL;
    char *bytes = malloc((size_t)status.st_size + 1);
    ssize_t got = 0;
    *size = 0;
    while (bytes && (got = read(fd, bytes + *size, (size_t)status.st_size - *size)) > 0)
        *size += (size_t)got;
    close(fd);
    return bytes;
}

static int pack(const char *from, const char *to)
{
    size_t size, room;
    char *bytes = read_whole(from, &size);
    FILE *file = fopen(to, "w");

    if (!bytes || !file)
        return 1;
    char *packed = malloc(room = ZSTD_compressBound(size));
    size_t length = ZSTD_compress(packed, room, bytes, size, 1);
    int failed = ZSTD_isError(length) || fwrite(packed, 1, length, file) != length;
    return fclose(file) != 0 || failed;
}

static int unpack(const char *bytes, size_t size, int fd)
{
    static char piece[PIECE];
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1;

    while (left != 0) {
        ZSTD_outBuffer out = {piece, sizeof piece, 0};
        left = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(left) || write(fd, piece, out.pos) != (ssize_t)out.pos)
            return 1;
    }
    ZSTD_freeDCtx(context);
    return 0;
}

int main(int argc, char **argv)
{
    char temporary[PATH_MAX];
    size_t size;

    if (argc == 4 && strcmp(argv[1], "pack") == 0)
        return pack(argv[2], argv[3]);
    if (argc != 3) {
        fprintf(stderr, "usage: unpack pack FILE PACKED | unpack PACKED TARGET\n");
        return 2;
    }
    char *bytes = read_whole(argv[1], &size);
    snprintf(temporary, sizeof temporary, "%s.tmp", argv[2]);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (!bytes || fd < 0 || unpack(bytes, size, fd) != 0 || close(fd) != 0)
        return 1;
    unlink(argv[2]);
    return rename(temporary, argv[2]) != 0;
}
