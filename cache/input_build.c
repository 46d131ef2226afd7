/* The builder of input sets: conditions are collected as they come, then sorted, freed of doubles and packed.
 */
#include "cache/input_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/input_building.h"
#include "cache/input_resolve.h"
#include "cache/input_search.h"
#include "common/memory.h"

/* An array that is full gets twice the room. */
static void *grown(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 64;
    return memory_realloc(array, *room * size);
}

struct input_set_builder *input_set_builder_new(void)
{
    struct input_set_builder *builder = memory_zalloc(sizeof *builder);

    arena_init(&builder->arena);
    strings_init(&builder->strings, &builder->arena);
    return builder;
}

void input_set_builder_free(struct input_set_builder *builder)
{
    if (!builder)
        return;
    strings_release(&builder->strings);
    arena_release(&builder->arena);
    memory_free(builder->added);
    memory_free(builder->absences);
    memory_free(builder->listings);
    memory_free(builder);
}

/* Padding is zeroed too: equal conditions are found by their bytes. */
static struct added *add(struct input_set_builder *builder, enum condition_kind kind, const char *text)
{
    builder->added =
        grown(builder->added, builder->added_count, &builder->added_room, sizeof *builder->added);
    struct added *added = &builder->added[builder->added_count++];
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->condition.string = strings_number(&builder->strings, text);
    return added;
}

static void set_digest(struct added *added, const struct digest *digest)
{
    added->condition.has_digest = true;
    added->condition.digest = *digest;
}

void input_set_add_file(struct input_set_builder *builder, const char *path, const struct file_facts *facts,
                        bool executable)
{
    struct added *added = add(builder, CONDITION_FILE, path);

    set_digest(added, &facts->content);
    added->condition.number = executable;
    added->no_link = facts->no_link;
    /* A file that isn't executable now, as it must be, may not pass by its stamp. */
    if (facts->trusted && !facts->mounts && (!executable || facts->mode & 0111))
        added->mark = mark_of(&facts->stamp);
    if (facts->has_blank)
        memcpy(added->blank, facts->blank.bytes, sizeof added->blank);
}

void input_set_add_absent(struct input_set_builder *builder, const char *path, bool follow)
{
    builder->absences =
        grown(builder->absences, builder->absence_count, &builder->absence_room, sizeof *builder->absences);
    builder->absences[builder->absence_count++] =
        (struct absence){strings_number(&builder->strings, path), follow};
}

void input_set_add_exists(struct input_set_builder *builder, const char *path, mode_t mode, bool follow)
{
    add(builder, CONDITION_EXISTS, path)->condition.number = (mode & S_IFMT) | follow;
}

void input_set_add_times(struct input_set_builder *builder, const char *path, const struct stamp *stamp,
                         const struct stat *status)
{
    struct added *added = add(builder, CONDITION_TIMES, path);
    added->condition.has_digest = status != NULL;
    if (status)
        added->condition.digest = attributes_digest(status);
    added->condition.number = stamp->size;
    added->condition.second = (uint64_t)stamp->mtime;
}

void input_set_add_empty(struct input_set_builder *builder, const char *path)
{
    add(builder, CONDITION_TIMES, path)->condition.second = TIMES_OF_EMPTY;
}

void input_set_add_listing(struct input_set_builder *builder, const char *path, const struct digest *names,
                           const char *const *own)
{
    struct buf joined = BUF_INIT;

    for (; own && *own; own++) {
        buf_add_text(&joined, *own);
        buf_add_char(&joined, '/');
    }
    builder->listings =
        grown(builder->listings, builder->listing_count, &builder->listing_room, sizeof *builder->listings);
    builder->listings[builder->listing_count++] = (struct listing){
        .path = strings_number(&builder->strings, path),
        .own = strings_number(&builder->strings, joined.data ? joined.data : ""),
        .names = *names,
    };
    buf_release(&joined);
}

static void add_resolved(struct input_set_builder *builder, enum condition_kind kind, const char *path,
                         int result, const char *target)
{
    struct added *added = add(builder, kind, path);
    added->condition.number = (uint64_t)-result;
    added->condition.second = strings_number(&builder->strings, result == 0 ? target : "");
}

void input_set_add_link(struct input_set_builder *builder, const char *path, int result, const char *target)
{
    add_resolved(builder, CONDITION_LINK, path, result, target);
}

/* What has no real path because it isn't there is an absence like any other. */
void input_set_add_realpath(struct input_set_builder *builder, const char *path, int result,
                            const char *resolved)
{
    if (result == -ENOENT)
        input_set_add_absent(builder, path, true);
    else
        add_resolved(builder, CONDITION_REALPATH, path, result, resolved);
}

