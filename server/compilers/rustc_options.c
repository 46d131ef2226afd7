#include "server/compilers/rustc_options.h"

#include <string.h>

/* All sorted by name. */
static const struct rustc_option long_options[] = {
    {"allow", RUSTC_LINTS, true},
    {"cap-lints", RUSTC_PLAIN, true},
    {"cfg", RUSTC_PLAIN, true},
    {"check-cfg", RUSTC_PLAIN, true},
    {"codegen", RUSTC_CODEGEN, true},
    {"color", RUSTC_FOR_MESSAGES, true},
    {"crate-name", RUSTC_PLAIN, true},
    {"crate-type", RUSTC_PLAIN, true},
    {"deny", RUSTC_LINTS, true},
    {"diagnostic-width", RUSTC_FOR_MESSAGES, true},
    {"edition", RUSTC_PLAIN, true},
    {"emit", RUSTC_OUTPUT, true},
    {"env-set", RUSTC_PLAIN, true},
    {"error-format", RUSTC_PLAIN, true},
    {"explain", RUSTC_QUESTION, true},
    {"extern", RUSTC_EXTERN, true},
    {"forbid", RUSTC_LINTS, true},
    {"force-warn", RUSTC_LINTS, true},
    {"help", RUSTC_QUESTION, false},
    {"json", RUSTC_PLAIN, true},
    {"out-dir", RUSTC_OUT_DIR, true},
    {"print", RUSTC_QUESTION, true},
    {"remap-path-prefix", RUSTC_PREFIX_MAP, true},
    {"remap-path-scope", RUSTC_PLAIN, true},
    {"sysroot", RUSTC_PLAIN, true},
    {"target", RUSTC_PLAIN, true},
    {"test", RUSTC_PLAIN, false},
    {"verbose", RUSTC_PLAIN, false},
    {"version", RUSTC_QUESTION, false},
    {"warn", RUSTC_LINTS, true},
};

static const struct rustc_option short_options[] = {
    {"A", RUSTC_LINTS, true},     {"C", RUSTC_CODEGEN, true},   {"D", RUSTC_LINTS, true},
    {"F", RUSTC_LINTS, true},     {"L", RUSTC_SEARCH, true},    {"O", RUSTC_PLAIN, false},
    {"V", RUSTC_QUESTION, false}, {"W", RUSTC_LINTS, true},     {"Z", RUSTC_UNSTABLE, true},
    {"g", RUSTC_PLAIN, false},    {"h", RUSTC_QUESTION, false}, {"l", RUSTC_PLAIN, true},
    {"o", RUSTC_OUTPUT, true},    {"v", RUSTC_PLAIN, false},
};

static const struct rustc_option codegen_options[] = {
    {"help", RUSTC_QUESTION, false},
    {"incremental", RUSTC_INCREMENTAL, false},
    {"target-cpu", RUSTC_PROCESSOR, false},
};

static const struct rustc_option unstable_options[] = {
    {"help", RUSTC_QUESTION, false},
    {"input-stats", RUSTC_VARIES, false},
    {"llvm-time-trace", RUSTC_VARIES, false},
    {"ls", RUSTC_QUESTION, false},
    {"print-llvm-passes", RUSTC_VARIES, false},
    {"self-profile", RUSTC_VARIES, false},
    {"self-profile-events", RUSTC_VARIES, false},
    {"threads", RUSTC_THREADS, false},
    {"time-llvm-passes", RUSTC_VARIES, false},
    {"time-passes", RUSTC_VARIES, false},
    {"tune-cpu", RUSTC_PROCESSOR, false},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int compare(const char *word, size_t length, const char *name)
{
    for (size_t i = 0; i < length; i++) {
        char c = word[i] == '_' ? '-' : word[i];
        if (c != name[i])
            return (unsigned char)c < (unsigned char)name[i] ? -1 : 1;
    }
    return name[length] ? -1 : 0;
}

static const struct rustc_option *find(const struct rustc_option *rows, size_t count, const char *name,
                                       size_t length)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(name, length, rows[middle].name);
        if (order == 0)
            return &rows[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct rustc_option *rustc_option_long(const char *name, size_t length)
{
    return memchr(name, '_', length) ? NULL : find(long_options, COUNT(long_options), name, length);
}

const struct rustc_option *rustc_option_short(char letter)
{
    return find(short_options, COUNT(short_options), &letter, 1);
}

const struct rustc_option *rustc_option_codegen(const char *name, size_t length)
{
    return find(codegen_options, COUNT(codegen_options), name, length);
}

const struct rustc_option *rustc_option_unstable(const char *name, size_t length)
{
    return find(unstable_options, COUNT(unstable_options), name, length);
}

const struct rustc_option *rustc_option_table(int number, size_t *count)
{
    static const struct {
        const struct rustc_option *rows;
        size_t count;
    } tables[] = {
        {long_options, COUNT(long_options)},
        {short_options, COUNT(short_options)},
        {codegen_options, COUNT(codegen_options)},
        {unstable_options, COUNT(unstable_options)},
    };

    if (number < 0 || (size_t)number >= COUNT(tables))
        return NULL;
    *count = tables[number].count;
    return tables[number].rows;
}
