#include "server/known.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "common/lookup.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool matches(const char *name, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

/* Families that the oracle (tests/oracle) compares with strace. */
static const char *const trusted[] = {
    "gcc*",
    "g++*",
    "c++*",
    "cpp*",
    "cc",
    "*-gcc*",
    "*-g++*",
    "*-cpp*",
    "cc1*",
    "collect2",
    "lto*",
    "lto-*",
    "as",
    "*-as",
    "ld",
    "ld.*",
    "*-ld",
    "*-ld.*",
    "gold",
    "lld*",
    "mold",
    "ar",
    "ranlib",
    "nm",
    "strip",
    "objcopy",
    "*-ar",
    "*-ranlib",
    "*-nm",
    "*-strip",
    "*-objcopy",
    "clang*",
    "llvm-*",
    "opt",
    "llc",
    "rustc",
    "rust-lld",
    "gcc-ld",
    "cmake",
    "*-objdump",
    "objdump",
    "readelf",
    "clippy-driver",
    "rustup",
    /* small programs that compiler scripts use; none of them looks at clock, user or machine */
    "cat",
    "basename",
    "dirname",
    "readlink",
    "realpath",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "ln",
    "echo",
    "printf",
    "expr",
    "test",
    "[",
    "true",
    "false",
    "sleep",
    "grep",
    "sed",
    "cut",
    "head",
    "tail",
    "tr",
    "sort",
    "uniq",
    "wc",
    "tee",
    "mktemp",
    "cmp",
    "diff",
    "xargs",
    "chmod",
};

static const char *const walkers[] = {
    "sh",    "dash", "bash",  "rbash", "ksh*", "zsh*", "mksh",   "busybox", "make", "gmake", "python*",
    "perl*", "env",  "cargo", "awk",   "mawk", "gawk", "tclsh*", "ruby*",   "ls",   "find",
};

enum program_kind known_program(const char *path)
{
    const char *name = lookup_basename(path);

    if (matches(name, walkers, COUNT(walkers)))
        return PROGRAM_WALKER;
    return matches(name, trusted, COUNT(trusted)) ? PROGRAM_TRUSTED : PROGRAM_UNKNOWN;
}

bool known_runs_macros(const char *path)
{
    static const char *const names[] = {"rustc", "clippy-driver"};
    return matches(lookup_basename(path), names, COUNT(names));
}

/* clang compares the times of what its precompiled headers were made of, and procedural macros see those of
 * what they look at; a script may ask for anything. */
enum attention known_attention(const char *path, enum program_kind kind)
{
    static const char *const clang[] = {"clang*"};

    if (kind != PROGRAM_TRUSTED)
        return ATTENTION_ALL;
    return matches(lookup_basename(path), clang, COUNT(clang)) || known_runs_macros(path) ? ATTENTION_TIMES
                                                                                          : ATTENTION_KIND;
}

bool known_asks_clock(const char *path, enum program_kind kind, unsigned times, unsigned clocks)
{
    enum { ANY = 2 }; /* more aren't recorded */
    static const struct {
        const char *name;
        unsigned times, clocks; /* what it always asks */
    } rows[] = {
        {"sh", 0, ANY},     {"dash", 0, ANY},      {"bash", 0, ANY},    {"rbash", 0, ANY},
        {"perl*", 1, 0},    {"python*", 1, 0},     {"awk", 1, 1},       {"mawk", 1, 1},
        {"gawk", 1, 1},     {"make", ANY, ANY},    {"gmake", ANY, ANY}, {"cargo", ANY, ANY},
        {"env", 0, 0},      {"busybox", ANY, ANY}, {"ksh*", ANY, ANY},  {"mksh", ANY, ANY},
        {"zsh*", ANY, ANY}, {"tclsh*", ANY, ANY},  {"ruby*", ANY, ANY},
    };

    for (size_t i = 0; i < COUNT(rows) && kind == PROGRAM_WALKER; i++)
        if (fnmatch(rows[i].name, lookup_basename(path), 0) == 0)
            return times > rows[i].times || clocks > rows[i].clocks;
    /* cc1 and clang call time() for __DATE__ and __TIME__, and the clock to measure themselves */
    return times > 0 || (clocks > 0 && kind == PROGRAM_UNKNOWN);
}

bool known_library(const char *path)
{
    static const char *const names[] = {"libc.so*",       "libm.so*",      "ld-linux*",
                                        "libdl.so*",      "librt.so*",     "libgcc_s*",
                                        "libpthread.so*", "libstdc++.so*", "libc-2*"};
    return matches(lookup_basename(path), names, COUNT(names));
}

bool known_is_shell(const char *path)
{
    static const char *const names[] = {"sh",   "dash", "bash",    "rbash", "ksh*",
                                        "zsh*", "mksh", "busybox", "perl*"};
    return matches(lookup_basename(path), names, COUNT(names));
}

bool known_holds_old_output(const char *path)
{
    static const char *const names[] = {"lld", "lld-*", "ld.lld*", "rust-lld"};
    return matches(lookup_basename(path), names, COUNT(names));
}

