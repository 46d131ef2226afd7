#include "server/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "server/basedir.h"
#include "server/elf_imports.h"
#include "server/genuine.h"
#include "server/verdicts.h"

void walk_give_up(struct walk *walk, enum reason reason, const char *word)
{
    if (walk->observation->reason == REASON_NONE)
        observe_give_up(walk->observation, reason, arena_strdup(walk->arena, word));
}

static struct process *find_process(struct walk *walk, pid_t pid)
{
    for (size_t i = walk->process_count; i-- > 0;)
        if (walk->processes[i].pid == pid)
            return &walk->processes[i];
    if (walk->process_count == PROCESSES) {
        walk_give_up(walk, REASON_LOG, "too many processes");
        walk->process_count = 0;
    }
    struct process *process = &walk->processes[walk->process_count++];
    *process = (struct process){.pid = pid};
    return process;
}

/* /proc/self/fd/N and what leads there is the caller's own; a listing of the folder is harmless, and so is a
 * look at where such a link leads (clang asks so for a file's real name). */
static bool is_descriptor(const char *path)
{
    static const char *const prefixes[] = {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/",
                                           "/dev/stdin",     "/dev/stdout",           "/dev/stderr"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* A jobserver's is silent: it was given by us. */
static void refuse_descriptor(struct walk *walk, const struct path_entry *entry)
{
    if (!(entry->use & USE_SILENT) && is_descriptor(entry->path))
        walk_give_up(walk, REASON_DESCRIPTOR, entry->path);
}

/* Is the path one that the compiler made of this word: below the folder that it names, or beside the file? */
static bool word_explains(const struct walk *walk, const char *word, const char *path)
{
    struct stat status;
    size_t length = strlen(word);

    while (length > 1 && word[length - 1] == '/')
        length--;
    if (basedir_is_below(path, word, length))
        return true;
    const char *slash = memrchr(word, '/', length);
    return slash && slash > word && basedir_is_below(path, word, (size_t)(slash - word)) &&
           (fstatat(walk->observation->request->ground, word, &status, 0) != 0 || !S_ISDIR(status.st_mode));
}

/* An absolute path below the client's directory is kept relative, for in another checkout the words of the
 * command, which are told relative in the key, lead to another. Where a variable or a text named it, it stays
 * what it is. */
static bool is_explained(const struct walk *walk, const char *path)
{
    const struct request *request = walk->observation->request;
    const struct command *command = &request->command;

    for (size_t i = 0; i < command->key_word_count; i++) {
        const char *word = command->key_words[i];
        word = word[0] == '/' ? word : basedir_path_of_word(word);
        if (word && word[0] == '/' && word_explains(walk, word, path))
            return true;
    }
    return command->source && command->source[0] == '/' && word_explains(walk, command->source, path);
}

static void note_absolute(struct walk *walk, struct path_entry *entry, const char *path)
{
    if (path[0] == '/' && entry->path[0] != '/' && strcmp(entry->path, ".") != 0 &&
        !(entry->use & (USE_ABSOLUTE | USE_EXPLAINED)) &&
        walk->observation->request->frontend != &frontend_rustc)
        entry->use |= is_explained(walk, path) ? USE_EXPLAINED : USE_ABSOLUTE;
}

bool walk_went_by_other_names(const struct walk *walk)
{
    for (const struct path_entry *entry = walk->paths.first; entry; entry = entry->next)
        if ((entry->use & USE_ABSOLUTE) && !(entry->use & USE_PRIVATE) && !walk_is_own(entry))
            return true;
    return false;
}

static struct path_entry *entry_of(struct walk *walk, const struct record *record, const char *path)
{
    struct path_entry *entry = path_table_get(&walk->paths, find_process(walk, record->pid)->directory, path);

    note_absolute(walk, entry, path);
    if (walk->private_folder &&
        basedir_is_below(entry->path, walk->private_folder, strlen(walk->private_folder)))
        entry->use |= USE_PRIVATE;
    if (known_path(entry->path) == PATH_OF_PROCESS)
        walk_give_up(walk, REASON_SPECIAL_INPUT, entry->path);
    return entry;
}

bool walk_is_absence(int result)
{
    return result == -ENOENT || result == -ENOTDIR;
}

bool walk_is_own(const struct path_entry *entry)
{
    return entry->use & (USE_WRITTEN | USE_GONE | USE_FOLDER | USE_SILENT);
}

/* What an earlier compile left in the compiler's own folder makes this one's outcome depend on it. */
static void note_private_look(struct walk *walk, struct path_entry *entry, int result, unsigned there)
{
    if (result >= 0 && (there & USE_READ))
        walk_give_up(walk, REASON_SHARED_FILE, entry->path);
}

static void note_look(struct walk *walk, struct path_entry *entry, int result, unsigned there,
                      unsigned missed)
{
    if (walk_is_own(entry))
        return;
    if (entry->use & USE_PRIVATE)
        note_private_look(walk, entry, result, there);
    else if (result >= 0)
        entry->use |= there;
    else if (walk_is_absence(result))
        entry->use |= missed;
    else if (result == -EACCES)
        entry->use |= USE_DENIED;
    else if (result == -EPERM || result == -ELOOP || result == -ENAMETOOLONG)
        walk_give_up(walk, REASON_SPECIAL_INPUT, entry->path);
}

/* stat or lstat, which tell more of a file than that it is there. */
static void note_stat(struct walk *walk, const struct record *record, unsigned there, unsigned missed)
{
    static const unsigned attentions[] = {
        [ATTENTION_KIND] = 0, [ATTENTION_TIMES] = USE_DATED, [ATTENTION_ALL] = USE_DATED | USE_SCANNED};
    struct path_entry *entry = entry_of(walk, record, record->path);

    refuse_descriptor(walk, entry);
    const struct process *process = find_process(walk, record->pid);
    there |= attentions[process->attention] | (process->runs_macros ? USE_MODED : 0);
    note_look(walk, entry, record->result, there, missed);
}

static void note_write(struct walk *walk, struct path_entry *entry, unsigned flags)
{
    bool anew =
        (flags & O_TRUNC) || ((flags & O_CREAT) && (flags & O_EXCL)) || (flags & O_TMPFILE) == O_TMPFILE;

    if (known_path(entry->path) == PATH_NO_INPUT)
        return;
    if (entry->use & (USE_WRITTEN | USE_SILENT))
        return; /* goes on with its own */
    if (anew || (entry->use & USE_PRIVATE) ||
        (entry->use & (USE_GONE | USE_REMOVED | USE_MISSED | USE_MISSED_LINK))) {
        entry->use = (entry->use & ~(unsigned)USE_GONE) | USE_WRITTEN;
        if ((flags & O_TMPFILE) == O_TMPFILE) /* the name is the directory's; the file has none yet */
            walk_give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    entry->use |= USE_CHANGED;
    walk_give_up(walk, REASON_SHARED_FILE, entry->path);
}

/* The number behind a ":" in hexadecimal figures; moves *text behind it. */
static bool parse_number(const char **text, uint64_t *number)
{
    static const char figures[] = "0123456789abcdef";
    const char *next = *text, *figure;

    if (*next++ != ':' || !*next)
        return false;
    for (*number = 0; *next && (figure = memchr(figures, *next, 16)); next++)
        *number = *number << 4 | (uint64_t)(figure - figures);
    *text = next;
    return true;
}

/* record_log.h, RECORD_STAMP_SIZE. */
static bool parse_stamp(const char *text, struct stamp *stamp)
{
    uint64_t mtime, ctime;
    bool whole = parse_number(&text, &stamp->device) && parse_number(&text, &stamp->inode) &&
                 parse_number(&text, &stamp->size) && parse_number(&text, &mtime) &&
                 parse_number(&text, &ctime);

    if (!whole)
        return false;
    stamp->mtime = (int64_t)mtime;
    stamp->ctime = (int64_t)ctime;
    return true;
}

static void note_stamp(struct path_entry *entry, const struct record *record)
{
    struct stamp stamp;

    if (walk_is_own(entry) || !parse_stamp(record->text, &stamp))
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
    refuse_descriptor(walk, entry);
    bool writes = (record->flags & O_ACCMODE) != O_RDONLY || (record->flags & O_TRUNC);

    if (!writes) {
        const struct process *process = find_process(walk, record->pid);
        bool first = !(entry->use & USE_CONTENT);
        entry->holder = first && process->holds_old_output ? record->pid : 0;
        note_look(walk, entry, record->result, USE_READ, USE_MISSED);
        if (process->is_shell)
            entry->use |= USE_SCRIPT;
        note_stamp(entry, record);
    } else if (record->result >= 0)
        note_write(walk, entry, record->flags);
    else if (known_path(entry->path) != PATH_NO_INPUT)
        walk_give_up(walk, REASON_EFFECT, entry->path);
}

static void note_removed(struct path_entry *entry)
{
    if (walk_is_own(entry) || (entry->use & USE_PRIVATE))
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
    else if (walk_is_absence(record->result))
        note_look(walk, entry, record->result, 0, USE_MISSED_LINK);
    else
        walk_give_up(walk, REASON_EFFECT, entry->path);
}

static void note_rename(struct walk *walk, const struct record *record)
{
    struct path_entry *from = entry_of(walk, record, record->path);
    struct path_entry *to = entry_of(walk, record, record->text);

    if (from->use & to->use & USE_PRIVATE)
        return;
    if (record->result < 0 || !(from->use & USE_WRITTEN)) {
        walk_give_up(walk, REASON_EFFECT, from->path);
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
        walk_give_up(walk, REASON_EFFECT, to->path);
    else
        to->use |= USE_WRITTEN;
}

static void note_attributes(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    entry->use |= USE_CHMODED;
    if (!walk_is_own(entry) && known_path(entry->path) != PATH_NO_INPUT)
        walk_give_up(walk, REASON_EFFECT, entry->path);
}

static void note_readlink(struct walk *walk, const struct record *record)
{
    struct path_entry *entry = entry_of(walk, record, record->path);

    if (walk_is_own(entry))
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

    if (walk_is_own(entry) || entry->resolved)
        return;
    entry->resolve_error = record->result < 0 ? record->result : 0;
    entry->resolved = record->result < 0 ? "" : arena_strdup(walk->arena, record->text);
}

/* What `judge` says of the file, remembered; `unknown` where it can't be read. */
static bool judged(struct walk *walk, const char *path, const struct verdicts *verdicts,
                   bool (*judge)(int directory, const char *path), bool unknown)
{
    const struct request *request = walk->observation->request;
    struct file_facts facts;
    uint8_t verdict;

    if (file_digest(cache_digests(request->server->cache), request->ground, path, false, &facts) != 0)
        return unknown;
    if (!verdicts_recall(verdicts, &facts.content, &verdict)) {
        verdict = judge(request->ground, path);
        verdicts_remember(verdicts, &facts.content, verdict);
    }
    return verdict;
}

bool walk_calls_kernel(struct walk *walk, const char *path)
{
    VERDICTS(verdicts, 256);
    return judged(walk, path, &verdicts, elf_calls_kernel, true);
}

static void want_observable(struct walk *walk, const struct path_entry *entry)
{
    VERDICTS(verdicts, 256);

    if (!judged(walk, entry->path, &verdicts, elf_is_observable, false))
        walk_give_up(walk, REASON_UNWATCHABLE, entry->path);
}

/* A driver that isn't ELF is run by an interpreter, whose start is what counts here. */
static void note_start(struct walk *walk, const struct record *record)
{
    const struct request *request = walk->observation->request;
    struct process *process = find_process(walk, record->pid);
    struct path_entry *entry = entry_of(walk, record, record->path);

    process->kind = known_program(record->path);
    if (process->kind == PROGRAM_TRUSTED &&
        !genuine_program(cache_digests(request->server->cache), request->ground, entry->path))
        process->kind = PROGRAM_UNKNOWN;
    process->attention = known_attention(record->path, process->kind);
    process->program = arena_strdup(walk->arena, record->path);
    process->times = process->clocks = 0;
    process->holds_old_output = known_holds_old_output(record->path);
    process->is_shell = known_is_shell(record->path);
    process->runs_macros = known_runs_macros(record->path);
    if (process->kind == PROGRAM_UNKNOWN)
        want_observable(walk, entry);
    if (process->kind != PROGRAM_TRUSTED)
        walk->whole_environment = true;
    entry->use |= USE_RUN;
}

static void note_loaded(struct walk *walk, const struct record *record)
{
    struct path_entry *entry;

    if (strcmp(record->path, walk->observation->request->server->recorder) == 0)
        return;
    entry = entry_of(walk, record, record->path);
    if (find_process(walk, record->pid)->kind == PROGRAM_UNKNOWN && !known_library(record->path))
        want_observable(walk, entry);
    entry->use |= USE_LOADED;
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

static void note_catalog(struct walk *walk, const struct record *record)
{
    for (const struct catalog *catalog = walk->catalogs; catalog; catalog = catalog->next)
        if (strcmp(catalog->folder, record->path) == 0 && strcmp(catalog->domain, record->text) == 0)
            return;
    struct catalog *catalog = ARENA_NEW(walk->arena, struct catalog);
    catalog->folder = arena_strdup(walk->arena, record->path);
    catalog->domain = arena_strdup(walk->arena, record->text);
    catalog->next = walk->catalogs;
    walk->catalogs = catalog;
}

/* ld.so(8): folders separated by ":"; $ORIGIN is the object's own folder. */
static void note_runpath(struct walk *walk, const struct record *record)
{
    const char *slash = strrchr(record->path, '/');
    char *folders = arena_strdup(walk->arena, record->text), *save = NULL;

    for (char *folder = strtok_r(folders, ":", &save); folder; folder = strtok_r(NULL, ":", &save)) {
        size_t word = strncmp(folder, "$ORIGIN", 7) == 0 ? 7 : strncmp(folder, "${ORIGIN}", 9) == 0 ? 9 : 0;
        if (word)
            folder = arena_printf(walk->arena, "%.*s%s", slash ? (int)(slash - record->path) : 0,
                                  record->path, folder + word);
        if (strchr(folder, '$'))
            walk_give_up(walk, REASON_LOG, folder);
        add_name(walk, &walk->runpaths, folder);
    }
}

static void note_clock(struct walk *walk, const struct record *record)
{
    struct process *process = find_process(walk, record->pid);

    process->times += record->kind == RECORD_TIME;
    process->clocks += record->kind == RECORD_CLOCK;
    /* for the names of incremental sessions it is asked always */
    if (process->runs_macros && !walk->private_folder)
        walk->clock_of_macros = process->program;
    if (process->program &&
        known_asks_clock(process->program, process->kind, process->times, process->clocks))
        walk_give_up(walk, REASON_TIME, process->program);
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
        note_loaded(walk, record);
        break;
    case RECORD_RUNPATH:
        note_runpath(walk, record);
        break;
    case RECORD_OPEN:
        note_open(walk, record);
        break;
    case RECORD_STAT:
        note_stat(walk, record, USE_SEEN, USE_MISSED);
        break;
    case RECORD_LSTAT:
        note_stat(walk, record, USE_SEEN_LINK, USE_MISSED_LINK);
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
            note_look(walk, entry_of(walk, record, record->path),
                      record->result == -EEXIST ? 0 : record->result, USE_SEEN, USE_MISSED);
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
        walk_give_up(walk, REASON_EFFECT, record->text);
        break;
    case RECORD_ATTRIBUTES:
        note_attributes(walk, record);
        break;
    case RECORD_MAPPED: /* an output that is mapped was opened for writing before */
        if (!walk_is_own(entry_of(walk, record, record->path)))
            walk_give_up(walk, REASON_SHARED_FILE, record->path);
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
        add_name(walk,
                 find_process(walk, record->pid)->runs_macros ? &walk->macro_variables : &walk->variables,
                 record->path);
        break;
    case RECORD_TIME:
    case RECORD_CLOCK:
        note_clock(walk, record);
        break;
    case RECORD_LOCAL_TIME: /* without the clock it is a file's: __TIMESTAMP__, however spelled */
        if (find_process(walk, record->pid)->kind != PROGRAM_WALKER)
            walk->observation->shows_times = true;
        break;
    case RECORD_SYSCALL:
        walk_give_up(walk, REASON_LOG, "system call");
        break;
    case RECORD_CATALOG:
        note_catalog(walk, record);
        break;
    case RECORD_UNSAFE:
        walk_give_up(walk, REASON_LOG, record->path);
        break;
    }
}

void walk_log(struct walk *walk)
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
        walk_give_up(walk, REASON_UNWATCHABLE, culprit);
        return;
    case RECORD_HOLE:
    case RECORD_OVERFLOW:
        walk_give_up(walk, REASON_LOG, culprit);
        return;
    }
    record_log_rewind(log);
    while (walk->observation->reason == REASON_NONE && record_log_next(log, &record))
        take(walk, &record);
}
