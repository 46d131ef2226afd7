/* ccwrap: what stands in front of a compiler.
 *
 * This file decides what kind of call it is: the trampoline, the parent of a server, an option (the server's
 * program answers it), a compile that needs no cache, or one that goes to the server. The compiler itself is
 * the answer to all that fails on the way. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/compile.h"
#include "client/invocation.h"
#include "client/trampoline.h"
#include "common/places.h"
#include "spawn/server_start.h"
#include "spawn/trampoline.h"

/* Enough for most calls, which then need no heap. A common symbol, as these come behind all other data:
 * libc's few words then share a page with our own, and each page that is touched costs about a microsecond.
 */
enum { MEMORY = 32 * 1024 };
char client_memory[MEMORY] __attribute__((common));

/* Looks at descriptors 0 to 2. Those that are closed would be given to a socket, into which the compiler
 * would then print. They are held by /dev/null as long as this program runs, and closed again for the
 * compiler. True if there were any. */
static bool hold_standard_descriptors(struct stat streams[3])
{
    bool held = false;

    for (int fd = 0; fd <= 2; fd++)
        if (fstat(fd, &streams[fd]) != 0) {
            held = true;
            if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
                break;
        }
    return held;
}

static int say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        /* nobody to tell */
    }
    return 1;
}

/* Every option is the server program's. */
static int run_option(struct arena *arena, char **words)
{
    size_t count = 0;

    if (!*words)
        return say("usage: ccwrap [KEY=VALUE ...] COMPILER ARGS...\n"
                   "       ccwrap --help\n");
    while (words[count])
        count++;
    char *program = places_own_file(arena, "ccwrap-server");
    if (!program)
        return say("ccwrap: ccwrap-server is missing: it belongs beside ccwrap or in ../libexec/ccwrap\n");
    char **argv = ARENA_ARRAY(arena, char *, count + 2);
    argv[0] = program;
    memcpy(argv + 1, words, count * sizeof *argv);
    execve(program, argv, environ);
    return say("ccwrap: ccwrap-server can't be executed\n");
}

int main(int argc, char **argv)
{
    struct invocation invocation = {.environment = environ};
    struct places places;
    struct arena arena;
    char **words = argv;

    if (argc > 1 && strcmp(argv[1], TRAMPOLINE_WORD) == 0)
        trampoline_main(argc, argv, environ);
    if (argc > 1 && strcmp(argv[1], SERVER_PARENT_WORD) == 0 && invocation_is_own_name(argv[0]))
        return server_parent(argv, environ);

    bool closed = hold_standard_descriptors(invocation.streams);
    arena_lend(&arena, client_memory, MEMORY);
    invocation.link = argc > 0 && !invocation_is_own_name(argv[0]);
    if (!invocation.link)
        words += argc > 0;
    int status = invocation_find(&invocation, &arena, &words);
    if (status == INVOCATION_WORDS)
        return run_option(&arena, words);
    if (status)
        return status;

    /* Inside a compile that ccwrap already looks after its slot is held, and its key covers this one. And
     * what a compiler does without one of its descriptors is its own secret. */
    if (!getenv("CCWRAP_ACTIVE") && !getenv("CCWRAP_RECORD") && !closed) {
        places_find(&places, &arena, environ, invocation.settings);
        if (!places.disable)
            compile_by_server(&invocation, &places, &arena);
    }
    invocation_run(&invocation, &arena);
}
