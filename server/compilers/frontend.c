#include "server/compilers/frontend.h"

#include <string.h>

#include "common/lookup.h"

/* Names without target and version, and their front ends. */
static const struct {
    const char *name;
    const struct frontend *frontend;
} names[] = {
    {"c++", &frontend_gcc}, {"c89", &frontend_gcc},     {"c99", &frontend_gcc},
    {"cc", &frontend_gcc},  {"clang", &frontend_clang}, {"clang++", &frontend_clang},
    {"g++", &frontend_gcc}, {"gcc", &frontend_gcc},     {"rustc", &frontend_rustc},
};

static bool is_version(const char *text)
{
    if (*text < '0' || *text > '9')
        return false;
    return text[strspn(text, "0123456789.")] == 0;
}

/* The index in names of TARGET-NAME-VERSION, where target and version may be missing; -1 if there is none. */
static int find_name(const char *text)
{
    const char *version = strrchr(text, '-');
    size_t length = version && is_version(version + 1) ? (size_t)(version - text) : strlen(text);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t size = strlen(names[i].name);
        if (size > length || strncmp(text + length - size, names[i].name, size))
            continue;
        if (size == length || (text[length - size - 1] == '-' && length - size > 1))
            return (int)i;
    }
    return -1;
}

/* What the links end in decides where it is a compiler's name: cc, and even gcc, may be clang. */
const struct frontend *frontend_find(const char *argv0, const char *real_path)
{
    int found = real_path ? find_name(lookup_basename(real_path)) : -1;

    if (found < 0)
        found = find_name(lookup_basename(argv0));
    return found >= 0 ? names[found].frontend : &frontend_gcc;
}

bool frontend_is_compiler_name(const char *name)
{
    return find_name(name) >= 0;
}

/* A folder of a project may be called proc or dev: what stands behind it decides. */
bool frontend_names_descriptor(const char *word)
{
    static const char *const anywhere[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/",
                                           "/dev/tty",   "/dev/pts/",   "/proc/self/", "/proc/thread-self/"};
    const char *slash = strchr(word, '/'), *proc;

    if (!slash || (!strstr(word, "dev/") && !strstr(word, "proc/")))
        return false;
    for (size_t i = 0; i < sizeof(anywhere) / sizeof(anywhere[0]); i++) {
        if (strstr(word, anywhere[i]))
            return true;
    }
    if (!strncmp(word, "proc/self/", 10) || !strncmp(word, "dev/fd/", 7))
        return true;
    proc = strstr(word, "/proc/");
    return proc && proc[6] >= '0' && proc[6] <= '9';
}
