#include "server/compilers/rustc.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/contents.h"
#include "common/lookup.h"
#include "server/compilers/prefix_map.h"
#include "server/compilers/rustc_options.h"

enum { ARGUMENT_FILE_MAX = 8 << 20, WORDS_MAX = 1 << 19 };

/* A word in the key is the pieces of a command line's word; a path in it may be said from the ground. */
struct rustc_word {
    const char *text; /* up to the path, or the whole */
    const char *path; /* NULL: there is none */
    bool left_out;
};

struct rustc_line {
    const struct invocation *invocation;
    struct arena *arena;
    struct command *command;
    const char **words; /* argument files in place; NULL-terminated */
    size_t count;
    size_t first; /* index of the first word behind the programs */
    struct rustc_word *key;
    size_t key_count;
    const char *out_dir;
    const char *output; /* -o */
    const char *incremental;
    const char **silent; /* grows: the command's */
    size_t silent_count;
    struct buf messages; /* words that shape messages */
    size_t sources;
    bool mapped, partly_mapped;
};

static void refuse(struct rustc_line *line, enum reason reason, const char *word)
{
    if (line->command->reason == REASON_NONE) {
        line->command->reason = reason;
        line->command->reason_word = word;
    }
}

/* A question wins over all else that was found. */
static void ask(struct rustc_line *line, const char *word)
{
    line->command->reason = REASON_QUESTION;
    line->command->reason_word = word;
}

static void add_key(struct rustc_line *line, const char *text, const char *path)
{
    line->key[line->key_count++] = (struct rustc_word){.text = text, .path = path};
}

/* ---- words and argument files ---- */

/* The rustc book, "@path": one argument a line, nothing is quoted, and files name no further files. */
static bool add_argument_file(struct rustc_line *line, const char *word)
{
    struct stat status;
    int fd = openat(line->invocation->directory, word + 1, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > ARGUMENT_FILE_MAX) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    char *text = arena_alloc(line->arena, (size_t)status.st_size + 1);
    ssize_t got = contents_read(fd, text, (size_t)status.st_size);
    close(fd);
    if (got != status.st_size || memchr(text, '\0', (size_t)got))
        return false;

    size_t lines = 1;
    for (const char *next = text; *next; next++)
        lines += *next == '\n';
    if (line->count + lines > WORDS_MAX)
        return false;
    const char **words =
        ARENA_ARRAY(line->arena, const char *, line->count + lines + line->invocation->argc + 2);
    memcpy(words, line->words, line->count * sizeof *words);
    line->words = words;
    for (char *next = text, *end; *next; next = end + 1) {
        end = strchrnul(next, '\n');
        bool last = *end == '\0';
        *end = '\0';
        if (end > next && end[-1] == '\r')
            end[-1] = '\0';
        line->words[line->count++] = next;
        if (last)
            break;
    }
    return true;
}

static void add_silent(struct rustc_line *line, const char *path)
{
    line->silent[line->silent_count++] = path;
}

static void collect_words(struct rustc_line *line)
{
    const struct invocation *invocation = line->invocation;

    line->words = ARENA_ARRAY(line->arena, const char *, (size_t)invocation->argc + 1);
    for (int i = 0; i < invocation->argc; i++) {
        const char *word = invocation->argv[i];
        if (i == 0 || word[0] != '@')
            line->words[line->count++] = word;
        else if (strncmp(word, "@shell:", 7) == 0 || !add_argument_file(line, word))
            refuse(line, REASON_ARGUMENTS, word);
    }
    size_t room = 2 * line->count + 1;
    for (size_t i = 0; i < line->count; i++) /* short options can be written as one word */
        room += strlen(line->words[i]);
    line->key = ARENA_ARRAY(line->arena, struct rustc_word, room);
    line->silent = ARENA_ARRAY(line->arena, const char *, line->count + (size_t)invocation->argc + 1);
    for (int i = 1; i < invocation->argc; i++) /* its words are in the key */
        if (invocation->argv[i][0] == '@')
            add_silent(line, invocation->argv[i] + 1);
}

/* ---- options ---- */

/* An option and its value: how it stands in the key up to the value, and the value. */
struct option_use {
    const struct rustc_option *option;
    const char *word;  /* for the log */
    const char *head;  /* "--extern=", "-L", or a word of its own */
    bool apart;        /* head is a word of its own */
    const char *value; /* "" if there is none */
};

