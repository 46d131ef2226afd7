/* fuzz: what the fuzz targets share.
 *
 * A target is a file fuzz_NAME.c with one LLVMFuzzerTestOneInput: it feeds the bytes to one parser, and
 * checks what must hold of every answer by FUZZ_CHECK. With libFuzzer it is driven by the fuzzer, else by
 * replay.c, which gives it the files of corpus/NAME. */
#ifndef CCWRAP_TESTS_FUZZ_FUZZ_H
#define CCWRAP_TESTS_FUZZ_FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* A cursor over the input, for targets that take it apart. */
struct fuzz_input {
    const uint8_t *next;
    size_t left;
};

/* The bytes up to the first `mark` (not with it), or all. */
static inline struct fuzz_input fuzz_part(struct fuzz_input *input, uint8_t mark)
{
    const uint8_t *stop = input->left ? memchr(input->next, mark, input->left) : NULL;
    struct fuzz_input part = {input->next, stop ? (size_t)(stop - input->next) : input->left};

    input->next += part.left + (stop != NULL);
    input->left -= part.left + (stop != NULL);
    return part;
}

/* A copy that ends in NUL; to be freed. */
static inline char *fuzz_text(const struct fuzz_input *part)
{
    char *text = malloc(part->left + 1);

    FUZZ_CHECK(text);
    if (part->left)
        memcpy(text, part->next, part->left);
    text[part->left] = '\0';
    return text;
}

/* A file in memory that holds the part, made anew at each call, and its path. */
static inline const char *fuzz_file(const struct fuzz_input *part)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_CHECK(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_CHECK(ftruncate(fd, 0) == 0);
    FUZZ_CHECK(pwrite(fd, part->next, part->left, 0) == (ssize_t)part->left);
    return path;
}

#endif
