#include "server/compilers/comments.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* The lexer's place and what it knows of the current line. A line here is a logical one for tokens (it goes
 * on after a backslash), a physical one for what stands in `out`. */
struct blanker {
    const char *next;
    const char *end;
    struct buf *out;
    bool tokens_before; /* on this logical line */
    bool keep_comments; /* one was kept for what follows it: so is what follows, if it is a comment */
    bool header_name;   /* a < may begin a header's name */
    bool hash;          /* this logical line is a directive, or may be, whose name comes now */
    bool counts_lines;  /* … #line, or # and a number */
    char solid; /* the last byte before `next` that was no blank; comments that were blanked don't count */
};

/* Where the text at `p` is a line's end: its length, else 0. */
static size_t newline_at(const struct blanker *blanker, const char *p)
{
    if (p < blanker->end && *p == '\n')
        return 1;
    return blanker->end - p >= 2 && p[0] == '\r' && p[1] == '\n' ? 2 : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static const char *skip_blanks(const struct blanker *blanker, const char *p)
{
    while (p < blanker->end && is_blank(*p))
        p++;
    return p;
}

/* The length of a continuation (backslash, blanks, newline) at `p`, or 0. */
static size_t continuation_at(const struct blanker *blanker, const char *p)
{
    const char *stop;
    size_t newline;

    if (p >= blanker->end || *p != '\\')
        return 0;
    stop = skip_blanks(blanker, p + 1);
    newline = newline_at(blanker, stop);
    return newline ? (size_t)(stop - p) + newline : 0;
}

static void copy_to(struct blanker *blanker, const char *stop)
{
    for (const char *p = stop; p > blanker->next; p--)
        if (!is_blank(p[-1])) {
            blanker->solid = p[-1];
            break;
        }
    buf_add(blanker->out, blanker->next, (size_t)(stop - blanker->next));
    blanker->next = stop;
}

static void begin_line(struct blanker *blanker)
{
    blanker->tokens_before = false;
    blanker->keep_comments = false;
    blanker->header_name = false;
    blanker->hash = false;
    blanker->counts_lines = false;
}

/* Is the comment plain UTF-8 without characters that could be controls (bidirectional ones among them)? */
static bool characters_are_plain(const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        size_t more = *p < 0x80 ? 0 : *p >= 0xc3 && *p < 0xe0 ? 1 : *p >= 0xe1 && *p < 0xf0 ? 2 : 9;

        if (*p == 0x7f || (*p < 0x20 && !strchr("\t\n\r", *p)) || !*p || (size_t)(end - p) <= more)
            return false;
        if (*p == '\r' && (p + 1 == end || p[1] != '\n'))
            return false;
        /* General punctuation holds the bidirectional controls; U+FEFF and its like are no better. */
        if (more == 2 && ((p[0] == 0xe2 && p[1] <= 0x81) || p[0] == 0xef || (p[0] == 0xed && p[1] >= 0xa0)))
            return false;
        for (size_t i = 1; i <= more; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return false;
        }
        p += more + 1;
    }
    return true;
}

static bool holds(const char *p, const char *end, const char *lower)
{
    size_t length = strlen(lower);

    for (; (size_t)(end - p) >= length; p++) {
        if (!strncasecmp(p, lower, length))
            return true;
    }
    return false;
}

/* gcc's warning for indentation looks for directives in the bare lines of a file. */
static bool has_directive_line(const char *p, const char *end)
{
    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        for (p++; p < end && is_blank(*p); p++)
            ;
        if (p < end && *p == '#')
            return true;
    }
    return false;
}

/* Comments that compilers or their warnings read, or complain of. And what is one comment, to a compiler that
 * knows of // or to one that doesn't. */
static bool is_read(const char *p, const char *end)
{
    return holds(p, end, "fall") || holds(p, end, "lint") || holds(p, end, "expected-") ||
           holds(p + 1, end, "/*") || memchr(p, '\\', (size_t)(end - p)) || has_directive_line(p, end) ||
           !characters_are_plain((const unsigned char *)p, (const unsigned char *)end);
}

/* Takes what `out` has of blanks at its end, of the current line. */
static void drop_blanks(struct buf *out)
{
    while (out->length && is_blank(out->data[out->length - 1]))
        out->length--;
    if (out->data)
        out->data[out->length] = 0;
}

/* Does nothing but blanks and comments stand between `p` and the end of its line? A comment that goes on over
 * the line's end counts as something. */
static bool line_ends(const struct blanker *blanker, const char *p)
{
    p = skip_blanks(blanker, p);
    return p == blanker->end || newline_at(blanker, p);
}

/* Puts a comment's newlines, and as many blanks as its last line has bytes, into `out`. */
static void blank_out(struct blanker *blanker, const char *stop, bool ends_line)
{
    const char *last_line = blanker->next;
    bool dropped = false;

    for (const char *p = blanker->next; p < stop; p++) {
        if (*p != '\n')
            continue;
        if (!dropped)
            drop_blanks(blanker->out);
        dropped = true;
        if (p > blanker->next && p[-1] == '\r')
            buf_add_char(blanker->out, '\r');
        buf_add_char(blanker->out, '\n');
        blanker->solid = '\n';
        last_line = p + 1;
    }
    if (ends_line) {
        drop_blanks(blanker->out);
        stop = skip_blanks(blanker, stop);
    } else {
        for (const char *p = last_line; p < stop; p++)
            buf_add_char(blanker->out, ' ');
    }
    blanker->next = stop;
}

