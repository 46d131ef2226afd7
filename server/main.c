/* ccwrap-server: the server (--daemon), and every word of ccwrap's that isn't a compile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/admin.h"
#include "server/server.h"

static void complain(void *data, const char *line)
{
    (void)data;
    fprintf(stderr, "ccwrap: %s\n", line);
}

static const char *value_after(int argc, char **argv, const char *word)
{
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], word) == 0)
            return argv[i + 1];
    return NULL;
}

static int run_daemon(int argc, char **argv)
{
    struct arena arena;
    struct environment environment;
    struct settings settings;
    const char *dir = value_after(argc, argv, "--dir"), *socket = value_after(argc, argv, "--socket");
    const char *ready = value_after(argc, argv, "--ready-fd");

    arena_init(&arena);
    environment_init(&environment, &arena, environ);
    settings_load(&settings, &arena, &environment, NULL, complain, NULL);
    if (dir)
        settings.dir = dir;
    if (socket)
        settings.socket = socket;
    return server_run(&settings, &arena, ready ? atoi(ready) : -1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--daemon") == 0)
        return run_daemon(argc, argv);
    return admin_main(argc, argv);
}
