/* inject: a library that is preloaded into the server, in which the Nth call of a kind fails or is cut short.
 *
 * The orders lie in a file that the driver (inject.py) shares by mmap; its path is in INJECT_CONTROL. `seen`
 * counts the calls of the ordered kind since the order was given, so that the driver knows when there are no
 * more. Or calls of all kinds fail by chance, one of `at`, each kind with the error that `errors` has for it.
 * Compilers don't get the library: the server gives them the client's environment. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the order of KINDS in inject.py. */
enum kind {
    KIND_NONE,
    KIND_OPEN,
    KIND_READ,
    KIND_PREAD,
    KIND_WRITE,
    KIND_PWRITE,
    KIND_RENAME,
    KIND_UNLINK,
    KIND_MMAP,
    KIND_MALLOC,
    KIND_FTRUNCATE,
    KIND_FALLOCATE,
    KIND_SEND,
    KIND_RECV,
    KIND_ACCEPT,
    KIND_SPAWN,
    KIND_PIDFD,
    KIND_WAIT,
    KIND_FSYNC,
    KIND_STAT,
    KIND_FSTAT,
    KIND_ACCESS,
    KIND_READLINK,
    KIND_READDIR,
    KIND_SOCKETPAIR,
    KIND_PIPE,
    KIND_EPOLL_CTL,
    KIND_LOCK,
    KIND_DUP,
    KIND_CLOSE,
    KIND_MKSTEMP,
    KIND_GETSOCKOPT,
    KIND_COMPRESS,
    KIND_DECOMPRESS,
    KIND_CONTEXT,
    KIND_COUNT,
    KIND_ANY = 1000,
};

enum how { HOW_ONCE, HOW_FROM, HOW_SHORT };

struct control {
    _Atomic int32_t kind, how, error, at, seen, fired;
    int32_t seed;
    int32_t errors[KIND_COUNT]; /* by kind, for KIND_ANY: 0 never fails, -1 is cut short */
};

enum { LARGE = 48 * 1024 };

static struct control *control;

__attribute__((constructor)) static void map_control(void)
{
    const char *path = getenv("INJECT_CONTROL");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    void *map = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    syscall(SYS_close, fd);
    if (map != MAP_FAILED)
        control = map;
}

static bool strikes_by_chance(enum kind kind, bool can_be_short, bool *is_short)
{
    int error = control->errors[kind];
    uint32_t number = (uint32_t)(atomic_fetch_add(&control->seen, 1) + control->seed) * 2654435761u;

    if (!error || (error < 0 && !can_be_short) || (number ^ number >> 15) % (uint32_t)control->at != 0)
        return false;
    atomic_fetch_add(&control->fired, 1);
    *is_short = error < 0;
    if (error > 0)
        errno = error;
    return error > 0;
}

/* True if this call is the one: errno is then set. */
static bool strikes(enum kind kind, bool can_be_short, bool *is_short)
{
    if (control && atomic_load(&control->kind) == KIND_ANY)
        return strikes_by_chance(kind, can_be_short, is_short);
    if (!control || atomic_load(&control->kind) != (int)kind)
        return false;
    int how = atomic_load(&control->how), number = atomic_fetch_add(&control->seen, 1) + 1;
    int at = atomic_load(&control->at);

    if (how == HOW_FROM ? number < at : number != at)
        return false;
    if (how == HOW_SHORT) {
        if (can_be_short) {
            atomic_store(&control->fired, 1);
            *is_short = true;
        }
        return false;
    }
    atomic_store(&control->fired, 1);
    errno = atomic_load(&control->error);
    return true;
}

static bool fails(enum kind kind)
{
    bool is_short = false;
    return strikes(kind, false, &is_short);
}

static size_t cut(size_t size, bool is_short)
{
    return is_short && size > 1 ? size / 2 : size;
}

/* The next definition of a function, found at its first call. */
#define NEXT(result, name, ...)                                                                              \
    static result (*next)(__VA_ARGS__);                                                                      \
    if (!next)                                                                                               \
    *(void **)&next = dlsym(RTLD_NEXT, name)