/* `path` is the end of the value; what stands before it goes into the key as it is. */
static void add_option(struct rustc_line *line, const struct option_use *use, const char *path)
{
    size_t before = path ? (size_t)(path - use->value) : strlen(use->value);

    if (use->apart) {
        add_key(line, use->head, NULL);
        add_key(line, arena_strndup(line->arena, use->value, before), path);
    } else {
        add_key(line, arena_printf(line->arena, "%s%.*s", use->head, (int)before, use->value), path);
    }
}

static const char *behind(const char *value, char mark)
{
    const char *found = strchr(value, mark);
    return found ? found + 1 : NULL;
}

/* crates found by -L dependency are named by others' metadata, with their digests: beside those that are read
 * nothing in the folder counts. All that is searched otherwise stays as it was listed. */
static void take_search(struct rustc_line *line, const struct option_use *use)
{
    static const char dependency[] = "dependency=";
    static const char *const kinds[] = {"dependency=", "crate=", "native=", "framework=", "all="};
    const char *path = use->value;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(use->value, kinds[i], strlen(kinds[i])) == 0)
            path = use->value + strlen(kinds[i]);
    if (strncmp(use->value, dependency, sizeof dependency - 1) == 0)
        add_silent(line, path);
    add_option(line, use, path);
}

static void take_prefix_map(struct rustc_line *line, const struct option_use *use)
{
    struct prefix_map map;

    if (prefix_map_read(&map, use->value, line->invocation->directory_path) != 0) {
        add_option(line, use, NULL);
        return;
    }
    line->mapped = true;
    add_key(line,
            prefix_map_effect(&map, "--remap-path-prefix=", strlen("--remap-path-prefix="), line->arena),
            NULL);
}

static void take_code_option(struct rustc_line *line, const struct option_use *use)
{
    size_t length = strcspn(use->value, "=");
    const char *value = use->value[length] ? use->value + length + 1 : "";
    const struct rustc_option *row = use->option->action == RUSTC_CODEGEN
                                         ? rustc_option_codegen(use->value, length)
                                         : rustc_option_unstable(use->value, length);

    switch (row ? (int)row->action : RUSTC_PLAIN) {
    case RUSTC_QUESTION:
        ask(line, use->word);
        break;
    case RUSTC_INCREMENTAL: /* that it is incremental shows (other codegen units), where doesn't */
        line->incremental = value;
        add_key(line, "-Cincremental", NULL);
        return;
    case RUSTC_PROCESSOR:
        line->command->processor_shows |= strcmp(value, "native") == 0;
        break;
    case RUSTC_THREADS:
        if (strcmp(value, "1") != 0)
            refuse(line, REASON_OPTION, use->word);
        break;
    case RUSTC_VARIES:
        refuse(line, REASON_OPTION, use->word);
        break;
    }
    add_option(line, use, NULL);
}

static void take_option(struct rustc_line *line, const struct option_use *use)
{
    const char *path = NULL;

    switch ((int)use->option->action) {
    case RUSTC_QUESTION:
        ask(line, use->word);
        break;
    case RUSTC_CODEGEN:
    case RUSTC_UNSTABLE:
        take_code_option(line, use);
        return;
    case RUSTC_SEARCH:
        take_search(line, use);
        return;
    case RUSTC_PREFIX_MAP:
        take_prefix_map(line, use);
        return;
    case RUSTC_EXTERN:
        path = behind(use->value, '=');
        break;
    case RUSTC_LINTS:
        if (strcmp(use->value, "help") == 0)
            ask(line, use->word);
        break;
    case RUSTC_OUT_DIR:
        line->out_dir = path = use->value;
        break;
    case RUSTC_OUTPUT:
        if (use->option->name[0] == 'o')
            line->output = use->value;
        for (const char *name = use->value; name; name = behind(name, '='))
            if (frontend_names_descriptor(name))
                refuse(line, REASON_DESCRIPTOR, use->word);
        break;
    case RUSTC_FOR_MESSAGES:
        buf_addf(&line->messages, "%s=%s ", use->option->name, use->value);
        return;
    case RUSTC_PLAIN:
        if (strcmp(use->option->name, "remap-path-scope") == 0 && strcmp(use->value, "all") != 0)
            line->partly_mapped = true;
        break;
    }
    add_option(line, use, path);
}

