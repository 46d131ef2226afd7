#include "server/observe_outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/contents.h"
#include "server/basedir.h"
#include "server/compilers/depfile.h"
#include "server/grounded.h"
#include "server/known.h"

enum { OUTPUTS_MAX = 4096, DEPFILE_MAX = 16 * 1024 * 1024, SCAN_SIZE = 256 * 1024 };

/* ---- inputs, for comparison ---- */

struct noted_input {
    const char *path;
    struct file_facts facts;
    bool program;
    struct noted_input *next;
    struct noted_input *next_of_content, *next_of_file; /* in their slots */
};

/* In two tables, by content and by inode, so that each is found without a walk over all. */
enum { INPUT_SLOTS = 1024 };
struct noted_inputs {
    struct noted_input *by_content[INPUT_SLOTS], *by_file[INPUT_SLOTS];
};

static struct noted_input **slot_of_content(struct noted_inputs *inputs, const struct digest *content)
{
    return &inputs->by_content[(content->bytes[0] | content->bytes[1] << 8) % INPUT_SLOTS];
}

static struct noted_input **slot_of_file(struct noted_inputs *inputs, uint64_t inode)
{
    return &inputs->by_file[inode % INPUT_SLOTS];
}

/* gcc takes two files of one content, size and mtime for the same one (#pragma once, #import), clang two
 * names of one inode. So how alike two equal inputs are must stay as it is. */
void observe_outputs_note_input(struct observation *observation, const char *path,
                                const struct file_facts *facts, bool program)
{
    struct arena *arena = &observation->request->arena;
    struct noted_input *input = ARENA_NEW(arena, struct noted_input);

    if (!observation->inputs_by)
        observation->inputs_by = ARENA_NEW(arena, struct noted_inputs);
    struct noted_input **content = slot_of_content(observation->inputs_by, &facts->content);
    struct noted_input **file = slot_of_file(observation->inputs_by, facts->stamp.inode);
    if (!program && facts->stamp.size > 0 && !observation->request->command.names_only)
        for (const struct noted_input *other = *content; other; other = other->next_of_content)
            if (digest_equal(&other->facts.content, &facts->content))
                input_set_add_twins(observation->set, path, other->path,
                                    other->facts.stamp.inode == facts->stamp.inode &&
                                        other->facts.stamp.device == facts->stamp.device,
                                    other->facts.stamp.mtime == facts->stamp.mtime);
    input->path = path;
    input->facts = *facts;
    input->program = program;
    input->next = observation->inputs;
    observation->inputs = input;
    input->next_of_content = *content;
    *content = input;
    input->next_of_file = *file;
    *file = input;
}

static bool is_input(const struct observation *observation, const struct stat *status)
{
    if (!observation->inputs_by)
        return false;
    for (const struct noted_input *input = *slot_of_file(observation->inputs_by, status->st_ino); input;
         input = input->next_of_file)
        if (input->facts.stamp.inode == status->st_ino && input->facts.stamp.device == status->st_dev)
            return true;
    return false;
}

/* A precompiled header or module of clang's holds the times of the files that it was made of, and is refused
 * when they moved (the magic is that of clang's AST files). */
static bool holds_times(const struct output_file *output)
{
    char magic[4];
    return pread(output->fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "CPCH", 4) == 0;
}

static void add_times(struct observation *observation)
{
    for (const struct noted_input *input = observation->inputs; input; input = input->next)
        if (!input->program)
            input_set_add_times(observation->set, input->path, &input->facts.stamp, NULL);
}

struct own_names {
    const char *const *names;
};

static bool is_own_name(void *data, const char *name)
{
    const struct own_names *own = data;

    for (const char *const *other = own->names; *other; other++)
        if (strcmp(*other, name) == 0)
            return true;
    return false;
}

int observe_list(int directory, const char *path, const char *const *own, struct digest *digest)
{
    struct own_names names = {own};
    return directory_digest(directory, path, is_own_name, &names, digest);
}

/* ---- outputs ---- */

static void add_fact(struct observation *observation, enum input_fact fact)
{
    input_set_add_fact(observation->set, fact, request_fact(observation->request, fact));
}

