#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *piece)
{
    static const char message[] = "ccwrap: out of memory\n";

    if (!piece) {
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
            /* nothing left to try */
        }
        abort();
    }
    return piece;
}

void *memory_alloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *memory_zalloc(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *memory_realloc(void *old, size_t size)
{
    return checked(realloc(old, size ? size : 1));
}

char *memory_strdup(const char *text)
{
    return checked(strdup(text));
}

void memory_free(void *piece)
{
    free(piece);
}
