/* compile: one compile by the server, from the client's side. */
#ifndef CCWRAP_CLIENT_COMPILE_H
#define CCWRAP_CLIENT_COMPILE_H

#include "client/invocation.h"
#include "common/places.h"

/* Asks the server for the compile and ends as the compiler would have ended. Returns only if the compiler is
 * to be run by this process: there is no server, it said so, or it was lost (what it had started is then
 * gone); signals are as they were inherited. */
void compile_by_server(const struct invocation *invocation, const struct places *places, struct arena *arena);

#endif
