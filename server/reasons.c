#include "server/reasons.h"

#include <stddef.h>

static const struct {
    const char *name;
    const char *text;
} reasons[] = {
#define X(identifier, name, text) {name, text},
    REASONS(X)
#undef X
};

const char *reason_name(enum reason reason)
{
    size_t index = (size_t)reason;
    return index < sizeof(reasons) / sizeof(reasons[0]) ? reasons[index].name : "unknown";
}

const char *reason_text(enum reason reason)
{
    size_t index = (size_t)reason;
    return index < sizeof(reasons) / sizeof(reasons[0]) ? reasons[index].text : "unknown";
}
