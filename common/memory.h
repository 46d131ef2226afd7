/* memory: malloc for small things, whose failure no caller could survive.
 *
 * memory_alloc, memory_realloc and memory_strdup never return NULL: out of memory ends the process with one
 * line on stderr, and clients of a dead server compile by themselves. Buffers whose size is the user's (file
 * contents) use malloc and check. */
#ifndef CCWRAP_COMMON_MEMORY_H
#define CCWRAP_COMMON_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);  /* uninitialised */
void *memory_zalloc(size_t size); /* zeroed */
void *memory_realloc(void *old, size_t size);
char *memory_strdup(const char *text);
void memory_free(void *piece);

#endif
