/* The part of observe.c that isn't in the log: what libc and the loader read by themselves, and variables. */
#include <string.h>
#include <unistd.h>

#include "cache/strings.h"
#include "common/lookup.h"
#include "server/locales.h"
#include "server/walk.h"

enum { SEARCHES = 200 };

/* A file that libc reads where it is there. */
static void add_libc_file(struct walk *walk, const char *file)
{
    const struct request *request = walk->observation->request;
    struct file_facts facts;
    int error = file_digest(cache_digests(request->server->cache), request->ground, file, false, &facts);

    if (error == 0)
        input_set_add_file(walk->observation->set, file, &facts, false);
    else if (walk_is_absence(error))
        input_set_add_absent(walk->observation->set, file, true);
}

static void add_libc(struct walk *walk)
{
    for (const char *const *file = known_libc_files; *file; file++)
        add_libc_file(walk, *file);
}

/* Which of these locales there are. */
static void add_locales(struct walk *walk, const struct locale_name *names)
{
    for (; names; names = names->next)
        add_libc_file(walk, arena_printf(walk->arena, "/usr/lib/locale/%s/LC_CTYPE", names->name));
}

static void add_catalog(struct walk *walk, const struct catalog *catalog, const struct locale_name *names)
{
    struct arena *arena = walk->arena;

    add_libc_file(
        walk, path_table_form(&walk->paths, NULL, arena_printf(arena, "%s/locale.alias", catalog->folder)));
    for (; names; names = names->next) {
        const char *file =
            arena_printf(arena, "%s/%s/LC_MESSAGES/%s.mo", catalog->folder, names->name, catalog->domain);
        add_libc_file(walk, path_table_form(&walk->paths, NULL, file));
    }
}

/* The catalogues of messages in the languages that are asked for, there or not. */
static void add_catalogs(struct walk *walk)
{
    static const char *const variables[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};
    struct locale_name *names = NULL;

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = environment_get(&walk->observation->request->environment, variables[i]);
        locale_names(value ? value : "", walk->arena, &names);
    }
    add_locales(walk, names);
    for (const struct catalog *catalog = walk->catalogs; catalog; catalog = catalog->next)
        add_catalog(walk, catalog, names);
}

