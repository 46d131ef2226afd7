#include "server/programs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/file_digest.h"
#include "common/clock.h"
#include "common/memory.h"
#include "server/elf_imports.h"

/* A build uses a handful of compilers; a table that is full is emptied and learned again. */
enum { ROWS = 64 };
#define SPOILT (60 * INT64_C(1000000000)) /* nanoseconds */

static struct row {
    char *path, *argv0;
    struct stamp stamp;
    struct program program;
    int64_t spoilt_until; /* clock_monotonic; 0: never spoilt */
} rows[ROWS];
static int used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct row *find_row(const char *path, const char *argv0)
{
    for (int i = 0; i < used; i++)
        if (strcmp(rows[i].path, path) == 0 && strcmp(rows[i].argv0, argv0) == 0)
            return &rows[i];
    return NULL;
}

static struct row *add_row(const char *path, const char *argv0)
{
    if (used == ROWS)
        while (used > 0) {
            used--;
            memory_free(rows[used].path);
            memory_free(rows[used].argv0);
        }
    struct row *row = &rows[used++];
    row->path = memory_strdup(path);
    row->argv0 = memory_strdup(argv0);
    return row;
}

static void learn(struct row *row, const struct stamp *stamp)
{
    char *real = realpath(row->path, NULL);

    row->stamp = *stamp;
    row->spoilt_until = 0;
    row->program = (struct program){.frontend = frontend_find(row->argv0, real ? real : row->path),
                                    .unwatchable = !elf_is_watchable(row->path)};
    memory_free(real);
}

int programs_find(const char *path, const char *argv0, struct program *program)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return -errno;
    struct stamp stamp = stamp_of(&status);

    pthread_mutex_lock(&mutex);
    struct row *row = find_row(path, argv0);
    if (!row) {
        row = add_row(path, argv0);
        learn(row, &stamp);
    } else if (!stamp_equal(&row->stamp, &stamp)) {
        learn(row, &stamp);
    }
    *program = row->program;
    program->unwatchable |= row->spoilt_until && clock_monotonic() < row->spoilt_until;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void programs_mark_unwatchable(const char *path)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < used; i++)
        if (strcmp(rows[i].path, path) == 0)
            rows[i].spoilt_until = clock_monotonic() + SPOILT;
    pthread_mutex_unlock(&mutex);
}
