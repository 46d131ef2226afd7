/* A recorder's log with anything in it: records end inside the log, in any walk. */
#include "tests/fuzz/fuzz.h"

#include "spawn/record_format.h"
#include "spawn/record_log.h"

enum { GUARD = 4096, ROOT = 7 };

static void check_inside(const struct record_log *log, const char *text)
{
    const char *map = (const char *)log->map;

    FUZZ_CHECK(text >= map && text + strlen(text) < map + log->size + GUARD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record_log log = {.fd = -1};
    struct record record;
    const char *culprit = NULL;

    log.size = size > RECORD_FIRST ? (size + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT * RECORD_ALIGNMENT
                                   : RECORD_FIRST;
    log.map = aligned_alloc(64, (log.size + GUARD + 63) / 64 * 64);
    FUZZ_CHECK(log.map);
    memset(log.map, 0, log.size + GUARD);
    if (size)
        memcpy(log.map, data, size);

    size_t count = 0;
    record_log_rewind(&log);
    while (record_log_next(&log, &record)) {
        check_inside(&log, record.path);
        check_inside(&log, record.text);
        FUZZ_CHECK(++count <= size / sizeof(struct record_entry));
    }
    enum record_fault fault = record_log_check(&log, ROOT, &culprit);
    FUZZ_CHECK(culprit && (fault != RECORD_WHOLE || record_log_started(&log, ROOT)));
    free(log.map);
    return 0;
}
