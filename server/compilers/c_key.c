#include "server/compilers/c_family.h"

#include <string.h>

#include "server/compilers/prefix_map.h"

/* Variables whose folders compilers search: a map's effect may reach into them. */
static const char *const search_variables[] = {
    "CPATH",         "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH",
    "COMPILER_PATH", "GCC_EXEC_PREFIX"};

static const char *map_value(const struct c_word *word)
{
    return word->text + word->option_length;
}

/* True if `text` holds the map's old side anywhere. */
static bool mentions(const char *text, const char *old)
{
    return text && strstr(text, old) != NULL;
}

/* Does anything but the maps themselves name a path that begins with `old`? Such a path would be changed by
 * the map here, and not in another directory where it is said equally. */
static bool named_elsewhere(const struct c_line *line, const char *old)
{
    size_t length = strlen(old);

    for (size_t i = 1; i < line->count; i++) {
        const struct c_word *word = &line->words[i];
        bool same = (word->kinds & WORD_PREFIX_MAP) && !strncmp(map_value(word), old, length) &&
                    map_value(word)[length] == '=';
        if (!same && mentions(word->text, old))
            return true;
    }
    for (size_t i = 0; i < sizeof(search_variables) / sizeof(search_variables[0]); i++) {
        if (mentions(c_variable(line, search_variables[i]), old))
            return true;
    }
    return mentions(line->invocation->program, old);
}

/* Debug information holds $PWD where that names the directory in another way. */
static bool directory_is_plain(const struct c_line *line)
{
    const char *pwd = c_variable(line, "PWD");
    return line->invocation->directory_path &&
           (!pwd || pwd[0] != '/' || !strcmp(pwd, line->invocation->directory_path));
}

/* The map's effect as a word of the key; NULL if the word must stay as it is. */
static char *map_effect(const struct c_line *line, const struct c_word *word)
{
    struct prefix_map map;

    if (!directory_is_plain(line) || (line->flags & SHOWS_WORDS) ||
        prefix_map_read(&map, map_value(word), line->invocation->directory_path))
        return NULL;
    if (named_elsewhere(line, arena_strndup(line->arena, map.value, map.old_length)))
        return NULL;
    return prefix_map_effect(&map, word->text, word->option_length, line->arena);
}

static bool maps_debug(const struct c_word *word)
{
    return !strncmp(word->text, "-ffile-", 7) || !strncmp(word->text, "-fdebug-", 8);
}

/* The word as it stands in the key, or NULL. */
static const char *key_text(struct c_line *line, const struct command *command, const struct c_word *word)
{
    bool names_matter = command->output_shows;

    if (word->kinds & WORD_DEPFILE_NAME)
        names_matter = (line->flags & SHOWS_WORDS) || !command->depfile_targets;
    if (word->kinds & (WORD_DEPFILE_NAME | WORD_OUTPUT_NAME))
        return names_matter ? word->text : word->key_text;
    if (word->kinds & WORD_PREFIX_MAP) {
        char *effect = map_effect(line, word);
        if (!effect)
            return word->text;
        line->directory_mapped |= maps_debug(word);
        return effect;
    }
    return word->text;
}

void c_key_choose(struct c_line *line, struct command *command)
{
    command->key_words = ARENA_ARRAY(line->arena, const char *, line->count + 1);
    for (size_t i = 1; i < line->count; i++) {
        const char *text = key_text(line, command, &line->words[i]);
        if (text)
            command->key_words[command->key_word_count++] = text;
    }
}

void c_key_preprocess(const struct c_line *line, struct command *command)
{
    enum c_language_kind kind = line->source_language->kind;
    size_t count = 0;

    if (kind == LANGUAGE_PREPROCESSED || kind == LANGUAGE_ASSEMBLER) {
        command->source_is_text = true;
        return;
    }
    if (line->cant_preprocess)
        return;
    command->preprocess_argv = ARENA_ARRAY(line->arena, char *, line->count + 2);
    for (size_t i = 0; i < line->count; i++) {
        if (!(line->words[i].kinds & WORD_COMPILE_ONLY))
            command->preprocess_argv[count++] = arena_strdup(line->arena, line->words[i].text);
        if (i == 0)
            command->preprocess_argv[count++] = arena_strdup(line->arena, "-E");
    }
}
