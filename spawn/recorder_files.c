/* The functions that name a file. Each calls the next one of its name, and then logs what it was asked and
 * how it ended. Functions of one signature are made by one macro. */
#include <errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include <stdarg.h>

#include "spawn/recorder_core.h"

struct stat;
struct dirent;
struct timespec;
struct timeval;
struct utimbuf;

/* ---- opening ---- */

/* The mode of an open, which is there only if a file may be made. */
#define READ_MODE(mode, flags)                                                                               \
    unsigned mode = 0;                                                                                       \
    if (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE) {                                             \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode = va_arg(rest, unsigned);                                                                       \
        va_end(rest);                                                                                        \
    }

#define OPEN_FUNCTION(name)                                                                                  \
    INTERPOSE(int, name, const char *path, int flags, ...)                                                   \
    {                                                                                                        \
        READ_MODE(mode, flags)                                                                               \
        int fd = NEXT(name)(path, flags, mode);                                                              \
        recorder_note_open(fd, (uint32_t)flags, path);                                                       \
        return fd;                                                                                           \
    }

#define OPENAT_FUNCTION(name)                                                                                \
    INTERPOSE(int, name, int folder, const char *path, int flags, ...)                                       \
    {                                                                                                        \
        READ_MODE(mode, flags)                                                                               \
        int fd = NEXT(name)(folder, path, flags, mode);                                                      \
        recorder_note_open_at(fd, (uint32_t)flags, folder, path);                                            \
        return fd;                                                                                           \
    }

/* What _FORTIFY_SOURCE makes of an open without a mode. */
#define OPEN_2_FUNCTION(name)                                                                                \
    INTERPOSE(int, name, const char *path, int flags)                                                        \
    {                                                                                                        \
        int fd = NEXT(name)(path, flags);                                                                    \
        recorder_note_open(fd, (uint32_t)flags, path);                                                       \
        return fd;                                                                                           \
    }

#define OPENAT_2_FUNCTION(name)                                                                              \
    INTERPOSE(int, name, int folder, const char *path, int flags)                                            \
    {                                                                                                        \
        int fd = NEXT(name)(folder, path, flags);                                                            \
        recorder_note_open_at(fd, (uint32_t)flags, folder, path);                                            \
        return fd;                                                                                           \
    }

#define CREAT_FUNCTION(name)                                                                                 \
    INTERPOSE(int, name, const char *path, unsigned mode)                                                    \
    {                                                                                                        \
        int fd = NEXT(name)(path, mode);                                                                     \
        recorder_note(RECORD_OPEN, fd, O_WRONLY | O_CREAT | O_TRUNC, path);                                  \
        return fd;                                                                                           \
    }

OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)
OPEN_FUNCTION(__open)
OPEN_FUNCTION(__open64)
OPENAT_FUNCTION(openat)
OPENAT_FUNCTION(openat64)
OPEN_2_FUNCTION(__open_2)
OPEN_2_FUNCTION(__open64_2)
OPENAT_2_FUNCTION(__openat_2)
OPENAT_2_FUNCTION(__openat64_2)
CREAT_FUNCTION(creat)
CREAT_FUNCTION(creat64)

/* The flags that a mode of fopen stands for. */
static uint32_t flags_of_mode(const char *mode)
{
    uint32_t flags = O_RDONLY;
    bool both = false;

    for (const char *letter = mode; *letter && *letter != ','; letter++) {
        if (*letter == '+')
            both = true;
        else if (*letter == 'x')
            flags |= O_EXCL;
    }
    if (mode[0] == 'w')
        flags |= O_CREAT | O_TRUNC;
    else if (mode[0] == 'a')
        flags |= O_CREAT | O_APPEND;
    return flags | (both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY);
}

int fileno(void *stream);

static int descriptor_of(void *stream)
{
    static void *next_fileno;
    return stream ? NEXT(fileno)(stream) : -1;
}

