/* reasons: why a request was not served from the cache or not stored, from a fixed list.
 *
 * The names are what `--print-stats` prints; where ccache counts the same thing, its name is used. The order
 * is the store's format: append only. */
#ifndef CCWRAP_SERVER_REASONS_H
#define CCWRAP_SERVER_REASONS_H

/*  identifier, name in --print-stats, text for people */
#define REASONS(X)                                                                                           \
    X(NONE, "none", "")                                                                                      \
    X(LINK, "called_for_link", "called for link")                                                            \
    X(PREPROCESSING, "called_for_preprocessing", "called for preprocessing")                                 \
    X(DEPENDENCIES, "called_for_dependencies", "called for dependencies only (-M, -MM)")                     \
    X(QUESTION, "called_for_information", "called for information (--version, -print-…)")                    \
    X(NO_INPUT, "no_input_file", "no input file")                                                            \
    X(MULTIPLE_SOURCES, "multiple_source_files", "multiple source files")                                    \
    X(STDIN, "source_on_stdin", "source on standard input")                                                  \
    X(STDOUT, "output_to_stdout", "output to standard output")                                               \
    X(DESCRIPTOR, "named_descriptor", "names a descriptor of the caller (/dev/stdin, /dev/fd, /proc/self)")  \
    X(ARGUMENTS, "bad_compiler_arguments", "bad compiler arguments")                                         \
    X(LANGUAGE, "unsupported_source_language", "unsupported source language")                                \
    X(OPTION, "unsupported_compiler_option", "unsupported compiler option")                                  \
    X(SHARED_FILE, "merged_output", "output is added to or merged into a file")                              \
    X(OUTPUT_FILE, "bad_output_file", "output is not a plain file of its own")                               \
    X(COMPILE_FAILED, "compile_failed", "compile failed")                                                    \
    X(TIME, "reads_time", "result depends on the time of day")                                               \
    X(UNWATCHABLE, "unwatchable_compiler", "compiler can't be watched")                                      \
    X(LOG, "incomplete_observation", "observation was incomplete")                                           \
    X(SPECIAL_INPUT, "bad_input_file", "input is not a plain file")                                          \
    X(MODIFIED_INPUT, "modified_input_file", "input was modified during the compile")                        \
    X(EFFECT, "other_effect", "compile changed files in a way that can't be repeated")                       \
    X(PREPROCESSOR_FAILED, "preprocessor_error", "preprocessing failed")                                     \
    X(TOO_LARGE, "result_too_large", "result too large (max_result)")                                        \
    X(BUSY, "dropped_busy", "result dropped: store too slow")                                                \
    X(DISABLED, "disabled", "disabled by a setting")                                                         \
    X(OTHER_BUILD, "other_build", "client is of another build of ccwrap (one socket for two)")               \
    X(OTHER_VIEW, "other_view", "client sees another machine (root, mounts, limits)")                        \
    X(NOT_FOUND, "could_not_find_compiler", "compiler could not be started")                                 \
    X(INTERNAL, "internal_error", "internal error")                                                          \
    X(CANCELLED, "cancelled", "cancelled by the client")                                                     \
    X(NO_STORE, "no_store", "there is no store")

enum reason {
#define X(identifier, name, text) REASON_##identifier,
    REASONS(X)
#undef X
        REASON_COUNT
};

const char *reason_name(enum reason reason);
const char *reason_text(enum reason reason);

#endif
