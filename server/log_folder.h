/* log_folder: where the recorder's logs live while their compile runs: in memory if there is /dev/shm. */
#ifndef CCWRAP_SERVER_LOG_FOLDER_H
#define CCWRAP_SERVER_LOG_FOLDER_H

#include "common/arena.h"

/* A folder of our own (0700). `runtime` is taken where there is no /dev/shm. NULL if neither can be used. */
const char *log_folder_open(struct arena *arena, const char *runtime);
/* Removes logs that killed servers left behind. */
void log_folder_remove_old(const char *folder);
/* A link in that folder to `target`, for paths that can't stand in a list. NULL if it can't be made. */
const char *log_folder_link(struct arena *arena, const char *folder, const char *target);

#endif
