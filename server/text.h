/* text: the preprocessed text of a source as a key, and what is known of a compile that can't be watched.
 *
 * A compile that isn't watched may be cached only if all its inputs are in the text: every word of its
 * command is on the front end's strict allow-list (command.allow_unwatched), and the text holds nothing that
 * makes the assembler read files. What runs (driver, cc1, as, their libraries) is asked of the driver.
 *
 * One owner; text_add on the loop, all else on a pool thread. */
#ifndef CCWRAP_SERVER_TEXT_H
#define CCWRAP_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/hash.h"
#include "common/arena.h"
#include "common/buf.h"

struct observation;

enum { TEXT_KEPT_MAX = 64 * 1024 * 1024, TEXT_MARKER_MAX = 4096 };

/* A file that a line marker names. */
struct text_file {
    const char *path;
    struct text_file *next;
};

struct text {
    struct hasher hasher;
    bool hashing, keep;
    struct buf bytes;             /* only with keep */
    struct arena arena;           /* of the names */
    struct text_file *files;      /* each once */
    char marker[TEXT_MARKER_MAX]; /* the present line, as long as it may be a marker */
    size_t marker_length;
    bool in_marker, at_line_start;
};

/* `keep`: the text will be needed by text_observe. */
void text_init(struct text *text, bool keep);
void text_release(struct text *text);
void text_add(struct text *text, const char *bytes, size_t size);
struct digest text_digest(struct text *text);
/* Is this path (as the compiler wrote it) named by a line marker? */
bool text_names(const struct text *text, const char *path);

/* As observe(), for a compile without a log. May run the driver to ask it for its parts. */
void text_observe(struct text *text, struct observation *observation);

#endif
