/* clock: time, and the one place where tests can make it coarse.
 *
 * Nanoseconds since the epoch, or since some fixed moment for clock_monotonic. Any thread. */
#ifndef CCWRAP_COMMON_CLOCK_H
#define CCWRAP_COMMON_CLOCK_H

#include <stdint.h>

int64_t clock_real(void);
int64_t clock_monotonic(void);

/* The clock by which the kernel stamps files: a file changed from now on has a ctime of at least this. It
 * moves in ticks, and a file whose ctime is *less* than what this gave was changed before that moment.
 * CCWRAP_TEST_TICK (milliseconds, in the server's environment) makes the ticks longer. */
int64_t clock_of_files(void);
/* What clock_of_files() would have given at a moment that another process read from the same clock. */
int64_t clock_of_files_at(int64_t moment);

#endif
