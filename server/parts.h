/* parts: what runs when a driver compiles, asked of the driver itself, for compiles that can't be watched. */
#ifndef CCWRAP_SERVER_PARTS_H
#define CCWRAP_SERVER_PARTS_H

#include <stdint.h>

#include "cache/input_set.h"
#include "server/request.h"

/* Adds the driver, the compiler proper, the assembler, and the libraries that they load to the set. 0, or
 * negative errno if they can't be found out: *word then says which. A pool thread. */
int parts_add(struct request *request, struct input_set_builder *set, int64_t started, const char **word);

#endif
