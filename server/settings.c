#include "server/settings.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/places.h"
#include "common/settings_file.h"
#include "server/settings_text.h"

enum kind {
    KIND_TEXT,
    KIND_FOLDERS, /* absolute, joined by ":" */
    KIND_PLACE,   /* a path whose value is worked out by places_find */
    KIND_PATH,    /* the only kind of path that may be empty */
    KIND_FLAG,
    KIND_NUMBER,
    KIND_SIZE,
};

/* The list of CONTRACT's settings, in the order of --show-config. */
static const struct row {
    const char *key;
    enum kind kind;
    enum setting_scope scope;
    const char *preset; /* NULL: worked out by places_find or from the machine */
    size_t offset;
    uint64_t least, most; /* of a number */
} rows[SETTING_COUNT] = {
#define NUMBER(key, preset, field, least, most)                                                              \
    {                                                                                                        \
        key, KIND_NUMBER, SCOPE_SERVER, preset, offsetof(struct settings, field), least, most                \
    }
#define ROW(key, kind, scope, preset, field)                                                                 \
    {                                                                                                        \
        key, kind, scope, preset, offsetof(struct settings, field), 0, 0                                     \
    }
    ROW("dir", KIND_PLACE, SCOPE_SERVER, NULL, dir),
    ROW("socket", KIND_PLACE, SCOPE_SERVER, NULL, socket),
    ROW("maxsize", KIND_SIZE, SCOPE_SERVER, "10G", maxsize),
    NUMBER("idle_timeout", "600", idle_timeout, 0, 1000000000),
    NUMBER("jobs", NULL, jobs, 1, 100000),
    ROW("direct", KIND_FLAG, SCOPE_COMPILE, "1", direct),
    ROW("disable", KIND_FLAG, SCOPE_COMPILE, "0", disable),
    ROW("recache", KIND_FLAG, SCOPE_COMPILE, "0", recache),
    ROW("readonly", KIND_FLAG, SCOPE_COMPILE, "0", readonly),
    ROW("hits_only", KIND_FLAG, SCOPE_COMPILE, "0", hits_only),
    ROW("recorder", KIND_FLAG, SCOPE_COMPILE, "1", recorder),
    ROW("max_result", KIND_SIZE, SCOPE_SERVER, "256M", max_result),
    ROW("basedir", KIND_FOLDERS, SCOPE_COMPILE, "", basedir),
    ROW("extrafiles", KIND_TEXT, SCOPE_COMPILE, "", extrafiles),
    ROW("namespace", KIND_TEXT, SCOPE_COMPILE, "", name_space),
    ROW("prefix", KIND_TEXT, SCOPE_COMPILE, "", prefix),
    NUMBER("level", "1", level, 1, 22), /* ZSTD_maxCLevel */
    ROW("log", KIND_PATH, SCOPE_SERVER, "", log),
    ROW("remote", KIND_TEXT, SCOPE_SERVER, "", remote),
#undef ROW
#undef NUMBER
};

struct load {
    struct settings *settings;
    struct arena *arena;
    char *const *environment;
    const char *source[SETTING_COUNT]; /* NULL: nobody said it yet */
    bool shown;                        /* sources are asked for */
    const char *file;
    settings_complain *complain;
    void *data;
};

static void *field_of(struct settings *settings, const struct row *row)
{
    return (char *)settings + row->offset;
}

/* ---- values ---- */

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
}

/* "10G", "512 M", "1.5G", "2TiB", plain bytes. */
static bool parse_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    char *end;
    double number = strtod(text, &end);

    if (!isdigit((unsigned char)text[0]) || number < 0)
        return false;
    while (*end == ' ')
        end++;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        for (const char *step = units; step <= unit; step++)
            number *= 1024;
        end++;
        if (*end == 'i')
            end++;
    }
    if (*end == 'B' || *end == 'b')
        end++;
    if (*end != '\0' || number >= 9e18)
        return false;
    *value = (uint64_t)number;
    return true;
}