/* A library that appears in a folder which the loader searches before the one where it was found. */
static void add_loader_absences(struct walk *walk, const char *folder)
{
    static const char *const sub[] = {"glibc-hwcaps", "tls", "haswell", "x86_64"};
    struct input_set_builder *set = walk->observation->set;
    int directory = walk->observation->request->ground;

    for (size_t i = 0; i < sizeof sub / sizeof *sub; i++) {
        const char *path =
            path_table_form(&walk->paths, NULL, arena_printf(walk->arena, "%s/%s", folder, sub[i]));
        if (faccessat(directory, path, F_OK, 0) != 0)
            input_set_add_absent(set, path, true);
    }
    for (const struct path_entry *entry = walk->paths.first; entry; entry = entry->next) {
        const char *name = strrchr(entry->path, '/');
        if (!(entry->use & USE_LOADED) || !name || !strstr(name, ".so"))
            continue;
        const char *path =
            path_table_form(&walk->paths, NULL, arena_printf(walk->arena, "%s%s", folder, name));
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
    input_set_add_fact(walk->observation->set, FACT_LIBRARIES,
                       request_fact(walk->observation->request, FACT_LIBRARIES));
}

static void add_value(struct walk *walk, const char *name)
{
    input_set_add_variable(walk->observation->set, name,
                           environment_get(&walk->observation->request->environment, name));
}

static void add_variable(struct walk *walk, const char *name)
{
    enum variable_effect effect = known_variable(name);

    if (effect == VARIABLE_INPUT || (effect == VARIABLE_MESSAGES && walk->observation->has_messages))
        add_value(walk, name);
}

/* What it asks for its own ends a source may have asked for too: dep-info tells (observe_outputs.c). */
static void add_macro_variable(struct walk *walk, const char *name)
{
    if (known_is_asked_by_rustc(name))
        add_variable(walk, name);
    else
        add_value(walk, name);
}

/* The folder's prefix in the table's form: what lies in it begins so. */
static const char *prefix_of(struct walk *walk, const char *folder)
{
    char *form = arena_strdup(
        walk->arena,
        path_table_form(&walk->paths, NULL, arena_printf(walk->arena, "%s%sx", folder, *folder ? "/" : "")));

    form[strlen(form) - 1] = '\0';
    return form;
}

static bool is_in(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 && path[length] && !strchr(path + length, '/');
}

/* Names that were looked for in folders of PATH: programs, for the most part. Whatever else a folder holds
 * that was looked at may stand among them. False if they are too many to be searched again. */
static bool add_searches(struct walk *walk, const char *value)
{
    const struct request *request = walk->observation->request;
    char *folders = arena_strdup(walk->arena, value ? value : LOOKUP_DEFAULT_PATH), *folder;
    struct strings names; /* a name is searched in all folders at once */
    bool few = true;

    strings_init(&names, walk->arena);
    while (few && (folder = strsep(&folders, ":"))) {
        const char *prefix = prefix_of(walk, folder);
        if (folder[0] != '/' && request->ground != request->directory)
            few = false;
        for (const struct path_entry *entry = walk->paths.first; entry; entry = entry->next)
            if (is_in(entry->path, prefix) && !(entry->use & USE_SILENT))
                strings_number(&names, entry->path + strlen(prefix));
    }
    few = few && names.count <= SEARCHES;
    for (uint32_t i = 0; few && i < names.count; i++)
        input_set_add_search(walk->observation->set, names.texts[i], value, request->directory);
    if (few && names.count > 0)
        input_set_add_search_path(walk->observation->set, value);
    strings_release(&names);
    return few;
}

/* A program that is found on PATH may be another one with another PATH, though nothing has appeared or
 * vanished. A script can do anything with the value. */
static void add_path(struct walk *walk)
{
    const char *value = environment_get(&walk->observation->request->environment, "PATH");

    if (walk->whole_environment || !add_searches(walk, value))
        input_set_add_variable(walk->observation->set, "PATH", value);
}

static void add_environment(struct walk *walk)
{
    static const enum input_fact seen_by_scripts[] = {FACT_ENVIRONMENT, FACT_DIRECTORY, FACT_OUTPUT,
                                                      FACT_TERMINAL, FACT_LIMITS};
    struct observation *observation = walk->observation;
    struct request *request = observation->request;

    for (const char *const *name = known_libc_variables; *name; name++)
        add_variable(walk, *name);
    for (struct name *name = walk->variables; name; name = name->next)
        add_variable(walk, name->name);
    for (struct name *name = walk->macro_variables; name; name = name->next)
        add_macro_variable(walk, name->name);
    for (const char *const *name = request->frontend->environment; name && *name; name++)
        add_variable(walk, *name);
    add_path(walk);
    if (walk->whole_environment && request->frontend != &frontend_rustc)
        input_set_add_fact(observation->set, FACT_WORDS, request_fact(request, FACT_WORDS));
    if (walk->whole_environment) /* and so it may ask for anything else that a script can see */
        for (size_t i = 0; i < sizeof seen_by_scripts / sizeof *seen_by_scripts; i++)
            input_set_add_fact(observation->set, seen_by_scripts[i],
                               request_fact(request, seen_by_scripts[i]));
}

void observe_add_environment(struct walk *walk)
{
    add_libc(walk);
    if (walk->observation->has_messages)
        add_catalogs(walk);
    add_loader(walk);
    add_environment(walk);
}

void observe_add_own_questions(struct walk *walk)
{
    for (struct name *name = walk->macro_variables; name; name = name->next)
        if (known_is_asked_by_rustc(name->name) && !strstr(name->name, "MAKEFLAGS") &&
            strcmp(name->name, "MFLAGS") != 0) /* they are other ones in each build */
            add_value(walk, name->name);
}
