#include "common/lookup.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *lookup_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *lookup_absolute(struct arena *arena, const char *path, const char *directory)
{
    if (path[0] == '/' || !directory)
        return arena_strdup(arena, path);
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        path += strspn(path, "/");
    }
    bool slash = directory[strlen(directory) - 1] == '/';
    return arena_printf(arena, "%s%s%s", directory, slash ? "" : "/", path);
}

void lookup_self(struct lookup_self *self)
{
    struct stat status;

    memset(self, 0, sizeof *self);
    if (stat("/proc/self/exe", &status) == 0) {
        self->device = status.st_dev;
        self->inode = status.st_ino;
    }
}

/* What the link `path` leads to, from where `path` is seen; NULL if it is no link. */
static char *link_target(struct arena *arena, const char *path)
{
    size_t folder = (size_t)(lookup_basename(path) - path);
    char *target = arena_take(arena, PATH_MAX);
    ssize_t length = readlink(path, target, PATH_MAX - 1);

    arena_cut(arena, target, PATH_MAX, length < 0 ? 0 : (size_t)length + 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    if (target[0] == '/' || folder == 0)
        return target;
    char *whole = arena_take(arena, folder + (size_t)length + 1);
    memcpy(whole, path, folder);
    memcpy(whole + folder, target, (size_t)length + 1);
    return whole;
}

/* Follows the links of the last component only (those of directories don't change a file's name), and says
 * whether the last name is ccwrap's. */
static bool ends_in_ccwrap(struct arena *arena, const char *path)
{
    enum { MAX_LINKS = 40 };

    for (int i = 0; i < MAX_LINKS; i++) {
        const char *target = link_target(arena, path);
        if (!target)
            return strcmp(lookup_basename(path), "ccwrap") == 0;
        path = target;
    }
    return false;
}

static bool same_file(const struct stat *status, const struct lookup_self *self)
{
    return self->inode && status->st_ino == self->inode && status->st_dev == self->device;
}

bool lookup_is_self(struct arena *arena, const char *path, const struct lookup_self *self)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return false;
    return same_file(&status, self) || ends_in_ccwrap(arena, path);
}

/* 0 if `path` is a file that may be executed; absent ones, which are the most, cost one system call. */
static int executable(const char *path, struct stat *status)
{
    int denied = access(path, X_OK) == 0 ? 0 : errno;

    if (denied && denied != EACCES)
        return -ENOENT;
    if (stat(path, status) != 0)
        return -ENOENT;
    if (S_ISDIR(status->st_mode))
        return -EISDIR;
    return denied || !S_ISREG(status->st_mode) ? -EACCES : 0;
}

/* `candidate` has room for all of PATH and the name. */
static int search(char *candidate, bool *passed, struct arena *arena, const char *name, const char *path,
                  const struct lookup_self *self)
{
    int result = -ENOENT;
    size_t name_length = strlen(name);

    for (const char *part = path, *end; part; part = *end ? end + 1 : NULL) {
        struct stat status;
        size_t length = strcspn(part, ":");
        end = part + length;

        if (length + name_length + 2 > PATH_MAX)
            continue;
        memcpy(candidate, part, length);
        if (length) /* an empty part is the working directory */
            candidate[length++] = '/';
        memcpy(candidate + length, name, name_length + 1);

        int error = executable(candidate, &status);
        if (error == -EACCES)
            result = -EACCES;
        if (error)
            continue;
        if (!self || (!same_file(&status, self) && !ends_in_ccwrap(arena, candidate)))
            return 0;
        *passed = true;
    }
    return result;
}

int lookup_program(char **found, bool *passed, struct arena *arena, const char *name, const char *path,
                   const char *directory, const struct lookup_self *self)
{
    bool ignored;
    struct stat status;

    if (!passed)
        passed = &ignored;
    *passed = false;
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/')) {
        int error = executable(name, &status);
        if (error)
            return error;
        *found = lookup_absolute(arena, name, directory);
        *passed = self && (same_file(&status, self) || ends_in_ccwrap(arena, name));
        return 0;
    }
    if (!path)
        path = LOOKUP_DEFAULT_PATH;
    char *candidate = arena_take(arena, strlen(path) + strlen(name) + 2);
    int error = search(candidate, passed, arena, name, path, self);
    if (!error)
        *found = lookup_absolute(arena, candidate, directory);
    return error;
}
