#include "server/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/contents.h"
#include "server/basedir.h"
#include "server/observe.h"
#include "server/observe_outputs.h"
#include "server/parts.h"
#include "server/path_table.h"
#include "server/traits.h"
#include "server/text_scan.h"

enum { COPY_MAX = 512 * 1024 };

void text_init(struct text *text)
{
    memset(text, 0, sizeof *text);
    text->fd = -1;
    arena_init(&text->arena);
    strings_init(&text->named, &text->arena);
    strings_init(&text->entered, &text->arena);
}

static void close_file(struct text *text)
{
    if (text->fd >= 0)
        close(text->fd);
    text->fd = -1;
}

void text_release(struct text *text)
{
    close_file(text);
    strings_release(&text->named);
    strings_release(&text->entered);
    arena_release(&text->arena);
}

/* ---- line markers: # 12 "path" flags (the manual of cpp, "Preprocessor Output") ---- */

static bool is_entered(const char *flags, const char *end)
{
    return end - flags >= 2 && flags[0] == ' ' && flags[1] == '1' && (end - flags == 2 || flags[2] == ' ');
}

static const char *skip(const char *next, const char *end, const char *characters)
{
    while (next < end && *next && strchr(characters, *next))
        next++;
    return next;
}

/* Escapes in names are undone; <built-in> and its kin are no files. */
static void take_marker(struct text *text, const char *line, const char *end)
{
    char name[TEXT_MARKER_MAX];
    size_t length = 0;
    const char *next = skip(line + 1, end, " ");

    if (end - next > 4 && memcmp(next, "line", 4) == 0)
        next = skip(next + 4, end, " ");
    const char *number = next;
    next = skip(number, end, "0123456789");
    if (next == number)
        return;
    next = skip(next, end, " ");
    if (next == end || *next++ != '"')
        return;
    for (; next < end && *next != '"'; next++) {
        if (*next == '\\' && next + 1 < end)
            next++;
        name[length++] = *next;
    }
    if (length == 0 || name[0] == '<' || name[length - 1] == '/' || memchr(name, '\0', length))
        return;
    strings_number_n(&text->named, name, length);
    if (next < end && is_entered(next + 1, end))
        strings_number_n(&text->entered, name, length);
}

static void scan_markers(struct text *text, const char *bytes, size_t size)
{
    const char *end = bytes + size;

    for (const char *at = bytes; at < end && (at = memchr(at, '#', (size_t)(end - at)));) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return;
        if ((at == bytes || at[-1] == '\n') && newline - at < TEXT_MARKER_MAX)
            take_marker(text, at, newline);
        at = newline + 1;
    }
}

bool text_shows(const struct text *text, const char *path)
{
    return strings_has(&text->entered, path);
}

void text_take(struct text *text, const char *bytes, size_t size)
{
    struct hasher hasher;

    hasher_init(&hasher, "text 1");
    hasher_bytes(&hasher, bytes, size);
    text->digest = hasher_finish(&hasher);
    scan_markers(text, bytes, size);
}

/* ---- the file ---- */

