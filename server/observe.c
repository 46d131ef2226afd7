/* From events to conditions. Two passes: the log is walked once and every path gets its uses (path_table.h);
 * then each path is looked at as it is now, and becomes an input, an absence, an output, or nothing. */
#include "server/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "server/compilers/depfile.h"
#include "server/elf_imports.h"
#include "server/known.h"
#include "server/observe_outputs.h"
#include "server/path_table.h"
#include "server/text.h"

enum { PROCESSES = 256, USE_CONTENT = USE_READ | USE_RUN | USE_TRIED | USE_LOADED };

struct process {
    pid_t pid;
    const char *directory; /* NULL: not yet said */
    enum program_kind kind;
    bool holds_old_output;
};

struct name {
    const char *name;
    struct name *next;
};

struct walk {
    struct observation *observation;
    struct arena *arena;
    struct path_table paths;
    struct process processes[PROCESSES];
    size_t process_count;
    struct name *variables;    /* read by getenv */
    struct name *runpaths;     /* folders that the loader searched, $ORIGIN replaced */
    bool whole_environment;
    const char *private_folder; /* in the table's form; NULL: none */
};

static void give_up(struct walk *walk, enum reason reason, const char *word)
{
    struct observation *observation = walk->observation;

    if (observation->reason != REASON_NONE)
        return;
    observation->reason = reason;
    observation->word = arena_strdup(walk->arena, word);
}

/* ---- first pass: events ---- */