#define FOPEN_FUNCTION(name)                                                                                 \
    INTERPOSE(void *, name, const char *path, const char *mode)                                              \
    {                                                                                                        \
        void *stream = NEXT(name)(path, mode);                                                               \
        recorder_note_open(descriptor_of(stream), flags_of_mode(mode), path);                                \
        return stream;                                                                                       \
    }

/* Without a path the stream's own file is opened again, with another mode. */
#define FREOPEN_FUNCTION(name)                                                                               \
    INTERPOSE(void *, name, const char *path, const char *mode, void *stream)                                \
    {                                                                                                        \
        void *result = NEXT(name)(path, mode, stream);                                                       \
        if (path)                                                                                            \
            recorder_note_open(descriptor_of(result), flags_of_mode(mode), path);                            \
        return result;                                                                                       \
    }

FOPEN_FUNCTION(fopen)
FOPEN_FUNCTION(fopen64)
FREOPEN_FUNCTION(freopen)
FREOPEN_FUNCTION(freopen64)

/* Truncation changes a file without opening it. */
#define TRUNCATE_FUNCTION(name)                                                                              \
    INTERPOSE(int, name, const char *path, long length)                                                      \
    {                                                                                                        \
        int status = NEXT(name)(path, length);                                                               \
        recorder_note(RECORD_OPEN, status, O_RDWR, path);                                                    \
        return status;                                                                                       \
    }

TRUNCATE_FUNCTION(truncate)
TRUNCATE_FUNCTION(truncate64)

/* ---- names of temporary files ---- */

enum { NEW_FILE = O_RDWR | O_CREAT | O_EXCL };

#define MKSTEMP_FUNCTION(name)                                                                               \
    INTERPOSE(int, name, char *path)                                                                         \
    {                                                                                                        \
        int fd = NEXT(name)(path);                                                                           \
        recorder_note(RECORD_OPEN, fd, NEW_FILE, path);                                                      \
        return fd;                                                                                           \
    }

/* mkostemp's second argument is flags, mkstemps' the length of a suffix. */
#define MKSTEMP_1_FUNCTION(name)                                                                             \
    INTERPOSE(int, name, char *path, int argument)                                                           \
    {                                                                                                        \
        int fd = NEXT(name)(path, argument);                                                                 \
        recorder_note(RECORD_OPEN, fd, NEW_FILE, path);                                                      \
        return fd;                                                                                           \
    }

#define MKOSTEMPS_FUNCTION(name)                                                                             \
    INTERPOSE(int, name, char *path, int suffix_length, int flags)                                           \
    {                                                                                                        \
        int fd = NEXT(name)(path, suffix_length, flags);                                                     \
        recorder_note(RECORD_OPEN, fd, NEW_FILE, path);                                                      \
        return fd;                                                                                           \
    }

MKSTEMP_FUNCTION(mkstemp)
MKSTEMP_FUNCTION(mkstemp64)
MKSTEMP_1_FUNCTION(mkostemp)
MKSTEMP_1_FUNCTION(mkostemp64)
MKSTEMP_1_FUNCTION(mkstemps)
MKSTEMP_1_FUNCTION(mkstemps64)
MKOSTEMPS_FUNCTION(mkostemps)
MKOSTEMPS_FUNCTION(mkostemps64)

INTERPOSE(char *, mkdtemp, char *path)
{
    char *result = NEXT(mkdtemp)(path);
    recorder_note(RECORD_MKDIR, result ? 0 : -1, 0, path);
    return result;
}

/* A name that nothing has yet. It was found by look-ups inside libc. */
static char *note_free_name(char *path)
{
    struct recorder_event event = {.kind = RECORD_LSTAT, .result = -ENOENT, .path = path};
    if (path)
        recorder_write(&event);
    return path;
}

INTERPOSE(char *, tempnam, const char *folder, const char *prefix)
{
    char *path = NEXT(tempnam)(folder, prefix);
    recorder_note_getenv("TMPDIR", true);
    return note_free_name(path);
}

