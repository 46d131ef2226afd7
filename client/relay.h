/* relay: what the compiler printed, written to the client's own stdout and stderr. */
#ifndef CCWRAP_CLIENT_RELAY_H
#define CCWRAP_CLIENT_RELAY_H

#include <stddef.h>

#include "client/signals.h"

/* Writes all of it to `stream` (1 or 2), however long the reader takes. 0, or the number of the signal that
 * came in between, or a negative errno if it can't be written (a full disk, a reader that is gone): what that
 * does to a compiler is for the compiler to show. */
int relay_output(int stream, const char *bytes, size_t size, const struct signals *signals);

#endif
