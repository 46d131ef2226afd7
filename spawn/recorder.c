/* recorder: the shared object that is preloaded into every program of a compile, and logs what it does with
 * files, programs and its environment. What an event means is said in record_log.h.
 *
 * It must be harmless in any program, so it is built alone (-shared -fPIC -nostdlib -fno-builtin): it has no
 * NEEDED, and its few undefined symbols (dlsym, dl_iterate_phdr, environ, __errno_location) have no version,
 * so that glibc of any age from 2.34 and musl can load it. All calls are forwarded to the next function of
 * the name, not to the kernel, so that other preloaded libraries (fakeroot, faketime) keep their effect.
 *
 * Parts: recorder_core.c the log, recorder_files.c the functions that name a file, recorder_exec.c those that
 * start a program, here the rest: beginning and end, the process's own state, system calls by number. */
#include <errno.h>
#include <link.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <stdarg.h>

#include "spawn/record_format.h"
#include "spawn/recorder_core.h"
#include "spawn/recorder_raw.h"

/* ---- shared objects ---- */

/* Loader's count of objects at the last walk: unchanged, there is nothing new. */
static unsigned long long objects_seen;

/* The address that an entry of the dynamic section holds: glibc has added the object's base to it already,
 * musl has not. */
static const char *dynamic_address(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const char *)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