INTERPOSE(char *, tmpnam, char *path)
{
    return note_free_name(NEXT(tmpnam)(path));
}

/* ---- looking ---- */

/* What takes a path and one more argument, which the log doesn't need. */
#define PATH_FUNCTION(kind, name, type)                                                                      \
    INTERPOSE(int, name, const char *path, type argument)                                                    \
    {                                                                                                        \
        int status = NEXT(name)(path, argument);                                                             \
        recorder_note(kind, status, 0, path);                                                                \
        return status;                                                                                       \
    }

PATH_FUNCTION(RECORD_STAT, stat, struct stat *)
PATH_FUNCTION(RECORD_STAT, stat64, struct stat *)
PATH_FUNCTION(RECORD_LSTAT, lstat, struct stat *)
PATH_FUNCTION(RECORD_LSTAT, lstat64, struct stat *)
PATH_FUNCTION(RECORD_STAT, statfs, void *)
PATH_FUNCTION(RECORD_STAT, statfs64, void *)
PATH_FUNCTION(RECORD_STAT, statvfs, void *)
PATH_FUNCTION(RECORD_STAT, statvfs64, void *)
PATH_FUNCTION(RECORD_STAT, access, int)
PATH_FUNCTION(RECORD_STAT, eaccess, int)
PATH_FUNCTION(RECORD_STAT, euidaccess, int)

INTERPOSE(long, pathconf, const char *path, int name)
{
    long value = NEXT(pathconf)(path, name);
    /* -1 without a change of errno means "no limit", and errno may be anything then. */
    recorder_note(RECORD_STAT, value < 0 && errno == ENOENT ? value : 0, 0, path);
    return value;
}

/* What programs built for a glibc before 2.33 call. */
#define XSTAT_FUNCTION(kind, name)                                                                           \
    INTERPOSE(int, name, int version, const char *path, struct stat *answer)                                 \
    {                                                                                                        \
        int status = NEXT(name)(version, path, answer);                                                      \
        recorder_note(kind, status, 0, path);                                                                \
        return status;                                                                                       \
    }

XSTAT_FUNCTION(RECORD_STAT, __xstat)
XSTAT_FUNCTION(RECORD_STAT, __xstat64)
XSTAT_FUNCTION(RECORD_LSTAT, __lxstat)
XSTAT_FUNCTION(RECORD_LSTAT, __lxstat64)

static enum record_kind stat_kind(int flags)
{
    return flags & AT_SYMLINK_NOFOLLOW ? RECORD_LSTAT : RECORD_STAT;
}

/* With an empty path it is the descriptor that is looked at, and that isn't logged, as with fstat. */
static void note_stat_at(int status, int flags, int folder, const char *path)
{
    if ((flags & AT_EMPTY_PATH) && (!path || !*path))
        return;
    recorder_note_at(stat_kind(flags), status, 0, folder, path);
}

#define FSTATAT_FUNCTION(name)                                                                               \
    INTERPOSE(int, name, int folder, const char *path, struct stat *answer, int flags)                       \
    {                                                                                                        \
        int status = NEXT(name)(folder, path, answer, flags);                                                \
        note_stat_at(status, flags, folder, path);                                                           \
        return status;                                                                                       \
    }

#define FXSTATAT_FUNCTION(name)                                                                              \
    INTERPOSE(int, name, int version, int folder, const char *path, struct stat *answer, int flags)          \
    {                                                                                                        \
        int status = NEXT(name)(version, folder, path, answer, flags);                                       \
        note_stat_at(status, flags, folder, path);                                                           \
        return status;                                                                                       \
    }

FSTATAT_FUNCTION(fstatat)
FSTATAT_FUNCTION(fstatat64)
FXSTATAT_FUNCTION(__fxstatat)
FXSTATAT_FUNCTION(__fxstatat64)

