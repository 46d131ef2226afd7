/* settings: every setting, its value, and where it comes from.
 *
 * The last of these that says something counts: the default, the settings file, CCWRAP_KEY in the
 * environment, KEY=VALUE in front of the compiler. An empty value says nothing where it can't mean "none". A
 * bad line or value is told once (one line that names file, line and key), and what was in force before it
 * stays. Any thread; memory from the arena given. */
#ifndef CCWRAP_SERVER_SETTINGS_H
#define CCWRAP_SERVER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/environment.h"

enum setting_scope {
    SCOPE_COMPILE, /* taken from each request: takes effect in that compile */
    SCOPE_SERVER,  /* taken when the server starts */
};

struct settings {
    /* of the server and store */
    const char *dir;
    const char *socket;
    uint64_t maxsize;      /* bytes */
    uint64_t idle_timeout; /* seconds; 0: never */
    uint64_t jobs;         /* compilers at once */
    uint64_t level;        /* zstd */
    const char *log;       /* "" : none */
    uint64_t max_result;   /* bytes */
    const char *remote;
    /* of one compile */
    bool direct, disable, recache, readonly, hits_only, recorder;
    const char *basedir;    /* absolute directories joined by ":"; "" : none */
    const char *extrafiles; /* paths joined by ":" */
    const char *name_space;
    const char *prefix; /* words of a launcher */
};

enum { SETTING_COUNT = 19 };

/* A place for texts of complaint: one line each, without newline. */
typedef void settings_complain(void *data, const char *line);

/* All settings for this environment and these KEY=VALUE words (NULL: none). `complain` may be NULL. */
void settings_load(struct settings *settings, struct arena *arena, struct environment *environment,
                   char *const *words, settings_complain *complain, void *data);

/* The same for one compile in the server: the server's own settings stay at their defaults,
 * and the file isn't read again while its stamp stays. */
void settings_of_compile(struct settings *settings, struct arena *arena, struct environment *environment,
                         char *const *words, settings_complain *complain, void *data);

/* One setting for --show-config, by index (0 … SETTING_COUNT - 1): its key, value as text, the source of the
 * value ("default", "environment", "command line", or FILE:LINE), and its scope. */
struct setting_view {
    const char *key, *value, *source;
    enum setting_scope scope;
};

void settings_view(struct setting_view views[SETTING_COUNT], struct arena *arena,
                   struct environment *environment, settings_complain *complain, void *data);

/* "36h", "7d", "90" (seconds) … to seconds; -1 if it isn't an age. */
int64_t settings_parse_age(const char *text);

#endif
