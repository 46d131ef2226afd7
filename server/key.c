#include "server/request.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "server/basedir.h"
#include "server/machine.h"
#include "server/path_table.h"
#include "spawn/peer.h"

/* Names that differ from shell to shell and build to build, and that no compiler looks at. A program that
 * walks the whole environment could print them; a compiler script that does is beyond help. */
static const char *const noise[] = {
    "CARGO_MAKEFLAGS",
    "CCWRAP_*",
    "COLORTERM",
    "DBUS_*",
    "DESKTOP_*",
    "DISPLAY",
    "GPG_*",
    "HISTSIZE",
    "HISTFILE",
    "INVOCATION_ID",
    "JOURNAL_*",
    "LESS*",
    "LINES",
    "LS_COLORS",
    "MAIL",
    "MAKELEVEL",
    "MAKE_TERMERR",
    "MAKE_TERMOUT",
    "MAKEFLAGS",
    "MFLAGS",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SSH_*",
    "SUDO_*",
    "TERM",
    "TERM_*",
    "TMUX*",
    "VTE_VERSION",
    "WINDOWID",
    "WINDOWPATH",
    "XAUTHORITY",
    "XDG_*",
    "_",
};

static bool is_noise(const char *entry)
{
    size_t length = strcspn(entry, "=");

    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        size_t row = strlen(noise[i]);
        bool prefix = noise[i][row - 1] == '*';
        if (prefix ? length >= row - 1 && memcmp(entry, noise[i], row - 1) == 0
                   : length == row && memcmp(entry, noise[i], row) == 0)
            return true;
    }
    return false;
}

static const char *finished_text(struct request *request, struct hasher *hasher)
{
    struct digest digest = hasher_finish(hasher);
    return digest_text(&digest, arena_alloc(&request->arena, DIGEST_TEXT_SIZE));
}

const char *key_environment(struct request *request)
{
    struct hasher hasher;
    hasher_init(&hasher, "environment 1");
    for (char *const *entry = environment_sorted(&request->environment); *entry; entry++)
        if (!is_noise(*entry))
            hasher_text(&hasher, "variable", *entry);

    return finished_text(request, &hasher);
}

static const char *terminal_fact(struct request *request)
{
    const struct wire_request *wire = &request->wire;
    const char *words = request->command.message_words ? request->command.message_words : "";
    unsigned terminals = wire->flags & (WIRE_TERMINAL_0 | WIRE_TERMINAL_1 | WIRE_TERMINAL_2);

    if (!terminals)
        return words[0] ? words : "none";
    const char *term = environment_get(&request->environment, "TERM");
    return arena_printf(&request->arena, "%u %u %s %s", terminals, wire->columns, term ? term : "", words);
}

/* Folders in the ground are said from it: the libraries that were or weren't in them are conditions of their
 * own. */
static const char *libraries_fact(struct request *request)
{
    const char *folders = environment_get(&request->environment, "LD_LIBRARY_PATH");
    struct path_table forms; /* for the form of its paths alone */
    struct buf text = BUF_INIT;

    if (!folders || !folders[0])
        return NULL;
    path_table_init(&forms, &request->arena, request->wire.directory);
    path_table_set_ground(&forms, request->command.ground, NULL);
    char *copy = arena_strdup(&request->arena, folders), *save = NULL;
    for (char *folder = strtok_r(copy, ":;", &save); folder; folder = strtok_r(NULL, ":;", &save))
        buf_addf(&text, "%s:", path_table_form(&forms, NULL, folder));
    const char *fact = arena_strndup(&request->arena, text.data ? text.data : "", text.length);
    buf_release(&text);
    return fact;
}

/* What a script can ask its process for. */
static const char *limits_fact(struct request *request)
{
    struct trampoline limits;
    struct hasher hasher;

    if (peer_limits(request->client, &limits) != 0)
        return NULL;
    hasher_init(&hasher, "limits 1");
    hasher_number(&hasher, "host", request->wire.host);
    hasher_number(&hasher, "personality", request->wire.personality);
    hasher_number(&hasher, "umask", request->wire.umask);
    hasher_number(&hasher, "nice", (uint64_t)(int64_t)limits.nice);
    hasher_number(&hasher, "affinity", limits.affinity);
    for (size_t i = 0; i < TRAMPOLINE_LIMITS; i++) {
        hasher_number(&hasher, "soft", limits.limits[i].rlim_cur);
        hasher_number(&hasher, "hard", limits.limits[i].rlim_max);
    }
    return finished_text(request, &hasher);
}

/* A script can count them, and tell `@file` from what the file says. */
static const char *words_fact(struct request *request)
{
    struct hasher hasher;

    hasher_init(&hasher, "words 1");
    for (char *const *word = request->wire.argv; *word; word++)
        hasher_text(&hasher, "word", *word);
    return finished_text(request, &hasher);
}

