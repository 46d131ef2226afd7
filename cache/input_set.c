/* Input sets from packed bytes to memory. */
#include "cache/input_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "cache/input_layout.h"
#include "cache/input_unpacked.h"
#include "common/lookup.h"
#include "common/memory.h"

enum { FREE_STEPS = 3, WORTH_ENTERING = 20 };

uint64_t mark_of(const struct stamp *stamp)
{
    uint64_t mark = XXH3_64bits(stamp, sizeof *stamp);
    return mark ? mark : 1;
}

uint64_t mark_bound_to(uint64_t mark, uint32_t mounts)
{
    uint64_t bound = mark ^ (mounts * UINT64_C(0x9e3779b97f4a7c15));
    return bound ? bound : 1;
}

size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* What is mounted over a directory is a directory, too, and nothing can be mounted over a link: these two are
 * changed through the directory alone. */
bool may_be_entry(enum condition_kind kind, uint64_t number, const char *path)
{
    const char *name = lookup_basename(path);

    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    return (kind == CONDITION_EXISTS && number == S_IFDIR) || (kind == CONDITION_LINK && number == 0);
}

/* The two parts of a set while it is unpacked. */
struct parts {
    struct reader first, second;
};

/* Finds the parts; false if the bytes can't be a set. */
static bool open_parts(struct input_set *set, const unsigned char *bytes, size_t size, struct parts *parts)
{
    struct reader reader;

    reader_init(&reader, bytes, size);
    uint8_t version = reader_u8(&reader);
    uint64_t first_size = reader_varint(&reader), second_size = reader_varint(&reader);
    if (reader.bad || version != SET_VERSION || first_size > SET_PARTS_MAX ||
        first_size > reader_left(&reader) || second_size != reader_left(&reader) - first_size)
        return false;
    set->raw = malloc((size_t)first_size + 1);
    if (!set->raw)
        return false;
    memcpy(set->raw, reader_bytes(&reader, (size_t)first_size), (size_t)first_size);
    reader_init(&parts->first, set->raw, (size_t)first_size);
    reader_init(&parts->second, reader.next, (size_t)second_size);
    set->memory += (size_t)first_size;
    return true;
}

/* A count can't be larger than what is left, at a byte each at least. */
static bool take_count(struct reader *reader, size_t *count)
{
    uint64_t number = reader_varint(reader);

    *count = (size_t)number;
    return !reader->bad && number <= reader_left(reader);
}

static void *room_for(struct input_set *set, size_t count, size_t size)
{
    set->memory += count * size;
    return memory_zalloc(count * size + 1);
}

static bool unpack_strings(struct input_set *set, struct reader *reader)
{
    struct buf text = BUF_INIT;
    size_t last = 0;
    bool good = take_count(reader, &set->string_count);

    if (!good)
        return false;
    set->strings = room_for(set, set->string_count, sizeof *set->strings);
    for (size_t i = 0; good && i < set->string_count; i++) {
        uint64_t shared = reader_varint(reader);
        const char *rest = reader_string(reader);
        size_t begin = text.length;

        if (reader->bad || shared > (i ? begin - last - 1 : 0) || begin > SET_STRINGS_MAX) {
            good = false;
            break;
        }
        buf_reserve(&text, shared + 1);
        buf_add(&text, text.data + last, shared);
        buf_add_string(&text, rest);
        set->strings[i] = (uint32_t)begin;
        last = begin;
    }
    set->memory += text.length;
    set->text = buf_detach(&text, NULL);
    return good;
}

static bool second_fits(const struct input_set *set, enum condition_kind kind, uint64_t second)
{
    bool string = kind == CONDITION_LINK || kind == CONDITION_REALPATH || kind == CONDITION_TWINS;
    return !string || second < set->string_count;
}

static bool unpack_condition(struct input_set *set, struct parts *parts, enum condition_kind kind,
                             uint64_t *string, struct condition *condition)
{
    *string += reader_varint(&parts->first);
    uint64_t number = reader_varint(&parts->first);

    condition->has_digest = number & 1;
    condition->number = number >> 1;
    condition->second = reader_varint(&parts->first);
    if (parts->first.bad || *string >= set->string_count || !second_fits(set, kind, condition->second))
        return false;
    condition->string = (uint32_t)*string;
    if (condition->has_digest) {
        const void *digest = reader_bytes(&parts->second, sizeof condition->digest.bytes);
        if (!digest)
            return false;
        memcpy(condition->digest.bytes, digest, sizeof condition->digest.bytes);
    }
    return condition->has_digest || kind != CONDITION_FILE;
}

