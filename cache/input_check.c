/* Is all still so? The usual check costs one stat a file and one a directory, and allocates nothing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/filesystem.h"
#include "cache/input_search.h"
#include "cache/input_unpacked.h"
#include "common/clock.h"
#include "common/memory.h"

enum { FEW_ABSENCES = 6 }; /* bytes of a list: two or three names */

/* A directory that changed so lately (nanoseconds) will soon change again: objects are made in it. */
static const int64_t UNSETTLED = INT64_C(2) * 1000000000;

struct checking {
    struct input_set *set;
    const struct check *check;
    uint32_t mounts; /* number of the mount table, read before anything else */
    int64_t before;  /* clock_of_files(), likewise */
    bool but_comments;
    bool other_path; /* PATH isn't what it was: the searches decide */
    const char **failed;
    struct {
        const char *path; /* begins with the folder's, of so many bytes; 0: none is entered */
        size_t length;
        int fd;                    /* -1: it can't be opened */
    } folder;                      /* of the file that was looked at last, if many lie there */
    char real_directory[PATH_MAX]; /* of directory_path; "" until it is needed */
};

static const char *const fact_names[FACT_COUNT] = {
    [FACT_DIRECTORY] = "working directory",
    [FACT_OUTPUT] = "name of the output",
    [FACT_TERMINAL] = "terminal",
    [FACT_STREAMS] = "output streams",
    [FACT_TARGETS] = "targets of the depfile",
    [FACT_DEPFILE] = "name of the depfile",
    [FACT_ENVIRONMENT] = "environment",
    [FACT_LIMITS] = "umask or limits",
    [FACT_MACHINE] = "processor",
    [FACT_LIBRARIES] = "LD_LIBRARY_PATH",
    [FACT_WORDS] = "words of the command",
};

/* Says what is no longer so. Always false. */
static bool fail(struct checking *checking, const char *what, const char *how)
{
    if (checking->failed)
        *checking->failed = arena_printf(checking->check->environment->arena, "%s %s", what, how);
    return false;
}

static bool text_matches(const struct condition *condition, const char *text)
{
    if (!text || !condition->has_digest)
        return !text && !condition->has_digest;
    struct digest digest = digest_of(text, strlen(text));
    return digest_equal(&digest, &condition->digest);
}

static bool check_fact(struct checking *checking, const struct condition *condition)
{
    const struct check *check = checking->check;

    if (condition->number >= FACT_COUNT)
        return fail(checking, "unknown fact", "can't be checked");
    if (text_matches(condition,
                     check->fact ? check->fact(check->data, (enum input_fact)condition->number) : NULL))
        return true;
    return fail(checking, fact_names[condition->number], "changed");
}

static bool check_variable(struct checking *checking, const struct condition *condition)
{
    const char *name = set_string(checking->set, condition->string);

    if (text_matches(condition, environment_get(checking->check->environment, name)))
        return true;
    checking->other_path = condition->number == 1;
    return checking->other_path || fail(checking, name, "changed");
}

static bool check_search(struct checking *checking, const struct condition *condition)
{
    const char *name = set_string(checking->set, condition->string);
    const struct check *check = checking->check;

    if (!checking->other_path)
        return true;
    struct digest digest = search_digest(name, environment_get(check->environment, "PATH"), check->directory);
    return digest_equal(&digest, &condition->digest) || fail(checking, name, "is found elsewhere on PATH");
}

/* ---- files ---- */

static bool bears_mark(const struct checking *checking, _Atomic uint64_t *marks, size_t count, uint64_t mark)
{
    uint64_t bound = mark_bound_to(mark, checking->mounts);

    for (size_t i = 0; i < count; i++) {
        uint64_t known = atomic_load_explicit(&marks[i], memory_order_relaxed);
        if (known == mark || known == bound)
            return true;
    }
    return false;
}

/* The newest mark goes first. A race with another check may lose one: it is then found out again. */
static void remember_file(struct watched_file *file, uint64_t mark)
{
    uint64_t first = atomic_load_explicit(&file->marks[0], memory_order_relaxed);

    atomic_store_explicit(&file->marks[1], first, memory_order_relaxed);
    atomic_store_explicit(&file->marks[0], mark, memory_order_relaxed);
}

