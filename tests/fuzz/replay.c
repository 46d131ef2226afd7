/* replay FILE|FOLDER…: runs a target over stored inputs, where there is no libFuzzer. The number of inputs is
 * printed; what is wrong ends the process, as in the fuzzer. */
#include <dirent.h>

#include "tests/fuzz/fuzz.h"

static unsigned count;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        perror(path);
        exit(1);
    }
    rewind(file);
    /* exactly as large as the input: a read beyond it is seen by the sanitizer */
    uint8_t *data = malloc((size_t)size);
    if (size && (!data || fread(data, 1, (size_t)size, file) != (size_t)size)) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    count++;
}

static void replay(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    char name[4096];

    if (!folder) {
        replay_file(path);
        return;
    }
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            replay_file(name);
        }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%u inputs\n", count);
    return count ? 0 : 1;
}
