/* starts: all starts of children in this process, so that one can wait until those that go on are over.
 *
 * A file that is open for writing can't be executed by anyone, and a child between its birth and its exec has
 * what its parent has open. So who has written a program closes it, and then outlasts the starts that may
 * have begun before. Any thread. */
#ifndef CCWRAP_SPAWN_STARTS_H
#define CCWRAP_SPAWN_STARTS_H

/* Around posix_spawn, which returns when the child has exec'd. */
void starts_begin(void);
void starts_end(void);
/* Waits for the starts that go on; but for no longer than a second, for an exec may hang in a dead file
 * system. */
void starts_outlast(void);

#endif