static bool unpack_conditions(struct input_set *set, struct parts *parts)
{
    for (int kind = 0; kind < CONDITION_KINDS; kind++) {
        size_t count, total;
        uint64_t string = 0;

        if (!take_count(&parts->first, &count))
            return false;
        total = set->condition_count + count;
        set->conditions = memory_realloc(set->conditions, total * sizeof *set->conditions + 1);
        memset(set->conditions + set->condition_count, 0, count * sizeof *set->conditions);
        for (; set->condition_count < total; set->condition_count++)
            if (!unpack_condition(set, parts, (enum condition_kind)kind, &string,
                                  &set->conditions[set->condition_count]))
                return false;
        set->kind_end[kind] = total;
    }
    set->memory += set->condition_count * sizeof *set->conditions;
    return true;
}

static size_t folder_length(const struct input_set *set, size_t file)
{
    const char *path = set_string(set, set->conditions[kind_begin(set, CONDITION_FILE) + file].string);
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

static bool in_one_folder(const struct input_set *set, size_t file, size_t other, size_t length)
{
    const struct condition *files = &set->conditions[kind_begin(set, CONDITION_FILE)];
    return folder_length(set, other) == length &&
           memcmp(set_string(set, files[file].string), set_string(set, files[other].string), length) == 0;
}

/* Opening a folder costs as much as two looks; by each file that follows, a tenth of a look is saved for
 * every step of the way there, but for the first few (measured). */
static bool is_worth_entering(const char *path, size_t length, size_t files)
{
    size_t steps = 0;

    for (size_t i = 0; i < length; i++)
        steps += path[i] == '/';
    return length < PATH_MAX && steps > FREE_STEPS && (steps - FREE_STEPS) * files > WORTH_ENTERING;
}

static void find_folders(struct input_set *set, size_t count)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t length = folder_length(set, begin);
        const char *path = set_string(set, set->conditions[kind_begin(set, CONDITION_FILE) + begin].string);

        for (end = begin + 1; end < count && in_one_folder(set, begin, end, length);)
            end++;
        if (is_worth_entering(path, length, end - begin))
            for (size_t i = begin; i < end; i++)
                set->files[i].folder = (uint16_t)length;
    }
}

static bool unpack_files(struct input_set *set, struct reader *second)
{
    size_t count = set->kind_end[CONDITION_FILE] - kind_begin(set, CONDITION_FILE);
    size_t groups = (count + FILE_GROUP - 1) / FILE_GROUP;

    set->files = room_for(set, count, sizeof *set->files);
    set->groups = room_for(set, groups, sizeof *set->groups);
    for (size_t i = 0; set->comments && i < count; i++) {
        const void *blank = reader_bytes(second, BLANK_SIZE);
        if (blank)
            memcpy(set->files[i].blank, blank, BLANK_SIZE);
    }
    for (size_t i = 0; i < groups; i++)
        atomic_init(&set->groups[i], reader_u64(second));
    find_folders(set, count);
    return !second->bad;
}

/* The names of absences are looked at here once, so that a check can trust them. */
static bool absences_are_sound(const struct input_set *set, const struct directory *directory)
{
    struct reader reader;
    uint64_t name = 0;

    reader_init(&reader, directory->absences, directory->absences_size);
    while (reader_left(&reader) > 0) {
        name += reader_varint(&reader) >> 1;
        if (reader.bad || name >= set->string_count)
            return false;
    }
    return true;
}

static bool is_single(const unsigned char *absences, size_t size)
{
    struct reader reader;

    reader_init(&reader, absences, size);
    reader_varint(&reader);
    return !reader.bad && reader_left(&reader) == 0;
}

