/* fill: a store with many results, made by the store's own writer.
 *
 *     fill FOLDER COUNT BYTES
 *
 * Keys are numbers, contents are noise of BYTES (as a small object compressed), and each input set has the
 * size of a small C file's: a hundred files. None of them is ever found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cache/packed.h"

enum { FILES = 100 };

static void pack_set(struct buf *out)
{
    struct input_set_builder *builder = input_set_builder_new();
    struct file_facts facts = {.trusted = true};

    for (int i = 0; i < FILES; i++) {
        char path[64];
        snprintf(path, sizeof path, "/usr/include/some/folder/header%d.h", i);
        facts.content = digest_of(path, strlen(path));
        input_set_add_file(builder, path, &facts, false);
    }
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
    pack_set(&set);
    struct packed *packed = pack_noise((size_t)atol(argv[3]));
    for (long i = 0; packed && i < count; i++) {
        struct digest key = digest_of(&i, sizeof i);
        while (cache_store(cache, &key, set.data, set.length, packed) != 0)
            usleep(1000); /* the writer is behind */
    }
    packed_unref(packed);
    cache_close(cache);
    buf_release(&set);
    return 0;
}
