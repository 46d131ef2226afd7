/* Settings: up to the first NUL a settings file, then words in front of a compiler, each ended by a NUL. */
#include "tests/fuzz/fuzz.h"

#include "server/settings.h"

enum { WORDS_MAX = 64 };

static void complain(void *data, const char *line)
{
    (void)data;
    FUZZ_CHECK(line && *line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct fuzz_input file = fuzz_part(&input, 0);
    char variable[96], *entries[] = {variable, (char *)"HOME=/home/x", NULL};
    char *words[WORDS_MAX + 1], *texts[WORDS_MAX];
    size_t count = 0;
    struct arena arena;
    struct environment environment;
    struct settings settings;
    struct setting_view views[SETTING_COUNT];

    snprintf(variable, sizeof variable, "CCWRAP_CONFIG=%s", fuzz_file(&file));
    while (input.left && count < WORDS_MAX) {
        struct fuzz_input word = fuzz_part(&input, 0);
        words[count] = texts[count] = fuzz_text(&word);
        count++;
    }
    words[count] = NULL;

    arena_init(&arena);
    environment_init(&environment, &arena, entries);
    settings_load(&settings, &arena, &environment, words, complain, NULL);
    FUZZ_CHECK(settings.jobs > 0 && settings.basedir && settings.prefix && settings.log);
    settings_view(views, &arena, &environment, complain, NULL);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        FUZZ_CHECK(views[i].key && views[i].value && views[i].source);
        settings_parse_age(views[i].value);
    }
    arena_release(&arena);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    return 0;
}