#define OPEN_MODE(flags)                                                                                     \
    mode_t mode = 0;                                                                                         \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                 \
        va_list args;                                                                                        \
        va_start(args, flags);                                                                               \
        mode = (mode_t)va_arg(args, int);                                                                    \
        va_end(args);                                                                                        \
    }

#define DEFINE_OPEN(name)                                                                                    \
    int name(const char *path, int flags, ...);                                                              \
    int name(const char *path, int flags, ...)                                                               \
    {                                                                                                        \
        NEXT(int, #name, const char *, int, ...);                                                            \
        OPEN_MODE(flags)                                                                                     \
        return fails(KIND_OPEN) ? -1 : next(path, flags, mode);                                              \
    }
#define DEFINE_OPENAT(name)                                                                                  \
    int name(int folder, const char *path, int flags, ...);                                                  \
    int name(int folder, const char *path, int flags, ...)                                                   \
    {                                                                                                        \
        NEXT(int, #name, int, const char *, int, ...);                                                       \
        OPEN_MODE(flags)                                                                                     \
        return fails(KIND_OPEN) ? -1 : next(folder, path, flags, mode);                                      \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* The event counters by which libuv's threads wake each other can't fail, and libuv relies on it. */
static bool may_fail(int fd)
{
    struct stat status;

    return syscall(SYS_fstat, fd, &status) == 0 && (status.st_mode & S_IFMT) != 0;
}

/* Nor do pipes fail to be written for want of space; libuv's signal handler takes that for a fault of its
 * own. */
static bool may_fail_to_be_written(int fd)
{
    struct stat status;

    return may_fail(fd) && (syscall(SYS_fstat, fd, &status) != 0 || !S_ISFIFO(status.st_mode));
}

/* result NAME(parameters): fails with -1 as KIND, else calls on with arguments. */
#define DEFINE(kind, name, parameters, arguments)                                                            \
    int name parameters;                                                                                     \
    int name parameters                                                                                      \
    {                                                                                                        \
        static int(*next) parameters;                                                                        \
        if (!next)                                                                                           \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                       \
        return fails(kind) ? -1 : next arguments;                                                            \
    }
/* The same for what moves `size` bytes and may move fewer. */
#define DEFINE_MOVE(kind, may_move, name, parameters, arguments)                                             \
    ssize_t name parameters;                                                                                 \
    ssize_t name parameters                                                                                  \
    {                                                                                                        \
        static ssize_t(*next) parameters;                                                                    \
        bool is_short = false;                                                                               \
        if (!next)                                                                                           \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                       \
        if (may_move && strikes(kind, true, &is_short))                                                      \
            return -1;                                                                                       \
        size = cut(size, is_short);                                                                          \
        return next arguments;                                                                               \
    }

DEFINE_MOVE(KIND_READ, may_fail(fd), read, (int fd, void *bytes, size_t size), (fd, bytes, size))
DEFINE_MOVE(KIND_PREAD, true, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
DEFINE_MOVE(KIND_PREAD, true, pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
DEFINE_MOVE(KIND_WRITE, may_fail_to_be_written(fd), write, (int fd, const void *bytes, size_t size),
            (fd, bytes, size))
DEFINE_MOVE(KIND_PWRITE, true, pwrite, (int fd, const void *bytes, size_t size, off_t at),
            (fd, bytes, size, at))
DEFINE_MOVE(KIND_PWRITE, true, pwrite64, (int fd, const void *bytes, size_t size, off64_t at),
            (fd, bytes, size, at))
DEFINE_MOVE(KIND_SEND, true, send, (int fd, const void *bytes, size_t size, int flags),
            (fd, bytes, size, flags))
DEFINE_MOVE(KIND_RECV, true, recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags))
DEFINE_MOVE(KIND_READLINK, true, readlink, (const char *path, char *text, size_t size), (path, text, size))
DEFINE_MOVE(KIND_READLINK, true, readlinkat, (int folder, const char *path, char *text, size_t size),
            (folder, path, text, size))

DEFINE(KIND_RENAME, rename, (const char *from, const char *to), (from, to))
DEFINE(KIND_RENAME, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
DEFINE(KIND_UNLINK, unlink, (const char *path), (path))
DEFINE(KIND_UNLINK, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
DEFINE(KIND_FTRUNCATE, ftruncate, (int fd, off_t size), (fd, size))
DEFINE(KIND_FTRUNCATE, ftruncate64, (int fd, off64_t size), (fd, size))
DEFINE(KIND_ACCEPT, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags),
       (fd, address, size, flags))
DEFINE(KIND_WAIT, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options))
DEFINE(KIND_WAIT, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
DEFINE(KIND_FSYNC, fsync, (int fd), (fd))
DEFINE(KIND_FSYNC, fdatasync, (int fd), (fd))
DEFINE(KIND_STAT, stat, (const char *path, struct stat *status), (path, status))
DEFINE(KIND_STAT, lstat, (const char *path, struct stat *status), (path, status))
DEFINE(KIND_STAT, fstatat, (int folder, const char *path, struct stat *status, int flags),
       (folder, path, status, flags))
DEFINE(KIND_STAT, stat64, (const char *path, struct stat64 *status), (path, status))
DEFINE(KIND_STAT, lstat64, (const char *path, struct stat64 *status), (path, status))
DEFINE(KIND_FSTAT, fstat, (int fd, struct stat *status), (fd, status))
DEFINE(KIND_FSTAT, fstat64, (int fd, struct stat64 *status), (fd, status))
DEFINE(KIND_ACCESS, access, (const char *path, int mode), (path, mode))
DEFINE(KIND_ACCESS, faccessat, (int folder, const char *path, int mode, int flags),
       (folder, path, mode, flags))
DEFINE(KIND_SOCKETPAIR, socketpair, (int domain, int type, int protocol, int ends[2]),
       (domain, type, protocol, ends))
DEFINE(KIND_PIPE, pipe2, (int ends[2], int flags), (ends, flags))
DEFINE(KIND_EPOLL_CTL, epoll_ctl, (int set, int how, int fd, struct epoll_event *event),
       (set, how, fd, event))
DEFINE(KIND_MKSTEMP, mkostemp, (char *path, int flags), (path, flags))
DEFINE(KIND_GETSOCKOPT, getsockopt, (int fd, int level, int name, void *value, socklen_t *size),
       (fd, level, name, value, size))

/* A failing close has closed. */
int close(int fd)
{
    bool failed = fails(KIND_CLOSE);
    int error = errno;
    int result = (int)syscall(SYS_close, fd);

    if (!failed)
        return result;
    errno = error;
    return -1;
}

int posix_fallocate(int fd, off_t at, off_t size)
{
    NEXT(int, "posix_fallocate", int, off_t, off_t);
    return fails(KIND_FALLOCATE) ? errno : next(fd, at, size);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    NEXT(int, "posix_spawn", pid_t *, const char *, const posix_spawn_file_actions_t *,
         const posix_spawnattr_t *, char *const[], char *const[]);
    return fails(KIND_SPAWN) ? errno : next(pid, path, actions, attributes, argv, environment);
}

/* To let go doesn't fail: it needs memory only where it splits a range, and sqlite's are let go as they were
 * taken. */
static bool is_lock(int command, const struct flock *lock)
{
    bool sets = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
    return sets && lock->l_type != F_UNLCK;
}

#define DEFINE_FCNTL(name)                                                                                   \
    int name(int fd, int command, ...);                                                                      \
    int name(int fd, int command, ...)                                                                       \
    {                                                                                                        \
        NEXT(int, #name, int, int, ...);                                                                     \
        va_list args;                                                                                        \
        va_start(args, command);                                                                             \
        void *argument = va_arg(args, void *);                                                               \
        va_end(args);                                                                                        \
        if ((is_lock(command, argument) && fails(KIND_LOCK)) ||                                              \
            (command == F_DUPFD_CLOEXEC && fails(KIND_DUP)))                                                 \
            return -1;                                                                                       \
        return next(fd, command, argument);                                                                  \
    }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

/* pidfd_open has no function of its own here. */
long syscall(long number, ...)
{
    NEXT(long, "syscall", long, ...);
    va_list args;
    va_start(args, number);
    long a = va_arg(args, long), b = va_arg(args, long), c = va_arg(args, long), d = va_arg(args, long);
    long e = va_arg(args, long), f = va_arg(args, long);
    va_end(args);
    if (number == SYS_pidfd_open && fails(KIND_PIDFD))
        return -1;
    return next(number, a, b, c, d, e, f);
}

struct dirent *readdir(DIR *folder)
{
    NEXT(struct dirent *, "readdir", DIR *);
    return fails(KIND_READDIR) ? NULL : next(folder);
}

DIR *opendir(const char *path)
{
    NEXT(DIR *, "opendir", const char *);
    return fails(KIND_READDIR) ? NULL : next(path);
}

DIR *fdopendir(int fd)
{
    NEXT(DIR *, "fdopendir", int);
    return fails(KIND_READDIR) ? NULL : next(fd);
}

void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t at)
{
    return fails(KIND_MMAP) ? MAP_FAILED : (void *)syscall(SYS_mmap, where, size, protection, flags, fd, at);
}

void *mmap64(void *where, size_t size, int protection, int flags, int fd, off64_t at)
{
    return mmap(where, size, protection, flags, fd, at);
}

/* Only large pieces fail: what happens when no small one is left, is said in common/memory.h. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return size >= LARGE && fails(KIND_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return count * size >= LARGE && fails(KIND_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return size >= LARGE && fails(KIND_MALLOC) ? NULL : __libc_realloc(old, size);
}

/* ---- zstd: an error is a size near the top of size_t ---- */

static size_t zstd_error(void)
{
    return (size_t)-1;
}

size_t ZSTD_compressStream2(void *context, void *out, void *in, int how);
size_t ZSTD_compressStream2(void *context, void *out, void *in, int how)
{
    NEXT(size_t, "ZSTD_compressStream2", void *, void *, void *, int);
    return fails(KIND_COMPRESS) ? zstd_error() : next(context, out, in, how);
}

size_t ZSTD_compressCCtx(void *context, void *to, size_t room, const void *from, size_t size, int level);
size_t ZSTD_compressCCtx(void *context, void *to, size_t room, const void *from, size_t size, int level)
{
    NEXT(size_t, "ZSTD_compressCCtx", void *, void *, size_t, const void *, size_t, int);
    return fails(KIND_COMPRESS) ? zstd_error() : next(context, to, room, from, size, level);
}

size_t ZSTD_compress2(void *context, void *to, size_t room, const void *from, size_t size);
size_t ZSTD_compress2(void *context, void *to, size_t room, const void *from, size_t size)
{
    NEXT(size_t, "ZSTD_compress2", void *, void *, size_t, const void *, size_t);
    return fails(KIND_COMPRESS) ? zstd_error() : next(context, to, room, from, size);
}

size_t ZSTD_decompressStream(void *context, void *out, void *in);
size_t ZSTD_decompressStream(void *context, void *out, void *in)
{
    NEXT(size_t, "ZSTD_decompressStream", void *, void *, void *);
    return fails(KIND_DECOMPRESS) ? zstd_error() : next(context, out, in);
}

size_t ZSTD_decompressDCtx(void *context, void *to, size_t room, const void *from, size_t size);
size_t ZSTD_decompressDCtx(void *context, void *to, size_t room, const void *from, size_t size)
{
    NEXT(size_t, "ZSTD_decompressDCtx", void *, void *, size_t, const void *, size_t);
    return fails(KIND_DECOMPRESS) ? zstd_error() : next(context, to, room, from, size);
}

void *ZSTD_createCCtx(void);
void *ZSTD_createCCtx(void)
{
    NEXT(void *, "ZSTD_createCCtx", void);
    return fails(KIND_CONTEXT) ? NULL : next();
}

void *ZSTD_createDCtx(void);
void *ZSTD_createDCtx(void)
{
    NEXT(void *, "ZSTD_createDCtx", void);
    return fails(KIND_CONTEXT) ? NULL : next();
}
