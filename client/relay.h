/* relay: what the compiler printed, written to the client's own stdout and stderr. */
#ifndef CCWRAP_CLIENT_RELAY_H
#define CCWRAP_CLIENT_RELAY_H

#include <stddef.h>

#include "client/signals.h"

/* Writes all of it to `stream` (1 or 2), however long the reader takes.
 * 0 also if it can't be written (the compiler wouldn't get further, and its status is what counts); the
 * number of the signal that came in between (SIGPIPE if the reader is gone and that would have ended the
 * compiler). */
int relay_output(int stream, const char *bytes, size_t size, const struct signals *signals);

#endif
