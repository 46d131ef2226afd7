/* From events to conditions. Two passes: the log is walked once and every path gets its uses (walk.c);
 * then each path is looked at as it is now, and becomes an input, an absence, an output, or nothing. */
#include "server/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/lookup.h"
#include "common/memory.h"
#include "server/basedir.h"
#include "server/elf_imports.h"
#include "server/observe_outputs.h"
#include "server/text.h"
#include "server/traits.h"
#include "server/walk.h"

/* With one of these in any text, each file may be read for another thing than its tokens; or for where they
 * stand. */
enum {
    TRAITS_OF_RAW_INPUT = TRAIT_ASSEMBLER | TRAIT_RAW,
    TRAITS_OF_SOURCE = TRAITS_OF_RAW_INPUT | TRAIT_COLUMNS
};

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

/* Is what the file holds now what the compile read? Its stamp must be that of the opening, and older than
 * that moment's tick; a program or library, whose opening isn't seen, must not have changed since the start.
 * The main source was read by us before and after: its content tells. */
static bool is_unchanged(const struct walk *walk, const struct path_entry *entry,
                         const struct file_facts *facts)
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
        walk_give_up(walk, REASON_MODIFIED_INPUT, path);
    else
        input_set_add_exists(walk->observation->set, path, status.st_mode, follow);
}

/* Under a text key the text stands for the files that it is made of, if nothing in the result tells columns,
 * comments or digests. A script may add options that make it tell them. */
static bool shows_in_text(const struct walk *walk, const struct path_entry *entry, bool program)
{
    const struct request *request = walk->observation->request;

    if (!request->by_text || program || request->command.positions_show || request->command.columns_show ||
        walk->observation->has_messages || walk->whole_environment ||
        (walk->traits & (TRAITS_OF_SOURCE | TRAIT_PRAGMAS)))
        return false;
    return is_main_source(walk, entry) || (request->text && text_shows(request->text, entry->path));
}

/* The text was made before the compile read the file: it must be of the same state. */
static bool is_of_text(const struct walk *walk, const struct path_entry *entry,
                       const struct file_facts *facts)
{
    const struct request *request = walk->observation->request;

    if (is_main_source(walk, entry))
        return stamp_equal(&facts->stamp, &request->source.stamp);
    return facts->stamp.ctime < request->text->started;
}

/* A resolved path in the client's directory is kept relative, so that another checkout may have another. */
static void add_resolution(struct walk *walk, const char *path, int error, const char *resolved)
{
    const char *directory = walk->observation->request->ground_path;
    size_t length = strlen(directory);

    if (strncmp(resolved, directory, length) == 0 && (resolved[length] == '/' || resolved[length] == '\0'))
        resolved = resolved[length] ? resolved + length + 1 : ".";
    else
        resolved = path_table_form(&walk->paths, NULL, resolved);
    input_set_add_realpath(walk->observation->set, path, error, resolved);
}

static char *whole_path(struct walk *walk, const struct path_entry *entry)
{
    return entry->path[0] == '/'
               ? arena_strdup(walk->arena, entry->path)
               : arena_printf(walk->arena, "%s/%s", walk->observation->request->ground_path, entry->path);
}

/* The path without ".." where that is possible, as if there were no links. */
static const char *fold(struct arena *arena, const char *path)
{
    bool absolute = path[0] == '/';
    char *out = arena_alloc(arena, strlen(path) + 3), *end = stpcpy(out, absolute ? "/" : "");
    char *floor = end; /* what can't be climbed over */

    for (const char *next = path + strspn(path, "/"); *next; next += strspn(next, "/")) {
        size_t length = strcspn(next, "/");
        bool up = length == 2 && strncmp(next, "..", 2) == 0;
        if (up && end > floor) {
            while (end > floor && *--end != '/')
                ;
        } else if (!up || !absolute) {
            if (end > out && end[-1] != '/')
                *end++ = '/';
            memcpy(end, next, length);
            end += length;
            if (up)
                floor = end;
        }
        next += length;
    }
    strcpy(end, end == out ? "." : "");
    return out;
}

/* Compilers tell folders apart by their inodes: gcc searches one once, whatever its names, and clang calls
 * all that is in one by the name by which it met it first. So it counts which folder a link leads to, or that
 * there is no link. Those of the system stay what they are. */
