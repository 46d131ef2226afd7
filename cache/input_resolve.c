#include "cache/input_resolve.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/input_building.h"
#include "common/memory.h"

enum { LINKS_MAX = 40 };

static const uint32_t NONE = UINT32_MAX;

void resolving_init(struct resolving *resolving, struct input_set_builder *builder, struct strings *strings,
                    int directory)
{
    memset(resolving, 0, sizeof *resolving);
    resolving->builder = builder;
    resolving->strings = strings;
    resolving->directory = directory;
}

void resolving_know_files(struct resolving *resolving)
{
    const struct input_set_builder *builder = resolving->builder;

    resolving->plain_count = resolving->strings->count;
    resolving->plain = memory_zalloc(resolving->plain_count + 1);
    for (size_t i = 0; i < builder->added_count; i++)
        if (builder->added[i].kind == CONDITION_FILE && builder->added[i].no_link)
            resolving->plain[builder->added[i].condition.string] = true;
}

void resolving_release(struct resolving *resolving)
{
    memory_free(resolving->real);
    memory_free(resolving->plain);
    resolving->real = NULL;
    resolving->plain = NULL;
}

static uint32_t *known_real(struct resolving *resolving, uint32_t path)
{
    if (path >= resolving->room) {
        size_t room = 2 * ((size_t)path + 1);
        resolving->real = memory_realloc(resolving->real, room * sizeof *resolving->real);
        memset(resolving->real + resolving->room, 0, (room - resolving->room) * sizeof *resolving->real);
        resolving->room = room;
    }
    return &resolving->real[path];
}

static const char *text_of(const struct resolving *resolving, uint32_t path)
{
    return resolving->strings->texts[path];
}

/* The folder above a real one. Above the directory that paths are relative to it is said by "..". */
static uint32_t above(struct resolving *resolving, uint32_t real)
{
    const char *text = text_of(resolving, real);
    size_t length = strlen(text);
    char up[PATH_MAX];

    if (strcmp(text, "/") == 0)
        return real;
    if (strcmp(text, ".") == 0)
        return strings_number(resolving->strings, "..");
    if (strcmp(text, "..") == 0 || (length > 3 && strcmp(text + length - 3, "/..") == 0)) {
        int needed = snprintf(up, sizeof up, "%s/..", text);
        return needed < (int)sizeof up ? strings_number(resolving->strings, up) : NONE;
    }
    const char *slash = strrchr(text, '/');
    if (!slash)
        return strings_number(resolving->strings, ".");
    return strings_number_n(resolving->strings, text, slash == text ? 1 : (size_t)(slash - text));
}

static uint32_t real_folder(struct resolving *resolving, const char *path, size_t length);
static uint32_t real_path(struct resolving *resolving, const char *path, size_t length, bool folder);

/* `text` begins with the folder in which the link stands. */
static uint32_t follow(struct resolving *resolving, const char *text, size_t folder_length, bool folder)
{
    char target[PATH_MAX], whole[2 * PATH_MAX];
    ssize_t length = readlinkat(resolving->directory, text, target, sizeof target - 1);

    if (length <= 0 || ++resolving->links > LINKS_MAX)
        return NONE;
    target[length] = '\0';
    input_set_add_link(resolving->builder, text, 0, target);
    if (target[0] == '/')
        return real_path(resolving, target, (size_t)length, folder);
    int size = snprintf(whole, sizeof whole, "%.*s%s", (int)folder_length, text, target);
    return real_path(resolving, whole, (size_t)size, folder);
}

static bool is_plain(const struct resolving *resolving, uint32_t path)
{
    return path < resolving->plain_count && resolving->plain[path];
}