static bool differs_in_comments_alone(struct checking *checking, const char *path,
                                      const struct watched_file *file)
{
    static const unsigned char none[BLANK_SIZE];
    struct file_facts facts;

    return checking->set->comments && memcmp(file->blank, none, BLANK_SIZE) != 0 &&
           file_digest(checking->check->digests, checking->check->directory, path, true, &facts) == 0 &&
           facts.has_blank && memcmp(facts.blank.bytes, file->blank, BLANK_SIZE) == 0;
}

static bool check_content(struct checking *checking, const struct condition *condition,
                          struct watched_file *file)
{
    const char *path = set_string(checking->set, condition->string);
    struct file_facts facts;
    int error = file_digest(checking->check->digests, checking->check->directory, path, false, &facts);

    if (error)
        return fail(checking, path, error == -ENOENT ? "is gone" : "can't be read");
    if ((condition->number & FILE_EXECUTABLE) && !(facts.mode & 0111))
        return fail(checking, path, "is not executable");
    if (digest_equal(&facts.content, &condition->digest)) {
        if (facts.trusted)
            remember_file(file, facts.mounts ? mark_bound_to(mark_of(&facts.stamp), facts.mounts)
                                             : mark_of(&facts.stamp));
        return true;
    }
    if (!differs_in_comments_alone(checking, path, file))
        return fail(checking, path, "changed");
    checking->but_comments = true;
    return true;
}

/* One look for both: that it is no link, and its stamp. */
static int flags_for(const struct condition *file)
{
    return file->number & FILE_NO_LINK ? AT_SYMLINK_NOFOLLOW : 0;
}

static void leave_folder(struct checking *checking)
{
    if (checking->folder.length && checking->folder.fd >= 0)
        close(checking->folder.fd);
    checking->folder.length = 0;
}

