/* text: the preprocessed text of a source as a key, and what is known of a compile that can't be watched.
 *
 * A compile that isn't watched may be cached only if all its inputs are in the text: every word of its command
 * is on the front end's strict allow-list (command.allow_unwatched), and the text holds nothing that makes the
 * assembler read files. What runs (driver, cc1, as, their libraries) is asked of the driver. */
#ifndef CCWRAP_SERVER_TEXT_H
#define CCWRAP_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/hash.h"
#include "common/buf.h"
#include "server/observe.h"

enum { TEXT_KEPT_MAX = 64 * 1024 * 1024 };

struct text {
    struct hasher hasher;
    bool hashing, keep;
    struct buf bytes; /* only with keep */
};

/* `keep`: the text will be needed by text_observe. */
void text_init(struct text *text, bool keep);
void text_release(struct text *text);
void text_add(struct text *text, const char *bytes, size_t size);
struct digest text_digest(struct text *text);

/* As observe(), for a compile without a log. A pool thread; may run the driver to ask it for its parts. */
void text_observe(const struct text *text, struct observation *observation);

#endif
