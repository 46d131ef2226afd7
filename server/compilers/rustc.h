/* rustc: the front end of rustc and of programs that are called with rustc's words (clippy-driver).
 *
 * cargo runs `WRAPPER RUSTC WORDS…`, and for a workspace's own crates with RUSTC_WORKSPACE_WRAPPER
 * `WRAPPER OTHER RUSTC WORDS…`. Which files a compile reads and writes is observed; what this front end says
 * is where outputs go (the ground), so that builds in other target folders share, and what is left out. */
#ifndef CCWRAP_SERVER_COMPILERS_RUSTC_H
#define CCWRAP_SERVER_COMPILERS_RUSTC_H

#include "server/compilers/frontend.h"

/* Stands for the ground in key words. */
#define RUSTC_GROUND_MARK "\001ground"

/* True if these words run a program that wraps rustc: OTHER RUSTC WORDS…, where OTHER is no C compiler. */
bool rustc_is_wrapped(char *const *argv);

/* True if a path of these bytes is spelled the same by rustc's JSON, by its dep-info and in the command. */
bool rustc_is_plain_path(const char *path);

#endif
