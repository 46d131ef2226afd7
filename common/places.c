#include "common/places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/fnv.h"
#include "common/lookup.h"
#include "common/settings_file.h"

#ifndef CCWRAP_BUILD_ID
#define CCWRAP_BUILD_ID "dev"
#endif

_Static_assert(sizeof CCWRAP_BUILD_ID <= 33, "a build id has at most 32 characters");

const char *places_build_id(void)
{
    return CCWRAP_BUILD_ID;
}

/* ---- settings ---- */

/* The keys that are needed before client and server can talk; all others are the server's alone. */
enum place_key { KEY_DIR, KEY_SOCKET, KEY_DISABLE, KEY_COUNT };

static const struct {
    const char *key;      /* in the settings file and in words */
    const char *variable; /* in the environment */
} keys[KEY_COUNT] = {
    [KEY_DIR] = {"dir", "CCWRAP_DIR"},
    [KEY_SOCKET] = {"socket", "CCWRAP_SOCKET"},
    [KEY_DISABLE] = {"disable", "CCWRAP_DISABLE"},
};

/* The value of the first "NAME=value", as getenv has it; an empty one is as good as none. */
static const char *value_of(char *const *pairs, const char *name)
{
    size_t length = strlen(name);

    for (; pairs && *pairs; pairs++)
        if (strncmp(*pairs, name, length) == 0 && (*pairs)[length] == '=')
            return (*pairs)[length + 1] ? *pairs + length + 1 : NULL;
    return NULL;
}

/* A folder that the XDG variables or the home give; both must be absolute to count. */
static char *user_folder(struct arena *arena, char *const *environment, const char *variable,
                         const char *below_home)
{
    const char *folder = value_of(environment, variable);
    const char *home = value_of(environment, "HOME");

    if (folder && folder[0] == '/')
        return arena_printf(arena, "%s/ccwrap", folder);
    if (home && home[0] == '/')
        return arena_printf(arena, "%s/%s/ccwrap", home, below_home);
    return NULL;
}

const char *places_path(struct arena *arena, char *const *environment, const char *text)
{
    const char *home = strncmp(text, "~/", 2) == 0 ? value_of(environment, "HOME") : NULL;

    if (home && home[0] == '/')
        return arena_printf(arena, "%s%s", home, text + 1);
    return text[0] == '/' ? text : NULL;
}

/* Without slashes that don't matter, so that one store has one name and so one socket. */
static char *clean_path(struct arena *arena, const char *path)
{
    char *clean = arena_strdup(arena, path);
    size_t length = 0;

    for (const char *from = clean; *from; from++)
        if (*from != '/' || length == 0 || clean[length - 1] != '/')
            clean[length++] = *from;
    if (length > 1 && clean[length - 1] == '/')
        length--;
    clean[length] = '\0';
    return clean;
}

/* ---- the socket ---- */

/* A folder itself (no link to one) that is ours, without these bits of its mode. */
static bool is_our_folder(const char *path, mode_t forbidden)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & forbidden);
}

/* By user id rather than by environment: all of a user's builds must come to the same place. */
static const char *default_folder(struct arena *arena)
{
    const char *runtime = arena_printf(arena, "/run/user/%lu", (unsigned long)geteuid());

    if (is_our_folder(runtime, S_IWGRP | S_IWOTH))
        return arena_printf(arena, "%s/ccwrap", runtime);
    return arena_printf(arena, "/tmp/ccwrap-%lu", (unsigned long)geteuid());
}

static const char *default_socket(struct arena *arena, const char *dir)
{
    const char *folder = dir ? dir : "", *build = places_build_id();
    uint64_t name = fnv_add(FNV_BASIS, folder, strlen(folder) + 1); /* with their NULs */

    name = fnv_add(name, build, strlen(build) + 1);
    return arena_printf(arena, "%s/%016llx.sock", default_folder(arena), (unsigned long long)name);
}

const char *places_config(struct arena *arena, char *const *environment)
{
    const char *config = value_of(environment, "CCWRAP_CONFIG");
    const char *folder = config ? NULL : user_folder(arena, environment, "XDG_CONFIG_HOME", ".config");

    return folder ? arena_printf(arena, "%s/config", folder) : config;
}

struct search {
    struct places *places;
    struct arena *arena;
    char *const *environment;
};

/* A value that is empty or bad leaves what was in force before it. */
static void take_value(struct search *search, enum place_key key, const char *value)
{
    struct places *places = search->places;
    const char *path = NULL;

    if (key == KEY_DISABLE)
        settings_file_bool(value, &places->disable);
    else
        path = places_path(search->arena, search->environment, value);
    if (path)
        *(key == KEY_DIR ? &places->dir : &places->socket) = path;
}

