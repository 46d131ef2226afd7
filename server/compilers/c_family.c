#include "server/compilers/c_family.h"

#include <string.h>

#include "common/lookup.h"
#include "server/compilers/response.h"

/* What was learned of one word (and its value). */
struct option_use {
    const struct c_option *option;
    struct c_word *word; /* the option's word */
    const char *value;   /* glued or the next word; "" for none */
    struct c_word *last; /* the word that holds the value */
};

static void refuse(struct c_line *line, enum reason reason, const char *word)
{
    if (line->reason == REASON_NONE) {
        line->reason = reason;
        line->reason_word = word;
    }
}

static void not_unwatched(struct c_line *line, const char *word)
{
    if (!line->unwatched_word)
        line->unwatched_word = word;
}

static void mark(struct option_use *use, unsigned kinds)
{
    use->word->kinds |= kinds;
    use->last->kinds |= kinds;
}

static const struct c_option *find_option(const struct c_line *line, const char *word)
{
    const struct c_option *common = c_option_find(&c_options_common, word);
    const struct c_option *own = c_option_find(line->dialect->options, word);

    if (!own || (common && strlen(common->name) > strlen(own->name)))
        return common;
    return own;
}

static void take_source(struct c_line *line, const char *word)
{
    if (line->sources++)
        return;
    line->source = word;
    if (line->forced_now)
        line->source_language = c_language_by_name(line->forced_language, line->dialect->is_clang);
    else
        line->source_language = c_language_by_extension(word, line->dialect->is_clang, line->cxx_driver);
}

static void take_target(struct c_line *line, const char *value, bool quote)
{
    /* A blank in a target that isn't quoted makes two targets in the file but one in the compiler's count. */
    if (!value[0] || (!quote && strpbrk(value, " \t")) || strchr(value, '\n'))
        line->unclear_target = true;
    if (quote)
        line->quoted_targets++;
    else
        line->plain_targets++;
    c_outputs_add_target(line->dialect, value, quote, &line->targets);
}

static void take_depfile(struct c_line *line, const char *value, const char *word)
{
    if (!strcmp(value, "-"))
        refuse(line, REASON_STDOUT, word);
    if (!value[0])
        refuse(line, REASON_ARGUMENTS, word);
}

/* The end of a comma-separated part. */
static size_t part_length(const char *text)
{
    return strcspn(text, ",");
}

/* One option among those of -Wp, or of -Xpreprocessor, that isn't about dependencies. */
static void take_inner_option(struct c_line *line, const char *part, const char *word)
{
    const struct c_option *option = find_option(line, part);

    if (!option) {
        line->flags |= SHOWS_ALL;
        not_unwatched(line, word);
        return;
    }
    if (option->reason != REASON_NONE || option->action != ACTION_PLAIN || c_option_takes_next(option, part))
        refuse(line, REASON_OPTION, word);
    line->flags |= option->flags & ~(unsigned)(COMPILE_ONLY | IS_QUESTION);
    if (!(option->flags & UNWATCHED))
        not_unwatched(line, word);
}

/* -Wp,-MD,FILE,-MT,TARGET,-DX …: the words that only name the depfile don't go into the key. */
static void take_preprocessor_words(struct c_line *line, struct option_use *use)
{
    const char *word = use->word->text, *next = word + strlen("-Wp");
    struct buf key = BUF_INIT;
    bool names = false, others = false;

    buf_add_text(&key, "-Wp");
    while (*next == ',') {
        size_t length = part_length(next + 1);
        char *part = arena_strndup(line->arena, next + 1, length);
        bool depfile = !strcmp(part, "-MD") || !strcmp(part, "-MMD");
        bool target = !strcmp(part, "-MT") || !strcmp(part, "-MQ");

        next += length + 1;
        buf_addf(&key, ",%s", part);
        if (depfile || target) {
            char *value;
            if (*next != ',' || !part_length(next + 1)) {
                /* gcc takes the next word of its inner command, perhaps the source, for the file. */
                refuse(line, REASON_ARGUMENTS, word);
                break;
            }
            length = part_length(next + 1);
            value = arena_strndup(line->arena, next + 1, length);
            next += length + 1;
            names = true;
            if (depfile) {
                take_depfile(line, value, word);
                line->inner_depfile = value;
            } else {
                take_target(line, value, part[2] == 'Q');
            }
        } else if (strcmp(part, "-MP") != 0) {
            others = true;
            take_inner_option(line, part, word);
        }
    }
    if (names) {
        use->word->kinds |= WORD_DEPFILE_NAME | WORD_COMPILE_ONLY;
        use->word->key_text = arena_strndup(line->arena, key.data, key.length);
        line->cant_preprocess |= others;
    }
    buf_release(&key);
}

