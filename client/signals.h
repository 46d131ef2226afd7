/* signals: the client's, while a compile is under way in the server.
 *
 * INT, TERM, HUP and QUIT are taken from a descriptor rather than by handlers: no disposition is changed, so
 * that after signals_restore the compiler inherits exactly what the client did. One that was inherited as
 * ignored or blocked stays so. */
#ifndef CCWRAP_CLIENT_SIGNALS_H
#define CCWRAP_CLIENT_SIGNALS_H

#include <signal.h>

struct signals {
    sigset_t inherited; /* the mask that the client was started with */
    int fd;             /* readable when one came; -1 if none can be taken */
};

/* From here on the signals wait at `fd`, and a broken pipe is an error rather than a signal. */
void signals_hold(struct signals *signals);
/* Back to what was inherited. A signal that waits comes at once. */
void signals_restore(struct signals *signals);
/* The number of a signal that came, taken from the descriptor; 0: there is none, or it is ignored. */
int signals_take(const struct signals *signals);
/* Ends this process by a signal as if it had come from outside; no core is left, the compiler had its own. */
_Noreturn void signals_die(int number);

#endif
