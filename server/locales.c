/* Source: glibc's manual, "Locale Names" and "Message catalogs with gettext"; intl/l10nflist.c for the order
 * and the spelling of code sets. */
#include "server/locales.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { PARTS_CODESET = 1, PARTS_NORMAL_CODESET = 2, PARTS_TERRITORY = 4, PARTS_MODIFIER = 8, PARTS_ALL = 16 };

/* Each with its mark in front ("_DE"), or "". */
struct parts {
    const char *language, *territory, *codeset, *normal_codeset, *modifier;
};

static void add(struct arena *arena, struct locale_name **list, const char *name)
{
    while (*list) {
        if (strcmp((*list)->name, name) == 0)
            return;
        list = &(*list)->next;
    }
    *list = ARENA_NEW(arena, struct locale_name);
    (*list)->name = name;
}

/* ".UTF-8" is looked for as ".utf8", too, ".8859-1" as ".iso88591". */
static const char *normal_codeset(const char *codeset, struct arena *arena)
{
    char *normal = arena_strdup(arena, codeset), *end = normal;
    bool figures = true;

    for (const char *c = codeset; *c; c++) {
        if (isalnum((unsigned char)*c))
            *end++ = (char)tolower((unsigned char)*c);
        figures = figures && !isalpha((unsigned char)*c);
    }
    *end = '\0';
    return arena_printf(arena, ".%s%s", figures ? "iso" : "", normal);
}

static struct parts split(const char *name, size_t length, struct arena *arena)
{
    struct parts parts = {"", "", "", "", ""};
    size_t language, rest;

    language = strcspn(name, "_.@:");
    language = language < length ? language : length;
    parts.language = arena_strndup(arena, name, language);
    name += language, length -= language;
    for (; length > 0; name += rest, length -= rest) {
        rest = 1 + strcspn(name + 1, *name == '@' ? ":" : *name == '.' ? "@:" : ".@:");
        rest = rest < length ? rest : length;
        const char *part = arena_strndup(arena, name, rest);
        if (*name == '_')
            parts.territory = part;
        else if (*name == '.')
            parts.codeset = part;
        else
            parts.modifier = part;
    }
    if (parts.codeset[0])
        parts.normal_codeset = normal_codeset(parts.codeset + 1, arena);
    return parts;
}

/* All combinations of the parts that there are, but never both spellings of the code set. */
static void add_combinations(const struct parts *parts, struct arena *arena, struct locale_name **list)
{
    enum { BOTH = PARTS_CODESET | PARTS_NORMAL_CODESET };

    for (int mask = PARTS_ALL - 1; mask >= 0; mask--) {
        if ((mask & BOTH) == BOTH)
            continue;
        add(arena, list,
            arena_printf(arena, "%s%s%s%s%s", parts->language, mask & PARTS_TERRITORY ? parts->territory : "",
                         mask & PARTS_CODESET ? parts->codeset : "",
                         mask & PARTS_NORMAL_CODESET ? parts->normal_codeset : "",
                         mask & PARTS_MODIFIER ? parts->modifier : ""));
    }
}

void locale_names(const char *value, struct arena *arena, struct locale_name **list)
{
    for (size_t length; *value; value += length + (value[length] == ':')) {
        length = strcspn(value, ":");
        if (!length || memchr(value, '/', length) || (length == 1 && *value == 'C') ||
            (length == 5 && strncmp(value, "POSIX", 5) == 0))
            continue;
        struct parts parts = split(value, length, arena);
        add_combinations(&parts, arena, list);
    }
}
