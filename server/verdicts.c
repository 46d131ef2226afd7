#include "server/verdicts.h"

#include <string.h>

enum { VERDICT_BITS = 8 };

/* The part of the slot that tells contents apart. It is never 0. */
static uint64_t mark_of(const struct digest *content)
{
    uint64_t bits;

    memcpy(&bits, content->bytes, sizeof bits);
    return (bits | 1U << VERDICT_BITS) >> VERDICT_BITS;
}

static _Atomic uint64_t *slot_of(const struct verdicts *verdicts, const struct digest *content)
{
    return &verdicts->slots[(mark_of(content) >> 1) % verdicts->count];
}

bool verdicts_recall(const struct verdicts *verdicts, const struct digest *content, uint8_t *verdict)
{
    uint64_t known = atomic_load_explicit(slot_of(verdicts, content), memory_order_relaxed);

    *verdict = (uint8_t)known;
    return known >> VERDICT_BITS == mark_of(content);
}

void verdicts_remember(const struct verdicts *verdicts, const struct digest *content, uint8_t verdict)
{
    uint64_t slot = mark_of(content) << VERDICT_BITS | verdict;

    atomic_store_explicit(slot_of(verdicts, content), slot, memory_order_relaxed);
}