/* "/" is no basedir: all is below it. */
static bool are_folders(const char *list)
{
    for (size_t length; *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (length && (*list != '/' || strspn(list, "/") >= length))
            return false;
    }
    return true;
}

/* An empty value is as if it were not there, unless it means "none". */
static bool says_nothing(const struct row *row, const char *text)
{
    return !*text && row->kind != KIND_TEXT && row->kind != KIND_FOLDERS && row->kind != KIND_PATH;
}

/* NULL, or what is wrong with the value. */
static const char *set_value(struct load *load, const struct row *row, const char *text)
{
    void *field = field_of(load->settings, row);
    uint64_t number;

    switch (row->kind) {
    case KIND_PLACE:
        return places_path(load->arena, load->environment, text) ? NULL : "not an absolute path";
    case KIND_PATH:
        text = *text ? places_path(load->arena, load->environment, text) : text;
        if (!text)
            return "not an absolute path";
        *(const char **)field = text;
        return NULL;
    case KIND_FOLDERS:
        if (!are_folders(text))
            return "not absolute folders below /";
        *(const char **)field = text;
        return NULL;
    case KIND_TEXT:
        *(const char **)field = text;
        return NULL;
    case KIND_FLAG:
        return settings_file_bool(text, field) ? NULL : "neither 0 nor 1";
    case KIND_NUMBER:
        if (!parse_number(text, &number) || number < row->least || number > row->most)
            return arena_printf(load->arena, "not a number from %llu to %llu", (unsigned long long)row->least,
                                (unsigned long long)row->most);
        *(uint64_t *)field = number;
        return NULL;
    case KIND_SIZE:
        return parse_size(text, field) ? NULL : "not a size (K, M, G, T)";
    }
    return NULL;
}

static const struct row *find_row(const char *key)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

/* ---- sources, from the weakest on ---- */

static struct settings presets;

static void make_presets(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct load load = {.settings = &presets};

    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (rows[i].preset)
            set_value(&load, &rows[i], rows[i].preset);
    presets.jobs = processors > 0 ? (uint64_t)processors : 1;
}

static void set_presets(struct settings *settings)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_presets);
    *settings = presets;
}

static void set_places(struct load *load)
{
    static char *const none[] = {NULL};
    struct places places;

    places_find(&places, load->arena, load->environment, none);
    load->file = places.config;
    load->settings->dir = places.dir;
    load->settings->socket = places.socket;
}

static const char *take_line(void *context, unsigned number, const char *key, const char *value)
{
    struct load *load = context;
    const struct row *row = find_row(key);

    if (!row)
        return "no such setting";
    if (says_nothing(row, value))
        return NULL;
    const char *wrong = set_value(load, row, value);
    if (!wrong && load->shown)
        load->source[row - rows] = arena_printf(load->arena, "%s:%u", load->file, number);
    return wrong;
}

static void complain_of_line(void *context, const char *complaint)
{
    struct load *load = context;
    if (load->complain)
        load->complain(load->data, complaint);
}

static void take_named(struct load *load, const struct row *row, const char *name, const char *value,
                       const char *source)
{
    if (says_nothing(row, value))
        return;
    const char *wrong = set_value(load, row, value);
    if (!wrong)
        load->source[row - rows] = source;
    else if (load->complain)
        load->complain(load->data, arena_printf(load->arena, "%s: %s: %s", source, name, wrong));
}

/* The row whose key in capitals the text begins with, up to an "=". */
static const struct row *find_variable(const char *text)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const char *key = rows[i].key, *c = text;
        while (*key && *c == toupper((unsigned char)*key))
            key++, c++;
        if (!*key && *c == '=')
            return &rows[i];
    }
    return NULL;
}

static void take_variables(struct load *load)
{
    static const char prefix[] = "CCWRAP_";
    bool taken[SETTING_COUNT] = {false}; /* of equal names the first counts */

    for (char *const *entry = load->environment; *entry; entry++) {
        if (strncmp(*entry, prefix, sizeof prefix - 1) != 0)
            continue;
        const struct row *row = find_variable(*entry + sizeof prefix - 1);
        if (!row || taken[row - rows])
            continue;
        taken[row - rows] = true;
        const char *equals = strchr(*entry, '=');
        const char *name =
            load->complain ? arena_strndup(load->arena, *entry, (size_t)(equals - *entry)) : *entry;
        take_named(load, row, name, equals + 1, "environment");
    }
}