static void set_text_digest(struct added *added, const char *text)
{
    if (text) {
        struct digest digest = digest_of(text, strlen(text));
        set_digest(added, &digest);
    }
}

void input_set_add_variable(struct input_set_builder *builder, const char *name, const char *value)
{
    set_text_digest(add(builder, CONDITION_VARIABLE, name), value);
}

void input_set_add_search_path(struct input_set_builder *builder, const char *value)
{
    struct added *added = add(builder, CONDITION_VARIABLE, "PATH");
    added->condition.number = 1;
    set_text_digest(added, value);
}

void input_set_add_search(struct input_set_builder *builder, const char *name, const char *value,
                          int directory)
{
    struct added *added = add(builder, CONDITION_SEARCH, name);
    added->condition.has_digest = true;
    added->condition.digest = search_digest(name, value, directory);
}

void input_set_add_fact(struct input_set_builder *builder, enum input_fact fact, const char *value)
{
    struct added *added = add(builder, CONDITION_FACT, "");
    added->condition.number = fact;
    set_text_digest(added, value);
}

void input_set_add_twins(struct input_set_builder *builder, const char *path, const char *other,
                         bool same_inode, bool same_mtime)
{
    struct added *added = add(builder, CONDITION_TWINS, path);
    added->condition.number = (uint64_t)same_inode + 2 * (uint64_t)same_mtime;
    added->condition.second = strings_number(&builder->strings, other);
}

void input_set_allow_comments(struct input_set_builder *builder)
{
    builder->comments = true;
}

/* ---- packing ---- */

static void add_grounded(struct packing *packing, const struct grounded *grounded)
{
    packing->grounded =
        grown(packing->grounded, packing->grounded_count, &packing->grounded_room, sizeof *packing->grounded);
    packing->grounded[packing->grounded_count++] = *grounded;
}