static void add_identity(struct walk *walk, const struct path_entry *entry)
{
    const char *whole = whole_path(walk, entry);
    struct stat status;

    if (strncmp(whole, "/usr/", 5) == 0 ||
        fstatat(walk->observation->request->ground, entry->path, &status, 0) != 0 || !S_ISDIR(status.st_mode))
        return;
    char *real = realpath(whole, NULL);
    if (!real || strcmp(real, whole) == 0)
        add_existing(walk, entry->path, false);
    else if (strcmp(real, fold(walk->arena, whole)) == 0) /* it climbs, by no link */
        input_set_add_realpath(walk->observation->set, entry->path, 0, fold(walk->arena, entry->path));
    else
        add_resolution(walk, entry->path, 0, real);
    memory_free(real);
}

/* A script may go there, and ask where that is. */
static void add_opened_folder(struct walk *walk, const struct path_entry *entry, mode_t mode)
{
    char *real = walk->whole_environment && !entry->resolved ? realpath(whole_path(walk, entry), NULL) : NULL;

    if (real)
        add_resolution(walk, entry->path, 0, real);
    input_set_add_exists(walk->observation->set, entry->path, mode, true);
    memory_free(real);
}

/* A list of functions, a profile, a configuration: what stands behind two slashes may be no comment there. */
static bool is_named_by_option(const struct request *request, const char *path)
{
    const struct command *command = &request->command;
    const char *name = lookup_basename(path);

    for (size_t i = 0; i < command->key_word_count; i++) {
        const char *word = command->key_words[i];
        if (word[0] == '-' ? strstr(word, name) != NULL
                           : strcmp(word, command->source) != 0 && strcmp(lookup_basename(word), name) == 0)
            return true;
    }
    return false;
}

/* Headers of compilers and the C library are known to do no harm by these: what a user's text makes of their
 * macros is found in that text. */
static unsigned without_harmless(const char *path, unsigned traits)
{
    if (strncmp(path, "/usr/", 5) == 0)
        traits &= ~(unsigned)(TRAIT_ASSEMBLER | TRAIT_PRAGMAS);
    if (strstr(path, "/include/c++/") || strncmp(path, "/usr/lib/", 9) == 0 ||
        strcmp(path, "/usr/include/assert.h") == 0)
        traits &= ~(unsigned)TRAIT_OWN_NAME;
    return traits;
}

/* What the file holds, and what it asks for as a text. */
static void look_into(struct walk *walk, struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    bool program = entry->use & (USE_RUN | USE_TRIED | USE_LOADED), script = entry->use & USE_SCRIPT;
    bool text = !program && request->frontend != &frontend_rustc;
    bool blank = !program && !request->command.positions_show && !is_named_by_option(request, entry->path);

    entry->error = file_digest(digests_of(walk), request->ground, entry->path, blank, &entry->facts);
    if (entry->error || !(text || script))
        return;
    unsigned traits = traits_of_file(request->ground, entry->path, &entry->facts);
    if (text)
        walk->traits |= without_harmless(entry->path, traits);
    if (script && (traits & TRAIT_CHANCE))
        walk_give_up(walk, REASON_TIME, entry->path);
}

static void add_content(struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    bool program = entry->use & (USE_RUN | USE_TRIED | USE_LOADED);
    int error = entry->error;
    struct file_facts facts = entry->facts;

    if (error == -EINVAL && !program) { /* a directory that was opened, most likely */
        struct stat status;
        if (fstatat(request->ground, entry->path, &status, 0) == 0 && S_ISDIR(status.st_mode))
            add_opened_folder(walk, entry, status.st_mode);
        else
            walk_give_up(walk, REASON_SPECIAL_INPUT, entry->path);
        return;
    }
    bool shown = shows_in_text(walk, entry, program);
    if (error || !is_unchanged(walk, entry, &facts) || (shown && !is_of_text(walk, entry, &facts))) {
        walk_give_up(walk, REASON_MODIFIED_INPUT, entry->path);
        return;
    }
    if (!shown)
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
        if (inside && walk_is_own(other))
            own[count++] = name;
    }
    if (observe_list(request->ground, entry->path, own, &names) != 0)
        walk_give_up(walk, REASON_MODIFIED_INPUT, entry->path);
    else
        input_set_add_listing(walk->observation->set, entry->path, &names, own);
}

