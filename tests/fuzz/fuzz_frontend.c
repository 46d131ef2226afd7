/* Command lines: words parted by newlines; what follows the first byte 0xff is the content of a response file
 * that the words name @r. The first byte says which compiler. */
#include "tests/fuzz/fuzz.h"

#include "server/compilers/frontend.h"

enum { WORDS_MAX = 4096 };

static const char *no_variable(void *environment, const char *name)
{
    (void)environment;
    return strcmp(name, "PWD") == 0 ? "/w" : NULL;
}

static size_t split(char *text, char **words)
{
    size_t count = 0;
    char *word;

    while (count < WORDS_MAX && (word = strsep(&text, "\n")))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static void check_command(const struct command *command)
{
    FUZZ_CHECK(command->source);
    FUZZ_CHECK(command->reads_jobserver == READS_JOBSERVER_NO ||
               command->reads_jobserver == READS_JOBSERVER_YES);
    FUZZ_CHECK(command->key_word_count <= 1 << 20);
    for (size_t i = 0; i < command->key_word_count; i++)
        FUZZ_CHECK(strlen(command->key_words[i]) < 1 << 24);
    for (size_t i = 0; i < OUTPUT_ROLES; i++)
        FUZZ_CHECK(!command->output[i] || strlen(command->output[i]) < 1 << 24);
    if (command->preprocess_argv)
        for (char **word = command->preprocess_argv; *word; word++)
            FUZZ_CHECK(strlen(*word) < 1 << 24);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct frontend *const frontends[] = {&frontend_gcc, &frontend_clang, &frontend_rustc};
    static const char *const names[] = {"gcc", "clang", "rustc"};
    struct fuzz_input input = {data, size};
    char *words[WORDS_MAX + 2];
    struct arena arena;
    struct command command;

    if (size < 2)
        return 0;
    unsigned which = data[0] % 3;
    input.next++, input.left--;
    struct fuzz_input line = fuzz_part(&input, 0xff);
    char *text = fuzz_text(&line);
    words[0] = (char *)(uintptr_t)names[which];
    size_t count = split(text, words + 1) + 1;
    /* @r becomes the file in memory */
    const char *file = fuzz_file(&input);
    char at[80];
    snprintf(at, sizeof at, "@%s", file);
    for (size_t i = 1; i < count; i++)
        if (strcmp(words[i], "@r") == 0)
            words[i] = at;

    arena_init(&arena);
    memset(&command, 0, sizeof command);
    struct invocation invocation = {.argc = (int)count,
                                    .argv = words,
                                    .program = "/usr/bin/cc",
                                    .directory = AT_FDCWD,
                                    .directory_path = "/w",
                                    .getenv = no_variable};
    frontends[which]->parse(&invocation, &arena, &command);
    if (command.reason == REASON_NONE)
        check_command(&command);
    arena_release(&arena);
    free(text);
    return 0;
}
