/* settings_text: what stands in a settings file, read once for each of its stamps.
 *
 * A build's compiles all have one settings file; the last one is remembered. Any thread. */
#ifndef CCWRAP_SERVER_SETTINGS_TEXT_H
#define CCWRAP_SERVER_SETTINGS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"

/* A copy of the text in the arena, as settings_file_text gives it. False if there is no such file. */
bool settings_text(const char *path, struct arena *arena, char **text, size_t *size);

#endif
