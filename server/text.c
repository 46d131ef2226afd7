#include "server/text.h"

#include <string.h>

void text_init(struct text *text, bool keep)
{
    memset(text, 0, sizeof *text);
    hasher_init(&text->hasher, "text 1");
    text->hashing = true;
    text->keep = keep;
}

void text_release(struct text *text)
{
    if (text->hashing)
        hasher_finish(&text->hasher);
    text->hashing = false;
    buf_release(&text->bytes);
}

void text_add(struct text *text, const char *bytes, size_t size)
{
    hasher_bytes(&text->hasher, bytes, size);
    if (text->keep && text->bytes.length <= TEXT_KEPT_MAX)
        buf_add(&text->bytes, bytes, size);
}

struct digest text_digest(struct text *text)
{
    text->hashing = false;
    return hasher_finish(&text->hasher);
}

void text_observe(const struct text *text, struct observation *observation)
{
    (void)text;
    observation->reason = REASON_UNWATCHABLE;
}
