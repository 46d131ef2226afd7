/* dated: does a text of the C family ask for the times of files? `#pragma GCC dependency "file"` warns if
 * that file is newer, and no call of libc tells that a compiler compares. Any thread. */
#ifndef CCWRAP_SERVER_DATED_H
#define CCWRAP_SERVER_DATED_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/file_digest.h"

/* The file at `path`, relative to the descriptor `directory`, whose facts were found a moment ago. Remembered
 * by content. True also if it can't be read. */
bool dated_file(int directory, const char *path, const struct file_facts *facts);

bool dated_text(const char *text, size_t length);

#endif
