/* admin: every word but a compile: --stats, --stop-server … */
#ifndef CCWRAP_SERVER_ADMIN_H
#define CCWRAP_SERVER_ADMIN_H

#include <stddef.h>

#include "server/server.h"
#include "server/stats.h"

/* The command: answers from the live server or from the store. Exit status. */
int admin_main(int argc, char **argv);

/* The server's side: takes over fd, answers the ADMIN frame: three strings, which are a word, its value, and
 * the client's `dir`. A serving thread; waits for the store's writer where the answer needs it, and sends
 * ALIVE meanwhile. What would change another store than `dir` is refused. */
void admin_answer(struct server *server, int fd, const void *payload, size_t size);

/* What is the same with and without a live server. "zero", "clear", "trim", "evict": 0 or negative errno. */
int admin_work(struct cache *cache, const char *word, const char *value);
/* `form`: "json", "lines", or else "table". */
void admin_print_stats(const struct stats *stats, const char *form, const char *dir, struct buf *out);
/* Sends all of it, or gives up. */
void admin_send(int fd, const struct buf *bytes);

#endif
