#include "common/lookup.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_path[] = "/bin:/usr/bin"; /* what execvp takes where PATH is unset */

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

/* Follows the links of the last component only (those of directories don't change a file's name), and says
 * whether the last name is ccwrap's. */
static bool ends_in_ccwrap(const char *path)
{
    enum { MAX_LINKS = 40 };
    char current[PATH_MAX], target[PATH_MAX];

    if (strlen(path) >= sizeof current)
        return false;
    strcpy(current, path);
    for (int i = 0; i < MAX_LINKS; i++) {
        ssize_t length = readlink(current, target, sizeof target - 1);
        if (length < 0)
            return strcmp(lookup_basename(current), "ccwrap") == 0;
        target[length] = '\0';
        size_t kept = target[0] == '/' ? 0 : (size_t)(lookup_basename(current) - current);
        if (kept + (size_t)length >= sizeof current)
            return false;
        memcpy(current + kept, target, (size_t)length + 1);
    }
    return false;
}

static bool same_file(const struct stat *status, const struct lookup_self *self)
{
    return self->inode && status->st_ino == self->inode && status->st_dev == self->device;
}

bool lookup_is_self(const char *path, const struct lookup_self *self)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return false;
    return same_file(&status, self) || ends_in_ccwrap(path);
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

static int search(char candidate[PATH_MAX], bool *passed, const char *name, const char *path,
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
        if (!self || (!same_file(&status, self) && !ends_in_ccwrap(candidate)))
            return 0;
        *passed = true;
    }
    return result;
}

int lookup_program(char **found, bool *passed, struct arena *arena, const char *name, const char *path,
                   const char *directory, const struct lookup_self *self)
{
    char candidate[PATH_MAX];
    bool ignored;
    struct stat status;

    if (!passed)
        passed = &ignored;
    *passed = false;
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/')) {
        int error = executable(name, &status);
        if (!error)
            *found = lookup_absolute(arena, name, directory);
        return error;
    }
    int error = search(candidate, passed, name, path ? path : default_path, self);
    if (!error)
        *found = lookup_absolute(arena, candidate, directory);
    return error;
}