/* Size and times of a plain file; with `all`, mode and owner as well. False if it is none. */
static bool add_times(struct walk *walk, const struct path_entry *entry, bool all)
{
    struct stat status;

    if (fstatat(walk->observation->request->ground, entry->path, &status, 0) != 0 || !S_ISREG(status.st_mode))
        return false;
    struct stamp stamp = stamp_of(&status);
    if (stamp.ctime >= walk->observation->started)
        walk_give_up(walk, REASON_MODIFIED_INPUT, entry->path);
    input_set_add_times(walk->observation->set, entry->path, &stamp, all ? &status : NULL);
    return true;
}

/* Of a program that was started it counts that it could be. */
static void add_attributes(struct walk *walk, const struct path_entry *entry)
{
    bool all = entry->use & USE_SCANNED;

    if (!(entry->use & (USE_RUN | USE_TRIED)) && (all || !(entry->use & USE_CONTENT)))
        add_times(walk, entry, all || (entry->use & USE_MODED));
}

/* A folder of PATH that belongs to another user, say: that it can't be searched is what counts. Of a file
 * that is there, and may not be read or run, mode and owner. */
static void add_denied(struct walk *walk, const struct path_entry *entry)
{
    char *resolved = realpath(whole_path(walk, entry), NULL);

    if (resolved ? !add_times(walk, entry, true) : errno != EACCES)
        walk_give_up(walk, REASON_SPECIAL_INPUT, entry->path);
    else if (!resolved)
        input_set_add_realpath(walk->observation->set, entry->path, -EACCES, "");
    memory_free(resolved);
}

/* What the file at a path is: its kind, where links lead. */
static void add_nature(struct walk *walk, const struct path_entry *entry)
{
    struct input_set_builder *set = walk->observation->set;
    unsigned use = entry->use;

    if (entry->resolved)
        add_resolution(walk, entry->path, entry->resolve_error, entry->resolved);
    else if (use & USE_DENIED)
        add_denied(walk, entry);
    if (use & USE_NOT_LINK)
        input_set_add_link(set, entry->path, -EINVAL, "");
    if (entry->link)
        input_set_add_link(set, entry->path, 0, entry->link);
    if ((use & USE_SEEN) && !(use & USE_CONTENT))
        add_existing(walk, entry->path, true);
    if ((use & USE_SEEN) && !entry->resolved)
        add_identity(walk, entry);
    if (use & USE_SEEN_LINK)
        add_existing(walk, entry->path, false);
}

/* rustc passes over an empty candidate for a crate, as over none: `cargo check` leaves such of tests that it
 * checked. */
static bool is_empty_candidate(const struct walk *walk, const struct path_entry *entry)
{
    const struct request *request = walk->observation->request;
    const char *dot = strrchr(entry->path, '.');
    struct stat status;

    return request->frontend == &frontend_rustc && !(entry->use & USE_CONTENT) && dot &&
           strcmp(dot, ".rmeta") == 0 && fstatat(request->ground, entry->path, &status, 0) == 0 &&
           S_ISREG(status.st_mode) && status.st_size == 0;
}

static void add_looks(struct walk *walk, const struct path_entry *entry)
{
    struct input_set_builder *set = walk->observation->set;
    unsigned use = entry->use;
    bool program = use & (USE_RUN | USE_TRIED | USE_LOADED);

    if (is_empty_candidate(walk, entry)) {
        input_set_add_empty(set, entry->path);
        return;
    }
    /* what a look at a header led to shows in the text, too: its name in the line marker */
    if (!(use & USE_READ) || !shows_in_text(walk, entry, program))
        add_nature(walk, entry);
    if (use & USE_DATED)
        add_attributes(walk, entry);
    if (use & USE_LISTED)
        add_listing(walk, entry);
    if (use & USE_MISSED)
        input_set_add_absent(set, entry->path, true);
    if (use & USE_MISSED_LINK)
        input_set_add_absent(set, entry->path, false);
}

/* What the compiler itself has opened and loaded (a procedural macro, say) may look through the environment
 * without asking for a name. */
static void add_plugin(struct walk *walk, const struct path_entry *entry)
{
    if (walk->clock_of_macros && !known_library(entry->path))
        walk_give_up(walk, REASON_TIME, entry->path);
    if (!known_library(entry->path) && walk_calls_kernel(walk, entry->path))
        walk_give_up(walk, REASON_UNWATCHABLE, entry->path);
    if (!walk->whole_environment && elf_imports(walk->observation->request->ground, entry->path, "environ"))
        walk->whole_environment = true;
}

