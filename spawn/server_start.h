/* server_start: reaching the server, and starting one where there is none. libc only: client and server use
 * it.
 *
 * However many ask at once, one server is started: who holds the lock file beside the socket (NAME.start)
 * starts it, the others wait for the socket to answer. The server says on a pipe that it is ready. */
#ifndef CCWRAP_SPAWN_SERVER_START_H
#define CCWRAP_SPAWN_SERVER_START_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/places.h"

enum {
    SERVER_CONNECT_PATIENCE = 2000, /* milliseconds for a server whose queue is full */
    SERVER_START_PATIENCE = 3000,   /* milliseconds for one to be started */
};

/* Connects to a running server of this very user. The descriptor (close-on-exec, not blocking), or negative
 * errno: -ENOENT and -ECONNREFUSED mean that there is none; -EPERM that another user's answers; -ETIMEDOUT
 * that it takes no connection. */
int server_connect(const char *socket);
/* Does such an error say that no server runs? */
bool server_is_absent(int error);

/* Connects; starts a server first if there is none. The descriptor as above, or negative errno: -ETIMEDOUT if
 * none answered in time, -ECHILD if the started one ended before it was ready, -ENOENT if ccwrap-server is
 * not installed, or why socket folder or lock can't be had. *started (may be NULL) says whether this call did
 * it.
 *
 * What is launched is "ccwrap --daemon-parent [--dir DIR] --socket PATH --ready-fd 3": a process that starts
 * "ccwrap-server --daemon" with the same words and ends at once, so that the daemon isn't a child of the
 * caller, which may be about to become a compiler and must not get a child that it doesn't know of. It has a
 * session of its own, the directory "/", no descriptor of the caller's and only the variables that a server
 * needs. */
int server_start(const struct places *places, char *const *environment, struct arena *arena, bool *started);

/* The main of that process; argv[1] is the word. Its status. */
#define SERVER_PARENT_WORD "--daemon-parent"
int server_parent(char **argv, char *const *environment);

#endif
