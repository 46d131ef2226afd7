/* Input sets to packed bytes (input_layout.h). */
#include <xxhash.h>

#include "cache/input_building.h"

/* Appends the conditions of one kind, from `added` on; returns where the next kind begins. */
static const struct added *put_kind(const struct added *added, const struct added *end,
                                    enum condition_kind kind, struct buf *first, struct buf *second)
{
    const struct added *next = added;
    uint32_t last = 0;

    while (next < end && next->kind == kind)
        next++;
    buf_add_varint(first, (uint64_t)(next - added));
    for (; added < next; added++) {
        const struct condition *condition = &added->condition;
        buf_add_varint(first, condition->string - last);
        buf_add_varint(first, condition->number * 2 + condition->has_digest);
        buf_add_varint(first, condition->second);
        last = condition->string;
        if (condition->has_digest)
            buf_add(second, condition->digest.bytes, sizeof condition->digest.bytes);
    }
    return next;
}

/* A group whose files can't all be trusted has no mark. */
static void put_group_marks(const struct added *files, size_t count, struct buf *second)
{
    for (size_t i = 0; i < count; i += FILE_GROUP) {
        uint64_t marks[FILE_GROUP];
        size_t size = count - i < FILE_GROUP ? count - i : FILE_GROUP;
        bool all = true;
        for (size_t j = 0; j < size; j++) {
            marks[j] = files[i + j].mark;
            all = all && marks[j];
        }
        buf_add_u64(second, all ? XXH3_64bits(marks, size * sizeof *marks) : 0);
    }
}

static void put_conditions(const struct input_set_builder *builder, struct buf *first, struct buf *second)
{
    const struct added *next = builder->added, *end = builder->added + builder->added_count;
    const struct added *files = NULL;
    size_t file_count = 0;

    for (int kind = 0; kind < CONDITION_KINDS; kind++) {
        const struct added *begin = next;
        next = put_kind(begin, end, (enum condition_kind)kind, first, second);
        if (kind == CONDITION_FILE) {
            files = begin;
            file_count = (size_t)(next - begin);
        }
    }
    for (size_t i = 0; builder->comments && i < file_count; i++)
        buf_add(second, files[i].blank, sizeof files[i].blank);
    put_group_marks(files, file_count, second);
}

static size_t put_absences_of(const struct grounded *grounded, size_t count, struct buf *first,
                              struct buf *list)
{
    uint32_t last = 0;
    size_t i;

    buf_reset(list);
    for (i = 0; i < count && grounded[i].ground == grounded->ground; i++) {
        if (grounded[i].bare)
            continue;
        buf_add_varint(list, (uint64_t)(grounded[i].rest - last) * 2 + grounded[i].follow);
        last = grounded[i].rest;
    }
    buf_add_varint(first, grounded->ground);
    buf_add_varint(first, grounded->needs);
    buf_add_varint(first, 0);
    buf_add_varint(first, list->length);
    buf_add(first, list->data, list->length);
    return i;
}

static void put_directories(const struct packing *packing, struct buf *first, struct buf *second)
{
    const struct input_set_builder *builder = packing->builder;
    struct buf list = BUF_INIT, directories = BUF_INIT;
    size_t count = builder->listing_count;

    for (size_t i = 0; i < builder->listing_count; i++) {
        const struct listing *listing = &builder->listings[i];
        buf_add_varint(&directories, listing->path);
        buf_add_varint(&directories, 0);
        buf_add_varint(&directories, (uint64_t)listing->own + 1);
        buf_add_varint(&directories, 0);
        buf_add_u64(second, 0); /* it may have changed since it was listed: no mark */
        buf_add(second, listing->names.bytes, sizeof listing->names.bytes);
    }
    for (size_t i = 0; i < packing->grounded_count; count++) {
        buf_add_u64(second, packing->grounded[i].mark);
        i += put_absences_of(&packing->grounded[i], packing->grounded_count - i, &directories, &list);
    }
    buf_add_varint(first, count);
    buf_add(first, directories.data, directories.length);
    buf_release(&directories);
    buf_release(&list);
}

void put_input_set(const struct packing *packing, struct buf *out)
{
    struct buf first = BUF_INIT, second = BUF_INIT;

    buf_add_u8(&first, packing->builder->comments ? SET_COMMENTS : 0);
    strings_put(&packing->builder->strings, &first);
    put_conditions(packing->builder, &first, &second);
    put_directories(packing, &first, &second);

    buf_add_u8(out, SET_VERSION);
    buf_add_varint(out, first.length);
    buf_add_varint(out, second.length);
    buf_add(out, first.data, first.length);
    buf_add(out, second.data, second.length);

    buf_release(&first);
    buf_release(&second);
}
