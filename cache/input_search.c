#include "cache/input_search.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/lookup.h"

struct digest search_digest(const char *name, const char *path, int directory)
{
    struct hasher hasher;
    bool found = false;

    hasher_init(&hasher, "search 1");
    for (const char *folder = path ? path : LOOKUP_DEFAULT_PATH; folder && !found;) {
        size_t length = strcspn(folder, ":");
        char whole[PATH_MAX];
        struct stat status;
        int size = snprintf(whole, sizeof whole, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
        if (size < (int)sizeof whole && fstatat(directory, whole, &status, 0) == 0) {
            hasher_text(&hasher, "entry", whole);
            found = S_ISREG(status.st_mode) && faccessat(directory, whole, X_OK, 0) == 0;
        }
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    return hasher_finish(&hasher);
}

struct digest attributes_digest(const struct stat *status)
{
    struct hasher hasher;

    hasher_init(&hasher, "attributes 1");
    hasher_number(&hasher, "mode", status->st_mode);
    hasher_number(&hasher, "owner", status->st_uid);
    hasher_number(&hasher, "group", status->st_gid);
    return hasher_finish(&hasher);
}