INTERPOSE(int, statx, int folder, const char *path, int flags, unsigned mask, void *answer)
{
    int status = NEXT(statx)(folder, path, flags, mask, answer);
    note_stat_at(status, flags, folder, path);
    return status;
}

INTERPOSE(int, faccessat, int folder, const char *path, int mode, int flags)
{
    int status = NEXT(faccessat)(folder, path, mode, flags);
    note_stat_at(status, flags, folder, path);
    return status;
}

/* ---- extended attributes ---- */

#define GETXATTR_FUNCTION(kind, name)                                                                        \
    INTERPOSE(long, name, const char *path, const char *attribute, void *value, size_t size)                 \
    {                                                                                                        \
        long length = NEXT(name)(path, attribute, value, size);                                              \
        recorder_note(kind, length < 0 && errno == ENOENT ? length : 0, 0, path);                            \
        return length;                                                                                       \
    }

#define LISTXATTR_FUNCTION(kind, name)                                                                       \
    INTERPOSE(long, name, const char *path, char *list, size_t size)                                         \
    {                                                                                                        \
        long length = NEXT(name)(path, list, size);                                                          \
        recorder_note(kind, length < 0 && errno == ENOENT ? length : 0, 0, path);                            \
        return length;                                                                                       \
    }

#define SETXATTR_FUNCTION(name)                                                                              \
    INTERPOSE(int, name, const char *path, const char *attribute, const void *value, size_t size, int flags) \
    {                                                                                                        \
        int status = NEXT(name)(path, attribute, value, size, flags);                                        \
        recorder_note(RECORD_ATTRIBUTES, status, 0, path);                                                   \
        return status;                                                                                       \
    }

GETXATTR_FUNCTION(RECORD_STAT, getxattr)
GETXATTR_FUNCTION(RECORD_LSTAT, lgetxattr)
LISTXATTR_FUNCTION(RECORD_STAT, listxattr)
LISTXATTR_FUNCTION(RECORD_LSTAT, llistxattr)
SETXATTR_FUNCTION(setxattr)
SETXATTR_FUNCTION(lsetxattr)
PATH_FUNCTION(RECORD_ATTRIBUTES, removexattr, const char *)
PATH_FUNCTION(RECORD_ATTRIBUTES, lremovexattr, const char *)

/* ---- symbolic links ---- */

/* The kernel's answer has no NUL. */
static long note_link(long length, int folder, const char *path, const char *target)
{
    char copy[RECORDER_PATH_SIZE];
    size_t end = 0;

    for (; (long)end < length && end < sizeof copy - 1; end++)
        copy[end] = target[end];
    copy[end] = '\0';
    recorder_note_text_at(RECORD_READLINK, length, 0, folder, path, AT_FDCWD, copy);
    return length;
}

INTERPOSE(long, readlink, const char *path, char *target, size_t size)
{
    return note_link(NEXT(readlink)(path, target, size), AT_FDCWD, path, target);
}

INTERPOSE(long, __readlink_chk, const char *path, char *target, size_t size, size_t room)
{
    return note_link(NEXT(__readlink_chk)(path, target, size, room), AT_FDCWD, path, target);
}

INTERPOSE(long, readlinkat, int folder, const char *path, char *target, size_t size)
{
    return note_link(NEXT(readlinkat)(folder, path, target, size), folder, path, target);
}

INTERPOSE(long, __readlinkat_chk, int folder, const char *path, char *target, size_t size, size_t room)
{
    return note_link(NEXT(__readlinkat_chk)(folder, path, target, size, room), folder, path, target);
}

static char *note_resolved(const char *path, char *resolved)
{
    if (path)
        recorder_note_text(RECORD_REALPATH, resolved ? 0 : -1, 0, path, resolved);
    return resolved;
}

INTERPOSE(char *, realpath, const char *path, char *resolved)
{
    return note_resolved(path, NEXT(realpath)(path, resolved));
}

INTERPOSE(char *, __realpath_chk, const char *path, char *resolved, size_t room)
{
    return note_resolved(path, NEXT(__realpath_chk)(path, resolved, room));
}

