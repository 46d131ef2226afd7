/* text: the preprocessed text of a source as a key, and what is known of a compile that can't be watched.
 *
 * The preprocessor writes into a file in memory, so that nobody is woken while it runs; when it has ended,
 * the text is taken in as a whole. Its warnings stand among the text: a source that earns others is another
 * one. That file can't be cut short: a program that opens its own output anew (by /dev/stdout) could
 * otherwise lose what others wrote before.
 *
 * A compile that isn't watched may be cached only if all its inputs are in the text: every word of its
 * command is on the front end's strict allow-list (command.allow_unwatched), and the text holds nothing that
 * makes the assembler read files. What runs (driver, cc1, as, their libraries) is asked of the driver.
 *
 * One owner, on any thread. */
#ifndef CCWRAP_SERVER_TEXT_H
#define CCWRAP_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/hash.h"
#include "cache/strings.h"
#include "common/arena.h"

struct observation;

enum { TEXT_MARKER_MAX = 4096 };

struct text {
    int fd;          /* of the file in memory; -1: none */
    bool keep;       /* it will be needed by text_observe */
    int64_t started; /* clock_of_files() before the preprocessor began */
    struct digest digest;
    struct arena arena;     /* of the names */
    struct strings named;   /* files that a line marker names, as the compiler wrote them … */
    struct strings entered; /* … and those of them that it says were entered: they stand in the text */
};

void text_init(struct text *text);
void text_release(struct text *text);
/* Makes the file for a preprocessor that is about to begin. 0 or negative errno. */
int text_open(struct text *text, bool keep);
/* Takes in what was written. 0 or negative errno; -EIO: it isn't sure that this is all. */
int text_read(struct text *text);
/* Takes in a text: its digest and its names. */
void text_take(struct text *text, const char *bytes, size_t size);
/* Does the content of this file (a path as the compiler wrote it) stand in the text? */
bool text_shows(const struct text *text, const char *path);

/* As observe(), for a compile without a log (NULL: its source is a text already). May run the driver to ask
 * it for its parts. */
void text_observe(struct text *text, struct observation *observation);

#endif