/* The next word as a value; NULL if there is none. */
static const char *next_value(struct rustc_line *line, size_t *index)
{
    return *index + 1 < line->count ? line->words[++*index] : NULL;
}

static void read_long(struct rustc_line *line, size_t *index)
{
    const char *word = line->words[*index], *name = word + 2;
    size_t length = strcspn(name, "=");
    struct option_use use = {
        .option = rustc_option_long(name, length), .word = word, .value = "", .head = word};

    if (!use.option || (!use.option->takes_value && name[length])) {
        refuse(line, REASON_ARGUMENTS, word);
        return;
    }
    if (use.option->takes_value) {
        use.apart = name[length] == '\0';
        use.value = use.apart ? next_value(line, index) : name + length + 1;
        if (!use.apart)
            use.head = arena_strndup(line->arena, word, length + 3);
    }
    if (use.value)
        take_option(line, &use);
    else
        refuse(line, REASON_ARGUMENTS, word);
}

/* Letters without a value may be joined, and a value glued to its letter. */
static void read_short(struct rustc_line *line, size_t *index)
{
    const char *word = line->words[*index];

    for (const char *letter = word + 1; *letter; letter++) {
        struct option_use use = {.option = rustc_option_short(*letter), .word = word, .value = ""};
        if (!use.option) {
            refuse(line, REASON_ARGUMENTS, word);
            return;
        }
        bool takes_value = use.option->takes_value;
        use.head = arena_printf(line->arena, "-%c", *letter);
        if (takes_value)
            use.value = letter[1] ? letter + 1 : next_value(line, index);
        if (!use.value) {
            refuse(line, REASON_ARGUMENTS, word);
            return;
        }
        take_option(line, &use);
        if (takes_value)
            return;
    }
}

static void read_words(struct rustc_line *line)
{
    bool only_sources = false;

    for (size_t i = 0; i < line->first; i++)
        add_key(line, line->words[i], NULL);
    for (size_t i = line->first; i < line->count; i++) {
        const char *word = line->words[i];
        if (!only_sources && strcmp(word, "--") == 0) {
            only_sources = true;
        } else if (!only_sources && word[0] == '-' && word[1] == '-') {
            read_long(line, &i);
        } else if (!only_sources && word[0] == '-' && word[1]) {
            read_short(line, &i);
        } else {
            if (strcmp(word, "-") == 0)
                refuse(line, REASON_STDIN, word);
            if (line->sources++)
                refuse(line, REASON_MULTIPLE_SOURCES, word);
            line->command->source = word;
            add_key(line, "", word);
        }
    }
}

/* ---- the ground ---- */

bool rustc_is_plain_path(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path <= ' ' || (unsigned char)*path >= 0x7f || *path == '"' || *path == '\\')
            return false;
    return true;
}

