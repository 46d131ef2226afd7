/* input_building: an input set while it is made, shared by the builder (input_build.c) and what writes its
 * bytes (input_put.c). */
#ifndef CCWRAP_CACHE_INPUT_BUILDING_H
#define CCWRAP_CACHE_INPUT_BUILDING_H

#include "cache/input_ground.h"
#include "cache/input_layout.h"
#include "cache/input_set.h"
#include "cache/strings.h"

struct added {
    enum condition_kind kind;
    struct condition condition;
    bool no_link;                    /* of a file: it was seen to be none */
    uint64_t mark;                   /* of a file; 0: not to be trusted */
    unsigned char blank[BLANK_SIZE]; /* zeros: none */
};

struct absence {
    uint32_t path;
    bool follow;
};

struct listing {
    uint32_t path;
    uint32_t own; /* string: names, each followed by a slash */
    struct digest names;
};

struct input_set_builder {
    struct arena arena;
    struct strings strings;
    struct added *added;
    size_t added_count, added_room;
    struct absence *absences;
    size_t absence_count, absence_room;
    struct listing *listings;
    size_t listing_count, listing_room;
    bool comments;
};

struct packing {
    struct input_set_builder *builder;
    struct grounding grounding;
    struct grounded *grounded;
    size_t grounded_count, grounded_room;
};

/* Appends the packed set. The strings are sorted, and so are the conditions, without doubles. */
void put_input_set(const struct packing *packing, struct buf *out);

#endif
