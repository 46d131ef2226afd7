/* trampoline: the client's hidden mode; see spawn/trampoline.h. */
#ifndef CCWRAP_CLIENT_TRAMPOLINE_H
#define CCWRAP_CLIENT_TRAMPOLINE_H

/* argv: ccwrap --ccwrap-trampoline SETTINGS PROGRAM ARGV0 ARGS… */
_Noreturn void trampoline_main(int argc, char **argv, char **environment);

#endif