INTERPOSE(char *, canonicalize_file_name, const char *path)
{
    return note_resolved(path, NEXT(canonicalize_file_name)(path));
}

/* ---- listing ---- */

INTERPOSE(void *, opendir, const char *path)
{
    void *stream = NEXT(opendir)(path);
    recorder_note(RECORD_LIST, stream ? 0 : -1, 0, path);
    return stream;
}

INTERPOSE(void *, fdopendir, int fd)
{
    void *stream = NEXT(fdopendir)(fd);
    recorder_note_at(RECORD_LIST, stream ? 0 : -1, 0, fd, "");
    return stream;
}

INTERPOSE(long, getdents64, int fd, void *entries, size_t size)
{
    long length = NEXT(getdents64)(fd, entries, size);
    recorder_note_at(RECORD_LIST, length, 0, fd, "");
    return length;
}

#define SCANDIR_FUNCTION(name)                                                                               \
    INTERPOSE(int, name, const char *path, struct dirent ***list, void *select, void *compare)               \
    {                                                                                                        \
        int count = NEXT(name)(path, list, select, compare);                                                 \
        recorder_note(RECORD_LIST, count, 0, path);                                                          \
        return count;                                                                                        \
    }

#define SCANDIRAT_FUNCTION(name)                                                                             \
    INTERPOSE(int, name, int folder, const char *path, struct dirent ***list, void *select, void *compare)   \
    {                                                                                                        \
        int count = NEXT(name)(folder, path, list, select, compare);                                         \
        recorder_note_at(RECORD_LIST, count, 0, folder, path);                                               \
        return count;                                                                                        \
    }

SCANDIR_FUNCTION(scandir)
SCANDIR_FUNCTION(scandir64)
SCANDIRAT_FUNCTION(scandirat)
SCANDIRAT_FUNCTION(scandirat64)

/* ---- making, removing, renaming ---- */

#define REMOVE_FUNCTION(name)                                                                                \
    INTERPOSE(int, name, const char *path)                                                                   \
    {                                                                                                        \
        int status = NEXT(name)(path);                                                                       \
        recorder_note(RECORD_UNLINK, status, 0, path);                                                       \
        return status;                                                                                       \
    }

REMOVE_FUNCTION(unlink)
REMOVE_FUNCTION(rmdir)
REMOVE_FUNCTION(remove)

INTERPOSE(int, unlinkat, int folder, const char *path, int flags)
{
    int status = NEXT(unlinkat)(folder, path, flags);
    recorder_note_at(RECORD_UNLINK, status, 0, folder, path);
    return status;
}

PATH_FUNCTION(RECORD_MKDIR, mkdir, unsigned)

INTERPOSE(int, mkdirat, int folder, const char *path, unsigned mode)
{
    int status = NEXT(mkdirat)(folder, path, mode);
    recorder_note_at(RECORD_MKDIR, status, 0, folder, path);
    return status;
}

#define TWO_PATHS_FUNCTION(kind, name)                                                                       \
    INTERPOSE(int, name, const char *path, const char *other)                                                \
    {                                                                                                        \
        int status = NEXT(name)(path, other);                                                                \
        recorder_note_text(kind, status, 0, path, other);                                                    \
        return status;                                                                                       \
    }

TWO_PATHS_FUNCTION(RECORD_RENAME, rename)
TWO_PATHS_FUNCTION(RECORD_LINK, link)
TWO_PATHS_FUNCTION(RECORD_SYMLINK, symlink)

INTERPOSE(int, renameat, int folder, const char *path, int other_folder, const char *other)
{
    int status = NEXT(renameat)(folder, path, other_folder, other);
    recorder_note_text_at(RECORD_RENAME, status, 0, folder, path, other_folder, other);
    return status;
}