/* The parts of -Wa, or one -Xassembler word. */
static void take_assembler_words(struct c_line *line, const char *parts, const char *word)
{
    while (*parts) {
        size_t length = part_length(parts);
        char *part = arena_strndup(line->arena, parts, length);
        const struct c_option *option = c_option_find(&c_options_assembler, part);

        if (option && option->action == ACTION_DEBUG_ON)
            line->debug = true;
        line->flags |= option ? option->flags : SHOWS_ALL;
        parts += length + (parts[length] == ',');
    }
    not_unwatched(line, word);
}

/* Options of clang's inner compiler that change no more than what they read. */
static void take_compiler_word(struct c_line *line, const char *value, const char *word)
{
    static const char *const harmless[] = {"-fno-pch-timestamp", "-fno-validate-pch",
                                           "-fpch-instantiate-templates", "-include", "-include-pch"};
    static const char *const refused[] = {"-E",
                                          "-S",
                                          "-M",
                                          "-o",
                                          "-x",
                                          "-cc1",
                                          "-main-file-name",
                                          "-dependency",
                                          "-ast",
                                          "-analyze",
                                          "-fsyntax-only",
                                          "-plugin",
                                          "-P",
                                          "-module-file-deps",
                                          "-header-include-file",
                                          "-coverage"};
    bool value_of_last = line->inner_value && value[0] != '-';

    not_unwatched(line, word);
    line->flags |= SHOWS_POSITIONS;
    line->inner_value = !value_of_last;
    if (value_of_last)
        return;
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
        if (!strcmp(value, harmless[i]))
            return;
    }
    line->flags |= SHOWS_ALL;
    line->cant_preprocess = true;
    if (!strcmp(value, "-emit-pch"))
        return;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (!strncmp(value, refused[i], strlen(refused[i])) || !strncmp(value, "-emit-", 6))
            refuse(line, REASON_OPTION, word);
    }
}

/* Which driver clang is to be, whatever its name; it must come before the source to say the language. */
static void take_driver_mode(struct c_line *line, const char *value, const char *word)
{
    if (line->sources || (strcmp(value, "g++") != 0 && strcmp(value, "gcc") != 0))
        refuse(line, REASON_OPTION, word);
    line->cxx_driver = !strcmp(value, "g++");
}

static void take_language(struct c_line *line, const char *value)
{
    if (value[0] == '=')
        value++;
    line->forced_now = strcmp(value, "none") != 0;
    line->forced_language = value;
}

static void take_output(struct c_line *line, struct option_use *use)
{
    const char *value = use->value;

    mark(use, WORD_OUTPUT_NAME);
    if (!strcmp(value, "-"))
        refuse(line, REASON_STDOUT, use->word->text);
    if (!value[0])
        refuse(line, REASON_ARGUMENTS, use->word->text);
    line->output = value;
}

/* True if the option's action was about the depfile. */
static bool act_on_dependencies(struct c_line *line, struct option_use *use)
{
    switch ((int)use->option->action) {
    case ACTION_DEPENDENCIES:
        line->dependencies = true;
        return true;
    case ACTION_DEPENDENCY_FILE:
        take_depfile(line, use->value, use->word->text);
        line->depfile = use->value;
        mark(use, WORD_DEPFILE_NAME);
        return true;
    case ACTION_DEPENDENCY_TARGET:
    case ACTION_DEPENDENCY_QUOTED:
        take_target(line, use->value, use->option->action == ACTION_DEPENDENCY_QUOTED);
        mark(use, WORD_DEPFILE_NAME);
        return true;
    default:
        return false;
    }
}

static void set_mode(struct c_line *line, enum c_action action)
{
    line->object |= action == ACTION_OBJECT;
    line->assembly |= action == ACTION_ASSEMBLY;
    line->syntax_only |= action == ACTION_SYNTAX;
    line->precompile |= action == ACTION_PRECOMPILE;
    line->emit_llvm |= action == ACTION_EMIT_LLVM;
}

/* A bare -W is -Wextra. -Werror=X and --warn-X switch on what -WX does. */
static void take_warning(struct c_line *line, const char *value)
{
    const char *name = strncmp(value, "error=", 6) == 0 ? value + 6 : value;
    const struct c_option *option = find_option(line, arena_printf(line->arena, "-W%s", name));

    if (!value[0])
        line->flags |= SHOWS_POSITIONS;
    if (option && option->action == ACTION_PLAIN) {
        line->flags |= option->flags & ~(unsigned)UNWATCHED;
        if (!(option->flags & UNWATCHED))
            not_unwatched(line, option->name);
    }
}

