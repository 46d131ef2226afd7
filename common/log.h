/* log: lines with the time in front, appended to one file of bounded size.
 *
 * One log a process; any thread. Until log_open succeeds, and if the file can't be written any more, lines
 * are dropped: a log never ends or delays a compile. */
#ifndef CCWRAP_COMMON_LOG_H
#define CCWRAP_COMMON_LOG_H

#include <stdbool.h>

/* Bytes. The full file is then kept as PATH.1, and the one before is lost. */
enum { LOG_MAX = 8 * 1024 * 1024 };

/* Opens (or goes on with) the log at `path`, readable by its owner alone. 0 or negative errno; -EINVAL if it
 * is no regular file. */
int log_open(const char *path);
void log_close(void);
/* For callers whose line is costly to make. */
bool log_is_open(void);
/* Adds the time in front and a newline behind. Lines of more than 4000 bytes are cut. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
