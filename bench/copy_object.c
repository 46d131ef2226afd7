/* copy_object: in place of a compiler, it does nothing but put files in place. It is the floor of a build of
 * which nothing has to be compiled.
 *
 *     copy_object gcc … -c x.c -o x.o [-MF x.d]
 *
 * x.o becomes a copy of x.o.kept, and x.d one of x.d.kept where there is one. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/copy.h"

static bool place(const char *path)
{
    char kept[PATH_MAX];

    snprintf(kept, sizeof kept, "%s.kept", path);
    int from = open(kept, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return false;
    unlink(path);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return to >= 0 && copy(from, to) && close(to) == 0 && close(from) == 0;
}

int main(int argc, char **argv)
{
    bool placed = false;

    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i - 1], "-o") == 0)
            placed = place(argv[i]);
        else if (strcmp(argv[i - 1], "-MF") == 0)
            place(argv[i]);
    if (!placed)
        fprintf(stderr, "copy_object: nothing is kept for this command\n");
    return placed ? 0 : 1;
}
