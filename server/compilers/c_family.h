/* c_family: the parser of gcc's and clang's command lines, and what it knows of one.
 *
 * Private to server/compilers: gcc.c and clang.c are its front ends (frontend.h), each a dialect. The work is
 * parted: c_family.c reads the words, c_outputs.c names the outputs, c_key.c chooses the words of the key and
 * of the command that preprocesses. Pure but for response files; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_C_FAMILY_H
#define CCWRAP_SERVER_COMPILERS_C_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "server/compilers/c_language.h"
#include "server/compilers/c_options.h"
#include "server/compilers/frontend.h"

struct c_dialect {
    const struct c_option_table *options; /* looked at beside c_options_common; the longer name wins */
    bool is_clang;
    const char *const *appending_environment; /* variables that make compiles add to a common file */
    const char *const *rewriting_environment; /* variables that change the command line */
};

enum c_word_kind {
    WORD_OUTPUT_NAME = 1 << 0,  /* only names the object or the diagnostics file */
    WORD_DEPFILE_NAME = 1 << 1, /* only names the depfile or its targets */
    WORD_PREFIX_MAP = 1 << 2,
    WORD_COMPILE_ONLY = 1 << 3 /* not for the command that preprocesses */
};

struct c_word {
    const char *text;
    const char *key_text;   /* stands in the key where names are left out; NULL: nothing does */
    unsigned kinds;         /* of enum c_word_kind */
    unsigned option_length; /* of a prefix map: the option with its "=" */
};

/* A command line as read. */
struct c_line {
    const struct c_dialect *dialect;
    const struct invocation *invocation;
    struct arena *arena;
    bool cxx_driver;

    struct c_word *words; /* response files expanded; words[0] is argv[0] */
    size_t count;

    unsigned flags;       /* of enum c_flag, of all options together */
    enum reason question; /* the command isn't a compile at all … */
    enum reason reason;   /* … or isn't one that may be cached; the first that was found */
    const char *reason_word;
    const char *question_word;
    const char *unwatched_word;

    const char *source;
    size_t sources;
    const struct c_language *source_language;
    const char *forced_language; /* the last -x before the source, or NULL */
    bool forced_now;

    bool object, assembly, syntax_only, precompile, emit_llvm;
    bool debug, split_debug, stack_usage, directory_named, directory_mapped;
    bool only_sources; /* after "--" */
    bool inner_value;  /* the last word was an -Xclang word that may take a value */
    bool cant_preprocess;

    const char *output; /* last -o */
    const char *diagnostics;
    bool dependencies;         /* by -MD or -MMD */
    const char *depfile;       /* last -MF */
    const char *inner_depfile; /* -Wp,-MD,FILE */
    struct buf targets;        /* -MT and -MQ, as they will stand in the depfile */
    size_t plain_targets, quoted_targets;
    bool unclear_target;
};

/* Fills `command` as frontend.h says. */
void c_family_parse(const struct c_dialect *dialect, const struct invocation *invocation, struct arena *arena,
                    struct command *command);

/* A variable of the compile's environment, or NULL. */
const char *c_variable(const struct c_line *line, const char *name);

/* Appends the path as the compiler quotes it for make; gcc drops a leading "./" too. */
void c_outputs_add_target(const struct c_dialect *dialect, const char *path, bool quote, struct buf *text);

/* Sets output, depfile_targets and output_shows. False if the compile's main output can't be told. */
bool c_outputs_name(const struct c_line *line, struct command *command);

/* Sets key_words, and directory_mapped in the line: needs the outputs. */
void c_key_choose(struct c_line *line, struct command *command);

/* Sets preprocess_argv and source_is_text. */
void c_key_preprocess(const struct c_line *line, struct command *command);

#endif
