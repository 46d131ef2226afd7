#include "server/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cache/hash.h"

static char processor[DIGEST_TEXT_SIZE];

static void find_processor(void)
{
    static const char *const fields[] = {
        "vendor_id",       "cpu family",       "model",       "stepping", "flags",
        "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"};
    struct hasher hasher;
    char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "re");

    hasher_init(&hasher, "processor 1");
    while (file && fgets(line, sizeof line, file) && line[0] != '\n') /* the first processor stands for all */
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (strncmp(line, fields[i], strlen(fields[i])) == 0)
                hasher_text(&hasher, "line", line);
    if (file)
        fclose(file);
    struct digest digest = hasher_finish(&hasher);
    digest_text(&digest, processor);
}

const char *machine_processor(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_processor);
    return processor;
}