/* Messages of one stream can be given to a client whose streams are one, but not the other way round. */
void observe_add_message_facts(struct observation *observation)
{
    bool one = observation->request->wire.flags & WIRE_ONE_STREAM;

    add_fact(observation, FACT_TERMINAL);
    if (one || observation->streams == (1u << 1 | 1u << 2))
        add_fact(observation, FACT_STREAMS);
}

static enum output_role role_of(const struct request *request, const struct path_table *paths,
                                const char *path)
{
    for (int role = OUTPUT_OTHER + 1; role < OUTPUT_ROLES; role++) {
        const char *named = request->command.output[role];
        if (named && strcmp(path_table_form(paths, NULL, named), path) == 0)
            return role;
    }
    return OUTPUT_OTHER;
}

/* Was it there before the compile, which then wrote into it? False where the file system keeps no time of
 * birth. */
static bool is_older(const struct observation *observation, int fd)
{
    struct statx status;

    return statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) == 0 && (status.stx_mask & STATX_BTIME) &&
           status.stx_btime.tv_sec * INT64_C(1000000000) + status.stx_btime.tv_nsec < observation->started;
}

/* Modes that the umask, the folder or an old file explains are made so for whoever gets the file. */
static uint32_t mode_flags(const struct observation *observation, const struct path_entry *entry,
                           enum output_role role, int fd, mode_t mode)
{
    const struct request *request = observation->request;
    mode_t usual = (mode & 0111 ? 0777 : 0666) & ~(mode_t)request->wire.umask;

    bool copied = request->frontend == &frontend_gcc && role == OUTPUT_SPLIT_DEBUG; /* from the old file */

    if ((mode & 07777) == usual || copied || (!(entry->use & USE_CHMODED) && is_older(observation, fd)) ||
        result_folder_sets_modes(request->ground, entry->path))
        return 0;
    return RESULT_EXACT_MODE;
}

static void add_output(struct observation *observation, const struct path_table *paths,
                       const struct path_entry *entry)
{
    const char *path = entry->path;
    struct request *request = observation->request;
    struct stat status;

    int fd = openat(request->ground, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return; /* made and gone without a record: a directory that was removed with all in it */
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (status.st_nlink != 1 && !request->command.replaces_outputs)) {
        if (fd >= 0)
            close(fd);
        observe_give_up(observation, REASON_OUTPUT_FILE, path);
        return;
    }
    struct output_file *output = &observation->outputs[observation->output_count++];
    enum output_role role = role_of(request, paths, path);
    *output = (struct output_file){.path = path,
                                   .role = role,
                                   .mode = status.st_mode,
                                   .fd = fd,
                                   .size = (uint64_t)status.st_size,
                                   .flags = mode_flags(observation, entry, role, fd, status.st_mode)};
    if (is_input(observation, &status))
        observe_give_up(observation, REASON_SHARED_FILE, path);
    if (output->role == OUTPUT_OTHER && !result_is_asked_for(request, path))
        observe_give_up(observation, REASON_EFFECT, path);
    if (output->role == OUTPUT_OTHER &&
        !request->command.ground) { /* its name is made from the output's in a way that we don't know */
        add_fact(observation, FACT_OUTPUT);
        if (path[0] == '/')
            add_fact(observation, FACT_DIRECTORY);
    }
}

/* ---- the depfile ---- */

static char *read_whole(struct arena *arena, const struct output_file *output)
{
    char *text = arena_alloc(arena, (size_t)output->size + 1);
    return contents_read(output->fd, text, (size_t)output->size) == (ssize_t)output->size ? text : NULL;
}

