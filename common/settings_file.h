/* settings_file: reads "key = value" lines. libc only.
 *
 * Blank lines and lines that begin with # are passed over; blanks around key and value don't count, and a
 * value reaches to the end of its line. What keys there are, and what values they take, is the caller's. */
#ifndef CCWRAP_COMMON_SETTINGS_FILE_H
#define CCWRAP_COMMON_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"

enum { SETTINGS_FILE_MAX = 1024 * 1024 };

/* Called for each line in order, with its number from 1 on; key and value lie in the arena. Returns NULL, or
 * what is wrong with the line ("no such setting", "not a size"). A later line of the same key is meant to
 * win. */
typedef const char *settings_file_take(void *context, unsigned number, const char *key, const char *value);
/* Told of each bad line, by one line without newline: "FILE:LINE: KEY: what is wrong". */
typedef void settings_file_complain(void *context, const char *complaint);

/* The text of the file in memory of the arena, ended by a NUL that isn't counted. 0, or negative errno. */
int settings_file_text(const char *path, struct arena *arena, char **text, size_t *size);
/* Takes the lines of such a text, which it cuts into pieces; `path` is for complaints. */
void settings_file_parse(const char *path, char *text, size_t size, struct arena *arena,
                         settings_file_take *take, settings_file_complain *complain, void *context);
/* Both together. 0, or negative errno: -ENOENT if there is no such file, -EFBIG, -EISDIR … A bad line ends
 * nothing. `complain` may be NULL; both get the context. */
int settings_file_read(const char *path, struct arena *arena, settings_file_take *take,
                       settings_file_complain *complain, void *context);

/* 1, yes, true, on and 0, no, false, off. False if the text is none of them; *value is then unchanged. */
bool settings_file_bool(const char *text, bool *value);

#endif
