#include "server/verdicts.h"

#include <string.h>

static uint64_t mark_of(const struct digest *content, bool verdict)
{
    uint64_t bits;

    memcpy(&bits, content->bytes, sizeof bits);
    return (bits << 1) | verdict;
}

static _Atomic uint64_t *slot_of(const struct verdicts *verdicts, const struct digest *content)
{
    return &verdicts->slots[mark_of(content, false) / 2 % verdicts->count];
}

bool verdicts_recall(const struct verdicts *verdicts, const struct digest *content, bool *verdict)
{
    uint64_t known = atomic_load_explicit(slot_of(verdicts, content), memory_order_relaxed);

    *verdict = known & 1;
    return known && known == mark_of(content, *verdict);
}

void verdicts_remember(const struct verdicts *verdicts, const struct digest *content, bool verdict)
{
    atomic_store_explicit(slot_of(verdicts, content), mark_of(content, verdict), memory_order_relaxed);
}
