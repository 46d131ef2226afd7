/* machine: what of this machine can show in an object. */
#ifndef CCWRAP_SERVER_MACHINE_H
#define CCWRAP_SERVER_MACHINE_H

/* A text that differs between processors for which -march=native can mean different things (vendor, family,
 * model, stepping, flags, as /proc/cpuinfo gives them). Made once; any thread. */
const char *machine_processor(void);

#endif
