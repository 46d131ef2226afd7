#include "server/compilers/depfile.h"

#include <string.h>

/* How phony rules for -MP are written: one a line, or (older clang) each after an empty line. */
enum phony { PHONY_NONE, PHONY_PLAIN, PHONY_SPACED, PHONY_KINDS };

static bool is_quoted_pair(const char *text, const char *end)
{
    return end - text >= 2 &&
           ((text[0] == '\\' && strchr(" #\t", text[1]) && text[1]) || (text[0] == '$' && text[1] == '$'));
}

/* The end of the name at `text`: the first blank or newline that isn't quoted. */
static const char *name_end(const char *text, const char *end)
{
    while (text < end && *text != ' ' && *text != '\n' && *text != '\t')
        text += is_quoted_pair(text, end) ? 2 : 1;
    return text;
}

/* The name's length before it was quoted. */
static size_t plain_length(const char *name, size_t length)
{
    const char *end = name + length;
    size_t plain = 0;

    for (; name < end; plain++)
        name += is_quoted_pair(name, end) ? 2 : 1;
    return plain;
}

/* Blanks and continued line ends between names. */
static const char *skip_gap(const char *text, const char *end)
{
    for (;;) {
        if (text < end && *text == ' ')
            text++;
        else if (end - text >= 2 && text[0] == '\\' && text[1] == '\n')
            text += 2;
        else
            return text;
    }
}

/* One name after the other on lines of at most `width` columns, as the style fills them. */
struct filler {
    enum depfile_style style;
    struct buf *text;
    size_t column;
};

/* `counted` is the length that the style reckons with; `slack` what clang wants to be left on the line. */
static void fill(struct filler *filler, const char *name, size_t length, size_t counted, size_t slack)
{
    bool gcc = filler->style == DEPFILE_GCC;
    bool wrap = gcc ? filler->column + counted > 72 : filler->column + counted + slack > 75;

    if (!filler->column) {
        filler->column = counted;
    } else if (wrap) {
        buf_add_text(filler->text, gcc ? " \\\n " : " \\\n  ");
        filler->column = counted + (gcc ? 1 : slack);
    } else {
        buf_add_char(filler->text, ' ');
        filler->column += counted + 1;
    }
    buf_add(filler->text, name, length);
}

static void fill_targets(struct filler *filler, const char *targets)
{
    const char *end = targets + strlen(targets);

    while (targets < end) {
        const char *stop = name_end(targets, end);
        size_t length = (size_t)(stop - targets);

        fill(filler, targets, length, length, 2);
        targets = stop + (stop < end);
    }
    buf_add_char(filler->text, ':');
    filler->column++;
}

/* gcc counts a prerequisite as it is written, clang before it is quoted. */
static void fill_prerequisites(struct filler *filler, const char *names, const char *end)
{
    for (; names < end; names += strlen(names) + 1) {
        size_t length = strlen(names);
        fill(filler, names, length, filler->style == DEPFILE_GCC ? length : plain_length(names, length), 3);
    }
    buf_add_char(filler->text, '\n');
}

static void add_phony(struct buf *text, const char *names, const char *end, enum phony phony)
{
    if (names < end)
        names += strlen(names) + 1; /* the main source needs no rule */
    for (; names < end; names += strlen(names) + 1) {
        if (phony == PHONY_SPACED)
            buf_add_char(text, '\n');
        buf_add_text(text, names);
        buf_add_text(text, ":\n");
    }
}

/* `names`: the prerequisites as they are written, each with a NUL. */
static void render(enum depfile_style style, enum phony phony, const char *names, size_t length,
                   const char *targets, struct buf *text)
{
    struct filler filler = {style, text, 0};
    const char *end = names + length;

    fill_targets(&filler, targets);
    fill_prerequisites(&filler, names, end);
    if (phony != PHONY_NONE)
        add_phony(text, names, end, phony);
}