static void act(struct c_line *line, struct option_use *use)
{
    const char *word = use->word->text;

    if (act_on_dependencies(line, use))
        return;
    set_mode(line, use->option->action);
    switch ((int)use->option->action) {
    case ACTION_ASSEMBLER_WORDS:
        take_assembler_words(line, use->value, word);
        break;
    case ACTION_COMPILATION_DIRECTORY:
        line->directory_named = true;
        break;
    case ACTION_COMPILER_WORD:
        take_compiler_word(line, use->value, use->last->text);
        break;
    case ACTION_DEBUG_OFF:
    case ACTION_DEBUG_ON:
        line->debug = use->option->action == ACTION_DEBUG_ON;
        break;
    case ACTION_DIAGNOSTICS_FILE:
        line->diagnostics = use->value;
        mark(use, WORD_OUTPUT_NAME);
        use->word->key_text = use->option->name;
        break;
    case ACTION_DRIVER_MODE:
        take_driver_mode(line, use->value, word);
        break;
    case ACTION_LANGUAGE:
        take_language(line, use->value);
        break;
    case ACTION_OUTPUT:
        take_output(line, use);
        break;
    case ACTION_PREFIX_MAP:
    case ACTION_DEBUG_PREFIX_MAP:
        use->word->kinds |= WORD_PREFIX_MAP;
        use->word->option_length = (unsigned)strlen(use->option->name);
        break;
    case ACTION_PREPROCESSOR_WORD:
        take_inner_option(line, use->value, use->last->text);
        break;
    case ACTION_PREPROCESSOR_WORDS:
        take_preprocessor_words(line, use);
        break;
    case ACTION_NO_SPLIT_DEBUG:
        line->split_debug = false;
        break;
    case ACTION_SPLIT_DEBUG:
        line->debug = line->split_debug = true;
        break;
    case ACTION_STACK_USAGE:
        line->stack_usage = true;
        break;
    case ACTION_WARNING:
        take_warning(line, use->value);
        break;
    default:
        break;
    }
}

static void take_reason(struct c_line *line, const struct c_option *option, const char *word)
{
    bool question = (option->flags & IS_QUESTION) || option->reason == REASON_PREPROCESSING ||
                    option->reason == REASON_DEPENDENCIES;

    if (!question) {
        refuse(line, option->reason, word);
    } else if (line->question == REASON_NONE || (option->flags & IS_QUESTION)) {
        line->question = option->reason;
        line->question_word = word;
    }
}

/* An option that no table knows: what it shows isn't known either. Should it take a value, that counts as a
 * source beside the real one, and two of them aren't cached. */
static void take_unknown(struct c_line *line, const char *word)
{
    line->flags |= SHOWS_ALL;
    not_unwatched(line, word);
}

/* Reads the option at `index`; returns the index of its last word. */
static size_t take_option(struct c_line *line, size_t index)
{
    struct c_word *word = &line->words[index];
    struct option_use use = {find_option(line, word->text), word, "", word};

    if (!use.option) {
        take_unknown(line, word->text);
        return index;
    }
    if (c_option_takes_next(use.option, word->text)) {
        if (index + 1 >= line->count) {
            refuse(line, REASON_ARGUMENTS, word->text);
            return index;
        }
        use.last = &line->words[++index];
        use.value = use.last->text;
    } else if (use.option->value != VALUE_NONE) {
        use.value = word->text + strlen(use.option->name);
    }
    line->flags |= use.option->flags;
    if (use.option->flags & COMPILE_ONLY)
        mark(&use, WORD_COMPILE_ONLY);
    if (!(use.option->flags & UNWATCHED))
        not_unwatched(line, word->text);
    if (use.option->reason != REASON_NONE)
        take_reason(line, use.option, word->text);
    act(line, &use);
    return index;
}

static void read_words(struct c_line *line)
{
    for (size_t i = 1; i < line->count; i++) {
        const char *text = line->words[i].text;

        if (frontend_names_descriptor(text))
            refuse(line, REASON_DESCRIPTOR, text);
        if (line->only_sources || text[0] != '-') {
            take_source(line, text);
        } else if (!text[1]) {
            refuse(line, REASON_STDIN, text);
            take_source(line, text);
        } else if (!strcmp(text, "--") && line->dialect->is_clang) {
            line->only_sources = true;
            not_unwatched(line, text);
        } else {
            i = take_option(line, i);
            if (frontend_names_descriptor(line->words[i].text))
                refuse(line, REASON_DESCRIPTOR, line->words[i].text);
        }
    }
}

const char *c_variable(const struct c_line *line, const char *name)
{
    return line->invocation->getenv ? line->invocation->getenv(line->invocation->environment, name) : NULL;
}

