/* input_layout: the form of a packed input set, shared by the builder and the checker.
 *
 * A packed set is
 *     u8 version, varint sizes of the two parts, the first part, the second part.
 * It is not compressed: the store does that, with sets that are like it in view (bases.h).
 *
 * First part:
 *     u8 flags
 *     strings: varint count; each: varint bytes shared with the one before, and the rest with its NUL
 *     conditions: for each kind a varint count; each: varint distance of its string from that of the one
 *         before, varint number * 2 + has_digest, varint second
 *     directories: varint count; each: varint string, varint needs (bits DIRECTORY_*), varint own (string +
 *         1, or 0 without a listing), varint size of its absences in bytes, and these: varint (distance of
 *         the name from the one before) * 2 + follow
 *
 * Second part: digests of the conditions that have one, in their order; with SET_COMMENTS the first
 * BLANK_SIZE bytes of each file's blank digest (zeros: none); a mark for each GROUP files; for each directory
 * a mark, and the digest of its listing if it has one.
 *
 * A directory's mark answers for all that can only change with its stamp: what it lacks, and for its entries
 * of kind "a directory, no link" and "a link with this target". It was taken before these were looked at for
 * the last time.
 *
 * A mark is a 64-bit digest of a stamp (0: none): all that must be told of a stamp is whether it is still the
 * same. Files are marked in groups to save space: only at a set's first check does it matter that their
 * contents were known before, and what fails there is found in the table of digests. */
#ifndef CCWRAP_CACHE_INPUT_LAYOUT_H
#define CCWRAP_CACHE_INPUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/file_digest.h"
#include "cache/hash.h"

enum { SET_VERSION = 5, SET_COMMENTS = 1, BLANK_SIZE = 8, FILE_GROUP = 16 };
enum { FILE_EXECUTABLE = 1, FILE_NO_LINK = 2 };       /* it must be … */
enum { DIRECTORY_NEEDED = 1, DIRECTORY_NO_LINK = 2 }; /* it must be there, … and not be a link */
/* For a CONDITION_TIMES, in place of an mtime: nothing is there, or a file of no length. */
#define TIMES_OF_EMPTY UINT64_MAX
enum { SET_STRINGS_MAX = 64 * 1024 * 1024, SET_PARTS_MAX = 64 * 1024 * 1024 };

/* In the order in which they are checked: what is cheap or likely to fail comes first. The order is the
 * store's format. What `number` and `second` hold: */
enum condition_kind {
    CONDITION_FACT,     /* number: enum input_fact; digest of the text, none: NULL */
    CONDITION_VARIABLE, /* string: name; digest of the value, none: unset; number: 1 if searches may excuse it
                         */
    CONDITION_SEARCH,   /* string: name; digest of what a search on PATH meets. Only if PATH is excused */
    CONDITION_FILE,     /* string: path; number: bits FILE_*; digest of the content */
    CONDITION_LINK,     /* string: path; number: errno; second: string of the target */
    CONDITION_REALPATH, /* string: path; number: errno; second: string of the result */
    CONDITION_EXISTS,   /* string: path; number: S_IFMT bits + follow */
    CONDITION_TIMES,    /* string: path; number: size; second: mtime; digest, if any, of owner and mode */
    CONDITION_TWINS,    /* string: path; number: same inode + 2 * same mtime; second: string of the other */
    CONDITION_ABSENT,   /* string: path; number: errno * 2 + follow. Only those that no directory can prove */
    CONDITION_KINDS
};

struct condition {
    uint32_t string;
    uint16_t has_digest; /* 0 or 1; no padding: conditions are compared as bytes */
    uint16_t is_entry;   /* not packed: the stamp of the directory in which it stands answers for it */
    uint64_t number, second;
    struct digest digest;
};

/* Could the stamp of the directory above `path` answer for this condition? Not if its last name isn't that of
 * an entry. */
bool may_be_entry(enum condition_kind kind, uint64_t number, const char *path);
/* Length of the directory part of path[0 … length), without the slashes that end it; "/" keeps its own. */
size_t parent_length(const char *path, size_t length);

uint64_t mark_of(const struct stamp *stamp);
/* A mark that counts only while the mount table has this number (0: always). */
uint64_t mark_bound_to(uint64_t mark, uint32_t mounts);

#endif
