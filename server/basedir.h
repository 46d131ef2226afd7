/* basedir: paths below the setting's directories, told relative to the working directory, so that two
 * checkouts of one project share what is equal in both.
 *
 * A relative form stands behind BASEDIR_MARK in keys and depfiles: "/home/me/one/inc" is not the same word as
 * "../inc", for the compiler writes it out as it was given. Pure functions; any thread. */
#ifndef CCWRAP_SERVER_BASEDIR_H
#define CCWRAP_SERVER_BASEDIR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/buf.h"

enum { BASEDIR_MARK = '\1' };

/* `path`, absolute and below one of `bases` (joined by ":"), relative to `directory` (absolute, also below
 * it); NULL if it isn't so, or has components "." or "..". */
const char *basedir_relative(struct arena *arena, const char *bases, const char *directory, const char *path);

/* A word of a command with such a path in it ("-I/home/me/one/inc", "--sysroot=…") in its marked form; the
 * word itself if it has none. */
const char *basedir_word(struct arena *arena, const char *bases, const char *directory, const char *word);

/* The path that is glued to its option ("-Idir", "-isystem/x"), or the word itself if it is no option; NULL:
 * none. */
const char *basedir_path_of_word(const char *word);

/* Is `path` the folder, whose path has so many bytes and no slash at its end, or below it? */
bool basedir_is_below(const char *path, const char *folder, size_t length);

/* Names in a split depfile (depfile.h: NUL after each), to their marked forms, and back for another
 * directory. */
void basedir_hide_names(struct arena *arena, const char *bases, const char *directory, const char *names,
                        size_t length, struct buf *out);
void basedir_show_names(struct arena *arena, const char *directory, const char *names, size_t length,
                        struct buf *out);

/* The next directory of the list, without slashes at its end: its length, or 0 at the end of the list. */
size_t basedir_next(const char **list, const char **base);

#endif
