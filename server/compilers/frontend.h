/* frontend: what a compiler's command line means.
 *
 * A front end answers what can't be observed: is this a compile of one source, what is its main source, which
 * words name outputs (so that they may differ between two calls that share a result), what of the directory
 * and of the output's name shows in the outputs, and what is excluded by rule. What the compile reads and
 * writes besides is not its business: that is observed.
 *
 * Front ends are pure: they may read response files, and nothing else; any thread may call them. All memory
 * comes from the request's arena. */
#ifndef CCWRAP_SERVER_COMPILERS_FRONTEND_H
#define CCWRAP_SERVER_COMPILERS_FRONTEND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/buf.h"
#include "server/reasons.h"

/* What is asked of a front end. */
struct invocation {
    int argc;
    char *const *argv;   /* the user's words; argv[0] as given */
    const char *program; /* absolute path of what will be run */
    int directory;       /* descriptor of the client's working directory, for response files */
    const char *directory_path;
    const char *(*getenv)(void *environment, const char *name); /* NULL if unset */
    void *environment;
};

/* Does the tool read a GNU make jobserver? Every front end must say (0 is no answer and is refused). */
enum reads_jobserver { READS_JOBSERVER_NO = 1, READS_JOBSERVER_YES, READS_JOBSERVER_BY_COMMAND };

/* What an output file is, as far as a name in the command says it. */
enum output_role {
    OUTPUT_OTHER,       /* named by the compile itself; its path is as observed */
    OUTPUT_OBJECT,      /* what -o names (or the default name): object, assembly, PCH … */
    OUTPUT_DEPFILE,     /* make dependencies */
    OUTPUT_SPLIT_DEBUG, /* .dwo beside the object */
    OUTPUT_STACK_USAGE, /* .su beside the object */
    OUTPUT_DIAGNOSTICS, /* clang --serialize-diagnostics */
    OUTPUT_ROLES
};

/* The answer. Strings live in the arena, or are the invocation's own. */
struct command {
    enum reason reason;      /* REASON_NONE: may be cached. Else why not … */
    const char *reason_word; /* … and the word of the command line that says so, or NULL */

    /* The rest only if reason is REASON_NONE. */
    const char *source;   /* main source as named in the command */
    const char *language; /* as -x would name it */

    /* Paths of the outputs whose names the command says, by role; NULL where there is none or it is not
     * known. As the compiler will name them: relative to the directory, or absolute. OUTPUT_OBJECT is always
     * set, but for commands without an output (-fsyntax-only). */
    const char *output[OUTPUT_ROLES];
    /* The targets at the head of the depfile as the compiler will write them, already quoted and joined by
     * one space ("a.o", "x y"); NULL where not known: then the depfile can't be retargeted. */
    const char *depfile_targets;

    /* The words that go into the key, in order: all words, response files expanded in place, without those
     * that only name outputs (-o, -MF, -MT, -MQ and their values …) where the outputs don't show them. */
    const char **key_words;
    size_t key_word_count;

    bool directory_shows; /* the working directory shows in an output (-g without a covering prefix map,
                             coverage …): it goes into the key */
    bool output_shows;    /* the output's name shows in an output, or files are written whose names are
                             made from it in ways that aren't known: it goes into the key */
    bool positions_show;  /* an output records columns, comments or source digests (-g, -fsanitize,
                             coverage …), or a warning reads comments: a source that differs only in a
                             comment is another source */
    bool columns_show; /* an output, or a warning about indentation, tells columns, which a text doesn't keep
                        */
    bool processor_shows; /* -march=native and its like: this machine's processor goes into the key */
    bool distributable;   /* a real compile that a `prefix` launcher may run elsewhere */
    enum reads_jobserver reads_jobserver; /* NO or YES, for this command */

    /* For preprocessed keys: the words of a command that writes the preprocessed text to stdout, argv[0]
     * first, NULL-terminated; NULL where that isn't possible: the source is preprocessed or plain assembler
     * (the text is then the source itself, and source_is_text is set), or the compiler has no preprocessor.
     */
    char **preprocess_argv;
    bool source_is_text;
    bool allow_unwatched; /* every word is on the strict allow-list of commands whose inputs are all in the
                             preprocessed text: may be cached though it can't be watched */
    const char *unwatched_word; /* the first word that isn't, where allow_unwatched is false */

    /* A folder of outputs that may lie elsewhere in another build (cargo's target folder): paths below it are
     * kept relative to it, in the key, in input sets and in results. NULL: the working directory is that. */
    const char *ground;      /* absolute */
    const char *ground_text; /* as the command spells it, and as messages and dep-info show it */
    /* Paths as named of which listing or content says nothing beyond the key and the other inputs. */
    const char *const *silent; /* NULL-terminated, or NULL */
    /* A folder of this compiler's own that goes on from compile to compile (rustc's incremental one): written
     * but never restored. What is found in it makes the outcome depend on history: then it isn't stored. */
    const char *private_folder;
    const char *message_words; /* words that shape messages alone, joined; NULL for none */
    bool truncates_object;     /* an old one keeps its mode */
    bool replaces_outputs;     /* writes outputs to new files: an old one may have other links */
    bool names_only;           /* inputs are told apart by their names, never by content, inode or mtime */
};

struct frontend {
    const char *name; /* goes into the key: "gcc", "clang", … */
    enum reads_jobserver reads_jobserver;
    /* Fills `command` (zeroed by the caller). Never fails: what can't be understood has a reason. */
    void (*parse)(const struct invocation *invocation, struct arena *arena, struct command *command);
    /* Environment variables that this compiler reads by rule though they may not show (NULL-terminated). */
    const char *const *environment;
};

extern const struct frontend frontend_gcc;
extern const struct frontend frontend_clang;
extern const struct frontend frontend_rustc;

/* The front end for a program, by its name as called and by the name that its links end in (cc → gcc-12);
 * a name that says nothing (a script) gets frontend_gcc. Never NULL. */
const struct frontend *frontend_find(const char *argv0, const char *real_path);

/* True if `name` (no folder) is a compiler that a link to ccwrap may bear: gcc, x86_64-linux-gnu-g++-12,
 * clang-14, c++, cc, rustc … */
bool frontend_is_compiler_name(const char *name);

/* True if a word names the caller's own descriptors or terminal (/dev/stdin, /proc/self …), which are others
 * in another process. */
bool frontend_names_descriptor(const char *word);

#endif
