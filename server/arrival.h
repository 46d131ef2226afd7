/* arrival: a client that has not yet sent a whole frame, on the loop. Bounded in number: of too many the
 * longest silent goes. */
#ifndef CCWRAP_SERVER_ARRIVAL_H
#define CCWRAP_SERVER_ARRIVAL_H

#include "common/buf.h"
#include "server/server.h"

/* Takes over fd and the bytes read so far. Any thread. */
void arrival_hand_over(struct server *server, int fd, struct buf *in);

/* Ends the one that has waited longest: descriptors are short. Any thread. */
void arrival_make_room(void);

/* Ends all that still wait. Loop thread. */
void arrival_end_all(void);

#endif
