#include "server/compilers/c_family.h"

#include <string.h>

#include "common/lookup.h"

/* `path` with its last extension replaced, as compilers name side files. NULL for names that begin with a
 * dot, which compilers take differently, and for no name at all. */
static char *replace_extension(struct arena *arena, const char *path, const char *extension)
{
    const char *base = lookup_basename(path), *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);

    if (!base[0] || base[0] == '.')
        return NULL;
    return arena_printf(arena, "%.*s%s", (int)length, path, extension);
}

static const char *skip_this_directory(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        while (path[0] == '/')
            path++;
    }
    return path;
}

void c_outputs_add_target(const struct c_dialect *dialect, const char *path, bool quote, struct buf *text)
{
    if (!dialect->is_clang)
        path = skip_this_directory(path);
    if (text->length)
        buf_add_char(text, ' ');
    for (const char *next = path; *next; next++) {
        if (quote && (*next == ' ' || *next == '\t')) {
            /* make halves the backslashes before a quoted blank. */
            for (const char *back = next; back > path && back[-1] == '\\'; back--)
                buf_add_char(text, '\\');
            buf_add_char(text, '\\');
        } else if (quote && (*next == '$' || *next == '#')) {
            buf_add_char(text, *next == '$' ? '$' : '\\');
        }
        buf_add_char(text, *next);
    }
}

static bool is_pch(const struct c_line *line)
{
    return line->source_language->kind == LANGUAGE_HEADER;
}

/* The object's default name; NULL if it can't be told. */
static const char *default_object(const struct c_line *line)
{
    const char *extension = ".o";

    if (is_pch(line))
        return line->precompile ? NULL : arena_printf(line->arena, "%s.gch", line->source);
    if (line->precompile)
        extension = ".pcm";
    else if (line->assembly)
        extension = line->emit_llvm ? ".ll" : ".s";
    else if (line->emit_llvm)
        extension = ".bc";
    return replace_extension(line->arena, lookup_basename(line->source), extension);
}

/* A file beside the object, or by the source's name in the working directory. */
static const char *side_file(const struct c_line *line, const char *extension)
{
    if (line->flags & HIDES_NAMES)
        return NULL;
    if (line->output)
        return replace_extension(line->arena, line->output, extension);
    return replace_extension(line->arena, lookup_basename(line->source), extension);
}

static bool is_null(const char *path)
{
    return !strcmp(path, "/dev/null");
}

static const char *depfile_path(const struct c_line *line)
{
    if (line->inner_depfile)
        return line->dependencies || line->depfile ? NULL : line->inner_depfile;
    if (line->depfile)
        return line->depfile;
    /* Without -c, gcc names a header's depfile as it would a program's. */
    if (!line->output && is_pch(line) && !line->object)
        return NULL;
    return line->output && is_null(line->output) ? NULL : side_file(line, ".d");
}

static const char *depfile_targets(const struct c_line *line)
{
    struct buf text = BUF_INIT;
    const char *target = line->output;
    char *targets = NULL;

    if (line->plain_targets + line->quoted_targets > 0) {
        /* gcc puts -MT before -MQ, and turns the order of more. */
        bool mixed = line->plain_targets && line->quoted_targets;
        if (line->unclear_target || (mixed && !line->dialect->is_clang))
            return NULL;
        return arena_strndup(line->arena, line->targets.data, line->targets.length);
    }
    /* gcc's preprocessor, told by -Wp, knows nothing of -o. */
    if (!target || (line->inner_depfile && !line->dialect->is_clang))
        target = replace_extension(line->arena, lookup_basename(line->source), ".o");
    if (target) {
        c_outputs_add_target(line->dialect, target, true, &text);
        if (text.length)
            targets = arena_strndup(line->arena, text.data, text.length);
    }
    buf_release(&text);
    return targets;
}

static void name_depfile(const struct c_line *line, struct command *command)
{
    const char *path;

    if (!line->dependencies && !line->inner_depfile)
        return;
    path = depfile_path(line);
    if (path && is_null(path))
        return;
    /* Compilers make none for what isn't preprocessed; should one do, its name is as observed. */
    if (line->source_language->kind != LANGUAGE_PREPROCESSED &&
        line->source_language->kind != LANGUAGE_ASSEMBLER) {
        command->output[OUTPUT_DEPFILE] = path;
        command->depfile_targets = path ? depfile_targets(line) : NULL;
    }
    if (!command->depfile_targets)
        command->output_shows = true;
}

static void name_side_files(const struct c_line *line, struct command *command)
{
    command->output[OUTPUT_DIAGNOSTICS] = line->diagnostics;
    if (line->stack_usage) {
        command->output[OUTPUT_STACK_USAGE] = side_file(line, ".su");
        if (!command->output[OUTPUT_STACK_USAGE])
            command->output_shows = true;
    }
    if (line->split_debug && !line->assembly)
        command->output[OUTPUT_SPLIT_DEBUG] = side_file(line, ".dwo");
}

bool c_outputs_name(const struct c_line *line, struct command *command)
{
    command->output_shows = line->flags & (SHOWS_OUTPUT | SHOWS_WORDS);
    if (is_pch(line) || line->precompile || (line->output && is_null(line->output)))
        command->output_shows = true;
    name_depfile(line, command);
    name_side_files(line, command);
    if (line->syntax_only) {
        /* Only side files are named by -o then. */
        return true;
    }
    command->output[OUTPUT_OBJECT] = line->output ? line->output : default_object(line);
    return command->output[OUTPUT_OBJECT] != NULL;
}
