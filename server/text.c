#include "server/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "server/observe.h"
#include "server/observe_outputs.h"
#include "server/parts.h"
#include "server/path_table.h"
#include "server/text_scan.h"

void text_init(struct text *text, bool keep)
{
    memset(text, 0, sizeof *text);
    hasher_init(&text->hasher, "text 1");
    arena_init(&text->arena);
    text->hashing = true;
    text->keep = keep;
    text->at_line_start = true;
}

void text_release(struct text *text)
{
    if (text->hashing)
        hasher_finish(&text->hasher);
    text->hashing = false;
    buf_release(&text->bytes);
    arena_release(&text->arena);
}

struct digest text_digest(struct text *text)
{
    text->hashing = false;
    return hasher_finish(&text->hasher);
}

/* ---- line markers: # 12 "path" flags (the manual of cpp, "Preprocessor Output") ---- */

bool text_names(const struct text *text, const char *path)
{
    for (const struct text_file *file = text->files; file; file = file->next)
        if (strcmp(file->path, path) == 0)
            return true;
    return false;
}

/* Escapes in names are undone; <built-in> and its kin are no files. */
static void take_marker(struct text *text)
{
    char name[TEXT_MARKER_MAX];
    size_t length = 0;
    const char *next = text->marker + 1;

    text->marker[text->marker_length] = '\0';
    next += strspn(next, " ");
    if (strncmp(next, "line", 4) == 0)
        next += 4;
    next += strspn(next, " ");
    if (!isdigit((unsigned char)*next))
        return;
    next += strspn(next, "0123456789");
    next += strspn(next, " ");
    if (*next++ != '"')
        return;
    for (; *next && *next != '"'; next++) {
        if (*next == '\\' && next[1])
            next++;
        name[length++] = *next;
    }
    name[length] = '\0';
    if (length > 0 && name[0] != '<' && name[length - 1] != '/' && !text_names(text, name)) {
        struct text_file *file = ARENA_NEW(&text->arena, struct text_file);
        file->path = arena_strdup(&text->arena, name);
        file->next = text->files;
        text->files = file;
    }
}

static void scan_markers(struct text *text, const char *bytes, size_t size)
{
    for (const char *end = bytes + size; bytes < end;) {
        if (text->at_line_start) {
            text->in_marker = *bytes == '#';
            text->marker_length = 0;
            text->at_line_start = false;
        }
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline ? newline : end) - bytes);
        if (text->in_marker && text->marker_length + length < TEXT_MARKER_MAX) {
            memcpy(text->marker + text->marker_length, bytes, length);
            text->marker_length += length;
        } else {
            text->in_marker = false;
        }
        bytes += length;
        if (newline) {
            if (text->in_marker)
                take_marker(text);
            text->at_line_start = true;
            bytes++;
        }
    }
}

void text_add(struct text *text, const char *bytes, size_t size)
{
    hasher_bytes(&text->hasher, bytes, size);
    scan_markers(text, bytes, size);
    if (text->keep && text->bytes.length <= TEXT_KEPT_MAX)
        buf_add(&text->bytes, bytes, size);
}

/* ---- a compile that can't be watched ---- */

static void give_up(struct observation *observation, enum reason reason, const char *word)
{
    if (observation->reason == REASON_NONE) {
        observation->reason = reason;
        observation->word = word;
    }
}

/* Where the result records positions, or messages were written, equal text is not enough. */
static void add_sources(struct text *text, struct observation *observation)
{
    struct request *request = observation->request;

    for (const struct text_file *file = text->files; file; file = file->next) {
        struct file_facts facts;
        int error =
            file_digest(cache_digests(request->server->cache), request->directory, file->path, false, &facts);
        if (error || facts.stamp.ctime >= observation->started)
            give_up(observation, REASON_MODIFIED_INPUT, file->path);
        else
            input_set_add_file(observation->set, file->path, &facts, false);
    }
}

static void add_written(struct text *text, struct observation *observation)
{
    struct request *request = observation->request;
    struct path_table paths;
    struct stat status;

    (void)text;
    path_table_init(&paths, &request->arena, request->wire.directory);
    paths.bases = request->bases;
    for (int role = OUTPUT_OTHER + 1; role < OUTPUT_ROLES; role++) {
        const char *path = request->command.output[role];
        if (!path || fstatat(request->directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (stamp_of(&status).ctime >= observation->started) /* an older one isn't of this compile */
            path_table_get(&paths, NULL, path)->use |= USE_WRITTEN;
    }
    observe_outputs(observation, &paths);
    const char *object = request->command.output[OUTPUT_OBJECT];
    if (observation->output_count == 0 && object && strcmp(object, "/dev/null") != 0)
        give_up(observation, REASON_OUTPUT_FILE, object);
}

void text_observe(struct text *text, struct observation *observation)
{
    struct request *request = observation->request;
    const char *word = NULL;

    observation->set = input_set_builder_new();
    if (!text->keep || text->bytes.length > TEXT_KEPT_MAX)
        give_up(observation, REASON_UNWATCHABLE, "no text");
    else if (!text_scan(text->bytes.data ? text->bytes.data : "", text->bytes.length, &word))
        give_up(observation, REASON_UNWATCHABLE, word);
    if (observation->reason != REASON_NONE)
        return;
    int error = parts_add(request, observation->set, observation->started, &word);
    if (error) {
        give_up(observation, REASON_UNWATCHABLE, word);
        return;
    }
    if (request->command.positions_show || observation->has_messages)
        add_sources(text, observation);
    input_set_add_fact(observation->set, FACT_ENVIRONMENT, request_fact(request, FACT_ENVIRONMENT));
    if (observation->has_messages)
        observe_add_message_facts(observation);
    if (observation->reason == REASON_NONE)
        add_written(text, observation);
}
