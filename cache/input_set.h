/* input_set: what had to be so for a result to come out, and whether it is still so.
 *
 * A set is a list of conditions. It is made by a builder from what was observed, packed to bytes for the
 * store, unpacked, and checked against a request. A path is as the compile used it: absolute, or relative to
 * the client's working directory (so that two checkouts can share a set).
 *
 * Absences are many (a C++ compile tries thousands of places that don't exist) and are checked by directory
 * stamps: a directory that didn't change still lacks what it lacked. The stamps live in the unpacked set,
 * start with those of the time of packing, and are renewed by each check that looked closer.
 *
 * Threads: a builder has one owner. A set is counted (input_set_ref/unref) and may be checked by several
 * threads at once. */
#ifndef CCWRAP_CACHE_INPUT_SET_H
#define CCWRAP_CACHE_INPUT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cache/file_digest.h"
#include "cache/hash.h"
#include "common/buf.h"
#include "common/environment.h"

/* What a request says of itself, as texts that are compared with those of the time of storing. The cache
 * doesn't know what they mean. The order is the store's format. */
enum input_fact {
    FACT_DIRECTORY,   /* working directory as it shows (PWD) */
    FACT_OUTPUT,      /* name of the output */
    FACT_TERMINAL,    /* which of 0, 1, 2 are terminals, and how wide */
    FACT_STREAMS,     /* are 1 and 2 the same file */
    FACT_TARGETS,     /* targets of the depfile */
    FACT_DEPFILE,     /* name of the depfile */
    FACT_ENVIRONMENT, /* digest of the whole environment but a fixed list of noise */
    FACT_LIMITS,      /* umask and the like, where they show */
    FACT_MACHINE,     /* processor, where it shows */
    FACT_LIBRARIES,   /* folders in which the loader looks first (LD_LIBRARY_PATH) */
    FACT_WORDS,       /* the words of the command as they were given */
    FACT_COUNT
};

struct input_set_builder;

struct input_set_builder *input_set_builder_new(void);
void input_set_builder_free(struct input_set_builder *builder);

/* Each adds one condition; adding the same again is harmless. Paths and values are copied. */

/* A regular file with this content. `facts` as file_digest gave them (blank digest only if has_blank);
 * `executable`: it must also have an x bit. */
void input_set_add_file(struct input_set_builder *builder, const char *path, const struct file_facts *facts,
                        bool executable);
/* Nothing by that name, as stat (follow) or lstat sees it. */
void input_set_add_absent(struct input_set_builder *builder, const char *path, bool follow);
/* Something of this kind (S_IFMT bits of mode), as stat or lstat sees it; nothing else of it counts. */
void input_set_add_exists(struct input_set_builder *builder, const char *path, mode_t mode, bool follow);
/* A file's size and mtime count too; with `status`, owner and mode as well. */
void input_set_add_times(struct input_set_builder *builder, const char *path, const struct stamp *stamp,
                         const struct stat *status);
/* Nothing is there, or a plain file without content. */
void input_set_add_empty(struct input_set_builder *builder, const char *path);
/* Names in a directory (directory_digest with no names left out, but those in `own`, which the compile made
 * itself; NULL-terminated, may be NULL). */
void input_set_add_listing(struct input_set_builder *builder, const char *path, const struct digest *names,
                           const char *const *own);
/* readlink gives this target; `result` 0 or negative errno. */
void input_set_add_link(struct input_set_builder *builder, const char *path, int result, const char *target);
/* realpath gives this path (relative to the directory if it lies in it: the caller says so by the form). */
void input_set_add_realpath(struct input_set_builder *builder, const char *path, int result,
                            const char *resolved);
/* The variable has this value (only its digest is kept), or NULL: is unset. */
void input_set_add_variable(struct input_set_builder *builder, const char *name, const char *value);
/* PATH has this value, or at least every search (below) still meets the same. */
void input_set_add_search_path(struct input_set_builder *builder, const char *value);
/* The name was searched in the folders of PATH, which had this value; `directory` is the client's. */
void input_set_add_search(struct input_set_builder *builder, const char *name, const char *value,
                          int directory);
/* The request says this of itself. */
void input_set_add_fact(struct input_set_builder *builder, enum input_fact fact, const char *value);
/* Two files of equal content that the compile could take for one another: whether they are one inode, and
 * whether their mtimes agree, must stay as it is. */
void input_set_add_twins(struct input_set_builder *builder, const char *path, const char *other,
                         bool same_inode, bool same_mtime);
/* The result may serve though a file differs in its comments alone (all files that have a blank digest). */
void input_set_allow_comments(struct input_set_builder *builder);

/* Appends the packed set to `out`. Takes the stamps of all directories that prove absences; `directory` is
 * the client's working directory. Uses up the builder: it can only be freed afterwards. */
void input_set_pack(struct input_set_builder *builder, int directory, struct buf *out);

struct input_set;

/* NULL if the bytes are not a packed set. */
struct input_set *input_set_unpack(const void *bytes, size_t size);
struct input_set *input_set_ref(struct input_set *set);
void input_set_unref(struct input_set *set);
/* Bytes of memory that it takes, for bounds. */
size_t input_set_memory(const struct input_set *set);

/* What a set is checked against. */
struct check {
    struct file_digests *digests;
    int directory; /* descriptor of the client's working directory */
    const char *directory_path;
    struct environment *environment;
    /* Text of a fact; called at most once a set and fact. NULL differs from "". */
    const char *(*fact)(void *data, enum input_fact fact);
    void *data;
};

enum check_result { CHECK_FAILS, CHECK_HOLDS, CHECK_HOLDS_BUT_COMMENTS };

/* `failed`, if not NULL, gets the first thing that is no longer so, for the log ("inc/a.h changed"); arena of
 * the check's environment. */
enum check_result input_set_check(struct input_set *set, const struct check *check, const char **failed);

#endif
