/* observe: from the recorder's log of a compile to its input set and output files.
 *
 * What an event on a path means is decided here (the rules are at the table of paths in observe.c): content
 * read is an input; only looked at and then made anew is an output; made and gone is a temporary; tried and
 * not found is an absence. Whatever can't be told apart makes the result not storable, with its reason. */
#ifndef CCWRAP_SERVER_OBSERVE_H
#define CCWRAP_SERVER_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cache/input_set.h"
#include "server/request.h"
#include "server/result.h"
#include "spawn/record_log.h"

struct observation {
    /* given */
    struct request *request;
    struct record_log *log;
    pid_t root;
    int64_t started;            /* clock_of_files() before the compile began */
    bool has_messages;          /* it wrote on stdout or stderr … */
    const struct buf *messages; /* … these frames … */
    unsigned streams;           /* … on these streams: bits 1 << 1, 1 << 2 */
    const char *pool[2];        /* paths by which it opens the jobserver that it was given; NULL: fewer */
    /* found */
    bool shows_times;   /* times of input files show in the result */
    bool has_dep_info;  /* rustc wrote which variables its source asks for */
    enum reason reason; /* REASON_NONE: may be stored */
    const char *word;   /* path or name that is to blame; arena of the request */
    struct input_set_builder *set;
    struct output_file *outputs;    /* descriptors are open */
    struct noted_input *inputs;     /* observe_outputs.c's */
    struct noted_inputs *inputs_by; /* … */
    size_t output_count;
};

/* Fills what is found. A pool thread; reads files. */
void observe(struct observation *observation);
/* Nothing is stored: the first reason counts. The word lives as long as the request. */
void observe_give_up(struct observation *observation, enum reason reason, const char *word);
/* Closes descriptors, frees the set. */
void observe_release(struct observation *observation);

/* Removes files that an interrupted compile has written (SIGKILL leaves half of them). */
void observe_remove_outputs(struct record_log *log, const char *directory);

#endif