/* No component that says nothing or goes up: such paths are compared by their text. */
static bool is_normal(const char *path)
{
    size_t length;

    for (path += *path == '/'; *path; path += length + (path[length] == '/')) {
        length = strcspn(path, "/");
        if (length == 0 || (length == 1 && path[0] == '.') ||
            (length == 2 && path[0] == '.' && path[1] == '.'))
            return false;
    }
    return true;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

/* cargo compiles into PROFILE/deps, PROFILE/examples and PROFILE/build/NAME, and crates of one are found in
 * the others. */
static size_t profile_length(const char *path)
{
    static const char *const folders[] = {"deps", "examples"};
    size_t length = strlen(path), parent = parent_length(path, length);

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (parent > 0 && strcmp(path + parent + 1, folders[i]) == 0)
            return parent;
    size_t above = parent_length(path, parent);
    return above > 0 && parent - above == sizeof "build" && memcmp(path + above, "/build", 6) == 0 ? above
                                                                                                   : length;
}

/* The rest of `path` below the first `length` bytes of `folder`, or NULL. */
static const char *below(const char *path, const char *folder, size_t length)
{
    if (strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/'))
        return NULL;
    return path + length;
}

static void choose_ground(struct rustc_line *line)
{
    struct command *command = line->command;
    const char *directory = line->invocation->directory_path, *folder;
    size_t length = line->out_dir ? strlen(line->out_dir) : 0;

    while (length > 1 && line->out_dir[length - 1] == '/')
        length--;
    if (length == 0)
        return;
    folder = arena_strndup(line->arena, line->out_dir, length);
    if (!rustc_is_plain_path(folder) || !is_normal(folder) || !folder[1])
        return;
    if (!command->directory_shows) { /* checkouts share: sources, too, are said from the directory */
        if (below(folder, directory, strlen(directory)) && rustc_is_plain_path(directory) &&
            is_normal(directory))
            command->ground = command->ground_text = directory;
        return;
    }
    command->ground_text = arena_strndup(line->arena, folder, profile_length(folder));
    command->ground = folder[0] == '/' ? command->ground_text
                                       : arena_printf(line->arena, "%s/%s", directory, command->ground_text);
}

static void choose_key(struct rustc_line *line)
{
    struct command *command = line->command;
    size_t length = command->ground_text ? strlen(command->ground_text) : 0;

    command->key_words = ARENA_ARRAY(line->arena, const char *, line->key_count + 1);
    for (size_t i = 0; i < line->key_count; i++) {
        const struct rustc_word *word = &line->key[i];
        const char *rest = length && word->path ? below(word->path, command->ground_text, length) : NULL;
        command->key_words[command->key_word_count++] =
            rest         ? arena_printf(line->arena, "%s" RUSTC_GROUND_MARK "%s", word->text, rest)
            : word->path ? arena_printf(line->arena, "%s%s", word->text, word->path)
                         : word->text;
    }
}

/* ---- the whole ---- */

static bool is_rustc_name(const char *word)
{
    const char *name = lookup_basename(word);
    return strcmp(name, "rustc") == 0 || (strncmp(name, "rustc-", 6) == 0 && !strchr(name, '.'));
}

static bool is_driver_name(const char *word)
{
    return strcmp(lookup_basename(word), "clippy-driver") == 0;
}

bool rustc_is_wrapped(char *const *argv)
{
    if (is_rustc_name(argv[0]))
        return false;
    if (is_driver_name(argv[0]))
        return true;
    return argv[1] && is_rustc_name(argv[1]) && !frontend_is_compiler_name(lookup_basename(argv[0]));
}

/* stderr holds times of day and addresses then. */
static void check_environment(struct rustc_line *line)
{
    static const char *const names[] = {"RUSTC_LOG", "RUSTC_LOG_COLOR", "LLD_REPRODUCE", "CLIPPY_LOG"};
    const struct invocation *invocation = line->invocation;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (invocation->getenv(invocation->environment, names[i]))
            refuse(line, REASON_OPTION, names[i]);
}

static void parse(const struct invocation *invocation, struct arena *arena, struct command *command)
{
    struct rustc_line line = {
        .invocation = invocation, .arena = arena, .command = command, .messages = BUF_INIT};

    command->language = "rust";
    command->reads_jobserver = READS_JOBSERVER_YES;
    command->positions_show = true; /* metadata and debug information hold digests of sources */
    command->names_only = true;
    command->replaces_outputs = true;
    collect_words(&line);
    bool wrapped = line.count > 1 && rustc_is_wrapped(invocation->argv) && is_rustc_name(line.words[1]);
    line.first = wrapped ? 2 : 1;
    read_words(&line);
    check_environment(&line);
    if (!command->source)
        refuse(&line, REASON_NO_INPUT, NULL);
    else if (frontend_names_descriptor(command->source))
        refuse(&line, REASON_DESCRIPTOR, command->source);
    command->directory_shows = !line.mapped || line.partly_mapped;
    command->output[OUTPUT_OBJECT] = line.output;
    command->output_shows = line.output != NULL;
    command->silent = line.silent;
    command->private_folder = line.incremental && line.incremental[0] ? line.incremental : NULL;
    command->message_words =
        arena_strndup(arena, line.messages.data ? line.messages.data : "", line.messages.length);
    buf_release(&line.messages);
    if (command->reason != REASON_NONE)
        return;
    choose_ground(&line);
    choose_key(&line);
}

/* Read by libraries inside rustc in ways of their own. */
static const char *const environment[] = {"RUSTC_BOOTSTRAP",
                                          "RUSTC_FORCE_RUSTC_VERSION",
                                          "LLVM_OVERRIDE_PRODUCER",
                                          "LIBRARY_PATH",
                                          "COMPILER_PATH",
                                          "LD_RUN_PATH",
                                          NULL};

const struct frontend frontend_rustc = {
    .name = "rustc",
    .reads_jobserver = READS_JOBSERVER_YES,
    .parse = parse,
    .environment = environment,
};
