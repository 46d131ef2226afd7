/* filesystem: how far the time stamps of a file system can be believed. Any thread. */
#ifndef CCWRAP_CACHE_FILESYSTEM_H
#define CCWRAP_CACHE_FILESYSTEM_H

#include <stdbool.h>

struct filesystem {
    bool local;  /* one whose stamps come from this kernel's clock, at its resolution, for directories too */
    bool remote; /* known to live on another machine or in another process: no place for a database */
    bool read_only; /* what is mounted here can be another image after the next change of the mount table */
};

/* Looks at the file system that descriptor `fd` (O_PATH will do) lies on. If it can't be asked: neither
 * local nor remote. */
struct filesystem filesystem_of(int fd);

#endif