static void read_environment(struct c_line *line)
{
    for (const char *const *name = line->dialect->appending_environment; *name; name++) {
        if (c_variable(line, *name))
            refuse(line, REASON_SHARED_FILE, *name);
    }
    for (const char *const *name = line->dialect->rewriting_environment; *name; name++) {
        if (c_variable(line, *name))
            refuse(line, REASON_ARGUMENTS, *name);
    }
}

/* Why the command as a whole isn't one compile of one source, or NONE. */
static enum reason whole_reason(const struct c_line *line)
{
    bool compiles = line->object || line->assembly || line->syntax_only || line->precompile;
    bool header;

    if (line->question != REASON_NONE)
        return line->question;
    if (!line->sources)
        return line->flags & IS_QUESTION ? REASON_QUESTION : REASON_NO_INPUT;
    header = line->source_language && line->source_language->kind == LANGUAGE_HEADER;
    if (!compiles && !(header && line->sources == 1))
        return REASON_LINK;
    if (line->reason != REASON_NONE)
        return line->reason;
    if (line->sources > 1)
        return REASON_MULTIPLE_SOURCES;
    if (!line->source_language)
        return REASON_LANGUAGE;
    /* Text on stdout, or nothing. */
    if (!strncmp(line->source_language->name, "assembler", 9) && (line->assembly || line->syntax_only))
        return REASON_PREPROCESSING;
    /* What these make of a header, or a header's default name, differs by version. */
    if (header && !line->syntax_only && (line->assembly || line->emit_llvm))
        return REASON_OPTION;
    return REASON_NONE;
}

static void conclude(struct c_line *line, struct command *command)
{
    const struct c_language *language = line->source_language;

    command->source = line->source;
    /* no language is a reason, and then this isn't called:
     * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    command->language = language->name;
    if (!c_outputs_name(line, command)) {
        command->reason = REASON_ARGUMENTS;
        command->reason_word = line->source;
        return;
    }
    c_key_choose(line, command);
    c_key_preprocess(line, command);
    command->directory_shows = (line->flags & (SHOWS_DIRECTORY | SHOWS_WORDS)) ||
                               language->kind == LANGUAGE_HEADER || line->precompile ||
                               (line->debug && !line->directory_named && !line->directory_mapped);
    command->positions_show = (line->flags & SHOWS_POSITIONS) || line->debug || !language->c_text ||
                              language->kind != LANGUAGE_SOURCE;
    /* clang's warnings ask what a macro made, and where it stood, and its depfiles what __has_include asked
     * for */
    command->columns_show = (line->flags & (SHOWS_COLUMNS | SHOWS_INDENTATION)) || line->dialect->is_clang;
    command->processor_shows = line->flags & SHOWS_PROCESSOR;
    command->truncates_object = line->assembly && !line->dialect->is_clang;
    command->distributable = line->object && !line->syntax_only && language->kind == LANGUAGE_SOURCE;
    command->reads_jobserver = READS_JOBSERVER_NO;
    if (!language->c_text || language->kind != LANGUAGE_SOURCE)
        not_unwatched(line, line->source);
    command->unwatched_word = line->unwatched_word;
    command->allow_unwatched = !line->unwatched_word;
}

/* What a driver's name says of the language. */
static void read_name(struct c_line *line, const char *path)
{
    const char *name = path ? lookup_basename(path) : "";

    if (strstr(name, "++"))
        line->cxx_driver = true;
    /* In C89 a // is no comment. */
    if (!strncmp(name, "c89", 3))
        line->flags |= SHOWS_POSITIONS;
}

void c_family_parse(const struct c_dialect *dialect, const struct invocation *invocation, struct arena *arena,
                    struct command *command)
{
    struct c_line line = {.dialect = dialect, .invocation = invocation, .arena = arena};
    struct words words;
    enum response_result expanded =
        response_expand(invocation->argc, invocation->argv, invocation->directory, arena, &words);

    command->reads_jobserver = READS_JOBSERVER_NO;
    if (expanded != RESPONSE_OK) {
        command->reason = expanded == RESPONSE_SPECIAL ? REASON_SPECIAL_INPUT : REASON_ARGUMENTS;
        command->reason_word = words.culprit;
        return;
    }
    read_name(&line, invocation->argv[0]);
    read_name(&line, invocation->program);
    line.count = words.count;
    line.words = ARENA_ARRAY(arena, struct c_word, words.count + 1);
    for (size_t i = 0; i < words.count; i++)
        line.words[i].text = words.items[i];
    read_words(&line);
    read_environment(&line);
    command->reason = whole_reason(&line);
    if (command->reason == line.reason)
        command->reason_word = line.reason_word;
    if (command->reason == line.question && command->reason != REASON_NONE)
        command->reason_word = line.question_word;
    if (command->reason == REASON_NONE)
        conclude(&line, command);
    buf_release(&line.targets);
}