static const char *make_fact(struct request *request, enum input_fact fact)
{
    switch (fact) {
    case FACT_DIRECTORY:
        return request->shown_directory;
    case FACT_OUTPUT:
        return request->command.output[OUTPUT_OBJECT] ? request->command.output[OUTPUT_OBJECT]
                                                      : request->command.ground_text;
    case FACT_TERMINAL:
        return terminal_fact(request);
    case FACT_STREAMS:
        return request->wire.flags & WIRE_ONE_STREAM ? "one" : "two";
    case FACT_TARGETS:
        return request->command.depfile_targets;
    case FACT_DEPFILE:
        return request->command.output[OUTPUT_DEPFILE];
    case FACT_ENVIRONMENT:
        return key_environment(request);
    case FACT_LIMITS:
        return limits_fact(request);
    case FACT_MACHINE:
        return machine_processor();
    case FACT_LIBRARIES:
        return libraries_fact(request);
    case FACT_WORDS:
        return words_fact(request);
    case FACT_COUNT:
        break;
    }
    return NULL;
}

const char *request_fact(void *data, enum input_fact fact)
{
    struct request *request = data;

    if (!request->facts_made[fact]) {
        request->facts[fact] = make_fact(request, fact);
        request->facts_made[fact] = true;
    }
    return request->facts[fact];
}

/* The contents of the files that the setting `extrafiles` names; one that can't be read counts as such. */
static void add_extra_files(struct request *request, struct hasher *hasher)
{
    char *paths = arena_strdup(&request->arena, request->settings.extrafiles), *save = NULL;

    for (char *path = strtok_r(paths, ":", &save); path; path = strtok_r(NULL, ":", &save)) {
        struct file_facts facts;
        if (file_digest(cache_digests(request->server->cache), request->directory, path, false, &facts) == 0)
            hasher_digest_field(hasher, "extra file", &facts.content);
        else
            hasher_text(hasher, "extra file", NULL);
    }
}

/* A word as two checkouts below `basedir` share it. */
static void add_word(struct request *request, struct hasher *hasher, const char *tag, const char *word)
{
    const char *shared =
        word ? basedir_word(&request->arena, request->bases, request->wire.directory, word) : NULL;

    request->words_shortened |= shared != word;
    hasher_text(hasher, tag, shared);
}

/* What a macro holds can show in any way: its length, its hash. */
static bool defines_macro(const char *before, const char *word)
{
    static const char *const options[] = {"-D", "--define-macro", "-Wp,", "-Xclang", "-Xpreprocessor"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strncmp(word, options[i], strlen(options[i])) == 0 || (before && strcmp(before, options[i]) == 0))
            return true;
    return false;
}

static void add_command(struct request *request, struct hasher *hasher)
{
    const struct command *command = &request->command;

    hasher_text(hasher, "front end", request->frontend->name);
    hasher_text(hasher, "program", request->wire.program);
    hasher_text(hasher, "name", request->wire.argv[0]);
    hasher_text(hasher, "namespace", request->settings.name_space);
    hasher_number(hasher, "words", command->key_word_count);
    for (size_t i = 0; i < command->key_word_count; i++) {
        const char *word = command->key_words[i];
        if (defines_macro(i ? command->key_words[i - 1] : NULL, word))
            hasher_text(hasher, "macro", word);
        else
            add_word(request, hasher, "word", word);
    }
    hasher_text(hasher, "language", command->language);
    add_word(request, hasher, "source", command->source);
    if (command->directory_shows)
        hasher_text(hasher, "directory", request->shown_directory);
    if (command->output_shows) {
        hasher_text(hasher, "output", command->output[OUTPUT_OBJECT]);
        hasher_text(hasher, "depfile", command->output[OUTPUT_DEPFILE]);
    }
    if (command->processor_shows)
        hasher_text(hasher, "processor", machine_processor());
    if (request->settings.extrafiles[0])
        add_extra_files(request, hasher);
}

struct digest key_direct(struct request *request)
{
    struct hasher hasher;

    hasher_init(&hasher, "direct key 1");
    add_command(request, &hasher);
    if (request->has_source)
        hasher_digest_field(&hasher, "content", &request->source.content);
    return hasher_finish(&hasher);
}

struct digest key_of_text(struct request *request, const struct digest *text)
{
    struct hasher hasher;

    hasher_init(&hasher, "text key 1");
    add_command(request, &hasher);
    hasher_number(&hasher, "watched", request->watch);
    hasher_digest_field(&hasher, "text", text);
    return hasher_finish(&hasher);
}