int text_open(struct text *text, bool keep)
{
    text->fd = memfd_create("text", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (text->fd < 0)
        return -errno;
    text->keep = keep;
    text->started = clock_of_files();
    return fcntl(text->fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0 ? 0 : -errno;
}

/* All that was written. */
struct view {
    const char *bytes;
    size_t size;
    bool mapped;
};

static void end_view(struct view *view)
{
    if (view->mapped)
        munmap((void *)(uintptr_t)view->bytes, view->size);
    else
        free((void *)(uintptr_t)view->bytes);
}

/* To unmap is dear in a process of many threads: each is interrupted. */
static int copy_file(int fd, struct view *view)
{
    char *bytes = malloc(view->size + 1);

    if (!bytes)
        return -ENOMEM;
    if (contents_read(fd, bytes, view->size) == (ssize_t)view->size) {
        view->bytes = bytes;
        return 0;
    }
    free(bytes);
    return -EIO;
}

/* The position is shared with those that wrote: bytes that came by another way than the descriptor that they
 * were given show in it. */
static int begin_view(const struct text *text, struct view *view)
{
    struct stat status;

    *view = (struct view){0};
    if (text->fd < 0 || fstat(text->fd, &status) != 0 ||
        lseek(text->fd, 0, SEEK_CUR) != (off_t)status.st_size)
        return -EIO;
    view->size = (size_t)status.st_size;
    if (view->size <= COPY_MAX)
        return copy_file(text->fd, view);
    void *map = mmap(NULL, view->size, PROT_READ, MAP_SHARED | MAP_POPULATE, text->fd, 0);
    if (map == MAP_FAILED)
        return -EIO;
    view->bytes = map;
    view->mapped = true;
    return 0;
}

int text_read(struct text *text)
{
    struct view view;
    int error = begin_view(text, &view);

    if (error)
        return error;
    text_take(text, view.bytes, view.size);
    end_view(&view);
    if (!text->keep)
        close_file(text);
    return 0;
}

/* ---- a compile that can't be watched ---- */

/* The compile must have read what stands in the text: files that changed since the preprocessor began may not
 * be that. Where the result records positions, or messages were written, equal text is not enough. */
static void add_sources(struct text *text, struct observation *observation)
{
    struct request *request = observation->request;
    bool contents =
        request->command.positions_show || request->command.columns_show || observation->has_messages;

    for (uint32_t i = 0; i < text->named.count; i++) {
        const char *path = text->named.texts[i];
        struct file_facts facts;
        int error =
            file_digest(cache_digests(request->server->cache), request->directory, path, false, &facts);
        if (error == -ENOENT && !contents) /* a name given by #line */
            continue;
        if (error || facts.stamp.ctime >= text->started)
            observe_give_up(observation, REASON_MODIFIED_INPUT, arena_strdup(&request->arena, path));
        else if (traits_of_file(request->directory, path, &facts) &
                 (TRAIT_DATED | TRAIT_COLUMNS)) /* the text doesn't show what it asks for */
            observe_give_up(observation, REASON_UNWATCHABLE, arena_strdup(&request->arena, path));
        else if (contents)
            input_set_add_file(observation->set, path, &facts, false);
    }
}

static bool is_output(const struct request *request, const char *path)
{
    for (int role = 0; role < OUTPUT_ROLES; role++)
        if (request->command.output[role] && strcmp(request->command.output[role], path) == 0)
            return true;
    return false;
}

/* A precompiled header beside one that is named by -include is taken for it, and its text isn't shown. */
static void add_precompiled(struct observation *observation, const char *path)
{
    static const char *const extensions[] = {"pch", "gch"};
    struct request *request = observation->request;

    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        const char *precompiled = arena_printf(&request->arena, "%s.%s", path, extensions[i]);
        if (faccessat(request->directory, precompiled, F_OK, 0) == 0)
            observe_give_up(observation, REASON_UNWATCHABLE, precompiled);
        else
            input_set_add_absent(observation->set, precompiled, true);
    }
}

/* What the text doesn't show of the paths that the command names: clang's debug information differs by the
 * folders that there are. */
static void add_named(struct observation *observation)
{
    struct request *request = observation->request;

    for (char *const *word = request->wire.argv + 1; word[-1] && *word; word++) {
        const char *path = basedir_path_of_word(*word);
        struct stat status;
        if (!path || is_output(request, path) || strcmp(path, request->command.source) == 0)
            continue;
        if (fstatat(request->directory, path, &status, 0) != 0)
            input_set_add_absent(observation->set, path, true);
        else
            input_set_add_exists(observation->set, path, status.st_mode, true);
        add_precompiled(observation, path);
    }
}

static void add_written(struct observation *observation)
{
    struct request *request = observation->request;
    struct path_table paths;
    struct stat status;

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
        observe_give_up(observation, REASON_OUTPUT_FILE, object);
}

static bool holds_all_inputs(const struct text *text, const char **word)
{
    struct view view;

    *word = "no text";
    if (begin_view(text, &view) != 0)
        return false;
    bool holds = text_scan(view.bytes, view.size, word);
    if (holds && memmem(view.bytes, view.size, "pch_preprocess", strlen("pch_preprocess"))) {
        *word = "precompiled header";
        holds = false;
    }
    end_view(&view);
    return holds;
}

void text_observe(struct text *text, struct observation *observation)
{
    struct request *request = observation->request;
    const char *word = "no text";

    observation->set = input_set_builder_new();
    if (!text || !holds_all_inputs(text, &word)) {
        observe_give_up(observation, REASON_UNWATCHABLE, word);
        return;
    }
    int error = parts_add(request, observation->set, observation->started, &word);
    if (error) {
        observe_give_up(observation, REASON_UNWATCHABLE, word);
        return;
    }
    add_sources(text, observation);
    add_named(observation);
    input_set_add_fact(observation->set, FACT_ENVIRONMENT, request_fact(request, FACT_ENVIRONMENT));
    if (observation->has_messages)
        observe_add_message_facts(observation);
    if (observation->reason == REASON_NONE)
        add_written(observation);
}
