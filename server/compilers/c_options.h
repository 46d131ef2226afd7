/* c_options: the command-line options of the C family as tables.
 *
 * A row says how an option takes its value and what of the compile shows in its outputs. It needn't say what
 * the option reads: that is observed. Private to server/compilers. Pure; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_C_OPTIONS_H
#define CCWRAP_SERVER_COMPILERS_C_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "server/reasons.h"

enum c_value {
    VALUE_NONE,     /* the word is the name */
    VALUE_GLUED,    /* the word begins with the name: a value, or a family of options */
    VALUE_SEPARATE, /* the word is the name, the next word is the value */
    VALUE_EITHER    /* glued, or the next word if nothing is glued */
};

enum c_action {
    ACTION_PLAIN,
    ACTION_ASSEMBLER_WORDS,
    ACTION_ASSEMBLY,
    ACTION_COMPILATION_DIRECTORY,
    ACTION_COMPILER_WORD, /* -Xclang: an option of clang's inner compiler */
    ACTION_DEBUG_OFF,
    ACTION_DEBUG_ON,
    ACTION_DEPENDENCIES,
    ACTION_DEPENDENCY_FILE,
    ACTION_DEPENDENCY_QUOTED,
    ACTION_DEPENDENCY_TARGET,
    ACTION_DIAGNOSTICS_FILE,
    ACTION_DRIVER_MODE,
    ACTION_EMIT_LLVM,
    ACTION_LANGUAGE,
    ACTION_NO_SPLIT_DEBUG,
    ACTION_OBJECT,
    ACTION_OUTPUT,
    ACTION_PRECOMPILE,
    ACTION_PREFIX_MAP,
    ACTION_DEBUG_PREFIX_MAP, /* a prefix map that debug information obeys */
    ACTION_PREPROCESSOR_WORD,
    ACTION_PREPROCESSOR_WORDS,
    ACTION_SPLIT_DEBUG,
    ACTION_STACK_USAGE,
    ACTION_SYNTAX,
    ACTION_WARNING
};

enum c_flag {
    SHOWS_DIRECTORY = 1 << 0,
    SHOWS_OUTPUT = 1 << 1,
    SHOWS_POSITIONS = 1 << 2,
    SHOWS_WORDS = 1 << 3, /* an output holds the command line itself */
    SHOWS_PROCESSOR = 1 << 4,
    HIDES_NAMES = 1 << 5,       /* names of side files are made in another way than by -o */
    COMPILE_ONLY = 1 << 6,      /* left out of the command that preprocesses */
    UNWATCHED = 1 << 7,         /* reads nothing that the preprocessed text wouldn't show */
    IS_QUESTION = 1 << 8,       /* the reason holds also where there is no source */
    SHOWS_INDENTATION = 1 << 9, /* a warning counts comments for a line's indentation (gcc's) */
    SHOWS_COLUMNS = 1 << 10,    /* an output tells columns: comments and blanks count, if not what they say */
    SHOWS_ALL = SHOWS_DIRECTORY | SHOWS_OUTPUT | SHOWS_POSITIONS
};

struct c_option {
    const char *name;
    enum c_value value;
    enum c_action action;
    unsigned flags;     /* of enum c_flag */
    enum reason reason; /* not NONE: such a command isn't cached */
};

/* Sorted by strcmp, names unique. */
struct c_option_table {
    const struct c_option *rows;
    size_t count;
};

extern const struct c_option_table c_options_common;
extern const struct c_option_table c_options_gcc;
extern const struct c_option_table c_options_clang;
extern const struct c_option_table c_options_assembler; /* parts of -Wa, */

/* The row with the longest name that fits the word, or NULL. */
const struct c_option *c_option_find(const struct c_option_table *table, const char *word);

/* True if the row takes the next word as its value. */
bool c_option_takes_next(const struct c_option *option, const char *word);

#endif
