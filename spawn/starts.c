#include "spawn/starts.h"

#include <pthread.h>
#include <time.h>

enum { PATIENCE = 1 /* seconds */ };

/* Starts go on beside each other, and let him pass who waits for them. */
static pthread_rwlock_t starts = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

void starts_begin(void)
{
    pthread_rwlock_rdlock(&starts);
}

void starts_end(void)
{
    pthread_rwlock_unlock(&starts);
}

void starts_outlast(void)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE;
    if (pthread_rwlock_clockwrlock(&starts, CLOCK_MONOTONIC, &end) == 0)
        pthread_rwlock_unlock(&starts);
}
