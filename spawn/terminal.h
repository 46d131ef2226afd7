/* terminal: a pseudo terminal that stands for the client's own.
 *
 * A compiler that finds a terminal colours its messages, adds links and cuts lines to its width. Its bytes
 * are to arrive unchanged, so output processing is off: the client's terminal does that. */
#ifndef CCWRAP_SPAWN_TERMINAL_H
#define CCWRAP_SPAWN_TERMINAL_H

#include <stdint.h>

struct terminal {
    int master; /* read here what the program writes; close-on-exec, non-blocking */
    int slave;  /* the program's descriptor; close-on-exec here */
};

/* 0 or negative errno. */
int terminal_open(struct terminal *terminal, uint32_t columns, uint32_t rows);

/* Lets the program that reads from the terminal find the end of its input. */
void terminal_end_input(const struct terminal *terminal);

#endif
