#include "server/parts.h"

#include <errno.h>
#include <string.h>

#include "common/lookup.h"
#include "server/elf_imports.h"
#include "server/known.h"
#include "spawn/ask.h"

struct parts {
    struct request *request;
    struct input_set_builder *set;
    int64_t started;
    const char *word;
};

static int add_file(struct parts *parts, const char *path, bool executable)
{
    struct file_facts facts;
    int error = file_digest(cache_digests(parts->request->server->cache), parts->request->directory, path,
                            false, &facts);

    if (!error && facts.stamp.ctime >= parts->started)
        error = -EAGAIN;
    if (error)
        parts->word = arena_strdup(&parts->request->arena, path);
    else
        input_set_add_file(parts->set, path, &facts, executable);
    return error;
}

/* ld.so(8), LD_TRACE_LOADED_OBJECTS: lines of "name => path (address)", or "path (address)". */
static int add_libraries(struct parts *parts, const char *path)
{
    struct request *request = parts->request;
    struct environment environment;
    struct buf answer = BUF_INIT;
    char *argv[] = {arena_strdup(&request->arena, path), NULL}, *save = NULL;

    environment_init(&environment, &request->arena, request->wire.environment);
    environment_set(&environment, "LD_TRACE_LOADED_OBJECTS", "1");
    int error = ask(path, argv, environment.entries, "/", &answer);
    char *text = arena_strdup(&request->arena, answer.data ? answer.data : "");
    buf_release(&answer);
    for (char *line = strtok_r(text, "\n", &save); line && !error; line = strtok_r(NULL, "\n", &save)) {
        char *start = strchr(line, '/'), *end = strstr(line, " (0x");
        if (!start || !end || end < start)
            continue;
        *end = '\0';
        error = add_file(parts, start, false);
    }
    return error;
}

static int add_program(struct parts *parts, const char *path)
{
    enum elf_loader loader = elf_loader(path);
    int error = add_file(parts, path, true);

    parts->word = parts->word ? parts->word : arena_strdup(&parts->request->arena, path);
    if (loader == ELF_LOADER_UNKNOWN || loader == ELF_LOADER_OTHER || known_program(path) != PROGRAM_TRUSTED)
        return -ENOEXEC;
    if (!error && loader == ELF_LOADER_GLIBC)
        error = add_libraries(parts, path);
    if (!error)
        parts->word = NULL;
    return error;
}

/* gcc's manual, -print-prog-name: a bare name if the program is to be looked up on PATH. */
static int add_part(struct parts *parts, const char *name)
{
    struct request *request = parts->request;
    struct buf answer = BUF_INIT;
    char *argv[] = {request->wire.argv[0], arena_printf(&request->arena, "-print-prog-name=%s", name), NULL};
    char *path = NULL;

    int error = ask(request->wire.program, argv, request->wire.environment, request->wire.directory, &answer);
    char *text = arena_strdup(&request->arena, answer.data ? answer.data : "");
    buf_release(&answer);
    text[strcspn(text, "\n")] = '\0';
    if (!error && strchr(text, '/'))
        path = text;
    else if (!error)
        error = lookup_program(&path, NULL, &request->arena, text,
                               environment_get(&request->environment, "PATH"), request->wire.directory, NULL);
    parts->word = name;
    if (error)
        return error;
    parts->word = NULL;
    return add_program(parts, path);
}

static bool is_cxx(const char *language)
{
    return strstr(language, "c++") != NULL;
}

int parts_add(struct request *request, struct input_set_builder *set, int64_t started, const char **word)
{
    struct parts parts = {.request = request, .set = set, .started = started};
    int error = add_program(&parts, request->wire.program);

    /* the parts of other compilers ask for a few names only, which the front ends know */
    if (elf_loader(request->wire.program) == ELF_LOADER_NONE)
        input_set_add_fact(set, FACT_ENVIRONMENT, request_fact(request, FACT_ENVIRONMENT));

    if (!error && request->frontend == &frontend_gcc) {
        error = add_part(&parts, is_cxx(request->command.language) ? "cc1plus" : "cc1");
        if (!error)
            error = add_part(&parts, "as");
    }
    *word = parts.word ? parts.word : "";
    return error;
}