static void note_run_path(const struct dl_phdr_info *object, const char *name)
{
    const ElfW(Dyn) *entry = NULL;
    const char *strings = NULL;

    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    if (!entry)
        return;
    for (const ElfW(Dyn) *each = entry; each->d_tag != DT_NULL; each++)
        if (each->d_tag == DT_STRTAB)
            strings = dynamic_address(object, each->d_un.d_ptr);
    for (; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
            recorder_note_text(RECORD_RUNPATH, 0, 0, name, strings + entry->d_un.d_val);
}

/* The main program has no name here. */
static void note_program_run_path(const struct dl_phdr_info *program)
{
    char path[RECORDER_PATH_SIZE];
    long length = raw_readlink("/proc/self/exe", path, sizeof path - 1);

    path[length > 0 ? length : 0] = '\0';
    note_run_path(program, path);
}

static int note_object(struct dl_phdr_info *object, size_t size, void *first)
{
    const char *name = object->dlpi_name ? object->dlpi_name : "";

    (void)size;
    if (*(bool *)first) {
        *(bool *)first = false;
        if (object->dlpi_adds == objects_seen)
            return 1;
        objects_seen = object->dlpi_adds;
        note_program_run_path(object);
    } else if (*raw_find(name, '/') &&
               !raw_equal(recorder_preload_entry() + sizeof RECORD_PRELOAD_NAME - 1, name)) {
        recorder_note(RECORD_LOADED, 0, 0, name);
        note_run_path(object, name);
    }
    return 0;
}

/* Not in the child of a fork: another thread may have held the loader's lock at that moment, and nobody will
 * give it back. */
void recorder_note_loaded(void)
{
    bool first = true;

    if (recorder_active() && !recorder_in_child())
        dl_iterate_phdr(note_object, &first);
}

/* Before an object goes, which was loaded after the beginning. dlopen itself must stay as it is: libc looks
 * at its caller's address for the search path. */
INTERPOSE(int, dlclose, void *object)
{
    recorder_note_loaded();
    return NEXT(dlclose)(object);
}

/* ---- beginning and end ---- */

extern char **environ;

/* glibc gives a constructor main's arguments and may call this one before its own, which sets environ; musl
 * gives no arguments but has set environ. */
static __attribute__((constructor)) void begin(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    recorder_begin(environ ? environ : envp);
    recorder_exec_prepare();
    recorder_note_loaded();
}

static __attribute__((destructor)) void end(void)
{
    recorder_note_loaded();
}

#define EXIT_FUNCTION(name)                                                                                  \
    __attribute__((noreturn)) INTERPOSE(void, name, int status)                                              \
    {                                                                                                        \
        recorder_note_loaded();                                                                              \
        NEXT(name)(status);                                                                                  \
        __builtin_unreachable();                                                                             \
    }

EXIT_FUNCTION(_exit)
EXIT_FUNCTION(_Exit)
EXIT_FUNCTION(quick_exit)

/* ---- environment and time ---- */

INTERPOSE(char *, getenv, const char *name)
{
    bool active = recorder_active(); /* first, for the names are taken out of the environment on the way */
    char *value = NEXT(getenv)(name);

    if (active)
        recorder_note_getenv(name, value != NULL);
    return value;
}

#define SECURE_GETENV_FUNCTION(function)                                                                     \
    INTERPOSE(char *, function, const char *name)                                                            \
    {                                                                                                        \
        bool active = recorder_active();                                                                     \
        char *value = NEXT(function)(name);                                                                  \
                                                                                                             \
        if (active)                                                                                          \
            recorder_note_getenv(name, value != NULL);                                                       \
        return value;                                                                                        \
    }

SECURE_GETENV_FUNCTION(secure_getenv)
SECURE_GETENV_FUNCTION(__secure_getenv)

/* libc reads the catalogues by itself when the first message is translated. */
INTERPOSE(char *, bindtextdomain, const char *domain, const char *folder)
{
    if (recorder_active() && domain && folder)
        recorder_note_text(RECORD_CATALOG, 0, 0, folder, domain);
    return NEXT(bindtextdomain)(domain, folder);
}

/* Some programs always ask once, so the second time counts as well. */
static void note_clock(enum record_kind kind, int *asked)
{
    if (__atomic_load_n(asked, __ATOMIC_RELAXED) < 2 && recorder_active() &&
        __atomic_fetch_add(asked, 1, __ATOMIC_RELAXED) < 2)
        recorder_note(kind, 0, 0, NULL);
}

INTERPOSE(long, time, long *result)
{
    static int asked;

    note_clock(RECORD_TIME, &asked);
    return NEXT(time)(result);
}

static int clock_asked;

INTERPOSE(int, gettimeofday, void *result, void *zone)
{
    note_clock(RECORD_CLOCK, &clock_asked);
    return NEXT(gettimeofday)(result, zone);
}

INTERPOSE(int, clock_gettime, int clock, void *result)
{
    enum { REALTIME = 0, REALTIME_COARSE = 5, TAI = 11 };

    if (clock == REALTIME || clock == REALTIME_COARSE || clock == TAI)
        note_clock(RECORD_CLOCK, &clock_asked);
    return NEXT(clock_gettime)(clock, result);
}

/* A moment is made readable: the clock's, or a file's. Logged once a program. */
static void note_local_time(void)
{
    static int asked;

    if (recorder_active() && !__atomic_exchange_n(&asked, 1, __ATOMIC_RELAXED))
        recorder_note(RECORD_LOCAL_TIME, 0, 0, NULL);
}

INTERPOSE(void *, localtime, const void *moment)
{
    note_local_time();
    return NEXT(localtime)(moment);
}

INTERPOSE(void *, localtime_r, const void *moment, void *result)
{
    note_local_time();
    return NEXT(localtime_r)(moment, result);
}

INTERPOSE(char *, ctime, const void *moment)
{
    note_local_time();
    return NEXT(ctime)(moment);
}

INTERPOSE(char *, ctime_r, const void *moment, char *result)
{
    note_local_time();
    return NEXT(ctime_r)(moment, result);
}

/* ---- working directory ---- */

INTERPOSE(int, chdir, const char *path)
{
    recorder_prepare_directory();
    int status = NEXT(chdir)(path);
    if (status == 0) {
        char real[RECORDER_PATH_SIZE]; /* a link on the way leads elsewhere another time */
        if (raw_getcwd(real, sizeof real) > 0)
            recorder_note_text(RECORD_REALPATH, 0, 0, path, real);
        recorder_note_directory();
    } else {
        recorder_note(RECORD_STAT, status, 0, path);
    }
    return status;
}

INTERPOSE(int, fchdir, int fd)
{
    int status = NEXT(fchdir)(fd);

    if (status == 0)
        recorder_note_directory();
    return status;
}

INTERPOSE(int, chroot, const char *path)
{
    recorder_note_unsafe("chroot");
    return NEXT(chroot)(path);
}

/* ---- shared mappings ---- */

static void note_mapping(int protection, int flags, int fd)
{
    char path[RECORDER_PATH_SIZE];

    if (!(protection & PROT_WRITE) || !(flags & MAP_SHARED) || (flags & MAP_ANONYMOUS) || !recorder_active())
        return;
    if (recorder_descriptor_path(fd, path))
        recorder_note(RECORD_MAPPED, 0, 0, path);
}

#define MMAP_FUNCTION(name)                                                                                  \
    INTERPOSE(void *, name, void *start, size_t size, int protection, int flags, int fd, long offset)        \
    {                                                                                                        \
        void *map = NEXT(name)(start, size, protection, flags, fd, offset);                                  \
        if (!raw_failed((long)map))                                                                          \
            note_mapping(protection, flags, fd);                                                             \
        return map;                                                                                          \
    }

MMAP_FUNCTION(mmap)
MMAP_FUNCTION(mmap64)

/* ---- what libc does inside itself ---- */

#define UNSAFE_FUNCTION(name)                                                                                \
    INTERPOSE(int, name, const char *path, void *function, int count, int flags)                             \
    {                                                                                                        \
        recorder_note_unsafe(#name);                                                                         \
        return NEXT(name)(path, function, count, flags);                                                     \
    }

UNSAFE_FUNCTION(ftw)
UNSAFE_FUNCTION(ftw64)
UNSAFE_FUNCTION(nftw)
UNSAFE_FUNCTION(nftw64)

/* With functions of the caller's own (GLOB_ALTDIRFUNC) glob looks at nothing by itself. */
#define GLOB_FUNCTION(name)                                                                                  \
    INTERPOSE(int, name, const char *pattern, int flags, void *on_error, void *result)                       \
    {                                                                                                        \
        enum { OWN_FUNCTIONS = 1 << 6 };                                                                     \
        if (!(flags & OWN_FUNCTIONS))                                                                        \
            recorder_note_unsafe("glob");                                                                    \
        return NEXT(name)(pattern, flags, on_error, result);                                                 \
    }

GLOB_FUNCTION(glob)
GLOB_FUNCTION(glob64)

INTERPOSE(void *, fts_open, char *const *paths, int options, void *compare)
{
    recorder_note_unsafe("fts");
    return NEXT(fts_open)(paths, options, compare);
}

INTERPOSE(void *, fts64_open, char *const *paths, int options, void *compare)
{
    recorder_note_unsafe("fts");
    return NEXT(fts64_open)(paths, options, compare);
}

INTERPOSE(int, wordexp, const char *words, void *result, int flags)
{
    recorder_note_unsafe("wordexp");
    return NEXT(wordexp)(words, result, flags);
}

INTERPOSE(int, shm_open, const char *name, int flags, unsigned mode)
{
    recorder_note_unsafe("shm_open");
    return NEXT(shm_open)(name, flags, mode);
}

INTERPOSE(int, open_by_handle_at, int mount, void *handle, int flags)
{
    recorder_note_unsafe("open_by_handle_at");
    return NEXT(open_by_handle_at)(mount, handle, flags);
}

/* What another process answers leaves no trace in files. */
INTERPOSE(int, connect, int fd, const void *address, unsigned length)
{
    recorder_note_unsafe("connect");
    return NEXT(connect)(fd, address, length);
}

INTERPOSE(ssize_t, sendto, int fd, const void *bytes, size_t size, int flags, const void *address,
          unsigned length)
{
    if (address)
        recorder_note_unsafe("sendto");
    return NEXT(sendto)(fd, bytes, size, flags, address, length);
}

/* ---- system calls by number ---- */

/* Those by which a program learns and changes nothing that the log is for. */
static const short harmless_calls[] = {
    __NR_brk,
    __NR_clock_gettime,
    __NR_clock_nanosleep,
    __NR_close,
    __NR_exit,
    __NR_exit_group,
    __NR_fstat,
    __NR_futex,
    __NR_get_mempolicy,
    __NR_getcpu,
    __NR_getpid,
    __NR_getppid,
    __NR_getrandom,
    __NR_getrusage,
    __NR_gettid,
    __NR_lseek,
    __NR_madvise,
    __NR_mbind,
    __NR_membarrier,
    __NR_mprotect,
    __NR_mremap,
    __NR_munmap,
    __NR_nanosleep,
    __NR_prctl,
    __NR_pread64,
    __NR_pwrite64,
    __NR_read,
    __NR_rseq,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_sched_getaffinity,
    __NR_sched_setaffinity,
    __NR_sched_yield,
    __NR_set_robust_list,
    __NR_sigaltstack,
    __NR_tgkill,
    __NR_write,
};

static bool is_harmless(long number)
{
    for (size_t i = 0; i < sizeof harmless_calls / sizeof harmless_calls[0]; i++)
        if (harmless_calls[i] == number)
            return true;
    return false;
}

/* Logs a call whose first two arguments are a folder's descriptor and a path. */
static bool note_call_at(long number, const long argument[6], long status)
{
    int folder = (int)argument[0];
    const char *path = (const char *)argument[1];
    const char *other = (const char *)argument[3];

    switch (number) {
    case __NR_openat:
        recorder_note_open_at((int)status, (uint32_t)argument[2], folder, path);
        return true;
    case __NR_statx:
    case __NR_newfstatat: {
        int flags = (int)argument[number == __NR_statx ? 2 : 3];
        if (!((flags & AT_EMPTY_PATH) && (!path || !*path)))
            recorder_note_at(flags & AT_SYMLINK_NOFOLLOW ? RECORD_LSTAT : RECORD_STAT, status, 0, folder,
                             path);
        return true;
    }
    case __NR_faccessat:
#ifdef __NR_faccessat2
    case __NR_faccessat2:
#endif
        recorder_note_at(RECORD_STAT, status, 0, folder, path);
        return true;
    case __NR_unlinkat:
        recorder_note_at(RECORD_UNLINK, status, 0, folder, path);
        return true;
    case __NR_mkdirat:
        recorder_note_at(RECORD_MKDIR, status, 0, folder, path);
        return true;
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2:
        recorder_note_text_at(RECORD_RENAME, status, number == __NR_renameat2 ? (uint32_t)argument[4] : 0,
                              folder, path, (int)argument[2], other);
        return true;
    case __NR_getdents64:
        recorder_note_at(RECORD_LIST, status, 0, folder, "");
        return true;
    default:
        return false;
    }
}

/* Logs a call whose first argument is a path; these exist only on older machines. */
static bool note_call_path(long number, const long argument[6], long status)
{
#ifdef __x86_64__
    const char *path = (const char *)argument[0];

    switch (number) {
    case __NR_open:
        recorder_note_open((int)status, (uint32_t)argument[1], path);
        return true;
    case __NR_stat:
    case __NR_access:
        recorder_note(RECORD_STAT, status, 0, path);
        return true;
    case __NR_lstat:
        recorder_note(RECORD_LSTAT, status, 0, path);
        return true;
    case __NR_unlink:
        recorder_note(RECORD_UNLINK, status, 0, path);
        return true;
    default:
        return false;
    }
#else
    (void)number;
    (void)argument;
    (void)status;
    return false;
#endif
}

INTERPOSE(long, syscall, long number, ...)
{
    long argument[6];
    va_list rest;

    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);

    long result =
        NEXT(syscall)(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
    if (is_harmless(number) || note_call_at(number, argument, result) ||
        note_call_path(number, argument, result))
        return result;
    struct recorder_event event = {.kind = RECORD_SYSCALL, .value = number};
    recorder_write(&event);
    return result;
}
