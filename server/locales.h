/* locales: the names under which libc looks for a locale's files, from the most particular to the language
 * alone. Pure; any thread. */
#ifndef CCWRAP_SERVER_LOCALES_H
#define CCWRAP_SERVER_LOCALES_H

#include "common/arena.h"

struct locale_name {
    const char *name;
    struct locale_name *next;
};

/* Names for `value` as LC_ALL, LC_MESSAGES, LANG or LANGUAGE hold it:
 * language[_territory][.codeset][@modifier], several of them with ':' between. Appended to the list's end;
 * "C" and "POSIX" have no files. */
void locale_names(const char *value, struct arena *arena, struct locale_name **list);

#endif
