/* recorder_raw: system calls and string functions that go through no library.
 *
 * The recorder lives in programs of any libc, and is called before that libc is ready, between vfork and
 * exec, and in signal handlers. So its own work uses nothing that could be interposed, take a lock, allocate
 * or set errno. Results of raw_* are those of the kernel: a negative errno on error. */
#ifndef CCWRAP_SPAWN_RECORDER_RAW_H
#define CCWRAP_SPAWN_RECORDER_RAW_H

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    return first;
}
#else
#error "the recorder is built for x86-64 and aarch64 only"
#endif

static inline int raw_getpid(void)
{
    return (int)raw_call(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int raw_getppid(void)
{
    return (int)raw_call(__NR_getppid, 0, 0, 0, 0, 0, 0);
}

static inline int raw_open(const char *path, int flags)
{
    return (int)raw_call(__NR_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
}

static inline void raw_close(int fd)
{
    raw_call(__NR_close, fd, 0, 0, 0, 0, 0);
}

static inline long raw_pread(int fd, void *bytes, size_t size, long offset)
{
    return raw_call(__NR_pread64, fd, (long)bytes, (long)size, offset, 0, 0);
}

static inline long raw_seek_end(int fd)
{
    return raw_call(__NR_lseek, fd, 0, 2, 0, 0, 0);
}

static inline long raw_readlink(const char *path, char *target, size_t size)
{
    return raw_call(__NR_readlinkat, AT_FDCWD, (long)path, (long)target, (long)size, 0, 0);
}

/* Length with the NUL. */
static inline long raw_getcwd(char *path, size_t size)
{
    return raw_call(__NR_getcwd, (long)path, (long)size, 0, 0, 0, 0);
}

static inline long raw_access(const char *path, int mode)
{
    return raw_call(__NR_faccessat, AT_FDCWD, (long)path, mode, 0, 0, 0);
}

static inline long raw_statx(const char *path, unsigned mask, void *status)
{
    return raw_call(__NR_statx, AT_FDCWD, (long)path, 0, mask, (long)status, 0);
}

static inline long raw_map_shared(int fd, size_t size)
{
    enum { READ_AND_WRITE = 3, SHARED = 1 };
    return raw_call(__NR_mmap, 0, (long)size, READ_AND_WRITE, SHARED, fd, 0);
}

static inline long raw_populate(void *start, size_t size)
{
    enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, since Linux 5.14 */
    return raw_call(__NR_madvise, (long)start, (long)size, POPULATE_WRITE, 0, 0, 0);
}

static inline bool raw_failed(long result)
{
    return result < 0 && result > -4096;
}

/* The barrier in the loops keeps the compiler from making calls of strlen and memcpy out of them. */
#define RAW_LOOP() __asm__ volatile("")

static inline size_t raw_length(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        RAW_LOOP();
    return length;
}

static inline void raw_copy(char *target, const char *source, size_t size)
{
    for (; size >= 8; size -= 8, target += 8, source += 8) {
        __builtin_memcpy(target, source, 8);
        RAW_LOOP();
    }
    for (size_t i = 0; i < size; i++) {
        target[i] = source[i];
        RAW_LOOP();
    }
}

/* What follows `prefix` in `text`, or NULL. */
static inline const char *raw_after(const char *text, const char *prefix)
{
    for (; *prefix; prefix++, text++)
        if (*text != *prefix)
            return NULL;
    return text;
}

static inline bool raw_equal(const char *left, const char *right)
{
    const char *rest = raw_after(left, right);
    return rest && !*rest;
}

/* The first `c` in text, or the NUL at its end. */
static inline const char *raw_find(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return text;
}

#endif
