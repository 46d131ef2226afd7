/* verdicts: what was found out about files, some bits for each, remembered by their content. A table of fixed
 * size: the newest stays. Any thread, without a lock. */
#ifndef CCWRAP_SERVER_VERDICTS_H
#define CCWRAP_SERVER_VERDICTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/hash.h"

/* A slot holds 55 bits of a content's digest, which no other has by chance, and the verdict; 0: free. */
struct verdicts {
    _Atomic uint64_t *slots;
    size_t count;
};

/* A table for one question, of static storage. */
#define VERDICTS(name, slots_count)                                                                          \
    static _Atomic uint64_t name##_slots[slots_count];                                                       \
    static const struct verdicts name = {name##_slots, slots_count}

/* True if the verdict is known: *verdict. */
bool verdicts_recall(const struct verdicts *verdicts, const struct digest *content, uint8_t *verdict);
void verdicts_remember(const struct verdicts *verdicts, const struct digest *content, uint8_t verdict);

#endif
