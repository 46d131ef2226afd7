#include "server/basedir.h"

#include <string.h>

/* "/" is none, for everything is below it. */
size_t basedir_next(const char **list, const char **base)
{
    while (**list) {
        size_t length = strcspn(*list, ":");
        *base = *list;
        *list += length + ((*list)[length] == ':');
        while (length > 0 && (*base)[length - 1] == '/')
            length--;
        if (length > 0 && (*base)[0] == '/')
            return length;
    }
    return 0;
}

bool basedir_is_below(const char *path, const char *folder, size_t length)
{
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_plain(const char *path)
{
    for (const char *part = path; (part = strchr(part, '/'));) {
        part++;
        size_t length = strcspn(part, "/");
        if ((length == 0 && *part) || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

/* The way from one plain absolute path to another. */
static const char *way(struct arena *arena, const char *from, const char *to)
{
    size_t common = 0, ups = 0;

    for (size_t i = 0;; i++) { /* the last slash up to which they agree, an end counting as one */
        bool from_ends = from[i] == '/' || from[i] == '\0', to_ends = to[i] == '/' || to[i] == '\0';
        if (from_ends && to_ends)
            common = i;
        if (from[i] != to[i] || from[i] == '\0')
            break;
    }
    for (const char *c = from + common; *c; c++)
        ups += *c == '/' && c[1];
    const char *rest = to + common;
    rest += *rest == '/';

    char *relative = arena_alloc(arena, 3 * ups + strlen(rest) + 3), *end = relative;
    for (size_t i = 0; i < ups; i++, end += 3)
        memcpy(end, "../", 3);
    strcpy(end, rest);
    if (end == relative && !*rest)
        strcpy(relative, ".");
    return relative;
}

const char *basedir_relative(struct arena *arena, const char *bases, const char *directory, const char *path)
{
    const char *base;

    for (size_t length; (length = basedir_next(&bases, &base));)
        if (basedir_is_below(path, base, length) && basedir_is_below(directory, base, length) &&
            is_plain(path))
            return way(arena, directory, path);
    return NULL;
}

const char *basedir_path_of_word(const char *word)
{
    static const char *const glued[] = {"-isystem", "-iquote",   "-idirafter", "-include",
                                        "-imacros", "-isysroot", "-iprefix",   "-I",
                                        "-L",       "-F",        "-B"};

    if (word[0] != '-')
        return word[0] ? word : NULL;
    for (size_t i = 0; i < sizeof glued / sizeof *glued; i++)
        if (strncmp(word, glued[i], strlen(glued[i])) == 0)
            return word[strlen(glued[i])] ? word + strlen(glued[i]) : NULL;
    return NULL;
}

/* The absolute path that a word is or ends in: "-I/x", "--sysroot=/x", but not "-Ia/x". */
static const char *path_in_word(const char *word)
{
    const char *path = strchr(word, '/');

    if (!path || path == word || strchr("=,:", path[-1]))
        return path;
    return basedir_path_of_word(word) == path ? path : NULL;
}

const char *basedir_word(struct arena *arena, const char *bases, const char *directory, const char *word)
{
    const char *path = *bases ? path_in_word(word) : NULL;
    const char *relative = path ? basedir_relative(arena, bases, directory, path) : NULL;

    if (!relative)
        return word;
    return arena_printf(arena, "%.*s%c%s", (int)(path - word), word, BASEDIR_MARK, relative);
}

/* Calls for each name; `bytes` end in NUL. The first byte is depfile_split's own and is passed on. */
#define FOR_EACH_NAME(name, bytes, length)                                                                   \
    for (const char *name = (bytes) + 1; name < (bytes) + (length); name += strlen(name) + 1)

void basedir_hide_names(struct arena *arena, const char *bases, const char *directory, const char *names,
                        size_t length, struct buf *out)
{
    buf_add(out, names, 1);
    FOR_EACH_NAME(name, names, length)
    {
        bool quoted = strpbrk(name, "\\$") != NULL; /* its bytes are not those of the path */
        const char *relative = quoted ? NULL : basedir_relative(arena, bases, directory, name);
        if (relative)
            buf_add_char(out, BASEDIR_MARK);
        buf_add_string(out, relative ? relative : name);
    }
}

/* Joins and takes out "..": both sides are plain. */
static void add_absolute(struct arena *arena, const char *directory, const char *relative, struct buf *out)
{
    char *folder = arena_strdup(arena, directory);

    while (strncmp(relative, "../", 3) == 0) {
        char *slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        relative += 3;
    }
    buf_add_text(out, folder);
    if (strcmp(relative, ".") != 0) {
        buf_add_char(out, '/');
        buf_add_text(out, relative);
    }
    buf_add_char(out, '\0');
}

void basedir_show_names(struct arena *arena, const char *directory, const char *names, size_t length,
                        struct buf *out)
{
    buf_add(out, names, 1);
    FOR_EACH_NAME(name, names, length)
    {
        if (name[0] == BASEDIR_MARK)
            add_absolute(arena, directory, name + 1, out);
        else
            buf_add_string(out, name);
    }
}
