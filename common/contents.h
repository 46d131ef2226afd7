/* contents: a plain file's bytes, read at once from its beginning.
 *
 * The descriptor's position is neither used nor moved. Any thread. */
#ifndef CCWRAP_COMMON_CONTENTS_H
#define CCWRAP_COMMON_CONTENTS_H

#include <stddef.h>
#include <sys/types.h>

/* Returns how many bytes were read: fewer than `size` only where the file ends; or negative errno. */
ssize_t contents_read(int fd, void *bytes, size_t size);

#endif
