/* comments: a C or C++ text without what only comments say.
 *
 * Two texts with equal results differ in comments alone, and every token stands at the same line and column,
 * so that a compile that doesn't record source digests and has no message to give (command.positions_show is
 * false, stderr empty) can't tell them apart. Comments that a warning reads (fallthrough and lint marks), or
 * that make one ("/" "*" inside a comment, a line continued in a // comment, a tab before further tokens,
 * bidirectional or non-ASCII control characters) are kept. Lexes strings, characters, digit separators, raw
 * strings and line continuations. Pure; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_COMMENTS_H
#define CCWRAP_SERVER_COMPILERS_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"

/* Appends `text` without comments to `out`: a comment followed by other tokens on its line becomes as many
 * spaces, one that ends its line vanishes with the blanks before it, its newlines stay. False if the text is
 * one that must not be treated so (a raw string in a file that may be read as C, an unterminated comment,
 * __TIMESTAMP__-like and `embed`, source positions by column: __builtin_COLUMN, source_location …). */
bool comments_blank(const char *text, size_t length, struct buf *out);

#endif
