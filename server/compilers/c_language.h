/* c_language: the languages that gcc and clang know, by -x and by extension. Pure; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_C_LANGUAGE_H
#define CCWRAP_SERVER_COMPILERS_C_LANGUAGE_H

#include <stdbool.h>

enum c_language_kind {
    LANGUAGE_SOURCE,       /* preprocessed, then compiled */
    LANGUAGE_HEADER,       /* made into a precompiled header */
    LANGUAGE_MODULE,       /* C++ module interface */
    LANGUAGE_PREPROCESSED, /* compiled as it is */
    LANGUAGE_ASSEMBLER,    /* assembled as it is, or another compiler's intermediate code */
    LANGUAGE_ASSEMBLER_CPP /* preprocessed, then assembled */
};

struct c_language {
    const char *name; /* as -x names it */
    enum c_language_kind kind;
    bool c_text; /* C or C++ as comments.h reads it */
};

/* What `-x name` means; NULL for languages that aren't handled. */
const struct c_language *c_language_by_name(const char *name, bool is_clang);

/* What the compiler takes a file to be. `cxx_driver`: it is g++ or clang++, which take C for C++. NULL if the
 * extension says nothing (a linker input) or names a language that isn't handled. */
const struct c_language *c_language_by_extension(const char *path, bool is_clang, bool cxx_driver);

#endif
