/* loop: handing work to the loop thread from others. */
#ifndef CCWRAP_SERVER_LOOP_H
#define CCWRAP_SERVER_LOOP_H

#include <uv.h>

/* Before the first call (0 or negative errno); and after the last, on the loop thread. */
int loop_start(uv_loop_t *loop);
void loop_stop(void);

/* `call` will be called on the loop thread with `data`, in order of the calls. Any thread. */
void loop_call(void (*call)(void *data), void *data);

#endif
