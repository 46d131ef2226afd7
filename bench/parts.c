/* parts: what the check of an input set costs, by what is looked at.
 *
 *     parts DATABASE DIRECTORY ROUNDS
 *
 * Takes the set that was stored last, and checks it ROUNDS times for each part with all other parts left out;
 * prints a line for each: name, number of conditions, median microseconds. What the request says of itself
 * (facts) needs a request, and is left out: it takes no system call. The set must hold: DIRECTORY is that of
 * the compile, and so is the environment. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/input_unpacked.h"
#include "cache/store.h"
#include "common/clock.h"
#include "common/memory.h"

enum part { PART_VARIABLES, PART_FILES, PART_NAMES, PART_DIRECTORIES, PARTS };

static const char *const part_names[PARTS] = {
    [PART_VARIABLES] = "variables",
    [PART_FILES] = "files",
    [PART_NAMES] = "links, kinds, times, single absences",
    [PART_DIRECTORIES] = "directories with their absences",
};

extern char **environ;

struct stored {
    unsigned char *bytes;
    size_t size;
};

static void take_row(void *data, const struct store_row *row)
{
    struct stored *stored = data;

    if (stored->bytes || !row->set)
        return;
    stored->bytes = memory_alloc(row->set_size);
    stored->size = row->set_size;
    memcpy(stored->bytes, row->set, row->set_size);
}

static bool is_unknown(void *data, int64_t id)
{
    (void)data;
    (void)id;
    return false;
}

static bool read_last_set(const char *path, struct stored *stored)
{
    struct store store;
    sqlite3_stmt *statement;
    struct digest key;
    bool found = false;

    if (store_open_reader(&store, path, STORE_OPEN) != 0)
        return false;
    if (sqlite3_prepare_v2(store.db, "SELECT key FROM entries ORDER BY id DESC LIMIT 1", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_bytes(statement, 0) == (int)sizeof key.bytes) {
        memcpy(key.bytes, sqlite3_column_blob(statement, 0), sizeof key.bytes);
        found = true;
    }
    sqlite3_finalize(statement);
    found = found && store_sets(&store, &key, is_unknown, take_row, stored) == 0 && stored->bytes;
    store_close(&store);
    return found;
}

static enum part part_of(enum condition_kind kind)
{
    return kind == CONDITION_VARIABLE || kind == CONDITION_SEARCH ? PART_VARIABLES
           : kind == CONDITION_FILE                               ? PART_FILES
                                                                  : PART_NAMES;
}

/* Leaves out all but the part; gives the number of its conditions. A condition that counts as an entry is
 * skipped, and files that are not in their kind's range count as links. */
static size_t keep(struct input_set *set, enum part part)
{
    size_t count = 0;

    for (int kind = 0; kind < CONDITION_KINDS; kind++)
        for (size_t i = kind_begin(set, (enum condition_kind)kind); i < set->kind_end[kind]; i++) {
            bool kept = kind != CONDITION_FACT && part_of((enum condition_kind)kind) == part &&
                        !set->conditions[i].is_entry;
            count += kept;
            set->conditions[i].is_entry = !kept;
        }
    if (part != PART_FILES)
        set->kind_end[CONDITION_FILE] = kind_begin(set, CONDITION_FILE);
    if (part != PART_DIRECTORIES)
        set->directory_count = 0;
    return count + set->directory_count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds; negative if the part doesn't hold. */
static double measure(struct input_set *set, const struct check *check, int rounds)
{
    double *times = memory_alloc((size_t)rounds * sizeof *times);
    bool holds = input_set_check(set, check, NULL) != CHECK_FAILS;

    for (int i = 0; i < rounds && holds; i++) {
        int64_t begun = clock_monotonic();
        holds = input_set_check(set, check, NULL) != CHECK_FAILS;
        times[i] = (double)(clock_monotonic() - begun) / 1e3;
    }
    qsort(times, (size_t)rounds, sizeof *times, compare);
    double median = holds ? times[rounds / 2] : -1;
    memory_free(times);
    return median;
}

int main(int argc, char **argv)
{
    struct stored stored = {NULL, 0};
    struct arena arena;
    struct environment environment;
    int rounds = argc == 4 ? atoi(argv[3]) : 0;

    if (rounds <= 0 || !read_last_set(argv[1], &stored)) {
        fprintf(stderr, "usage: parts DATABASE DIRECTORY ROUNDS, with a set in the database\n");
        return 2;
    }
    arena_init(&arena);
    environment_init(&environment, &arena, environ);
    struct check check = {.digests = file_digests_new(NULL),
                          .directory = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC),
                          .directory_path = argv[2],
                          .environment = &environment};
    int status = 0;
    for (int part = 0; part < PARTS; part++) {
        struct input_set *set = input_set_unpack(stored.bytes, stored.size);
        size_t count = set ? keep(set, (enum part)part) : 0;
        double median = set ? measure(set, &check, rounds) : -1;
        printf("%s\t%zu\t%.1f\n", part_names[part], count, median);
        status |= median < 0;
    }
    return status;
}