static void add_path(struct walk *walk, const struct path_entry *entry)
{
    enum path_kind kind = known_path(entry->path);

    if (kind == PATH_NO_INPUT || (entry->use & (USE_SILENT | USE_PRIVATE)))
        return;
    if (entry->use & USE_FOLDER) {
        walk_give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    if (walk_is_own(entry)) {
        if (entry->use & USE_READ) /* read, and then written: not the same any more */
            walk_give_up(walk, REASON_SHARED_FILE, entry->path);
        return;
    }
    if (entry->use & USE_REMOVED) {
        walk_give_up(walk, REASON_EFFECT, entry->path);
        return;
    }
    if (kind == PATH_SPECIAL && (entry->use & (USE_CONTENT | USE_LISTED))) {
        walk_give_up(walk, REASON_SPECIAL_INPUT, entry->path);
        return;
    }
    if (entry->use & USE_CONTENT)
        add_content(walk, entry);
    if ((entry->use & USE_LOADED) && (entry->use & USE_READ))
        add_plugin(walk, entry);
    add_looks(walk, entry);
}

static void add_facts(struct walk *walk)
{
    struct observation *observation = walk->observation;
    struct request *request = observation->request;

    if (observation->has_messages)
        observe_add_message_facts(observation);
    if (!observation->has_messages && !request->command.positions_show && !walk->whole_environment &&
        !(walk->traits & (TRAITS_OF_RAW_INPUT | TRAIT_COMMENTS)))
        input_set_allow_comments(observation->set);
    if ((request->words_shortened && (walk->traits & TRAIT_OWN_NAME)) || walk_went_by_other_names(walk))
        input_set_add_fact(observation->set, FACT_DIRECTORY, request_fact(request, FACT_DIRECTORY));
    observation->shows_times |= (walk->traits & TRAIT_DATED) != 0;
}

/* The words of the command can say what a text can: -D's values. */
static void add_traits_of_words(struct walk *walk)
{
    const struct command *command = &walk->observation->request->command;

    for (size_t i = 0; i < command->key_word_count; i++)
        walk->traits |= traits_of_text(command->key_words[i], strlen(command->key_words[i])) &
                        (TRAITS_OF_SOURCE | TRAIT_OWN_NAME);
}

/* What counts as an input: not what the compile made, or what says nothing. */
static bool is_input(const struct path_entry *entry)
{
    enum path_kind kind = known_path(entry->path);

    return (entry->use & USE_CONTENT) && !(entry->use & (USE_SILENT | USE_PRIVATE)) && !walk_is_own(entry) &&
           kind != PATH_NO_INPUT && kind != PATH_SPECIAL;
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

/* rustc asks for the real path of its output folder, and goes on with that. NULL: it has no other, or the
 * sources lie there, too, which stay where they are when the folder is another. */
static const char *real_ground(struct request *request)
{
    const char *ground = request->command.ground;
    char *real = ground ? realpath(ground, NULL) : NULL;
    size_t length = real ? strlen(real) : 0;
    bool holds_sources = real && (basedir_is_below(request->wire.directory, real, length) ||
                                  basedir_is_below(request->command.source, real, length));
    const char *other =
        real && !holds_sources && strcmp(real, ground) != 0 ? arena_strdup(&request->arena, real) : NULL;

    memory_free(real);
    return other;
}

void observe(struct observation *observation)
{
    struct walk *walk = memory_zalloc(sizeof *walk);

    walk->observation = observation;
    walk->arena = &observation->request->arena;
    path_table_init(&walk->paths, walk->arena, observation->request->wire.directory);
    walk->paths.bases = observation->request->bases;
    path_table_set_ground(&walk->paths, observation->request->command.ground,
                          real_ground(observation->request));
    set_aside(walk);
    observation->set = input_set_builder_new();
    walk_log(walk);
    add_traits_of_words(walk);
    for (struct path_entry *entry = walk->paths.first; entry && observation->reason == REASON_NONE;
         entry = entry->next)
        if (is_input(entry))
            look_into(walk, entry);
    for (struct path_entry *entry = walk->paths.first; entry && observation->reason == REASON_NONE;
         entry = entry->next)
        add_path(walk, entry);
    if (observation->reason == REASON_NONE) {
        observe_add_environment(walk);
        add_facts(walk);
    }
    if (observation->reason == REASON_NONE)
        observe_outputs(observation, &walk->paths);
    if (!observation->has_dep_info)
        observe_add_own_questions(walk);
    memory_free(walk);
}

void observe_give_up(struct observation *observation, enum reason reason, const char *word)
{
    if (observation->reason == REASON_NONE) {
        observation->reason = reason;
        observation->word = word;
    }
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
