/* places: where things are: the store, the socket, the settings file, ccwrap's own files. libc only.
 *
 * All answers are in the arena. `environment_get`-like look-ups go through a function so that server and
 * client use the same rules for their own and for another's environment. An empty value is as if it were not
 * there. */
#ifndef CCWRAP_COMMON_PLACES_H
#define CCWRAP_COMMON_PLACES_H

#include <stdbool.h>

#include "common/arena.h"

/* The few settings that both sides need before they can talk. Read from the environment and the settings
 * file ("key = value" lines); see CONTRACT: CCWRAP_KEY in the environment wins. */
struct places {
    const char *config; /* places_config */
    const char *dir;    /* the store's folder; NULL if there is no home and no setting */
    const char *socket; /* path of the socket; never NULL */
    bool disable;       /* the setting `disable` */
};

/* `words` are the KEY=VALUE words in front of the compiler (NULL-terminated, or NULL), which win over all. */
void places_find(struct places *places, struct arena *arena, char *const *environment, char *const *words);

/* The path that a value of dir, socket or log means: "~/" in front is HOME. NULL if it isn't absolute. The
 * text itself, or in the arena. */
const char *places_path(struct arena *arena, char *const *environment, const char *text);

/* Path of the settings file, whether it exists or not; NULL if there is no home. */
const char *places_config(struct arena *arena, char *const *environment);

/* Makes the socket's folder (0700) if it is the default one, and checks that it is ours alone: owner, mode,
 * no link. Of a folder that the user chose is asked only that nobody else can replace a socket in it (owner,
 * and no foreign writers unless it is sticky). Then looks whether a socket can be there: its name isn't too
 * long, and what bears it now, if anything, is a socket. 0 or negative errno, -ENOTSOCK for another file. */
int places_make_socket_folder(const char *socket);
/* Such an error in words, to stand behind the socket's path. */
const char *places_socket_trouble(int error);
/* connect/bind need a sun_path of at most 107 bytes: a longer one is reached by a descriptor of its folder
 * (/proc/self/fd/N/NAME). Fills a sockaddr_un; *folder is a descriptor to close afterwards, or -1. */
struct sockaddr_un;
int places_socket_address(const char *socket, struct sockaddr_un *address, int *folder);

/* Absolute path of one of ccwrap's own files, by this executable's place: beside it (a build tree), else in
 * ../libexec/ccwrap/ (installed) and, for "ccwrap", in ../../bin/. NULL if it is in neither. */
char *places_own_file(struct arena *arena, const char *name);

/* An id of this build, the same in client, server and recorder: it is part of the socket's name. */
const char *places_build_id(void);

#endif
