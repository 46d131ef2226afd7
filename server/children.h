/* children: what the child processes of a request are given, and the first of them, the preprocessor.
 *
 * The preprocessor is started and waited for by the thread that serves, so that nobody else is woken for a
 * hit; one that takes long goes on with the loop (miss_child.c). */
#ifndef CCWRAP_SERVER_CHILDREN_H
#define CCWRAP_SERVER_CHILDREN_H

#include "server/request.h"
#include "spawn/child.h"

/* The client's environment, with a marker for inner calls, and without a jobserver if the tool reads none. */
struct environment children_environment(struct request *request);
/* All that doesn't depend on which child it is; pointers are the request's. */
struct child_options children_options(struct request *request, const char *program, char *const *argv,
                                      char *const *environment);

/* Starts the preprocessor, whose text goes to request->text. With a slot held, any thread. 0; negative errno
 * (nothing was started); -ENOSYS: this compiler has none. */
int children_preprocess(struct request *request, struct child *child);
/* Makes `reply` the answer to a preprocessor that couldn't be started (negative errno), or that failed (0).
 */
void children_reply_unpreprocessed(struct request *request, int error);
/* Once it has ended well: looks up by its text. Any thread that has a reader. */
enum answer children_take_text(struct request *request);

/* A whole look-up by text on the calling thread, which must have a reader. If it can't be had at once, or
 * takes long, or the client says something meanwhile: ANSWER_PREPROCESS, and request->preprocessor is the
 * child that runs (with a slot held), or NULL. */
enum answer children_answer_by_text(struct request *request);

#endif