/* One step: a name in a real folder. */
static uint32_t step(struct resolving *resolving, uint32_t real, const char *name, size_t length, bool folder)
{
    const char *above_it = text_of(resolving, real);
    char text[PATH_MAX];
    struct stat status = {.st_mode = S_IFREG};
    const char *prefix = strcmp(above_it, ".") == 0 ? "" : above_it;
    const char *slash = prefix[0] && strcmp(prefix, "/") != 0 ? "/" : "";

    if (snprintf(text, sizeof text, "%s%s%.*s", prefix, slash, (int)length, name) >= (int)sizeof text)
        return NONE;
    uint32_t number = strings_number(resolving->strings, text);
    if (!is_plain(resolving, number) &&
        fstatat(resolving->directory, text, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return NONE;
    if (S_ISLNK(status.st_mode))
        return follow(resolving, text, strlen(prefix) + strlen(slash), folder);
    if (folder && !S_ISDIR(status.st_mode))
        return NONE;
    input_set_add_exists(resolving->builder, text, status.st_mode, false);
    return number;
}

static uint32_t real_path(struct resolving *resolving, const char *path, size_t length, bool folder)
{
    while (length > 1 && path[length - 1] == '/') { /* "name/" is a folder or nothing */
        length--;
        folder = true;
    }
    if (length == 0)
        return NONE;
    if (length == 1 && (path[0] == '/' || path[0] == '.'))
        return strings_number_n(resolving->strings, path, 1);

    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    uint32_t parent = begin ? real_folder(resolving, path, begin) : strings_number(resolving->strings, ".");
    if (parent == NONE)
        return NONE;
    const char *name = path + begin;
    if (length - begin == 1 && name[0] == '.')
        return parent;
    if (length - begin == 2 && name[0] == '.' && name[1] == '.')
        return above(resolving, parent);
    return step(resolving, parent, name, length - begin, folder);
}

/* The same for what must be a folder, remembered. */
static uint32_t real_folder(struct resolving *resolving, const char *path, size_t length)
{
    uint32_t number = strings_number_n(resolving->strings, path, length);
    uint32_t known = *known_real(resolving, number);

    if (known)
        return known == NONE ? NONE : known - 1;
    uint32_t real = real_path(resolving, text_of(resolving, number), length, true);
    *known_real(resolving, number) = real == NONE ? NONE : real + 1;
    return real;
}

bool resolving_explain(struct resolving *resolving, const char *path, const char *resolved)
{
    resolving->links = 0;
    uint32_t real = real_path(resolving, path, strlen(path), false);
    return real != NONE && strcmp(text_of(resolving, real), resolved) == 0;
}

/* Where the ".." end that begin at `up`, which points to the slash before the first. */
static const char *end_of_climb(const char *up)
{
    while (strncmp(up, "/..", 3) == 0 && (up[3] == '/' || up[3] == '\0'))
        up += 3;
    return up;
}

static const char *find_climb(const char *path)
{
    for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/.."))
        if (end_of_climb(at) != at)
            return at;
    return NULL;
}

size_t resolving_climb(const char *path)
{
    const char *up = find_climb(path);

    if (!up || up == path || strncmp(path, "..", 2) == 0 || find_climb(end_of_climb(up)))
        return 0;
    return (size_t)(up - path);
}

bool resolving_straighten(struct resolving *resolving, const char *path, uint32_t *straight)
{
    const char *rest = end_of_climb(path + resolving_climb(path));
    char text[PATH_MAX];

    resolving->links = 0;
    uint32_t real = real_folder(resolving, path, (size_t)(rest - path));
    if (real == NONE)
        return false;
    rest += strspn(rest, "/");
    const char *above_it = text_of(resolving, real);
    if (!rest[0]) {
        *straight = real;
        return true;
    }
    const char *prefix = strcmp(above_it, ".") == 0 ? "" : above_it;
    const char *slash = prefix[0] && strcmp(prefix, "/") != 0 ? "/" : "";
    if (snprintf(text, sizeof text, "%s%s%s", prefix, slash, rest) >= (int)sizeof text)
        return false;
    *straight = strings_number(resolving->strings, text);
    return true;
}