static bool unpack_directory(struct input_set *set, struct parts *parts, struct directory *directory)
{
    uint64_t path = reader_varint(&parts->first), needs = reader_varint(&parts->first);
    uint64_t own = reader_varint(&parts->first);
    uint64_t size = reader_varint(&parts->first);

    if (parts->first.bad || path >= set->string_count || own > set->string_count || size > UINT32_MAX)
        return false;
    directory->path = (uint32_t)path;
    directory->needs = (uint8_t)needs;
    directory->has_listing = own > 0;
    directory->own = own ? (uint32_t)own - 1 : 0;
    directory->absences_size = (uint32_t)size;
    directory->absences = reader_bytes(&parts->first, (size_t)size);
    if (!directory->absences)
        return false;
    directory->single = !own && !needs && is_single(directory->absences, (size_t)size);
    atomic_init(&directory->marks[0], reader_u64(&parts->second));
    if (directory->has_listing) {
        const void *digest = reader_bytes(&parts->second, sizeof directory->listing.bytes);
        if (digest)
            memcpy(directory->listing.bytes, digest, sizeof directory->listing.bytes);
    }
    return !parts->first.bad && !parts->second.bad && absences_are_sound(set, directory);
}

static bool unpack_directories(struct input_set *set, struct parts *parts)
{
    if (!take_count(&parts->first, &set->directory_count))
        return false;
    set->directories = room_for(set, set->directory_count, sizeof *set->directories);
    for (size_t i = 0; i < set->directory_count; i++)
        if (!unpack_directory(set, parts, &set->directories[i]))
            return false;
    return reader_left(&parts->first) == 0 && reader_left(&parts->second) == 0;
}

/* The directory in which a path stands, if its stamp is watched; those are in the order of their names,
 * behind those that are listed. */
static struct directory *directory_above(struct input_set *set, const char *path)
{
    size_t length = parent_length(path, strlen(path)), low = 0, high = set->directory_count;
    const char *parent = length ? path : ".";

    length = length ? length : 1;
    while (low < high && set->directories[low].has_listing)
        low++;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *name = set_string(set, set->directories[middle].path);
        int order = strncmp(name, parent, length);
        if (order == 0 && name[length] == '\0')
            return &set->directories[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Gives conditions to the directories that answer for them. */
static void find_entries(struct input_set *set)
{
    size_t count = set->condition_count, next = 0;
    struct directory **above = memory_zalloc(count * sizeof *above + 1);

    for (int kind = 0; kind < CONDITION_KINDS; kind++)
        for (size_t i = kind_begin(set, kind); i < set->kind_end[kind]; i++) {
            struct condition *condition = &set->conditions[i];
            const char *path = set_string(set, condition->string);
            if (may_be_entry(kind, condition->number, path) && (above[i] = directory_above(set, path))) {
                condition->is_entry = true;
                above[i]->entry_count++;
                next++;
            }
        }
    set->entries = room_for(set, next, sizeof *set->entries);
    next = 0;
    for (size_t i = 0; i < set->directory_count; i++) {
        set->directories[i].entries = set->entries + next;
        next += set->directories[i].entry_count;
        set->directories[i].single = set->directories[i].single && !set->directories[i].entry_count;
        set->directories[i].entry_count = 0;
    }
    for (size_t i = 0; i < count; i++)
        if (above[i])
            set->entries[above[i]->entries - set->entries + above[i]->entry_count++] = (uint32_t)i;
    memory_free(above);
}

struct input_set *input_set_unpack(const void *bytes, size_t size)
{
    struct input_set *set = memory_zalloc(sizeof *set);
    struct parts parts;

    atomic_init(&set->references, 1);
    set->memory = sizeof *set;
    if (open_parts(set, bytes, size, &parts)) {
        set->comments = reader_u8(&parts.first) & SET_COMMENTS;
        if (unpack_strings(set, &parts.first) && unpack_conditions(set, &parts) &&
            unpack_files(set, &parts.second) && unpack_directories(set, &parts)) {
            find_entries(set);
            return set;
        }
    }
    input_set_unref(set);
    return NULL;
}

struct input_set *input_set_ref(struct input_set *set)
{
    atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void input_set_unref(struct input_set *set)
{
    if (!set || atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel) > 1)
        return;
    memory_free(set->text);
    memory_free(set->strings);
    memory_free(set->conditions);
    memory_free(set->files);
    memory_free(set->groups);
    memory_free(set->directories);
    memory_free(set->entries);
    free(set->raw);
    memory_free(set);
}

size_t input_set_memory(const struct input_set *set)
{
    return set->memory;
}