static const struct {
    const char *pattern;
    enum variable_effect effect;
} variables[] = {
    {"CCWRAP_*", VARIABLE_NONE},
    {"MAKEFLAGS", VARIABLE_NONE}, /* jobserver and -j: they say how many may run */
    {"MFLAGS", VARIABLE_NONE},
    {"CARGO_MAKEFLAGS", VARIABLE_NONE},
    {"PATH", VARIABLE_NONE}, /* the look-ups made in it are recorded */
    {"TMPDIR", VARIABLE_NONE},
    {"TMP", VARIABLE_NONE},
    {"TEMP", VARIABLE_NONE},
    {"PWD", VARIABLE_NONE}, /* in the key where the directory shows */
    {"OLDPWD", VARIABLE_NONE},
    {"TERM", VARIABLE_MESSAGES},
    {"TERM_URLS", VARIABLE_MESSAGES},
    {"COLUMNS", VARIABLE_MESSAGES},
    {"GCC_COLORS", VARIABLE_MESSAGES},
    {"GCC_URLS", VARIABLE_MESSAGES},
    {"NO_COLOR", VARIABLE_MESSAGES},
    {"CLICOLOR*", VARIABLE_MESSAGES},
    {"LANGUAGE", VARIABLE_MESSAGES},
    {"NLSPATH", VARIABLE_MESSAGES},
    {"OUTPUT_CHARSET", VARIABLE_MESSAGES},
    {"LD_LIBRARY_PATH", VARIABLE_NONE}, /* a fact of its own, in which folders may lie elsewhere */
    {"MALLOC_*", VARIABLE_NONE},
    {"MIMALLOC_*", VARIABLE_NONE},
    {"mimalloc_*", VARIABLE_NONE},
};

enum variable_effect known_variable(const char *name)
{
    for (size_t i = 0; i < COUNT(variables); i++)
        if (fnmatch(variables[i].pattern, name, 0) == 0)
            return variables[i].effect;
    return VARIABLE_INPUT;
}

/* As a recorder of getenv saw rustc 1.95 ask, without a macro. */
bool known_is_asked_by_rustc(const char *name)
{
    static const char *const names[] = {
        "CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS", "MALLOC_*", "PATH", "TEMP", "TERM", "TMP", "TMPDIR"};
    return matches(name, names, COUNT(names));
}

/* glibc's manual, "Locale Categories" and "Standard Locales"; ld.so(8), "ENVIRONMENT". */
const char *const known_libc_variables[] = {
    "LANG",       "LC_ALL",     "LC_CTYPE",        "LC_MESSAGES",
    "LC_COLLATE", "LC_NUMERIC", "LC_TIME",         "LC_MONETARY",
    "LANGUAGE",   "LOCPATH",    "NLSPATH",         "GCONV_PATH",
    "TZ",         "TZDIR",      "POSIXLY_CORRECT", "GLIBC_TUNABLES",
    "LD_PRELOAD", "LD_AUDIT",   "LD_BIND_NOW",     "OUTPUT_CHARSET",
    NULL,
};

const char *const known_libc_files[] = {
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/usr/lib/locale/locale-archive",
    "/usr/lib/locale/C.utf8/LC_CTYPE",
    "/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache",
    NULL,
};

/* ld.so(8) */
const char *const known_loader_questions[] = {"LD_DEBUG", "LD_PROFILE", "LD_SHOW_AUXV",
                                              "LD_TRACE_LOADED_OBJECTS", NULL};

static const char *const no_inputs[] = {
    "/dev/null",         "/dev/urandom",
    "/dev/random",       "/dev/zero",
    "/dev/full",         "/dev/tty",
    "/proc/self/exe",    "/proc/self/maps",
    "/proc/self/fd*",    "/proc/self/auxv",
    "/proc/self/cgroup", "/proc/self/mountinfo",
    "/proc/self/mounts", "/proc/self/stat*",
    "/proc/self/task*",  "/proc/self/cmdline",
    "/proc/self/comm",   "/proc/thread-self/*",
    "/proc/cpuinfo",     "/proc/meminfo",
    "/proc/filesystems", "/proc/mounts",
    "/proc/stat",        "/proc/version",
    "/proc/sys/vm/*",    "/sys/devices/system/cpu*",
    "/sys/kernel/mm/*",  "/sys/fs/cgroup/*",
    "/proc/[0-9]*/exe",  "/proc/[0-9]*/cmdline",
};

/* proc(5): /proc/PID/cwd, /proc/PID/root */
static bool leads_through_process(const char *path)
{
    size_t length;

    if (strncmp(path, "/proc/", 6) != 0)
        return false;
    path += 6;
    length = strcspn(path, "/");
    bool process = strncmp(path, "self/", 5) == 0 || strncmp(path, "thread-self/", 12) == 0 ||
                   (length > 0 && strspn(path, "0123456789") == length);
    return process && (strncmp(path + length, "/cwd", 4) == 0 || strncmp(path + length, "/root", 5) == 0);
}

enum path_kind known_path(const char *path)
{
    if (path[0] != '/' ||
        (strncmp(path, "/dev", 4) != 0 && strncmp(path, "/proc", 5) != 0 && strncmp(path, "/sys", 4) != 0))
        return PATH_PLAIN;
    if (leads_through_process(path))
        return PATH_OF_PROCESS;
    if (matches(path, no_inputs, COUNT(no_inputs)))
        return PATH_NO_INPUT;
    if (strncmp(path, "/dev/shm/", 9) == 0)
        return PATH_PLAIN;
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0
               ? PATH_SPECIAL
               : PATH_PLAIN;
}