static bool last_line_has_tab(const char *start, const char *stop)
{
    const char *last_line = memrchr(start, '\n', (size_t)(stop - start));

    start = last_line ? last_line : start;
    return memchr(start, '\t', (size_t)(stop - start)) != NULL;
}

/* A comment from `next` to `stop`: blanked if nobody reads it and nothing but blanks comes of it. */
static void treat_comment(struct blanker *blanker, const char *stop)
{
    const char *start = blanker->next, *last_line = memrchr(start, '\n', (size_t)(stop - start));
    bool ends_line = line_ends(blanker, stop);

    /* Before further tokens a tab moves them; and if the comment joins two lines, what follows belongs to a
     * directive, or a # that follows doesn't begin one. */
    if (!ends_line && ((last_line && blanker->tokens_before) || last_line_has_tab(start, stop)))
        blanker->keep_comments = true;
    /* #line counts from the end of its own */
    if (last_line && blanker->counts_lines)
        blanker->keep_comments = true;
    /* gcc takes it for where the line's indentation ends */
    if (!ends_line && !blanker->tokens_before)
        blanker->keep_comments = true;
    if (blanker->keep_comments || is_read(start, stop) || blanker->solid == '\\')
        copy_to(blanker, stop);
    else
        blank_out(blanker, stop, ends_line);
}

/* False if the comment doesn't end, or ends in a way that its continuations hide. */
static bool block_comment(struct blanker *blanker)
{
    const char *p = blanker->next + 2;

    for (; blanker->end - p >= 2; p++) {
        if (*p != '*')
            continue;
        if (p[1] == '/') {
            treat_comment(blanker, p + 2);
            return true;
        }
        if (continuation_at(blanker, p + 1))
            return false;
    }
    return false;
}

static void line_comment(struct blanker *blanker)
{
    const char *p = blanker->next;

    while (p < blanker->end && !newline_at(blanker, p)) {
        size_t continued = continuation_at(blanker, p);
        p += continued ? continued : 1;
    }
    treat_comment(blanker, p);
}

static const char *line_end(const struct blanker *blanker, const char *p)
{
    while (p < blanker->end && !newline_at(blanker, p))
        p++;
    return p;
}

static bool range_holds(const char *p, const char *end, const char *text)
{
    return memmem(p, (size_t)(end - p), text, strlen(text)) != NULL;
}

static bool may_begin_comment(const char *p, const char *end)
{
    return range_holds(p, end, "//") || range_holds(p, end, "/*");
}

/* A string or character constant at `next`. One that doesn't end on its line is the rest of the line for most
 * compilers; it is left to them where that could matter. */
static bool quoted(struct blanker *blanker)
{
    char quote = *blanker->next;
    const char *p = blanker->next + 1;

    for (; p < blanker->end && *p != quote && !newline_at(blanker, p); p++) {
        size_t continued = continuation_at(blanker, p);
        if (continued) {
            /* Blanks between backslash and newline: not every compiler goes on. */
            if (is_blank(p[1]))
                return false;
            p += continued - 1;
        } else if (*p == '\\' && p + 1 < blanker->end) {
            p++;
        }
    }
    if (p < blanker->end && *p == quote) {
        copy_to(blanker, p + 1);
        return true;
    }
    if (may_begin_comment(blanker->next, p) || memchr(blanker->next, '\n', (size_t)(p - blanker->next)))
        return false;
    copy_to(blanker, p);
    return true;
}

/* R"x(…)x": read as C it is a plain string. Where the two differ, nothing is done with the text. */
static bool raw_string_is_plain(const struct blanker *blanker, const char *p)
{
    const char *open = p + 1, *stop = memchr(open, '"', (size_t)(blanker->end - open));
    const char *paren;

    if (!stop || range_holds(open, stop, "\n") || range_holds(open, stop, "\\"))
        return false;
    paren = memchr(open, '(', (size_t)(stop - open));
    if (!paren || stop - open < 2 * (paren - open) + 2)
        return false;
    return stop[-1 - (paren - open)] == ')' && !memcmp(open, stop - (paren - open), (size_t)(paren - open));
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && !memcmp(word, text, length);
}

static bool word_is_one_of(const char *word, size_t length, const char *const *list)
{
    for (; *list; list++) {
        if (word_is(word, length, *list))
            return true;
    }
    return false;
}

static const char *const position_words[] = {"__TIMESTAMP__",
                                             "__DATE__",
                                             "__TIME__",
                                             "__builtin_COLUMN",
                                             "__builtin_source_location",
                                             "source_location",
                                             "embed",
                                             "__has_embed",
                                             NULL};
static const char *const header_words[] = {"include",       "include_next",       "import",
                                           "__has_include", "__has_include_next", NULL};