/* Kept without its targets where it can be made again for others; else it serves those that it names. */
static void prepare_depfile(struct observation *observation, struct output_file *output)
{
    struct request *request = observation->request;
    const char *targets = request->command.depfile_targets;
    struct buf rest = BUF_INIT;
    char *text = output->size <= DEPFILE_MAX ? read_whole(&request->arena, output) : NULL;
    enum depfile_style style = DEPFILE_UNKNOWN;

    if (text && targets)
        style = depfile_split(text, (size_t)output->size, targets, &rest);
    if (style == DEPFILE_UNKNOWN) {
        add_fact(observation, FACT_OUTPUT);
        add_fact(observation, FACT_TARGETS);
        add_fact(observation, FACT_DEPFILE);
    } else {
        struct buf names = BUF_INIT;
        basedir_hide_names(&request->arena, request->bases, request->wire.directory, rest.data, rest.length,
                           &names);
        output->content = arena_memdup(&request->arena, names.data, names.length);
        output->size = names.length;
        buf_release(&names);
        output->flags |= style;
    }
    buf_release(&rest);
}

/* ---- the bytes of directory and ground ---- */

static bool scan(struct arena *arena, const struct output_file *output, const char *bytes, size_t size)
{
    if (output->content)
        return memmem(output->content, (size_t)output->size, bytes, size) != NULL;

    char *window = arena_alloc(arena, SCAN_SIZE);
    size_t kept = 0; /* the end of the last window, in which the bytes may have begun */
    for (off_t at = 0;;) {
        ssize_t got = pread(output->fd, window + kept, SCAN_SIZE - kept, at);
        if (got <= 0)
            return false;
        at += got;
        size_t filled = kept + (size_t)got;
        if (memmem(window, filled, bytes, size))
            return true;
        kept = filled < size - 1 ? filled : size - 1;
        memmove(window, window + filled - kept, kept);
    }
}

/* The directory's own bytes, or those of a `basedir`, under which the whole path can stand. */
static bool directory_is_in(struct observation *observation, const struct output_file *output)
{
    struct request *request = observation->request;
    const char *names[] = {request->shown_directory, request->wire.directory};
    const char *bases = request->bases, *base;

    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (length > 1 && length < SCAN_SIZE / 2 && scan(&request->arena, output, names[i], length))
            return true;
    }
    for (size_t length; (length = basedir_next(&bases, &base));)
        if (length < SCAN_SIZE / 2 && scan(&request->arena, output, base, length))
            return true;
    return false;
}

/* rustc's dep-info; NULL: it is none. */
static char *read_dep_info(struct arena *arena, const struct output_file *output)
{
    return result_is_dep_info(output->path) && output->size <= DEPFILE_MAX ? read_whole(arena, output) : NULL;
}

/* "# env-dep:NAME=VALUE", or NAME alone where it isn't set (rustc's book, "Command-line Arguments", --emit
 * dep-info). */
static void add_variables(struct observation *observation, const char *text, size_t size)
{
    static const char mark[] = "# env-dep:";
    struct request *request = observation->request;
    const char *end = text + size;

    for (const char *line = text; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        line += *line == '\n';
        if ((size_t)(end - line) < sizeof mark || memcmp(line, mark, sizeof mark - 1) != 0)
            continue;
        const char *name = line + sizeof mark - 1;
        size_t length = 0;
        while (name + length < end && !strchr("=\n", name[length]))
            length++;
        name = arena_strndup(&request->arena, name, length);
        input_set_add_variable(observation->set, name, environment_get(&request->environment, name));
    }
    observation->has_dep_info = true;
}

/* rustc's dep-info names its targets by where they are: those are said from the ground. Where the ground
 * shows otherwise it can't be another. */
static void prepare_grounded(struct observation *observation, struct output_file *output, const char *text)
{
    struct arena *arena = &observation->request->arena;
    const char *ground = observation->request->command.ground_text;
    struct buf out = BUF_INIT;

    if (text && grounded_take_targets(ground, text, (size_t)output->size, &out) == GROUNDED_MARKED) {
        output->content = arena_memdup(arena, out.data, out.length);
        output->size = out.length;
        output->flags |= RESULT_GROUNDED;
    } else if (scan(arena, output, ground, strlen(ground))) {
        add_fact(observation, FACT_OUTPUT);
    }
    buf_release(&out);
}

static bool is_output(const struct path_entry *entry)
{
    return (entry->use & USE_WRITTEN) && !(entry->use & (USE_SILENT | USE_PRIVATE)) &&
           known_path(entry->path) == PATH_PLAIN;
}