INTERPOSE(int, renameat2, int folder, const char *path, int other_folder, const char *other, unsigned flags)
{
    int status = NEXT(renameat2)(folder, path, other_folder, other, flags);
    recorder_note_text_at(RECORD_RENAME, status, flags, folder, path, other_folder, other);
    return status;
}

INTERPOSE(int, linkat, int folder, const char *path, int other_folder, const char *other, int flags)
{
    int status = NEXT(linkat)(folder, path, other_folder, other, flags);
    recorder_note_text_at(RECORD_LINK, status, 0, folder, path, other_folder, other);
    return status;
}

/* The target is text, not a path that is looked up, so that no folder belongs before it. */
INTERPOSE(int, symlinkat, const char *target, int folder, const char *path)
{
    int status = NEXT(symlinkat)(target, folder, path);
    recorder_note_text_at(RECORD_SYMLINK, status, 0, AT_FDCWD, target, folder, path);
    return status;
}

/* FIFOs and devices can't be brought back by a hit; and whoever tries to make one wants to know whether it
 * could. */
static int note_node(int status, const char *word)
{
    recorder_note_unsafe(word);
    return status;
}

INTERPOSE(int, mkfifo, const char *path, unsigned mode)
{
    return note_node(NEXT(mkfifo)(path, mode), "mkfifo");
}

INTERPOSE(int, mkfifoat, int folder, const char *path, unsigned mode)
{
    return note_node(NEXT(mkfifoat)(folder, path, mode), "mkfifo");
}

INTERPOSE(int, mknod, const char *path, unsigned mode, unsigned long device)
{
    return note_node(NEXT(mknod)(path, mode, device), "mknod");
}

INTERPOSE(int, mknodat, int folder, const char *path, unsigned mode, unsigned long device)
{
    return note_node(NEXT(mknodat)(folder, path, mode, device), "mknod");
}

/* ---- attributes ---- */

PATH_FUNCTION(RECORD_ATTRIBUTES, chmod, unsigned)
PATH_FUNCTION(RECORD_ATTRIBUTES, lchmod, unsigned)
PATH_FUNCTION(RECORD_ATTRIBUTES, utime, const struct utimbuf *)
PATH_FUNCTION(RECORD_ATTRIBUTES, utimes, const struct timeval *)
PATH_FUNCTION(RECORD_ATTRIBUTES, lutimes, const struct timeval *)

INTERPOSE(int, fchmodat, int folder, const char *path, unsigned mode, int flags)
{
    int status = NEXT(fchmodat)(folder, path, mode, flags);
    recorder_note_at(RECORD_ATTRIBUTES, status, 0, folder, path);
    return status;
}

#define CHOWN_FUNCTION(name)                                                                                 \
    INTERPOSE(int, name, const char *path, unsigned user, unsigned group)                                    \
    {                                                                                                        \
        int status = NEXT(name)(path, user, group);                                                          \
        recorder_note(RECORD_ATTRIBUTES, status, 0, path);                                                   \
        return status;                                                                                       \
    }

CHOWN_FUNCTION(chown)
CHOWN_FUNCTION(lchown)

INTERPOSE(int, fchownat, int folder, const char *path, unsigned user, unsigned group, int flags)
{
    int status = NEXT(fchownat)(folder, path, user, group, flags);
    recorder_note_at(RECORD_ATTRIBUTES, status, 0, folder, path);
    return status;
}

/* Without a path these change the descriptor's file, as futimens does, and that is not logged. */
INTERPOSE(int, utimensat, int folder, const char *path, const struct timespec *times, int flags)
{
    int status = NEXT(utimensat)(folder, path, times, flags);
    if (path)
        recorder_note_at(RECORD_ATTRIBUTES, status, 0, folder, path);
    return status;
}

INTERPOSE(int, futimesat, int folder, const char *path, const struct timeval *times)
{
    int status = NEXT(futimesat)(folder, path, times);
    if (path)
        recorder_note_at(RECORD_ATTRIBUTES, status, 0, folder, path);
    return status;
}