static struct process *find_process(struct walk *walk, pid_t pid)
{
    for (size_t i = walk->process_count; i-- > 0;)
        if (walk->processes[i].pid == pid)
            return &walk->processes[i];
    if (walk->process_count == PROCESSES) {
        give_up(walk, REASON_LOG, "too many processes");
        walk->process_count = 0;
    }
    struct process *process = &walk->processes[walk->process_count++];
    *process = (struct process){.pid = pid};
    return process;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static struct path_entry *entry_of(struct walk *walk, const struct record *record, const char *path)
{
    struct path_entry *entry = path_table_get(&walk->paths, find_process(walk, record->pid)->directory, path);

    if (is_below(entry->path, walk->private_folder))
        entry->use |= USE_PRIVATE;
    return entry;
}

static bool is_absence(int result)
{
    return result == -ENOENT || result == -ENOTDIR;
}

/* What the compile made itself is no input afterwards. */
static bool is_own(const struct path_entry *entry)
{
    return entry->use & (USE_WRITTEN | USE_GONE | USE_FOLDER | USE_SILENT);
}

/* What an earlier compile left in the compiler's own folder makes this one's outcome depend on it. */
static void note_private_look(struct walk *walk, struct path_entry *entry, int result, unsigned there)
{
    if (result >= 0 && (there & USE_READ))
        give_up(walk, REASON_SHARED_FILE, entry->path);
}

static void note_look(struct walk *walk, struct path_entry *entry, int result, unsigned there, unsigned missed)
{
    if (is_own(entry))
        return;
    if (entry->use & USE_PRIVATE)
        note_private_look(walk, entry, result, there);
    else if (result >= 0)
        entry->use |= there;
    else if (is_absence(result))
        entry->use |= missed;
    else if (result == -EACCES)
        entry->use |= USE_DENIED;
    else if (result == -EPERM || result == -ELOOP || result == -ENAMETOOLONG)
        give_up(walk, REASON_SPECIAL_INPUT, entry->path);
}

static void note_write(struct walk *walk, struct path_entry *entry, unsigned flags)
{
    bool anew = (flags & O_TRUNC) || ((flags & O_CREAT) && (flags & O_EXCL)) || (flags & O_TMPFILE) == O_TMPFILE;

    if (known_path(entry->path) == PATH_NO_INPUT)
        return;
    if (entry->use & (USE_WRITTEN | USE_SILENT))
        return; /* goes on with its own */
    if (anew || (entry->use & USE_PRIVATE) || (entry->use & (USE_GONE | USE_REMOVED | USE_MISSED | USE_MISSED_LINK))) {
        entry->use = (entry->use & ~(unsigned)USE_GONE) | USE_WRITTEN;
        if ((flags & O_TMPFILE) == O_TMPFILE) /* the name is the directory's; the file has none yet */
            give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    entry->use |= USE_CHANGED;
    give_up(walk, REASON_SHARED_FILE, entry->path);
}

/* record_log.h, RECORD_STAMP_SIZE. */
static bool parse_stamp(const char *text, struct stamp *stamp)
{
    unsigned long long field[5];

    if (sscanf(text, ":%llx:%llx:%llx:%llx:%llx", &field[0], &field[1], &field[2], &field[3], &field[4]) != 5)
        return false;
    *stamp = (struct stamp){.device = field[0],
                            .inode = field[1],
                            .size = field[2],
                            .mtime = (int64_t)field[3],
                            .ctime = (int64_t)field[4]};
    return true;
}

static void note_stamp(struct path_entry *entry, const struct record *record)
{
    struct stamp stamp;

    if (is_own(entry) || !parse_stamp(record->text, &stamp))
        return;
    if (!entry->stamped) {
        entry->stamp = stamp;
        entry->read_at = clock_of_files_at(record->value);
        entry->stamped = true;
    } else if (!stamp_equal(&entry->stamp, &stamp)) {
        entry->restamped = true;
    }
}

static void note_open(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);
    bool writes = (record->flags & O_ACCMODE) != O_RDONLY || (record->flags & O_TRUNC);

    if (!writes) {
        bool first = !(entry->use & USE_CONTENT);
        entry->holder = first && find_process(walk, record->pid)->holds_old_output ? record->pid : 0;
        note_look(walk, entry, record->result, USE_READ, USE_MISSED);
        note_stamp(entry, record);
    } else if (record->result >= 0)
        note_write(walk, entry, record->flags);
    else if (known_path(entry->path) != PATH_NO_INPUT)
        give_up(walk, REASON_EFFECT, entry->path);
}

static void note_removed(struct path_entry *entry)
{
    if (is_own(entry) || (entry->use & USE_PRIVATE))
        entry->use = (entry->use & ~(unsigned)(USE_WRITTEN | USE_FOLDER)) | USE_GONE;
    else
        entry->use |= USE_REMOVED;
}

static void note_unlink(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    if (record->result >= 0 && entry->holder == record->pid)
        entry->use &= ~(unsigned)USE_READ;
    if (record->result >= 0)
        note_removed(entry);
    else if (!is_absence(record->result))
        give_up(walk, REASON_EFFECT, entry->path);
}

static void note_rename(struct walk *walk, const struct record *record)
{
    struct path_entry *from = entry_of(walk, record, record->path);
    struct path_entry *to = entry_of(walk, record, record->text);

    if (from->use & to->use & USE_PRIVATE)
        return;
    if (record->result < 0 || !(from->use & USE_WRITTEN)) {
        give_up(walk, REASON_EFFECT, from->path);
        return;
    }
    note_removed(from);
    to->use = (to->use & ~(unsigned)USE_GONE) | USE_WRITTEN;
}

static void note_link(struct walk *walk, const struct record *record)
{
    struct path_entry *from = entry_of(walk, record, record->path);
    struct path_entry *to = entry_of(walk, record, record->text);

    if (record->result < 0 || !(from->use & USE_WRITTEN))
        give_up(walk, REASON_EFFECT, to->path);
    else
        to->use |= USE_WRITTEN;
}

static void note_attributes(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    if (!is_own(entry) && known_path(entry->path) != PATH_NO_INPUT)
        give_up(walk, REASON_EFFECT, entry->path);
}

static void note_readlink(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    if (is_own(entry))
        return;
    if (record->result == -EINVAL)
        entry->use |= USE_NOT_LINK;
    else if (record->result < 0)
        note_look(walk, entry, record->result, 0, USE_MISSED_LINK);
    else if (!entry->link)
        entry->link = arena_strdup(walk->arena, record->text);
}

static void note_realpath(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    if (is_own(entry) || entry->resolved)
        return;
    entry->resolve_error = record->result < 0 ? record->result : 0;
    entry->resolved = record->result < 0 ? "" : arena_strdup(walk->arena, record->text);
}

/* A driver that isn't ELF is run by an interpreter, whose start is what counts here. */
static void note_start(struct walk *walk, const struct record *record)
{
    struct process *process = find_process(walk, record->pid);

    process->kind = known_program(record->path);
    process->holds_old_output = known_holds_old_output(record->path);
    if (process->kind == PROGRAM_UNKNOWN)
        give_up(walk, REASON_UNWATCHABLE, record->path);
    if (process->kind == PROGRAM_WALKER)
        walk->whole_environment = true;
    entry_of(walk, record, record->path)->use |= USE_RUN;
}

static void add_name(struct walk *walk, struct name **list, const char *text)
{
    for (struct name *name = *list; name; name = name->next)
        if (strcmp(name->name, text) == 0)
            return;
    struct name *name = ARENA_NEW(walk->arena, struct name);
    name->name = arena_strdup(walk->arena, text);
    name->next = *list;
    *list = name;
}

/* ld.so(8): folders separated by ":"; $ORIGIN is the object's own folder. */
static void note_runpath(struct walk *walk, const struct record *record)
{
    const char *slash = strrchr(record->path, '/');
    char *folders = arena_strdup(walk->arena, record->text), *save = NULL;

    for (char *folder = strtok_r(folders, ":", &save); folder; folder = strtok_r(NULL, ":", &save)) {
        size_t word = strncmp(folder, "$ORIGIN", 7) == 0 ? 7 : strncmp(folder, "${ORIGIN}", 9) == 0 ? 9 : 0;
        if (word)
            folder = arena_printf(walk->arena, "%.*s%s", slash ? (int)(slash - record->path) : 0, record->path,
                                  folder + word);
        if (strchr(folder, '$'))
            give_up(walk, REASON_LOG, folder);
        add_name(walk, &walk->runpaths, folder);
    }
}

/* The clock is asked by cc1 and clang only for __DATE__ and __TIME__; shells and make ask always. */
static void note_time(struct walk *walk, const struct record *record)
{
    if (find_process(walk, record->pid)->kind != PROGRAM_WALKER)
        give_up(walk, REASON_TIME, "time()");
}

static bool is_recorder(struct walk *walk, const struct record *record)
{
    return strcmp(record->path, walk->observation->request->server->recorder) == 0;
}

static void take(struct walk *walk, const struct record *record)
{
    switch (record->kind) {
    case RECORD_START:
        note_start(walk, record);
        break;
    case RECORD_DIRECTORY:
        find_process(walk, record->pid)->directory = arena_strdup(walk->arena, record->path);
        break;
    case RECORD_LOADED:
        if (!is_recorder(walk, record))
            entry_of(walk, record, record->path)->use |= USE_LOADED;
        break;
    case RECORD_RUNPATH:
        note_runpath(walk, record);
        break;
    case RECORD_OPEN:
        note_open(walk, record);
        break;
    case RECORD_STAT:
        note_look(walk, entry_of(walk, record, record->path), record->result, USE_SEEN, USE_MISSED);
        break;
    case RECORD_LSTAT:
        note_look(walk, entry_of(walk, record, record->path), record->result, USE_SEEN_LINK, USE_MISSED_LINK);
        break;
    case RECORD_READLINK:
        note_readlink(walk, record);
        break;
    case RECORD_REALPATH:
        note_realpath(walk, record);
        break;
    case RECORD_LIST:
        note_look(walk, entry_of(walk, record, record->path), record->result, USE_LISTED, USE_MISSED);
        break;
    case RECORD_MKDIR:
        if (record->result >= 0)
            entry_of(walk, record, record->path)->use |= USE_FOLDER;
        else
            note_look(walk, entry_of(walk, record, record->path), record->result == -EEXIST ? 0 : record->result,
                      USE_SEEN, USE_MISSED);
        break;
    case RECORD_UNLINK:
        note_unlink(walk, record);
        break;
    case RECORD_RENAME:
        note_rename(walk, record);
        break;
    case RECORD_LINK:
        note_link(walk, record);
        break;
    case RECORD_SYMLINK:
        give_up(walk, REASON_EFFECT, record->text);
        break;
    case RECORD_ATTRIBUTES:
        note_attributes(walk, record);
        break;
    case RECORD_MAPPED: /* an output that is mapped was opened for writing before */
        if (!is_own(entry_of(walk, record, record->path)))
            give_up(walk, REASON_SHARED_FILE, record->path);
        break;
    case RECORD_EXEC:
    case RECORD_SPAWN:
        if (record->path[0] == '/' || strchr(record->path, '/'))
            entry_of(walk, record, record->path)->use |= USE_TRIED;
        break;
    case RECORD_EXEC_FAILED: /* shells try each folder of PATH so */
        entry_of(walk, record, record->path)->use &= ~(unsigned)USE_TRIED;
        note_look(walk, entry_of(walk, record, record->path), record->result, 0, USE_MISSED);
        break;
    case RECORD_GETENV:
        add_name(walk, &walk->variables, record->path);
        break;
    case RECORD_TIME:
        note_time(walk, record);
        break;
    case RECORD_LOCAL_TIME: /* without the clock it is a file's: __TIMESTAMP__, however spelled */
        if (find_process(walk, record->pid)->kind != PROGRAM_WALKER)
            walk->observation->shows_times = true;
        break;
    case RECORD_SYSCALL:
        give_up(walk, REASON_LOG, "system call");
        break;
    case RECORD_UNSAFE:
        give_up(walk, REASON_LOG, record->path);
        break;
    }
}

static void walk_log(struct walk *walk)
{
    struct record_log *log = walk->observation->log;
    struct record record;
    const char *culprit = "";

    switch (record_log_check(log, walk->observation->root, &culprit)) {
    case RECORD_WHOLE:
        break;
    case RECORD_NO_START:
    case RECORD_UNWATCHED:
    case RECORD_LEFT:
        give_up(walk, REASON_UNWATCHABLE, culprit);
        return;
    case RECORD_HOLE:
    case RECORD_OVERFLOW:
        give_up(walk, REASON_LOG, culprit);
        return;
    }
    record_log_rewind(log);
    while (walk->observation->reason == REASON_NONE && record_log_next(log, &record))
        take(walk, &record);
}

/* ---- second pass: inputs ---- */

static struct file_digests *digests_of(const struct walk *walk)
{
    return cache_digests(walk->observation->request->server->cache);
}

static bool is_main_source(const struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;

    return request->has_source &&
           strcmp(entry->path, path_table_form(&walk->paths, NULL, request->command.source)) == 0;
}

/* Is what the file holds now what the compile read? Its stamp must be that of the opening, and older than that
 * moment's tick; a program or library, whose opening isn't seen, must not have changed since the start. The main
 * source was read by us before and after: its content tells. */
static bool is_unchanged(const struct walk *walk, const struct path_entry *entry, const struct file_facts *facts)
{
    if (entry->restamped || (entry->stamped && !stamp_equal(&entry->stamp, &facts->stamp)))
        return false;
    if (is_main_source(walk, entry))
        return digest_equal(&facts->content, &walk->observation->request->source.content);
    return facts->stamp.ctime < (entry->stamped ? entry->read_at : walk->observation->started);
}

static void add_existing(struct walk *walk, const char *path, bool follow)
{
    int directory = walk->observation->request->ground;
    struct stat status;

    if (fstatat(directory, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        give_up(walk, REASON_MODIFIED_INPUT, path);
    else
        input_set_add_exists(walk->observation->set, path, status.st_mode, follow);
}

/* Under a text key the text stands for the files that it is made of, if nothing in the result tells columns,
 * comments or digests. */
static bool shows_in_text(const struct walk *walk, const struct path_entry *entry, bool program)
{
    const struct request *request = walk->observation->request;

    if (!request->by_text || program || request->command.positions_show || walk->observation->has_messages)
        return false;
    return is_main_source(walk, entry) || (request->text && text_names(request->text, entry->path));
}

static void add_content(struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    bool program = entry->use & (USE_RUN | USE_TRIED | USE_LOADED), text = !program && !request->command.positions_show;
    struct file_facts facts;

    int error = file_digest(digests_of(walk), request->ground, entry->path, text, &facts);
    if (error == -EINVAL && !program) { /* a directory that was opened, most likely */
        struct stat status;
        if (fstatat(request->ground, entry->path, &status, 0) == 0 && S_ISDIR(status.st_mode))
            input_set_add_exists(walk->observation->set, entry->path, status.st_mode, true);
        else
            give_up(walk, REASON_SPECIAL_INPUT, entry->path);
        return;
    }
    if (error || !is_unchanged(walk, entry, &facts)) {
        give_up(walk, REASON_MODIFIED_INPUT, entry->path);
        return;
    }
    if (!shows_in_text(walk, entry, program))
        input_set_add_file(walk->observation->set, entry->path, &facts, entry->use & (USE_RUN | USE_TRIED));
    observe_outputs_note_input(walk->observation, entry->path, &facts, program);
}

static void add_listing(struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    struct digest names;
    const char **own = ARENA_ARRAY(walk->arena, const char *, walk->paths.count + 1);
    size_t count = 0, length = strlen(entry->path);

    for (const struct path_entry *other = walk->paths.first; other; other = other->next) {
        const char *slash = strrchr(other->path, '/');
        const char *name = slash ? slash + 1 : other->path;
        size_t folder = slash ? (size_t)(slash - other->path) : 0;
        bool inside = slash ? folder == length && memcmp(other->path, entry->path, length) == 0
                            : strcmp(entry->path, ".") == 0;
        if (inside && is_own(other))
            own[count++] = name;
    }
    if (observe_list(request->ground, entry->path, own, &names) != 0)
        give_up(walk, REASON_MODIFIED_INPUT, entry->path);
    else
        input_set_add_listing(walk->observation->set, entry->path, &names, own);
}

/* A resolved path in the client's directory is kept relative, so that another checkout may have another. */
static void add_resolved(struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    const char *resolved = entry->resolved, *directory = request->ground_path;
    size_t length = strlen(directory);

    if (strncmp(resolved, directory, length) == 0 && (resolved[length] == '/' || resolved[length] == '\0'))
        resolved = resolved[length] ? resolved + length + 1 : ".";
    else
        resolved = path_table_form(&walk->paths, NULL, resolved);
    input_set_add_realpath(walk->observation->set, entry->path, entry->resolve_error, resolved);
}

/* A folder of PATH that belongs to another user, say: that it can't be searched is what counts. A file that is
 * there and may not be read or run is another matter. */
static void add_denied(struct walk *walk, const struct path_entry *entry)
{
    const char *directory = walk->observation->request->ground_path;
    char *whole = entry->path[0] == '/' ? arena_strdup(walk->arena, entry->path)
                                        : arena_printf(walk->arena, "%s/%s", directory, entry->path);
    char *resolved = realpath(whole, NULL);

    if (resolved || errno != EACCES)
        give_up(walk, REASON_SPECIAL_INPUT, entry->path);
    else
        input_set_add_realpath(walk->observation->set, entry->path, -EACCES, "");
    memory_free(resolved);
}

static void add_looks(struct walk *walk, const struct path_entry *entry)
{
    struct input_set_builder *set = walk->observation->set;
    unsigned use = entry->use;

    if (entry->resolved)
        add_resolved(walk, entry);
    else if (use & USE_DENIED)
        add_denied(walk, entry);
    if (use & USE_NOT_LINK)
        input_set_add_link(set, entry->path, -EINVAL, "");
    if (entry->link)
        input_set_add_link(set, entry->path, 0, entry->link);
    if (use & USE_LISTED)
        add_listing(walk, entry);
    if ((use & USE_SEEN) && !(use & USE_CONTENT))
        add_existing(walk, entry->path, true);
    if (use & USE_SEEN_LINK)
        add_existing(walk, entry->path, false);
    if (use & USE_MISSED)
        input_set_add_absent(set, entry->path, true);
    if (use & USE_MISSED_LINK)
        input_set_add_absent(set, entry->path, false);
}

/* What the compiler itself has opened and loaded (a procedural macro, say) may look through the environment
 * without asking for a name. */
static void add_plugin(struct walk *walk, const struct path_entry *entry)
{
    if (!walk->whole_environment && elf_imports(walk->observation->request->ground, entry->path, "environ"))
        walk->whole_environment = true;
}

static void add_path(struct walk *walk, const struct path_entry *entry)
{
    enum path_kind kind = known_path(entry->path);

    if (kind == PATH_NO_INPUT || (entry->use & (USE_SILENT | USE_PRIVATE)))
        return;
    if (entry->use & USE_FOLDER) {
        give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    if (is_own(entry)) {
        if (entry->use & USE_READ) /* read, and then written: not the same any more */
            give_up(walk, REASON_SHARED_FILE, entry->path);
        return;
    }
    if (entry->use & USE_REMOVED) {
        give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    if (kind == PATH_SPECIAL && (entry->use & (USE_CONTENT | USE_LISTED))) {
        give_up(walk, REASON_SPECIAL_INPUT, entry->path);
        return;
    }
    if (entry->use & USE_CONTENT)
        add_content(walk, entry);
    if ((entry->use & USE_LOADED) && (entry->use & USE_READ))
        add_plugin(walk, entry);
    add_looks(walk, entry);
}

/* ---- what libc and the loader read unseen ---- */

static void add_libc(struct walk *walk)
{
    const struct request *request = walk->observation->request;

    for (const char *const *file = known_libc_files; *file; file++) {
        struct file_facts facts;
        int error = file_digest(digests_of(walk), request->ground, *file, false, &facts);
        if (error == 0)
            input_set_add_file(walk->observation->set, *file, &facts, false);
        else if (is_absence(error))
            input_set_add_absent(walk->observation->set, *file, true);
    }
}

/* A library that appears in a folder which the loader searches before the one where it was found. */
static void add_loader_absences(struct walk *walk, const char *folder)
{
    static const char *const sub[] = {"glibc-hwcaps", "tls", "haswell", "x86_64"};
    struct input_set_builder *set = walk->observation->set;
    int directory = walk->observation->request->ground;

    for (size_t i = 0; i < sizeof sub / sizeof *sub; i++) {
        const char *path = path_table_form(&walk->paths, NULL, arena_printf(walk->arena, "%s/%s", folder, sub[i]));
        if (faccessat(directory, path, F_OK, 0) != 0)
            input_set_add_absent(set, path, true);
    }
    for (const struct path_entry *entry = walk->paths.first; entry; entry = entry->next) {
        const char *name = strrchr(entry->path, '/');
        if (!(entry->use & USE_LOADED) || !name || !strstr(name, ".so"))
            continue;
        const char *path = path_table_form(&walk->paths, NULL, arena_printf(walk->arena, "%s%s", folder, name));
        if (faccessat(directory, path, F_OK, 0) != 0)
            input_set_add_absent(set, path, true);
    }
}

static void add_loader(struct walk *walk)
{
    const char *folders = environment_get(&walk->observation->request->environment, "LD_LIBRARY_PATH");

    if (folders && folders[0]) {
        char *copy = arena_strdup(walk->arena, folders), *save = NULL;
        for (char *folder = strtok_r(copy, ":;", &save); folder; folder = strtok_r(NULL, ":;", &save))
            add_loader_absences(walk, folder);
    }
    for (struct name *name = walk->runpaths; name; name = name->next)
        add_loader_absences(walk, name->name);
    input_set_add_fact(walk->observation->set, FACT_LIBRARIES, request_fact(walk->observation->request, FACT_LIBRARIES));
}

static void add_variable(struct walk *walk, const char *name)
{
    enum variable_effect effect = known_variable(name);

    if (effect == VARIABLE_INPUT || (effect == VARIABLE_MESSAGES && walk->observation->has_messages))
        input_set_add_variable(walk->observation->set, name,
                               environment_get(&walk->observation->request->environment, name));
}

static void add_environment(struct walk *walk)
{
    struct observation *observation = walk->observation;
    struct request *request = observation->request;

    for (const char *const *name = known_libc_variables; *name; name++)
        add_variable(walk, *name);
    for (struct name *name = walk->variables; name; name = name->next)
        add_variable(walk, name->name);
    for (const char *const *name = request->frontend->environment; name && *name; name++)
        add_variable(walk, *name);
    if (walk->whole_environment) {
        input_set_add_fact(observation->set, FACT_ENVIRONMENT, request_fact(request, FACT_ENVIRONMENT));
        input_set_add_fact(observation->set, FACT_DIRECTORY, request_fact(request, FACT_DIRECTORY));
        input_set_add_fact(observation->set, FACT_OUTPUT, request_fact(request, FACT_OUTPUT));
    }
}

static void add_facts(struct walk *walk)
{
    struct observation *observation = walk->observation;
    struct request *request = observation->request;

    if (observation->has_messages)
        observe_add_message_facts(observation);
    if (!observation->has_messages && !request->command.positions_show)
        input_set_allow_comments(observation->set);
}

/* What the front end says of paths, and a pool of the jobserver: that it is opened says nothing. */
static void set_aside(struct walk *walk)
{
    const struct observation *observation = walk->observation;
    const struct command *command = &observation->request->command;

    for (const char *const *path = command->silent; path && *path; path++)
        path_table_get(&walk->paths, NULL, *path)->use |= USE_SILENT;
    for (size_t i = 0; i < 2; i++)
        if (observation->pool[i])
            path_table_get(&walk->paths, NULL, observation->pool[i])->use |= USE_SILENT;
    if (command->private_folder)
        walk->private_folder = path_table_form(&walk->paths, NULL, command->private_folder);
}

void observe(struct observation *observation)
{
    struct walk *walk = memory_zalloc(sizeof *walk);

    walk->observation = observation;
    walk->arena = &observation->request->arena;
    path_table_init(&walk->paths, walk->arena, observation->request->wire.directory);
    walk->paths.bases = observation->request->settings.basedir;
    path_table_set_ground(&walk->paths, observation->request->command.ground);
    set_aside(walk);
    observation->set = input_set_builder_new();
    walk_log(walk);
    for (struct path_entry *entry = walk->paths.first; entry && observation->reason == REASON_NONE;
         entry = entry->next)
        add_path(walk, entry);
    if (observation->reason == REASON_NONE) {
        add_libc(walk);
        add_loader(walk);
        add_environment(walk);
        add_facts(walk);
    }
    if (observation->reason == REASON_NONE)
        observe_outputs(observation, &walk->paths);
    memory_free(walk);
}

void observe_release(struct observation *observation)
{
    for (size_t i = 0; i < observation->output_count; i++)
        if (observation->outputs[i].fd >= 0)
            close(observation->outputs[i].fd);
    observation->output_count = 0;
    if (observation->set)
        input_set_builder_free(observation->set);
    observation->set = NULL;
}