/* A compile that ended well without its object wasn't seen as it was. */
static bool has_object(const struct observation *observation)
{
    const struct request *request = observation->request;
    const char *object = request->command.output[OUTPUT_OBJECT];

    for (size_t i = 0; i < observation->output_count; i++)
        if (observation->outputs[i].role == OUTPUT_OBJECT)
            return true;
    return !object || request->command.ground || strcmp(object, "/dev/null") == 0;
}

void observe_outputs(struct observation *observation, const struct path_table *paths)
{
    struct request *request = observation->request;
    size_t count = 0;

    for (const struct path_entry *entry = paths->first; entry; entry = entry->next)
        count += is_output(entry);
    if (count > OUTPUTS_MAX) {
        observe_give_up(observation, REASON_EFFECT, "too many output files");
        return;
    }
    observation->outputs = ARENA_ARRAY(&request->arena, struct output_file, count + 1);
    for (const struct path_entry *entry = paths->first; entry && observation->reason == REASON_NONE;
         entry = entry->next)
        if (is_output(entry))
            add_output(observation, paths, entry);

    struct output_file messages = {
        .fd = -1, .content = observation->messages->data, .size = observation->messages->length};
    /* messages that name the ground are seen to where they are packed */
    if (observation->has_messages && !request->command.directory_shows && !request->command.ground_text &&
        directory_is_in(observation, &messages))
        add_fact(observation, FACT_DIRECTORY);
    for (size_t i = 0; i < observation->output_count && observation->reason == REASON_NONE; i++) {
        struct output_file *output = &observation->outputs[i];
        observation->shows_times |= holds_times(output);
        if (output->role == OUTPUT_DEPFILE)
            prepare_depfile(observation, output);
        char *text = request->frontend == &frontend_rustc ? read_dep_info(&request->arena, output) : NULL;
        if (text)
            add_variables(observation, text, (size_t)output->size);
        if (request->command.ground_text)
            prepare_grounded(observation, output, text);
        if (!request->command.directory_shows && directory_is_in(observation, output))
            add_fact(observation, FACT_DIRECTORY);
    }
    if (!has_object(observation))
        observe_give_up(observation, REASON_EFFECT, request->command.output[OUTPUT_OBJECT]);
    if (observation->shows_times)
        add_times(observation);
}

/* ---- after an interruption ---- */

struct place {
    pid_t pid;
    const char *directory;
    struct place *next;
};

static struct place *place_of(struct place *places, pid_t pid)
{
    while (places && places->pid != pid)
        places = places->next;
    return places;
}

/* Those that the log told of, from the last to the first. */
static struct place *note_directory(struct arena *arena, struct place *places, const struct record *record)
{
    struct place *place = place_of(places, record->pid);

    if (!place) {
        place = ARENA_NEW(arena, struct place);
        *place = (struct place){.pid = record->pid, .next = places};
        places = place;
    }
    place->directory = arena_strdup(arena, record->path);
    return places;
}

/* The path that a record says was made; NULL: none. */
static const char *made_by(const struct record *record)
{
    bool made =
        record->kind == RECORD_OPEN && (record->flags & O_CREAT) && (record->flags & (O_TRUNC | O_EXCL));

    if (record->result < 0)
        return NULL;
    return made ? record->path : record->kind == RECORD_RENAME ? record->text : NULL;
}

void observe_remove_outputs(struct record_log *log, const char *directory)
{
    struct arena arena;
    struct path_table paths;
    struct record record;
    int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return;
    arena_init(&arena);
    path_table_init(&paths, &arena, directory);
    struct place *places = NULL;
    record_log_rewind(log);
    while (record_log_next(log, &record)) {
        struct stat status;
        if (record.kind == RECORD_DIRECTORY)
            places = note_directory(&arena, places, &record);
        const struct place *place = place_of(places, record.pid);
        const char *path = made_by(&record);
        if (!path || (path[0] != '/' && (!place || !place->directory[0]))) /* where that is isn't known */
            continue;
        path = path_table_form(&paths, place ? place->directory : NULL, path);
        if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            unlinkat(folder, path, 0);
    }
    arena_release(&arena);
    close(folder);
}
