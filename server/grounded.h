/* grounded: texts in which the ground (frontend.h) is named, made fit for another, and back.
 *
 * In rustc's dep-info the targets lie in the ground; of messages, the notices of artifacts name files in it.
 * Where both are kept as said from the ground, builds in other target folders share a result. Pure; any
 * thread. */
#ifndef CCWRAP_SERVER_GROUNDED_H
#define CCWRAP_SERVER_GROUNDED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"

enum grounded {
    GROUNDED_NOWHERE,   /* it names no ground */
    GROUNDED_MARKED,    /* it does, and all places were marked */
    GROUNDED_ELSEWHERE, /* it does in other places, too: fit for this ground alone */
};

/* Dep-info: appends it to `out` with the ground at the heads of lines marked; what is appended counts only if
 * the answer is MARKED. */
enum grounded grounded_take_targets(const char *ground, const char *text, size_t size, struct buf *out);

/* Messages, as frames of the wire: appends them to `out` with the ground marked in notices of artifacts;
 * parts of one stream that follow each other are joined. As above. */
enum grounded grounded_take_messages(const char *ground, const void *frames, size_t size, struct buf *out);

/* Appends marked text, or marked frames, for this ground. False if `frames` make no sense. */
void grounded_put(const char *ground, const char *text, size_t size, struct buf *out);
bool grounded_put_messages(const char *ground, const void *frames, size_t size, struct buf *out);

/* True if these frames hold more than notices of artifacts, which look the same on every terminal. */
bool grounded_has_messages(const void *frames, size_t size);

#endif