static const char *const raw_prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};

/* Digit separators are quotes to a compiler that doesn't know them. An even number of them leaves such a
 * compiler at the same place; else the rest of the line must hold nothing that it could read otherwise. */
static bool separators_are_clear(const struct blanker *blanker, const char *p, size_t separators)
{
    if (separators % 2 == 0)
        return true;
    const char *stop = line_end(blanker, p);
    return !may_begin_comment(p, stop) && !memchr(p, '"', (size_t)(stop - p)) &&
           !memchr(p, '\'', (size_t)(stop - p)) && !memchr(p, '\\', (size_t)(stop - p));
}

static bool number(struct blanker *blanker)
{
    const char *p = blanker->next;
    size_t separators = 0;

    while (p < blanker->end) {
        if (*p == '\'' && p + 1 < blanker->end && is_word(p[1])) {
            separators++;
            p += 2;
        } else if (is_word(*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]))) {
            p++;
        } else {
            break;
        }
    }
    if (!separators_are_clear(blanker, p, separators))
        return false;
    copy_to(blanker, p);
    return true;
}

static bool word(struct blanker *blanker)
{
    const char *start = blanker->next, *p = start;
    size_t length;

    while (p < blanker->end && is_word(*p))
        p++;
    length = (size_t)(p - start);
    if (word_is_one_of(start, length, position_words))
        return false;
    if (word_is_one_of(start, length, raw_prefixes) &&
        (continuation_at(blanker, p) || (p < blanker->end && *p == '"' && !raw_string_is_plain(blanker, p))))
        return false;
    if (word_is_one_of(start, length, header_words))
        blanker->header_name = true;
    copy_to(blanker, p);
    return true;
}

/* A < after include and its like: what looks like a comment up to > is part of the name. */
static bool header_name(struct blanker *blanker)
{
    const char *stop = line_end(blanker, blanker->next);
    const char *close = memchr(blanker->next, '>', (size_t)(stop - blanker->next));

    if (may_begin_comment(blanker->next, close ? close : stop))
        return false;
    blanker->header_name = false;
    copy_to(blanker, blanker->next + 1);
    return true;
}

/* A backslash outside constants: a continued line, or a stray. */
static bool backslash(struct blanker *blanker)
{
    size_t continued = continuation_at(blanker, blanker->next);

    if (continued && is_blank(blanker->next[1]))
        return false;
    copy_to(blanker, blanker->next + (continued ? continued : 1));
    return true;
}

/* A slash whose second half is on the next line, or begins a comment there. */
static bool slash(struct blanker *blanker)
{
    const char *p = blanker->next;

    if (continuation_at(blanker, p + 1))
        return false;
    if (blanker->end - p >= 2 && p[1] == '*')
        return block_comment(blanker);
    if (blanker->end - p >= 2 && p[1] == '/') {
        line_comment(blanker);
        return true;
    }
    blanker->tokens_before = true;
    copy_to(blanker, p + 1);
    return true;
}

/* "%:" and "?\?=" are other forms of "#". No other directive's name begins with an l. */
static void note_directive(struct blanker *blanker, char c)
{
    if (!blanker->tokens_before) {
        blanker->hash = c == '#' || c == '%' || c == '?';
    } else if (blanker->hash && is_word(c)) {
        blanker->hash = false;
        blanker->counts_lines = c == 'l' || (c >= '0' && c <= '9');
    }
}

static bool token(struct blanker *blanker)
{
    char c = *blanker->next;

    note_directive(blanker, c);
    blanker->tokens_before = true;
    if (c == '"' || c == '\'')
        return quoted(blanker);
    if ((c >= '0' && c <= '9') ||
        (c == '.' && blanker->end - blanker->next >= 2 && blanker->next[1] >= '0' && blanker->next[1] <= '9'))
        return number(blanker);
    if (is_word(c))
        return word(blanker);
    if (c == '<' && blanker->header_name)
        return header_name(blanker);
    copy_to(blanker, blanker->next + 1);
    return true;
}

static bool step(struct blanker *blanker)
{
    char c = *blanker->next;
    size_t newline = newline_at(blanker, blanker->next);

    if (newline) {
        copy_to(blanker, blanker->next + newline);
        begin_line(blanker);
        return true;
    }
    if (is_blank(c)) {
        copy_to(blanker, blanker->next + 1);
        return true;
    }
    /* A lone carriage return or a NUL: every compiler has its own opinion. */
    if (c == '\r' || c == 0)
        return false;
    if (c == '/')
        return slash(blanker);
    if (c == '\\')
        return backslash(blanker);
    return token(blanker);
}

bool comments_blank(const char *text, size_t length, struct buf *out)
{
    struct blanker blanker = {.next = text, .end = text + length, .out = out};
    size_t before = out->length;

    /* A trigraph backslash is one for some settings only. */
    if (length >= 3 && memmem(text, length, "?\?/", 3))
        return false;
    buf_reserve(out, length);
    while (blanker.next < blanker.end) {
        if (!step(&blanker)) {
            out->length = before;
            return false;
        }
    }
    return true;
}
