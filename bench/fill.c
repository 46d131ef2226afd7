/* fill: a store with many results, made by the store's own writer.
 *
 *     fill FOLDER COUNT BYTES
 *
 * As builds of one project after another leave them: the input sets are of a small C file's size, with
 * headers of the system, headers of the project, and a source of their own. Keys are digests, contents are
 * noise of BYTES (as a small object compressed). None of them is ever found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cache/packed.h"

enum { SYSTEM_FILES = 60, COMMON_FILES = 30, OWN_FILES = 10, PROJECT_FILES = 100, PROJECT_RESULTS = 300 };

static void add_file(struct input_set_builder *builder, const char *folder, long number)
{
    char path[64];
    struct file_facts facts = {.trusted = true};

    snprintf(path, sizeof path, "%s/part%ld.h", folder, number);
    facts.content = digest_of(path, strlen(path));
    input_set_add_file(builder, path, &facts, false);
}

static void pack_set(long result, struct buf *out)
{
    struct input_set_builder *builder = input_set_builder_new();
    char project[32];

    snprintf(project, sizeof project, "src/project%ld", result / PROJECT_RESULTS);
    for (long i = 0; i < SYSTEM_FILES; i++)
        add_file(builder, "/usr/include/some/folder", i);
    for (long i = 0; i < COMMON_FILES; i++)
        add_file(builder, project, i);
    for (long i = 0; i < OWN_FILES; i++)
        add_file(builder, project, COMMON_FILES + rand() % (PROJECT_FILES - COMMON_FILES));
    add_file(builder, project, PROJECT_FILES + result);
    input_set_pack(builder, -1, out);
    input_set_builder_free(builder);
}

static struct packed *pack_noise(size_t size)
{
    char *noise = malloc(size);
    struct packed_file file = {.path = "", .mode = 0644, .size = size, .bytes = noise, .fd = -1};
    struct packed *packed = NULL;

    for (size_t i = 0; noise && i < size; i++)
        noise[i] = (char)rand();
    packed_make(&file, 1, 1, size, &packed);
    free(noise);
    return packed;
}

int main(int argc, char **argv)
{
    struct buf set = BUF_INIT;

    if (argc != 4) {
        fprintf(stderr, "usage: fill FOLDER COUNT BYTES\n");
        return 2;
    }
    struct cache_options options = {
        .folder = argv[1], .max_size = UINT64_MAX / 2, .memory = 1, .pending = 16 << 20};
    struct cache *cache = cache_open(&options);
    long count = atol(argv[2]);
    struct packed *packed = pack_noise((size_t)atol(argv[3]));
    for (long i = 0; packed && i < count; i++) {
        struct digest key = digest_of(&i, sizeof i);
        buf_reset(&set);
        pack_set(i, &set);
        while (cache_store(cache, &key, set.data, set.length, packed) != 0)
            usleep(1000); /* the writer is behind */
    }
    packed_unref(packed);
    cache_close(cache);
    buf_release(&set);
    return 0;
}
