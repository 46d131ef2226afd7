/* copy_crate: a RUSTC_WRAPPER that does nothing but put files in place. It is the floor of a cargo build of
 * which nothing has to be compiled.
 *
 *     CRATE_COPIES=FOLDER RUSTC_WRAPPER=copy_crate cargo build
 *
 * For a command with `--crate-name NAME` and perhaps `-C extra-filename=EXTRA`, all files of FOLDER/NAMEEXTRA
 * go to its --out-dir; but the one named "stderr" is what rustc said. What is not there is run. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/copy.h"

static const char extra_word[] = "extra-filename=";

static bool place(int folder, const char *name, int out)
{
    struct stat status;
    int from = openat(folder, name, O_RDONLY | O_CLOEXEC);

    if (from < 0 || fstat(from, &status) != 0)
        return false;
    if (strcmp(name, "stderr") == 0)
        return copy(from, STDERR_FILENO) && close(from) == 0;
    unlinkat(out, name, 0);
    int to = openat(out, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
    return to >= 0 && copy(from, to) && close(to) == 0 && close(from) == 0;
}

static bool place_all(const char *folder_path, const char *out_path)
{
    DIR *folder = opendir(folder_path);
    int out = open(out_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct dirent *entry;
    bool placed = folder && out >= 0;

    while (placed && (entry = readdir(folder)))
        placed = entry->d_name[0] == '.' || place(dirfd(folder), entry->d_name, out);
    return placed;
}

int main(int argc, char **argv)
{
    const char *copies = getenv("CRATE_COPIES"), *name = NULL, *extra = "", *out = NULL;
    char path[4096];

    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i - 1], "--crate-name") == 0)
            name = argv[i];
        else if (strcmp(argv[i - 1], "--out-dir") == 0)
            out = argv[i];
        else if (strncmp(argv[i], extra_word, sizeof extra_word - 1) == 0)
            extra = argv[i] + sizeof extra_word - 1;
    }
    if (copies && name && out) {
        snprintf(path, sizeof path, "%s/%s%s", copies, name, extra);
        if (place_all(path, out))
            return 0;
        fprintf(stderr, "copy_crate: no %s, or it can't be copied\n", path);
    }
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 127;
}