static void enter_folder(struct checking *checking, const char *path, size_t length)
{
    char folder[PATH_MAX];

    if (checking->folder.length == length && memcmp(checking->folder.path, path, length) == 0)
        return;
    leave_folder(checking);
    memcpy(folder, path, length);
    folder[length] = '\0';
    checking->folder.path = path;
    checking->folder.length = length;
    checking->folder.fd = openat(checking->check->directory, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int look_at(struct checking *checking, size_t index, struct stat *status)
{
    const struct condition *condition =
        &checking->set->conditions[kind_begin(checking->set, CONDITION_FILE) + index];
    const char *path = set_string(checking->set, condition->string);
    size_t folder = checking->set->files[index].folder;

    if (folder)
        enter_folder(checking, path, folder);
    if (folder && checking->folder.fd >= 0)
        return fstatat(checking->folder.fd, path + folder, status, flags_for(condition));
    return fstatat(checking->check->directory, path, status, flags_for(condition));
}

static bool check_file(struct checking *checking, size_t index)
{
    const struct condition *condition =
        &checking->set->conditions[kind_begin(checking->set, CONDITION_FILE) + index];
    struct watched_file *file = &checking->set->files[index];
    const char *path = set_string(checking->set, condition->string);
    struct stat status;

    if (look_at(checking, index, &status) != 0)
        return fail(checking, path, "is gone");
    if (S_ISLNK(status.st_mode))
        return fail(checking, path, "is a link now");
    struct stamp stamp = stamp_of(&status);
    if (!S_ISREG(status.st_mode) || !bears_mark(checking, file->marks, FILE_MARKS, mark_of(&stamp)) ||
        ((condition->number & FILE_EXECUTABLE) && !(status.st_mode & 0111)))
        return check_content(checking, condition, file);
    return true;
}

/* A set's first check since it was unpacked: do all files of the group bear the stamps of the time of
 * packing? Then all contents (and modes) are known, and the table of digests may know them too. */
static bool settle_group(struct checking *checking, size_t begin, size_t count)
{
    struct input_set *set = checking->set;
    const struct condition *conditions = &set->conditions[kind_begin(set, CONDITION_FILE) + begin];
    uint64_t expected = atomic_exchange_explicit(&set->groups[begin / FILE_GROUP], 0, memory_order_relaxed);
    struct file_facts facts[FILE_GROUP];
    uint64_t marks[FILE_GROUP];

    for (size_t i = 0; i < count && expected; i++) {
        struct stat status;
        if (look_at(checking, begin + i, &status) != 0)
            return false;
        facts[i] = (struct file_facts){.stamp = stamp_of(&status), .mode = status.st_mode, .trusted = true};
        facts[i].content = conditions[i].digest;
        marks[i] = mark_of(&facts[i].stamp);
    }
    if (!expected || XXH3_64bits(marks, count * sizeof *marks) != expected)
        return false;
    for (size_t i = 0; i < count; i++) {
        remember_file(&set->files[begin + i], marks[i]);
        file_digest_learn(checking->check->digests, &facts[i]);
    }
    return true;
}

static bool check_group(struct checking *checking, size_t begin, size_t end)
{
    if (atomic_load_explicit(&checking->set->groups[begin / FILE_GROUP], memory_order_relaxed) &&
        settle_group(checking, begin, end - begin))
        return true;
    for (size_t i = begin; i < end; i++)
        if (!check_file(checking, i))
            return false;
    return true;
}

static bool check_groups(struct checking *checking)
{
    struct input_set *set = checking->set;
    size_t count = set->kind_end[CONDITION_FILE] - kind_begin(set, CONDITION_FILE);

    for (size_t i = 0; i < count; i += FILE_GROUP)
        if (!check_group(checking, i, count - i < FILE_GROUP ? count : i + FILE_GROUP))
            return false;
    return true;
}

static bool check_files(struct checking *checking)
{
    bool good = check_groups(checking);
    leave_folder(checking);
    return good;
}

/* ---- names and kinds ---- */

static bool check_link(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    char target[PATH_MAX];
    ssize_t length = readlinkat(checking->check->directory, path, target, sizeof target - 1);
    int error = length < 0 ? errno : 0;

    if (length >= 0)
        target[length] = '\0';
    if ((uint64_t)error == condition->number &&
        (error || strcmp(target, set_string(checking->set, condition->second)) == 0))
        return true;
    return fail(checking, path, "leads elsewhere");
}

/* Joins with the slash that is needed. False if it gets too long. */
static bool join(char out[PATH_MAX], const char *directory, const char *path)
{
    if (path[0] == '/' || strcmp(directory, ".") == 0)
        return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
    if (path[0] == '\0' || strcmp(path, ".") == 0)
        return snprintf(out, PATH_MAX, "%s", directory) < PATH_MAX;
    const char *slash = directory[0] == '/' && directory[1] == '\0' ? "" : "/";
    return snprintf(out, PATH_MAX, "%s%s%s", directory, slash, path) < PATH_MAX;
}

/* Results in the working directory were stored relative to it: they must lie in the real one of today. */
static bool resolves_to(struct checking *checking, const char *resolved, const char *expected)
{
    char whole[PATH_MAX];

    if (expected[0] == '/')
        return strcmp(resolved, expected) == 0;
    if (!checking->real_directory[0] &&
        !realpath(checking->check->directory_path, checking->real_directory)) {
        checking->real_directory[0] = '\0';
        return false;
    }
    char base[PATH_MAX];
    strcpy(base, checking->real_directory);
    for (; strncmp(expected, "../", 3) == 0; expected += 3) {
        char *slash = strrchr(base, '/');
        if (slash)
            *slash = '\0';
    }
    return join(whole, base, expected) && strcmp(resolved, whole) == 0;
}

static bool check_realpath(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    char whole[PATH_MAX], resolved[PATH_MAX];
    int error = 0;

    if (!join(whole, checking->check->directory_path, path))
        error = ENAMETOOLONG;
    else if (!realpath(path[0] ? whole : "", resolved))
        error = errno;
    if ((uint64_t)error == condition->number &&
        (error || resolves_to(checking, resolved, set_string(checking->set, condition->second))))
        return true;
    return fail(checking, path, "resolves elsewhere");
}

static bool check_exists(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    int flags = condition->number & 1 ? 0 : AT_SYMLINK_NOFOLLOW;
    struct stat status;

    if (fstatat(checking->check->directory, path, &status, flags) != 0)
        return fail(checking, path, "is gone");
    if ((status.st_mode & S_IFMT) == (condition->number & S_IFMT))
        return true;
    return fail(checking, path, "is of another kind");
}

static bool check_times(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    struct stat status;

    if (fstatat(checking->check->directory, path, &status, 0) != 0)
        return (errno == ENOENT && condition->second == TIMES_OF_EMPTY) || fail(checking, path, "is gone");
    if (condition->second == TIMES_OF_EMPTY)
        return (S_ISREG(status.st_mode) && status.st_size == 0) || fail(checking, path, "has content now");
    struct stamp stamp = stamp_of(&status);
    if (stamp.size != condition->number || (uint64_t)stamp.mtime != condition->second)
        return fail(checking, path, "has another time");
    if (!condition->has_digest)
        return true;
    struct digest digest = attributes_digest(&status);
    return digest_equal(&digest, &condition->digest) || fail(checking, path, "has another mode or owner");
}

static bool check_twins(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    struct stat one, other;

    if (fstatat(checking->check->directory, path, &one, 0) != 0 ||
        fstatat(checking->check->directory, set_string(checking->set, condition->second), &other, 0) != 0)
        return fail(checking, path, "or its twin is gone");
    struct stamp a = stamp_of(&one), b = stamp_of(&other);
    uint64_t same =
        (uint64_t)(a.device == b.device && a.inode == b.inode) + 2 * (uint64_t)(a.mtime == b.mtime);
    return same == condition->number || fail(checking, path, "and its twin are otherwise");
}

static bool check_absent(struct checking *checking, const struct condition *condition)
{
    const char *path = set_string(checking->set, condition->string);
    int flags = condition->number & 1 ? 0 : AT_SYMLINK_NOFOLLOW;
    struct stat status;

    if (fstatat(checking->check->directory, path, &status, flags) == 0)
        return fail(checking, path, "appeared");
    return (uint64_t)errno == condition->number >> 1 || fail(checking, path, "is absent for another reason");
}

/* ---- directories ---- */

/* A directory whose stamp is new: its absences are looked at one by one. */
struct closer_look {
    struct checking *checking;
    struct directory *directory;
    int fd;              /* of the directory; -1: it is gone, or not worth opening */
    uint64_t mark;       /* of its stamp, taken before all looks; 0: may not be remembered */
    const char *missing; /* begins with the name that was found missing last; or NULL */
};

static void begin_look(struct closer_look *look)
{
    const struct check *check = look->checking->check;
    struct stat status;

    look->mark = 0;
    look->fd = openat(check->directory, set_string(look->checking->set, look->directory->path),
                      O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (look->fd < 0 || fstat(look->fd, &status) != 0)
        return;
    struct stamp stamp = stamp_of(&status);
    struct filesystem filesystem = filesystem_of(look->fd);
    if (!filesystem.local || !stamp_trusted(&stamp, look->checking->before))
        return;
    look->mark = mark_of(&stamp);
    if (filesystem.read_only)
        look->mark = mark_bound_to(look->mark, look->checking->mounts);
}

static void end_look(struct closer_look *look, bool good)
{
    struct directory *directory = look->directory;

    if (look->fd >= 0)
        close(look->fd);
    if (!good || !look->mark)
        return;
    uint32_t turn = atomic_fetch_add_explicit(&directory->turn, 1, memory_order_relaxed);
    atomic_store_explicit(&directory->marks[(turn + 1) % DIRECTORY_MARKS], look->mark, memory_order_relaxed);
}

/* Is there, in the directory, no entry by the first part of `rest`? Then its stamp proves the absence. What
 * lies in one missing folder comes one after the other: the names are sorted. */
static bool proved_by_directory(struct closer_look *look, const char *rest)
{
    char name[NAME_MAX + 1];
    size_t length = strcspn(rest, "/");
    struct stat status;

    if (look->missing && strncmp(look->missing, rest, length) == 0 && strcspn(look->missing, "/") == length)
        return true;
    if (length >= sizeof name)
        return false;
    memcpy(name, rest, length);
    name[length] = '\0';
    if (fstatat(look->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
        return false;
    look->missing = rest;
    return true;
}

static bool still_absent(struct closer_look *look, const char *rest, bool follow)
{
    struct checking *checking = look->checking;
    const char *path = set_string(checking->set, look->directory->path);
    char whole[PATH_MAX];
    struct stat status;

    if (look->fd >= 0 && proved_by_directory(look, rest))
        return true;
    /* Without a descriptor there is no mark. With one, the name is there: a directory that still lacks the
     * rest, a link that leads nowhere. This absence holds for now, but no stamp of the directory will tell
     * when it ends. */
    look->mark = 0;
    if (!join(whole, path, rest))
        return fail(checking, path, "holds a name that is too long");
    if (fstatat(checking->check->directory, whole, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0 &&
        errno == ENOENT)
        return true;
    return fail(checking, whole, "appeared");
}

static bool check_absences(struct closer_look *look)
{
    struct reader reader;
    uint64_t name = 0;

    reader_init(&reader, look->directory->absences, look->directory->absences_size);
    while (reader_left(&reader) > 0) {
        uint64_t entry = reader_varint(&reader);
        name += entry >> 1;
        if (!still_absent(look, set_string(look->checking->set, name), entry & 1))
            return false;
    }
    return true;
}

static bool is_own_name(void *data, const char *name)
{
    const char *own = data;
    size_t length = strlen(name);

    for (; *own; own += strcspn(own, "/") + 1)
        if (strncmp(own, name, length) == 0 && own[length] == '/')
            return true;
    return false;
}

static bool check_listing(struct closer_look *look)
{
    struct checking *checking = look->checking;
    const char *path = set_string(checking->set, look->directory->path);
    struct digest digest;

    if (directory_digest(checking->check->directory, path, is_own_name,
                         (void *)set_string(checking->set, look->directory->own), &digest) == 0 &&
        digest_equal(&digest, &look->directory->listing))
        return true;
    return fail(checking, path, "lists other names");
}

static bool check_entries(struct checking *checking, const struct directory *directory)
{
    for (uint32_t i = 0; i < directory->entry_count; i++) {
        const struct condition *condition = &checking->set->conditions[directory->entries[i]];
        bool link = directory->entries[i] < checking->set->kind_end[CONDITION_LINK];
        if (!(link ? check_link(checking, condition) : check_exists(checking, condition)))
            return false;
    }
    return true;
}

static bool check_directory(struct checking *checking, struct directory *directory)
{
    struct closer_look look = {.checking = checking, .directory = directory, .fd = -1};
    const char *path = set_string(checking->set, directory->path);
    int flags = directory->needs & DIRECTORY_NO_LINK ? AT_SYMLINK_NOFOLLOW : 0;
    struct stamp stamp = {.ctime = INT64_MAX};
    struct stat status;

    if (directory->single)
        return check_absences(&look);
    if (fstatat(checking->check->directory, path, &status, flags) == 0) {
        stamp = stamp_of(&status);
        if (bears_mark(checking, directory->marks, DIRECTORY_MARKS, mark_of(&stamp)))
            return true;
        if (directory->needs && !S_ISDIR(status.st_mode))
            return fail(checking, path, "is of another kind");
    } else if (directory->needs) {
        return fail(checking, path, "is gone");
    }
    /* Few absences cost no more than a stamp that doesn't last. */
    if (directory->has_listing || directory->absences_size > FEW_ABSENCES ||
        stamp_trusted(&stamp, checking->before - UNSETTLED))
        begin_look(&look);
    bool good = (directory->has_listing ? check_listing(&look) : check_absences(&look)) &&
                check_entries(checking, directory);
    end_look(&look, good);
    return good;
}

static bool check_directories(struct checking *checking)
{
    for (size_t i = 0; i < checking->set->directory_count; i++)
        if (!check_directory(checking, &checking->set->directories[i]))
            return false;
    return true;
}

/* ---- all ---- */

typedef bool condition_check(struct checking *checking, const struct condition *condition);

static condition_check *const condition_checks[CONDITION_KINDS] = {
    [CONDITION_FACT] = check_fact,   [CONDITION_VARIABLE] = check_variable, [CONDITION_SEARCH] = check_search,
    [CONDITION_FILE] = NULL, /* by groups */
    [CONDITION_LINK] = check_link,   [CONDITION_REALPATH] = check_realpath, [CONDITION_EXISTS] = check_exists,
    [CONDITION_TIMES] = check_times, [CONDITION_TWINS] = check_twins,       [CONDITION_ABSENT] = check_absent,
};

static bool check_kind(struct checking *checking, enum condition_kind kind)
{
    const struct input_set *set = checking->set;

    if (kind == CONDITION_FILE)
        return check_files(checking);
    for (size_t i = kind_begin(set, kind); i < set->kind_end[kind]; i++)
        if (!set->conditions[i].is_entry && !condition_checks[kind](checking, &set->conditions[i]))
            return false;
    return true;
}

enum check_result input_set_check(struct input_set *set, const struct check *check, const char **failed)
{
    struct checking checking = {
        .set = set,
        .check = check,
        .mounts = file_digests_mounts(check->digests),
        .before = clock_of_files(),
        .failed = failed,
    };

    for (int kind = 0; kind < CONDITION_KINDS; kind++)
        if (!check_kind(&checking, (enum condition_kind)kind))
            return CHECK_FAILS;
    if (!check_directories(&checking))
        return CHECK_FAILS;
    return checking.but_comments ? CHECK_HOLDS_BUT_COMMENTS : CHECK_HOLDS;
}