static const char *take_line(void *context, unsigned number, const char *key, const char *value)
{
    (void)number;
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(key, keys[i].key) == 0)
            take_value(context, (enum place_key)i, value);
    return NULL;
}

void places_find(struct places *places, struct arena *arena, char *const *environment, char *const *words)
{
    struct search search = {places, arena, environment};

    memset(places, 0, sizeof *places);
    places->config = places_config(arena, environment);
    if (places->config)
        settings_file_read(places->config, arena, take_line, NULL, &search);
    for (int i = 0; i < KEY_COUNT; i++) {
        const char *variable = value_of(environment, keys[i].variable);
        const char *word = value_of(words, keys[i].key);
        if (variable)
            take_value(&search, (enum place_key)i, variable);
        if (word)
            take_value(&search, (enum place_key)i, word);
    }

    if (!places->dir)
        places->dir = user_folder(arena, environment, "XDG_CACHE_HOME", ".cache");
    if (places->dir)
        places->dir = clean_path(arena, places->dir);
    places->socket = places->socket ? clean_path(arena, places->socket) : default_socket(arena, places->dir);
}

/* A folder that the user chose for the socket. There the socket's own mode and the check of the peer's user
 * keep others out; but nobody else may be able to put another socket into its place. */
static bool is_safe_folder(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return false;
    return !(status.st_mode & (S_IWGRP | S_IWOTH)) || (status.st_mode & S_ISVTX);
}

static int check_folder(const char *socket)
{
    struct arena arena;
    arena_init(&arena);

    char *folder = arena_strndup(&arena, socket, (size_t)(lookup_basename(socket) - socket));
    size_t length = strlen(folder);
    if (length > 1)
        folder[length - 1] = '\0'; /* the slash */
    int error = 0;
    if (strcmp(folder, default_folder(&arena)) == 0) {
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            error = -errno;
        else if (!is_our_folder(folder, S_IRWXG | S_IRWXO))
            error = -EPERM;
    } else if (access(folder, F_OK) != 0) {
        error = -errno;
    } else if (!is_safe_folder(folder)) {
        error = -EPERM;
    }
    arena_release(&arena);
    return error;
}

int places_make_socket_folder(const char *socket)
{
    struct sockaddr_un address;
    struct stat status;
    int folder = -1, error = check_folder(socket);

    if (!error)
        error = places_socket_address(socket, &address, &folder);
    if (folder >= 0)
        close(folder);
    if (!error && lstat(socket, &status) == 0 && !S_ISSOCK(status.st_mode))
        error = -ENOTSOCK;
    return error;
}

const char *places_socket_trouble(int error)
{
    switch (error) {
    case -ENOTSOCK:
        return "is there and is no socket";
    case -EPERM:
        return "it is another user's, or others can write to its folder";
    case -ENOENT:
        return "its folder doesn't exist";
    default:
        return strerror(-error);
    }
}

int places_socket_address(const char *socket, struct sockaddr_un *address, int *folder)
{
    char path[PATH_MAX];
    const char *name = lookup_basename(socket);
    int length;

    *folder = -1;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(socket) < sizeof address->sun_path) {
        strcpy(address->sun_path, socket);
        return 0;
    }
    if (strlen(socket) >= sizeof path)
        return -ENAMETOOLONG;
    memcpy(path, socket, (size_t)(name - socket));
    path[name - socket] = '\0';
    *folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0)
        return -errno;
    length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", *folder, name);
    if ((size_t)length < sizeof address->sun_path)
        return 0;
    close(*folder);
    *folder = -1;
    return -ENAMETOOLONG;
}

/* ---- ccwrap's own files ---- */

char *places_own_file(struct arena *arena, const char *name)
{
    static const char deleted[] = " (deleted)"; /* of an executable that was replaced while it runs */
    static const char *const folders[] = {"", "../libexec/ccwrap/", "../../bin/"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length <= 0)
        return NULL;
    self[length] = '\0';
    size_t tail = sizeof deleted - 1;
    if ((size_t)length > tail && strcmp(self + length - tail, deleted) == 0)
        self[(size_t)length - tail] = '\0';

    int folder_length = (int)(lookup_basename(self) - self);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = arena_printf(arena, "%.*s%s%s", folder_length, self, folders[i], name);
        if (access(path, F_OK) == 0)
            return path;
    }
    return NULL;
}
