#include "common/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_real(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t test_tick(void)
{
    static _Atomic int64_t known = -1;
    int64_t tick = known;

    if (tick < 0) {
        const char *value = getenv("CCWRAP_TEST_TICK");
        known = tick = value ? (int64_t)strtoul(value, NULL, 10) * 1000000 : 0;
    }
    return tick;
}

int64_t clock_of_files_at(int64_t moment)
{
    int64_t tick = test_tick();
    return tick ? moment - moment % tick : moment;
}

int64_t clock_of_files(void)
{
    return clock_of_files_at(read_clock(CLOCK_REALTIME_COARSE));
}
