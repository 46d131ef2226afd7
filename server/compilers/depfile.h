/* depfile: make dependencies as gcc and clang write them, taken apart and put together for another target.
 *
 * Formats: gcc's libcpp/mkdeps.cc (lines are filled to 72 columns), clang's DependencyFile.cpp (75 columns);
 * both quote for make. Pure functions; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_DEPFILE_H
#define CCWRAP_SERVER_COMPILERS_DEPFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"

/* EITHER: a short text that both would have written so. */
enum depfile_style { DEPFILE_UNKNOWN = 0, DEPFILE_GCC = 1, DEPFILE_CLANG = 2, DEPFILE_EITHER = 3 };

/* Finds out whether `text` is a depfile for exactly `targets` (quoted, joined by one space) that
 * depfile_write can make again, byte for byte, from its prerequisites. If so returns the style and appends to
 * `rest` what depfile_write needs; else DEPFILE_UNKNOWN: such a file serves only for the targets that it
 * names. */
enum depfile_style depfile_split(const char *text, size_t length, const char *targets, struct buf *rest);

/* Appends to `text` the depfile for `targets`. False if `rest` isn't what depfile_split makes, or if the
 * style is EITHER and the two compilers would break the lines differently for these targets. */
bool depfile_write(enum depfile_style style, const char *rest, size_t length, const char *targets,
                   struct buf *text);

#endif
