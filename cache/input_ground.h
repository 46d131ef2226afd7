/* input_ground: on which directory an absence stands.
 *
 * The nearest directory above an absent path that exists (its ground) proves the absence as long as it
 * doesn't change, if the next name of the path is really missing in it. One owner; lives while a set is
 * packed. */
#ifndef CCWRAP_CACHE_INPUT_GROUND_H
#define CCWRAP_CACHE_INPUT_GROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/strings.h"

struct place;

struct grounding {
    struct strings *strings; /* paths are numbers in it; it grows */
    int directory;           /* descriptor that paths are relative to */
    int64_t before;          /* clock_of_files() before anything was looked at */
    struct place *places;    /* what is known of a path, by its number */
    size_t room;
};

struct grounded {
    uint32_t ground, rest; /* paths; the rest is relative to the ground */
    bool follow;           /* the caller's */
    bool bare;             /* no absence: it is there for its entries alone, and `rest` says nothing */
    uint8_t needs;         /* the caller's */
    uint64_t mark;         /* of the ground's stamp (input_layout.h); 0: not to be trusted */
};

void grounding_init(struct grounding *grounding, struct strings *strings, int directory);
void grounding_release(struct grounding *grounding);
/* False if no directory can prove it: something is there, a link that leads nowhere, a file in the way. */
bool grounding_find(struct grounding *grounding, const char *path, struct grounded *grounded);

/* A directory's stamp answers for its entries of some kinds, too (input_layout.h). First all are counted;
 * then directories are taken in for their entries' sake; last all entries are looked at once more, after the
 * marks were taken: where one isn't what it was, the mark of its directory is worth nothing. */
void grounding_count_entry(struct grounding *grounding, const char *path);
/* A directory that answers for so many entries that its own stamp is worth a look. */
bool grounding_take_folder(struct grounding *grounding, uint32_t path, struct grounded *grounded);
/* `target`: of a link; NULL: it is a directory. */
void grounding_confirm_entry(struct grounding *grounding, const char *path, const char *target);
/* The mark as it stands after all this. */
uint64_t grounding_mark(const struct grounding *grounding, uint32_t path);

#endif