static void take_words(struct load *load, char *const *words)
{
    for (; words && *words; words++) {
        const char *equals = strchr(*words, '=');
        if (!equals) /* no client sends such a word */
            continue;
        char *key = arena_strndup(load->arena, *words, (size_t)(equals - *words));
        const struct row *row = find_row(key);
        if (row && row->scope == SCOPE_SERVER && load->complain)
            load->complain(
                load->data,
                arena_printf(load->arena, "command line: %s: is taken when the server starts", key));
        else if (row)
            take_named(load, row, key, equals + 1, "command line");
        else if (load->complain)
            load->complain(load->data, arena_printf(load->arena, "command line: %s: no such setting", key));
    }
}

static void load_all(struct load *load, char *const *words)
{
    set_presets(load->settings);
    set_places(load);
    if (load->file)
        settings_file_read(load->file, load->arena, take_line, complain_of_line, load);
    take_variables(load);
    take_words(load, words);
}

void settings_load(struct settings *settings, struct arena *arena, struct environment *environment,
                   char *const *words, settings_complain *complain, void *data)
{
    struct load load = {.settings = settings,
                        .arena = arena,
                        .environment = environment->entries,
                        .complain = complain,
                        .data = data};
    load_all(&load, words);
}

void settings_of_compile(struct settings *settings, struct arena *arena, struct environment *environment,
                         char *const *words, settings_complain *complain, void *data)
{
    struct load load = {.settings = settings,
                        .arena = arena,
                        .environment = environment->entries,
                        .complain = complain,
                        .data = data};
    char *text;
    size_t size;

    set_presets(settings);
    load.file = places_config(arena, environment->entries);
    if (load.file && settings_text(load.file, arena, &text, &size))
        settings_file_parse(load.file, text, size, arena, take_line, complain_of_line, &load);
    take_variables(&load);
    take_words(&load, words);
}

/* ---- showing ---- */

static const char *value_text(struct arena *arena, struct settings *settings, const struct row *row)
{
    void *field = field_of(settings, row);

    switch (row->kind) {
    case KIND_PLACE:
    case KIND_PATH:
    case KIND_FOLDERS:
    case KIND_TEXT:
        return *(const char **)field ? *(const char **)field : "";
    case KIND_FLAG:
        return *(bool *)field ? "1" : "0";
    case KIND_NUMBER:
        return arena_printf(arena, "%llu", (unsigned long long)*(uint64_t *)field);
    case KIND_SIZE:
        break;
    }
    uint64_t size = *(uint64_t *)field;
    int unit = 0;
    while (unit < 4 && size && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    return arena_printf(arena, "%llu%.*s", (unsigned long long)size, unit ? 1 : 0,
                        &"KMGT"[unit ? unit - 1 : 0]);
}

void settings_view(struct setting_view views[SETTING_COUNT], struct arena *arena,
                   struct environment *environment, settings_complain *complain, void *data)
{
    struct settings *settings = ARENA_NEW(arena, struct settings);
    struct load load = {.settings = settings,
                        .arena = arena,
                        .environment = environment->entries,
                        .shown = true,
                        .complain = complain,
                        .data = data};

    load_all(&load, NULL);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        views[i] = (struct setting_view){.key = rows[i].key,
                                         .value = value_text(arena, settings, &rows[i]),
                                         .source = load.source[i] ? load.source[i] : "default",
                                         .scope = rows[i].scope};
}

int64_t settings_parse_age(const char *text)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    char *end;

    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || errno || number > INT64_MAX / (8 * 86400))
        return -1;
    if (*end == '\0')
        return number;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*end == units[i].unit && end[1] == '\0')
            return number * units[i].seconds;
    return -1;
}
