/* input_unpacked: an input set in memory, shared by the unpacker (input_set.c) and the checker
 * (input_check.c). All but the marks is immutable; these are single words, written when a check has found
 * that what bears a stamp is as it must be. */
#ifndef CCWRAP_CACHE_INPUT_UNPACKED_H
#define CCWRAP_CACHE_INPUT_UNPACKED_H

#include <stdatomic.h>

#include "cache/input_layout.h"
#include "cache/input_set.h"

enum {
    FILE_MARKS = 2,
    DIRECTORY_MARKS = 4, /* checkouts that use one set in turn */
};

struct watched_file {
    _Atomic uint64_t marks[FILE_MARKS];
    unsigned char blank[BLANK_SIZE]; /* zeros: none */
    uint16_t folder; /* length of its folder's path, with the slash, where many in a row lie deep; else 0 */
};

struct directory {
    uint32_t path;
    uint8_t needs; /* bits DIRECTORY_* */
    bool has_listing;
    bool single;             /* all that it is asked for is one absence */
    uint32_t entry_count;    /* conditions that its stamp answers for … */
    const uint32_t *entries; /* … by their numbers in the set */
    uint32_t own;            /* names that the listing leaves out, each followed by a slash */
    struct digest listing;
    const unsigned char *absences; /* packed, as in input_layout.h */
    uint32_t absences_size;
    _Atomic uint32_t turn;
    _Atomic uint64_t marks[DIRECTORY_MARKS];
};

struct input_set {
    _Atomic int references;
    bool comments;
    size_t memory;
    char *text;        /* all strings */
    uint32_t *strings; /* where each begins in it */
    size_t string_count;
    struct condition *conditions;
    size_t condition_count;
    size_t
        kind_end[CONDITION_KINDS]; /* conditions of a kind end here; they begin where those before it end */
    struct watched_file *files;    /* for each condition of kind CONDITION_FILE */
    _Atomic uint64_t *groups;      /* mark of each FILE_GROUP files; 0: none, or used up */
    struct directory *directories;
    size_t directory_count;
    uint32_t *entries;  /* of all directories */
    unsigned char *raw; /* first part: holds the absences */
};

static inline const char *set_string(const struct input_set *set, uint64_t number)
{
    return set->text + set->strings[number];
}

static inline size_t kind_begin(const struct input_set *set, enum condition_kind kind)
{
    return kind == 0 ? 0 : set->kind_end[kind - 1];
}

#endif
