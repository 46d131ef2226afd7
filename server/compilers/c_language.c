#include "server/compilers/c_language.h"

#include <stddef.h>
#include <string.h>

static const struct c_language languages[] = {
    {"assembler", LANGUAGE_ASSEMBLER, false},
    {"assembler-with-cpp", LANGUAGE_ASSEMBLER_CPP, false},
    {"c", LANGUAGE_SOURCE, true},
    {"c++", LANGUAGE_SOURCE, true},
    {"c++-cpp-output", LANGUAGE_PREPROCESSED, false},
    {"c++-header", LANGUAGE_HEADER, true},
    {"c-header", LANGUAGE_HEADER, true},
    {"cpp-output", LANGUAGE_PREPROCESSED, false},
    {"objective-c", LANGUAGE_SOURCE, false},
    {"objective-c++", LANGUAGE_SOURCE, false},
    {"objective-c++-cpp-output", LANGUAGE_PREPROCESSED, false},
    {"objective-c++-header", LANGUAGE_HEADER, false},
    {"objective-c-cpp-output", LANGUAGE_PREPROCESSED, false},
    {"objective-c-header", LANGUAGE_HEADER, false},
};

static const struct c_language clang_languages[] = {
    {"c++-module", LANGUAGE_MODULE, false},
    {"ir", LANGUAGE_ASSEMBLER, false},
};

struct extension {
    const char *text;
    const char *language;
    const char *cxx_language; /* for a C++ driver, where it differs */
};

static const struct extension extensions[] = {
    {"C", "c++", NULL},
    {"CPP", "c++", NULL},
    {"H", "c++-header", NULL},
    {"M", "objective-c++", NULL},
    {"S", "assembler-with-cpp", NULL},
    {"c", "c", "c++"},
    {"c++", "c++", NULL},
    {"cc", "c++", NULL},
    {"cp", "c++", NULL},
    {"cpp", "c++", NULL},
    {"cxx", "c++", NULL},
    {"h", "c-header", "c++-header"},
    {"hh", "c++-header", NULL},
    {"hpp", "c++-header", NULL},
    {"hxx", "c++-header", NULL},
    {"i", "cpp-output", "c++-cpp-output"},
    {"ii", "c++-cpp-output", NULL},
    {"m", "objective-c", NULL},
    {"mi", "objective-c-cpp-output", NULL},
    {"mii", "objective-c++-cpp-output", NULL},
    {"mm", "objective-c++", NULL},
    {"s", "assembler", NULL},
};

static const struct extension gcc_extensions[] = {
    {"HPP", "c++-header", NULL},        {"h++", "c++-header", NULL}, {"hp", "c++-header", NULL},
    {"sx", "assembler-with-cpp", NULL}, {"tcc", "c++-header", NULL},
};

static const struct extension clang_extensions[] = {
    {"CC", "c++", NULL},          {"CXX", "c++", NULL},        {"bc", "ir", NULL},
    {"c++m", "c++-module", NULL}, {"ccm", "c++-module", NULL}, {"cppm", "c++-module", NULL},
    {"cxxm", "c++-module", NULL}, {"ll", "ir", NULL},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct c_language *find_language(const struct c_language *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].name, name))
            return &table[i];
    }
    return NULL;
}

const struct c_language *c_language_by_name(const char *name, bool is_clang)
{
    const struct c_language *found = find_language(languages, COUNT(languages), name);

    if (!found && is_clang)
        found = find_language(clang_languages, COUNT(clang_languages), name);
    return found;
}

static const struct extension *find_extension(const struct extension *table, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].text, text))
            return &table[i];
    }
    return NULL;
}

const struct c_language *c_language_by_extension(const char *path, bool is_clang, bool cxx_driver)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const struct extension *found;

    if (!dot)
        return NULL;
    found = find_extension(extensions, COUNT(extensions), dot + 1);
    if (!found && is_clang)
        found = find_extension(clang_extensions, COUNT(clang_extensions), dot + 1);
    if (!found && !is_clang)
        found = find_extension(gcc_extensions, COUNT(gcc_extensions), dot + 1);
    if (!found)
        return NULL;
    return c_language_by_name(cxx_driver && found->cxx_language ? found->cxx_language : found->language,
                              is_clang);
}
