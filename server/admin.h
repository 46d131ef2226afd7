/* admin: every word but a compile: --stats, --stop-server … */
#ifndef CCWRAP_SERVER_ADMIN_H
#define CCWRAP_SERVER_ADMIN_H

#include <stddef.h>

#include "server/server.h"

/* The command: answers from the live server or from the store. Exit status. */
int admin_main(int argc, char **argv);

/* The server's side: takes over fd, answers the ADMIN frame. A serving thread; waits for the store's writer
 * where the answer needs it. */
void admin_answer(struct server *server, int fd, const void *payload, size_t size);

#endif
