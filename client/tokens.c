#include "client/tokens.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* cargo's own jobserver stands in the first of these; make's, if cargo was started by make, in the second. */
static const char *const variables[] = {"CARGO_MAKEFLAGS=", "MAKEFLAGS=", "MFLAGS="};
static const char *const options[] = {"--jobserver-auth=", "--jobserver-fds="};

/* "3,4". By strtol: sscanf would make a seventh of the client. */
static bool read_pair(const char *text, int pair[2])
{
    char *comma, *end;
    long first = strtol(text, &comma, 10);

    if (comma == text || *comma != ',')
        return false;
    long second = strtol(comma + 1, &end, 10);
    if (end == comma + 1 || first < 0 || first > INT_MAX || second < 0 || second > INT_MAX)
        return false;
    pair[0] = (int)first;
    pair[1] = (int)second;
    return true;
}

/* The descriptors that one variable announces; of several the last counts, as in make. */
static bool announced(const char *value, int fds[2])
{
    bool found = false;

    for (const char *word = value; *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            size_t length = strlen(options[i]);
            int pair[2];
            if (strncmp(word, options[i], length) != 0)
                continue;
            found = read_pair(word + length, pair);
            if (found)
                memcpy(fds, pair, sizeof pair);
        }
    }
    return found;
}

static bool is_one_pipe(const int fds[2])
{
    struct stat reading, writing;

    if (fds[0] < 0 || fds[1] < 0 || fstat(fds[0], &reading) != 0 || fstat(fds[1], &writing) != 0)
        return false;
    if (!S_ISFIFO(reading.st_mode) || reading.st_dev != writing.st_dev || reading.st_ino != writing.st_ino)
        return false;
    return (fcntl(fds[0], F_GETFL) & O_ACCMODE) != O_WRONLY &&
           (fcntl(fds[1], F_GETFL) & O_ACCMODE) != O_RDONLY;
}

bool tokens_find(char *const *environment, int fds[2])
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        size_t length = strlen(variables[i]);
        for (char *const *entry = environment; *entry; entry++)
            if (strncmp(*entry, variables[i], length) == 0 && announced(*entry + length, fds))
                return is_one_pipe(fds);
    }
    return false;
}