static bool renders_as(enum depfile_style style, enum phony phony, const struct buf *names,
                       const char *targets, const char *text, size_t length)
{
    struct buf made = BUF_INIT;
    bool same;

    render(style, phony, names->data, names->length, targets, &made);
    same = made.length == length && !memcmp(made.data, text, length);
    buf_release(&made);
    return same;
}

/* Where the prerequisites begin, or NULL if the text isn't headed by exactly the targets. */
static const char *skip_targets(const char *text, const char *end, const char *targets)
{
    const char *targets_end = targets + strlen(targets);

    while (targets < targets_end) {
        const char *stop = name_end(targets, targets_end);
        size_t length = (size_t)(stop - targets);

        text = skip_gap(text, end);
        if (length == 0 || (size_t)(end - text) < length || memcmp(text, targets, length))
            return NULL;
        text += length;
        targets = stop + (stop < targets_end);
    }
    return text < end && *text == ':' ? text + 1 : NULL;
}

/* Appends the prerequisites up to the first line's end, each with a NUL; where the text goes on, or NULL. */
static const char *take_names(const char *text, const char *end, struct buf *names)
{
    for (;;) {
        const char *stop;

        text = skip_gap(text, end);
        if (text >= end)
            return NULL;
        if (*text == '\n')
            return text + 1;
        stop = name_end(text, end);
        if (stop == text)
            return NULL;
        buf_add(names, text, (size_t)(stop - text));
        buf_add_char(names, 0);
        text = stop;
    }
}

enum depfile_style depfile_split(const char *text, size_t length, const char *targets, struct buf *rest)
{
    const char *end = text + length, *next;
    struct buf names = BUF_INIT;
    unsigned found = DEPFILE_UNKNOWN;
    enum phony phony = PHONY_NONE;

    if (!length || memchr(text, 0, length) || !*targets || strchr(targets, '\n'))
        return DEPFILE_UNKNOWN;
    next = skip_targets(text, end, targets);
    if (next)
        next = take_names(next, end, &names);
    if (!next || !names.length)
        goto out;
    if (next < end)
        phony = *next == '\n' ? PHONY_SPACED : PHONY_PLAIN;
    if (phony != PHONY_SPACED && renders_as(DEPFILE_GCC, phony, &names, targets, text, length))
        found |= DEPFILE_GCC;
    if (renders_as(DEPFILE_CLANG, phony, &names, targets, text, length))
        found |= DEPFILE_CLANG;
    if (found != DEPFILE_UNKNOWN) {
        buf_add_char(rest, (char)phony);
        buf_add(rest, names.data, names.length);
    }
out:
    buf_release(&names);
    return (enum depfile_style)found;
}

/* What both styles make of it, or false. */
static bool write_either(enum phony phony, const char *names, size_t length, const char *targets,
                         struct buf *text)
{
    struct buf made = BUF_INIT;
    bool same;

    render(DEPFILE_GCC, phony, names, length, targets, &made);
    same = renders_as(DEPFILE_CLANG, phony,
                      &(struct buf){.data = (char *)(uintptr_t)names, .length = length, .capacity = length},
                      targets, made.data, made.length);
    if (same)
        buf_add(text, made.data, made.length);
    buf_release(&made);
    return same;
}

bool depfile_write(enum depfile_style style, const char *rest, size_t length, const char *targets,
                   struct buf *text)
{
    enum phony phony;

    if (length < 3 || rest[length - 1] != 0 || (unsigned char)rest[0] >= PHONY_KINDS || !*targets ||
        strchr(targets, '\n'))
        return false;
    phony = (enum phony)rest[0];
    switch (style) {
    case DEPFILE_GCC:
    case DEPFILE_CLANG:
        render(style, phony, rest + 1, length - 1, targets, text);
        return true;
    case DEPFILE_EITHER:
        return write_either(phony, rest + 1, length - 1, targets, text);
    case DEPFILE_UNKNOWN:
        break;
    }
    return false;
}
