/* rustc_options: the options of rustc's command line, as rows.
 *
 * Source: `rustc --help -v`, and the "Command-line Arguments" and "Codegen Options" chapters of the rustc
 * book. clippy-driver takes the same. Pure tables; any thread. */
#ifndef CCWRAP_SERVER_COMPILERS_RUSTC_OPTIONS_H
#define CCWRAP_SERVER_COMPILERS_RUSTC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What the front end does with an option; PLAIN ones only go into the key. */
enum rustc_action {
    RUSTC_PLAIN,
    RUSTC_QUESTION, /* rustc answers and compiles nothing */
    RUSTC_CODEGEN,  /* its value is NAME or NAME=VALUE, a row of the codegen table */
    RUSTC_UNSTABLE, /* the same for -Z */
    RUSTC_EXTERN,   /* [OPTIONS:]NAME[=PATH] */
    RUSTC_LINTS,    /* the value `help` is a question */
    RUSTC_OUTPUT,   /* names a file */
    RUSTC_OUT_DIR,
    RUSTC_PREFIX_MAP,
    RUSTC_SEARCH,       /* [KIND=]PATH */
    RUSTC_FOR_MESSAGES, /* shapes messages and nothing else */
    /* of the codegen and unstable tables */
    RUSTC_INCREMENTAL, /* its value is a folder that only this compiler uses, and goes on with */
    RUSTC_PROCESSOR,   /* the value `native` means this machine's */
    RUSTC_VARIES,      /* outputs differ from run to run */
    RUSTC_THREADS,     /* a value above 1 makes outputs differ from run to run */
};

struct rustc_option {
    const char *name; /* without dashes */
    enum rustc_action action;
    bool takes_value; /* long and short options only */
};

/* By the name before "=" (`length` bytes). NULL: not known. */
const struct rustc_option *rustc_option_long(const char *name, size_t length);
const struct rustc_option *rustc_option_short(char letter);
/* Rows for -C and -Z; "_" and "-" are the same there. NULL: a plain one. */
const struct rustc_option *rustc_option_codegen(const char *name, size_t length);
const struct rustc_option *rustc_option_unstable(const char *name, size_t length);

/* For the test of order: the table with this number, or NULL. */
const struct rustc_option *rustc_option_table(int number, size_t *count);

#endif
