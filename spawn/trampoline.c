#include "spawn/trampoline.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in base 16 joined by commas, in the order of the struct; nice is shifted to be positive. */
enum { NICE_SHIFT = 64 };

void trampoline_encode(const struct trampoline *trampoline, char text[TRAMPOLINE_TEXT])
{
    int length =
        snprintf(text, TRAMPOLINE_TEXT, "%x,%x,%x,%llx", (unsigned)trampoline->gate, trampoline->umask,
                 (unsigned)(trampoline->nice + NICE_SHIFT), (unsigned long long)trampoline->affinity);

    for (int i = 0; i < TRAMPOLINE_LIMITS; i++)
        length += snprintf(text + length, (size_t)(TRAMPOLINE_TEXT - length), ",%llx,%llx",
                           (unsigned long long)trampoline->limits[i].rlim_cur,
                           (unsigned long long)trampoline->limits[i].rlim_max);
}

/* The next number, which must not be more than `most`; *text is then behind it and its comma, or NULL if
 * there was no such number. */
static uint64_t next_number(const char **text, uint64_t most)
{
    char *end;

    if (!*text || !strchr("0123456789abcdef", **text) || !**text) {
        *text = NULL;
        return 0;
    }
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 16);
    bool good = errno == 0 && number <= most && (*end == ',' || *end == '\0');
    *text = !good ? NULL : *end ? end + 1 : end;
    return good ? number : 0;
}

bool trampoline_decode(struct trampoline *trampoline, const char *text)
{
    trampoline->gate = (int)next_number(&text, INT_MAX);
    trampoline->umask = (uint32_t)next_number(&text, 07777);
    trampoline->nice = (int32_t)next_number(&text, 2 * NICE_SHIFT) - NICE_SHIFT;
    trampoline->affinity = next_number(&text, UINT64_MAX);
    for (int i = 0; i < TRAMPOLINE_LIMITS; i++) {
        trampoline->limits[i].rlim_cur = next_number(&text, UINT64_MAX);
        trampoline->limits[i].rlim_max = next_number(&text, UINT64_MAX);
    }
    return text && !*text;
}
