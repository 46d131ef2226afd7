/* file_search: looks through a file of any size for something. Any thread. */
#ifndef CCWRAP_SERVER_FILE_SEARCH_H
#define CCWRAP_SERVER_FILE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the file (relative to the descriptor `directory`) in pieces until `found` says true of one; each
 * begins with the last `overlap` bytes (at most FILE_SEARCH_OVERLAP) of the one before. 1: found, 0: not,
 * negative errno: it can't be read. */
enum { FILE_SEARCH_OVERLAP = 1024 };
int file_search(int directory, const char *path, size_t overlap,
                bool (*found)(void *data, const char *bytes, size_t length), void *data);

#endif
