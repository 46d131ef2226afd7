/* request: one compile, from the client's frame to the last frame of the answer.
 *
 * The steps, in their order (request.c): parse, look up, preprocess (only where it can pay), compile,
 * collect, reply, store. A request has one owner at a time: a serving thread (parse, preprocess, look up, a
 * hit), then the loop (miss.c: waiting, children, the client's socket), which lends it to a pool thread for
 * the heavy parts. All memory but file contents is in its arena. */
#ifndef CCWRAP_SERVER_REQUEST_H
#define CCWRAP_SERVER_REQUEST_H

#include <stdbool.h>

#include "cache/cache.h"
#include "common/arena.h"
#include "common/environment.h"
#include "common/wire.h"
#include "server/compilers/frontend.h"
#include "server/server.h"
#include "server/settings.h"
#include "spawn/trampoline.h"

/* What request_answer came to. */
enum answer {
    ANSWER_REPLIED,    /* `reply` holds the whole answer */
    ANSWER_PREPROCESS, /* not found or not asked for: the preprocessed text decides */
    ANSWER_COMPILE,    /* not found: compile, watched */
};

struct request {
    struct server *server;
    struct arena arena;
    char *frame;  /* memory of the request frame; strings of `wire` lie in it */
    int fd;       /* the client's socket; -1 once given away */
    pid_t client; /* its process; 0: not to be seen from here */
    struct wire_request wire;
    struct environment environment;
    struct settings settings; /* of this compile */

    const struct frontend *frontend;
    struct command command;
    struct trampoline limits; /* of the client's process; known from the miss on */
    int directory;            /* descriptor of the client's working directory */
    int ground;               /* … and of what relative paths of sets and results are relative to: the same,
                                 or the folder that the front end says */
    const char *ground_path;
    const char *bases; /* the setting basedir, and the directory itself: paths below are told relative */
    const char *shown_directory; /* as a compiler shows it: PWD if that is the same, else getcwd's */
    unsigned absent;             /* a bit for each output_role: nothing was there when step 1 looked */
    struct file_facts source;    /* of the main source, before anything ran */
    bool has_source;             /* source is a regular file */
    struct digest key;           /* direct key */
    struct digest text_key;      /* key by preprocessed text */
    bool by_text;                /* text_key is made, and what is stored goes under it */
    bool words_shortened;        /* an absolute path of the command is told by its place in the key */
    struct text *text;           /* the preprocessed text; NULL: there is none */
    struct child *preprocessor;  /* runs, with a slot, and is the loop's to look after; NULL: none */
    bool watch;                  /* the recorder is to watch the compile */
    const char *facts[FACT_COUNT];
    bool facts_made[FACT_COUNT];

    struct buf reply;      /* frames for the client */
    struct buf complaints; /* frames for the client, in front of all others: bad settings */
    int64_t began;         /* clock_monotonic */
    int64_t looked_up;     /* when step 2 had ended */
    const char *failed;    /* what made the last set fail, for the log */
    const char *outcome;   /* for the log */
    enum reason reason;
};

/* Takes over fd and frame (whose request payload is given). NULL if it isn't a request: then nothing was
 * taken over. */
struct request *request_new(struct server *server, int fd, char *frame, const void *payload, size_t size);
void request_free(struct request *request);

/* Steps 1 and 2, and 6 for a hit. Any thread that has a reader. */
enum answer request_answer(struct request *request);
/* Step 2 with the digest of the preprocessed text. */
enum answer request_answer_by_text(struct request *request, const struct digest *text);
/* Step 2 again: with the text key if it is made, else with the direct key. True: `reply` holds the answer. */
bool request_look_up(struct request *request);

/* Makes `reply` the answer "run it yourself". */
void request_reply_run(struct request *request, enum reason reason, const char *word);
/* … or an end with this status and a line (with its newline) on the client's stderr. */
void request_reply_refuse(struct request *request, int status, const char *line);

/* One line to the log: outcome, reason, key, milliseconds. */
void request_log(struct request *request);

/* key.c: the direct key, from what step 1 found. */
struct digest key_direct(struct request *request);
/* … and the key by text, whose digest is given. */
struct digest key_of_text(struct request *request, const struct digest *text);
/* What this request says of itself; the texts are made when first asked for. For struct check. */
const char *request_fact(void *request, enum input_fact fact);
/* A digest of all variables but those that are known to be noise. */
const char *key_environment(struct request *request);

/* miss.c: takes the request over on the loop thread. `answer` says from which step on. */
void miss_begin(struct request *request, enum answer answer);
/* The same from any other thread. */
void miss_hand_over(struct request *request, enum answer answer);

#endif
