/* describe: what the server must know of this process to compile as if it were its child. */
#ifndef CCWRAP_CLIENT_DESCRIBE_H
#define CCWRAP_CLIENT_DESCRIBE_H

#include <stdbool.h>

#include "client/invocation.h"
#include "common/buf.h"

/* Appends the REQUEST frame. False if the server can't do this compile: the working directory can't be told,
 * or words and environment are too large for a frame. */
bool describe_request(struct buf *frame, const struct invocation *invocation);

#endif
