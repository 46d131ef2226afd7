#include "server/log_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OLD = 3600 }; /* seconds: no compile's log is that old without having been written */

/* Another user may have made it first as a trap: it must be a directory, ours, and closed to others. */
static int is_own_folder(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

void log_folder_remove_old(const char *folder)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    struct stat status;

    while (listing && (entry = readdir(listing)))
        if (strncmp(entry->d_name, "record-", 7) == 0 &&
            fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            time(NULL) - status.st_mtime > OLD)
            unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing)
        closedir(listing);
}

const char *log_folder_open(struct arena *arena, const char *runtime)
{
    const char *folders[] = {arena_printf(arena, "/dev/shm/ccwrap-%d", (int)geteuid()),
                             arena_printf(arena, "%s/recorder-logs", runtime)};

    for (size_t i = 0; i < 2; i++) {
        if (strpbrk(folders[i], " :"))
            continue;
        if (mkdir(folders[i], 0700) != 0 && errno != EEXIST)
            continue;
        if (is_own_folder(folders[i]))
            return folders[i];
    }
    return NULL;
}

const char *log_folder_link(struct arena *arena, const char *folder, const char *target)
{
    if (!folder)
        return NULL;
    const char *link = arena_printf(arena, "%s/recorder-%d.so", folder, (int)getpid());
    return symlink(target, link) == 0 || errno == EEXIST ? link : NULL;
}
