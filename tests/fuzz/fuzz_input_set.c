/* Packed input sets. An even first byte: the rest is one as it lies in the store. Odd: two bytes say how long
 * the first part is, and the header is made here. What is accepted is
 * checked against an empty request. */
#include "tests/fuzz/fuzz.h"

#include "cache/input_layout.h"
#include "cache/input_set.h"

static struct file_digests *digests;

static const char *no_fact(void *data, enum input_fact fact)
{
    (void)data;
    return fact == FACT_DIRECTORY ? "/w" : NULL;
}

static void add_packed(struct buf *packed, const uint8_t *data, size_t size)
{
    size_t first = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);

    data += size < 2 ? size : 2;
    size -= size < 2 ? size : 2;
    first = first > size ? size : first;
    buf_add_u8(packed, SET_VERSION);
    buf_add_varint(packed, first);
    buf_add_varint(packed, size - first);
    buf_add(packed, data, first);
    buf_add(packed, data + first, size - first);
}

static void check_set(struct input_set *set)
{
    char *entries[] = {(char *)"HOME=/home/x", NULL};
    struct arena arena;
    struct environment environment;
    const char *failed = NULL;

    arena_init(&arena);
    environment_init(&environment, &arena, entries);
    struct check check = {.digests = digests,
                          .directory = AT_FDCWD,
                          .directory_path = "/w",
                          .environment = &environment,
                          .fact = no_fact};
    for (int i = 0; i < 2; i++)
        if (input_set_check(set, &check, &failed) == CHECK_FAILS)
            FUZZ_CHECK(failed);
    FUZZ_CHECK(input_set_memory(set) > 0);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf packed = BUF_INIT;

    if (!digests) {
        FUZZ_CHECK(chdir("/var/empty") == 0 || chdir("/tmp") == 0);
        digests = file_digests_new(NULL);
    }
    if (!size)
        return 0;
    if (data[0] & 1)
        add_packed(&packed, data + 1, size - 1);
    else
        buf_add(&packed, data + 1, size - 1);
    struct input_set *set = input_set_unpack(packed.data, packed.length);
    if (set)
        check_set(set);
    input_set_unref(set);
    buf_release(&packed);
    return 0;
}