static void add_odd_absence(struct packing *packing, const struct absence *absence)
{
    struct input_set_builder *builder = packing->builder;
    const char *path = builder->strings.texts[absence->path];
    struct stat status;
    int error = ENOENT; /* also when it is there by now: the set then holds once it is gone again */

    if (fstatat(packing->grounding.directory, path, &status, absence->follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        error = errno;
    add(builder, CONDITION_ABSENT, path)->condition.number = (uint64_t)error * 2 + absence->follow;
}

static void ground_absences(struct packing *packing)
{
    struct input_set_builder *builder = packing->builder;

    for (size_t i = 0; i < builder->absence_count; i++) {
        struct absence *absence = &builder->absences[i];
        struct grounded grounded = {.follow = absence->follow};
        if (grounding_find(&packing->grounding, builder->strings.texts[absence->path], &grounded))
            add_grounded(packing, &grounded);
        else
            add_odd_absence(packing, absence);
    }
}

static bool is_entry(const struct packing *packing, const struct added *added)
{
    return may_be_entry(added->kind, added->condition.number,
                        packing->builder->strings.texts[added->condition.string]);
}

/* What stands in a folder whose stamp is watched needs no look of its own. */
static void ground_entries(struct packing *packing)
{
    struct input_set_builder *builder = packing->builder;
    struct grounding *grounding = &packing->grounding;
    struct grounded folder;

    for (size_t i = 0; i < builder->added_count; i++)
        if (is_entry(packing, &builder->added[i]))
            grounding_count_entry(grounding, builder->strings.texts[builder->added[i].condition.string]);
    for (size_t i = 0; i < builder->added_count; i++) {
        const struct added *added = &builder->added[i];
        if (added->kind == CONDITION_EXISTS && S_ISDIR(added->condition.number) &&
            grounding_take_folder(grounding, added->condition.string, &folder))
            add_grounded(packing, &folder);
    }
    for (size_t i = 0; i < builder->added_count; i++) {
        const struct added *added = &builder->added[i];
        if (is_entry(packing, added))
            grounding_confirm_entry(
                grounding, builder->strings.texts[added->condition.string],
                added->kind == CONDITION_LINK ? builder->strings.texts[added->condition.second] : NULL);
    }
    for (size_t i = 0; i < packing->grounded_count; i++)
        packing->grounded[i].mark = grounding_mark(grounding, packing->grounded[i].ground);
}

/* Answers of realpath() become conditions on the links and folders on which they stand, where they can. */
static void explain_real_paths(struct packing *packing)
{
    struct input_set_builder *builder = packing->builder;
    struct resolving resolving;
    size_t count = builder->added_count, kept = 0;

    resolving_init(&resolving, builder, &builder->strings, packing->grounding.directory);
    resolving_know_files(&resolving);
    for (size_t i = 0; i < count; i++) { /* new conditions are added behind */
        struct added added = builder->added[i];
        if (added.kind == CONDITION_REALPATH && added.condition.number == 0 &&
            resolving_explain(&resolving, builder->strings.texts[added.condition.string],
                              builder->strings.texts[added.condition.second]))
            continue;
        builder->added[kept++] = added;
    }
    size_t more = builder->added_count - count;
    if (more)
        memmove(builder->added + kept, builder->added + count, more * sizeof *builder->added);
    builder->added_count = kept + more;
    resolving_release(&resolving);
}

/* Something is read below the folder: so it may be searched, and that is a condition already. */
static bool is_read_below(const struct input_set_builder *builder, const char *path, size_t length)
{
    for (size_t i = 0; i < builder->added_count; i++) {
        const struct added *added = &builder->added[i];
        const char *file = builder->strings.texts[added->condition.string];
        if (added->kind == CONDITION_FILE && strncmp(file, path, length) == 0 && file[length] == '/')
            return true;
    }
    return false;
}

static void straighten(struct resolving *resolving, uint32_t *path)
{
    const char *text = resolving->strings->texts[*path];
    size_t climb = resolving_climb(text);
    uint32_t straight;

    if (climb && is_read_below(resolving->builder, text, climb) &&
        resolving_straighten(resolving, text, &straight))
        *path = straight;
}

/* gcc comes to most of its folders by ways like lib/gcc/x86_64-linux-gnu/12/../../../../lib. Said without the
 * climbing, many are one, and are looked at already. */
static void straighten_paths(struct packing *packing)
{
    struct input_set_builder *builder = packing->builder;
    struct resolving resolving;

    resolving_init(&resolving, builder, &builder->strings, packing->grounding.directory);
    for (size_t i = 0, count = builder->added_count; i < count; i++) { /* new ones have nothing to climb */
        uint32_t path = builder->added[i].condition.string;
        if (builder->added[i].kind != CONDITION_EXISTS)
            continue;
        straighten(&resolving, &path);
        builder->added[i].condition.string = path;
    }
    for (size_t i = 0; i < builder->absence_count; i++)
        straighten(&resolving, &builder->absences[i].path);
    resolving_release(&resolving);
}

typedef void string_visit(void *data, uint32_t *string);

static bool second_is_string(enum condition_kind kind)
{
    return kind == CONDITION_LINK || kind == CONDITION_REALPATH || kind == CONDITION_TWINS;
}

/* All places that hold the number of a string that goes into the packed set. */
static void visit_strings(struct packing *packing, string_visit *visit, void *data)
{
    struct input_set_builder *builder = packing->builder;

    for (size_t i = 0; i < builder->added_count; i++) {
        struct added *added = &builder->added[i];
        visit(data, &added->condition.string);
        if (second_is_string(added->kind)) {
            uint32_t string = (uint32_t)added->condition.second;
            visit(data, &string);
            added->condition.second = string;
        }
    }
    for (size_t i = 0; i < packing->grounded_count; i++) {
        visit(data, &packing->grounded[i].ground);
        visit(data, &packing->grounded[i].rest);
    }
    for (size_t i = 0; i < builder->listing_count; i++) {
        visit(data, &builder->listings[i].path);
        visit(data, &builder->listings[i].own);
    }
}

static void note_use(void *data, uint32_t *string)
{
    ((bool *)data)[*string] = true;
}

static void change_number(void *data, uint32_t *string)
{
    *string = ((const uint32_t *)data)[*string];
}

static void sort_strings(struct packing *packing)
{
    struct strings *strings = &packing->builder->strings;
    bool *used = memory_zalloc(strings->count + 1);

    visit_strings(packing, note_use, used);
    uint32_t *changed = strings_sort(strings, used);
    visit_strings(packing, change_number, changed);
    memory_free(changed);
    memory_free(used);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_added(const void *left, const void *right)
{
    const struct added *a = left, *b = right;
    int order = compare_numbers(a->kind, b->kind);

    if (!order)
        order = compare_numbers(a->condition.string, b->condition.string);
    return order ? order : memcmp(&a->condition, &b->condition, sizeof a->condition);
}

static int compare_grounded(const void *left, const void *right)
{
    const struct grounded *a = left, *b = right;
    int order = compare_numbers(a->ground, b->ground);

    if (!order)
        order = compare_numbers(a->rest, b->rest);
    if (!order)
        order = compare_numbers(a->bare, b->bare);
    return order ? order : compare_numbers(a->follow, b->follow);
}

/* A file that was added twice counts as marked only if both times it bore the same stamp. */
static void merge_double(struct added *kept, const struct added *other)
{
    if (kept->mark != other->mark)
        kept->mark = 0;
    if (memcmp(kept->blank, other->blank, sizeof kept->blank) != 0)
        memset(kept->blank, 0, sizeof kept->blank);
}

static void sort_conditions(struct input_set_builder *builder)
{
    size_t kept = 0;

    if (builder->added_count)
        qsort(builder->added, builder->added_count, sizeof *builder->added, compare_added);
    for (size_t i = 0; i < builder->added_count; i++)
        if (kept && compare_added(&builder->added[kept - 1], &builder->added[i]) == 0)
            merge_double(&builder->added[kept - 1], &builder->added[i]);
        else
            builder->added[kept++] = builder->added[i];
    builder->added_count = kept;
}

static void sort_grounded(struct packing *packing)
{
    struct grounded *grounded = packing->grounded;
    size_t kept = 0;

    if (packing->grounded_count)
        qsort(grounded, packing->grounded_count, sizeof *grounded, compare_grounded);
    for (size_t i = 0; i < packing->grounded_count; i++)
        if (!kept || compare_grounded(&grounded[kept - 1], &grounded[i]) != 0)
            grounded[kept++] = grounded[i];
    packing->grounded_count = kept;
}

/* ---- conditions that one look answers together ---- */

/* The first condition of this kind, or of a later one. */
static size_t find_kind(const struct input_set_builder *builder, enum condition_kind kind)
{
    size_t i = 0;
    while (i < builder->added_count && builder->added[i].kind < kind)
        i++;
    return i;
}

/* A file whose content counts is looked at anyway: that look also tells whether it is a link. */
static bool joins_file(struct added *files, size_t count, size_t *at, const struct condition *exists)
{
    while (*at < count && files[*at].condition.string < exists->string)
        ++*at;
    if (*at == count || files[*at].condition.string != exists->string || !S_ISREG(exists->number))
        return false;
    if (!(exists->number & 1))
        files[*at].condition.number |= FILE_NO_LINK;
    return true;
}

/* So is a directory whose stamp proves absences. */
static bool joins_ground(struct packing *packing, size_t *at, const struct condition *exists)
{
    while (*at < packing->grounded_count && packing->grounded[*at].ground < exists->string)
        ++*at;
    if (*at == packing->grounded_count || packing->grounded[*at].ground != exists->string ||
        !S_ISDIR(exists->number))
        return false;
    packing->grounded[*at].needs |=
        exists->number & 1 ? DIRECTORY_NEEDED : DIRECTORY_NEEDED | DIRECTORY_NO_LINK;
    return true;
}

/* What is no link is also there for those who would follow one. */
static bool follows_from(const struct added *before, const struct condition *exists)
{
    return before->kind == CONDITION_EXISTS && before->condition.string == exists->string &&
           before->condition.number + 1 == exists->number;
}

static void join_looks(struct packing *packing)
{
    struct input_set_builder *builder = packing->builder;
    struct added *files = builder->added + find_kind(builder, CONDITION_FILE);
    size_t file_count = find_kind(builder, CONDITION_FILE + 1) - find_kind(builder, CONDITION_FILE);
    size_t file = 0, ground = 0, begin = find_kind(builder, CONDITION_EXISTS), kept = begin;

    for (size_t i = begin; i < builder->added_count; i++) {
        const struct added added = builder->added[i];
        if (added.kind == CONDITION_EXISTS &&
            (joins_file(files, file_count, &file, &added.condition) ||
             joins_ground(packing, &ground, &added.condition) ||
             (kept > begin && follows_from(&builder->added[kept - 1], &added.condition))))
            continue;
        builder->added[kept++] = added;
    }
    builder->added_count = kept;
}

void input_set_pack(struct input_set_builder *builder, int directory, struct buf *out)
{
    struct packing packing = {.builder = builder};

    grounding_init(&packing.grounding, &builder->strings, directory);
    explain_real_paths(&packing);
    straighten_paths(&packing);
    ground_absences(&packing);
    ground_entries(&packing);
    grounding_release(&packing.grounding);
    sort_strings(&packing);
    sort_conditions(builder);
    sort_grounded(&packing);
    join_looks(&packing);

    put_input_set(&packing, out);
    memory_free(packing.grounded);
}
