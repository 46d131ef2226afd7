/* miss: what the files of a miss share: miss.c (the phases, waiting, cancelling, leaving), miss_child.c
 * (children, preprocessing) and miss_compile.c (compiling, collecting). Loop thread, but for the functions
 * that a pool thread is given. */
#ifndef CCWRAP_SERVER_MISS_H
#define CCWRAP_SERVER_MISS_H

#include "server/connection.h"
#include "server/flight.h"
#include "server/observe.h"
#include "server/pool.h"
#include "server/request.h"
#include "spawn/child.h"
#include "spawn/record_log.h"

struct miss {
    struct request *request;
    struct connection connection;
    struct slot_waiter waiter;
    struct passenger passenger;
    struct child child;
    struct record_log log;
    uv_work_t work;
    uv_timer_t timer;
    struct pool pool;       /* of the jobserver, for a compiler that reads one */
    unsigned streams;       /* that it wrote on: bits 1 << 1, 1 << 2 */
    struct buf messages;    /* what the compile wrote, as frames */
    size_t held;            /* bytes of `messages` that the client has not got: not before the start record */
    int64_t began, started; /* of the compile: clock_monotonic, clock_of_files */
    struct observation observation;
    struct packed *packed;
    struct buf set;
    enum answer answer;
    int open_handles; /* that must be closed before this can be freed */
    int status;       /* of the compile */
    int exec_error;
    bool child_open, working, has_slot;
    bool asking;        /* the client is asked for its jobserver's descriptors */
    bool watched;       /* this run of the compiler has a log */
    bool whole;         /* it ended well: what it left stays */
    bool spoilt;        /* a run with the recorder left no start record */
    bool alone;         /* don't wait for equal compiles any more */
    bool waiting_to_go; /* "started" is on its way to the client */
    bool messages_lost; /* too many to be stored */
    bool held_stream;   /* a process that outlived the compile holds its output */
    bool replied, cancelled, leaving;
};

/* miss.c */
void miss_release_slot(struct miss *miss);
/* Wakes those that wait for an equal compile, if this one leads them. */
void miss_land(struct miss *miss, enum landing landing);
/* Gives everything back; the struct is freed when the last handle has closed and no pool thread has it. */
void miss_leave(struct miss *miss);
/* The last frame; the miss leaves when it is on its way. */
void miss_reply_with_request(struct miss *miss);
void miss_reply_run(struct miss *miss, enum reason reason, const char *word);
void miss_reply_status(struct miss *miss);
void miss_end_cancelled(struct miss *miss);
/* What an unfinished compile has made, as far as its log says. */
void miss_remove_outputs(struct miss *miss);
void miss_run_work(struct miss *miss, uv_work_cb work, uv_after_work_cb after);
/* True if the request still wants what was worked on. */
bool miss_work_ended(struct miss *miss);
/* After a look-up by a pool thread that set `answer`. */
void miss_looked_up(uv_work_t *work, int status);
void miss_child_closed(struct child *child);
/* To the compile, by way of equal compiles and slots. */
void miss_begin_compile(struct miss *miss);

/* miss_child.c */
/* Tells the client which process group it would have to end should the server vanish; the child begins when
 * that has left. */
void miss_announce(struct miss *miss);
void miss_child_failed(struct child *child, int error);
/* The child was spawned: from now on the loop looks after it. */
void miss_watch_child(struct miss *miss, const struct child_events *events);
void miss_start_preprocessor(struct miss *miss);
/* One that a serving thread has started, with a slot. */
void miss_adopt_preprocessor(struct miss *miss);

/* miss_compile.c: with a slot held. */
void miss_start_compiler(struct miss *miss);
/* The client's answer to ASK_FDS has come. */
void miss_take_descriptors(struct miss *miss);

#endif
