#include "server/text_scan.h"

#include <ctype.h>
#include <string.h>

enum { STRING_MAX = 4096 };

struct scan {
    const char *next, *end;
    const char *word;
    char string[STRING_MAX]; /* of adjacent literals, joined */
    size_t string_length;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_line(struct scan *scan)
{
    const char *newline = memchr(scan->next, '\n', (size_t)(scan->end - scan->next));
    scan->next = newline ? newline : scan->end;
}

static void add_char(struct scan *scan, char c)
{
    if (scan->string_length < STRING_MAX - 1)
        scan->string[scan->string_length++] = c;
}

/* One character of a literal, escapes undone where they can spell letters: \x, octal; others stay a mark. */
static void take_char(struct scan *scan)
{
    if (*scan->next != '\\' || scan->next + 1 >= scan->end) {
        add_char(scan, *scan->next++);
        return;
    }
    scan->next++;
    unsigned value = 0;
    if (*scan->next == 'x') {
        scan->next++;
        while (scan->next < scan->end && isxdigit((unsigned char)*scan->next)) {
            int c = tolower((unsigned char)*scan->next++);
            value = value * 16 + (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
        }
        add_char(scan, (char)value);
    } else if (*scan->next >= '0' && *scan->next <= '7') {
        for (int i = 0; i < 3 && scan->next < scan->end && *scan->next >= '0' && *scan->next <= '7'; i++)
            value = value * 8 + (unsigned)(*scan->next++ - '0');
        add_char(scan, (char)value);
    } else {
        bool letter = *scan->next == 'u' || *scan->next == 'U' || *scan->next == 'N';
        add_char(scan, letter ? '.' : '\\'); /* a universal name could spell anything */
        scan->next++;
    }
}

/* At an opening quote. False if it doesn't end on its line. */
static bool take_string(struct scan *scan, char quote)
{
    for (scan->next++; scan->next < scan->end && *scan->next != '\n';) {
        if (*scan->next == quote) {
            scan->next++;
            return true;
        }
        take_char(scan);
    }
    return false;
}

/* R"delimiter( … )delimiter" */
static bool take_raw_string(struct scan *scan)
{
    const char *open = memchr(scan->next, '(', (size_t)(scan->end - scan->next));
    char closing[20] = ")";
    size_t length = open ? (size_t)(open - scan->next - 1) : sizeof closing;

    if (length > 16)
        return false;
    memcpy(closing + 1, scan->next + 1, length);
    closing[length + 1] = '"';
    const char *end = memmem(open, (size_t)(scan->end - open), closing, length + 2);
    if (!end)
        return false;
    for (const char *c = open + 1; c < end; c++)
        add_char(scan, *c);
    scan->next = end + length + 2;
    return true;
}

static bool reads_files(const struct scan *scan)
{
    static const char *const words[] = {".inc", "incbin", "include", ".mac", ".altmacro"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(scan->string, scan->string_length, words[i], strlen(words[i])))
            return true;
    return scan->string_length >= STRING_MAX - 1 && memchr(scan->string, '.', scan->string_length) != NULL;
}

/* Literals with only blanks and line markers between them are one. */
static bool take_strings(struct scan *scan, bool raw)
{
    scan->string_length = 0;
    for (;; raw = false) {
        if (!(raw ? take_raw_string(scan) : take_string(scan, '"'))) {
            scan->word = "unterminated string";
            return false;
        }
        while (scan->next < scan->end && (isspace((unsigned char)*scan->next) || *scan->next == '#')) {
            if (*scan->next == '#')
                skip_line(scan);
            else
                scan->next++;
        }
        if (scan->next >= scan->end || *scan->next != '"')
            break;
    }
    if (reads_files(scan))
        scan->word = "string that may make the assembler read a file";
    return !scan->word;
}

static void skip_blanks(struct scan *scan)
{
    while (scan->next < scan->end && isspace((unsigned char)*scan->next))
        scan->next++;
}

/* After the word asm: only asm("name") passes. */
static bool take_asm(struct scan *scan)
{
    skip_blanks(scan);
    if (scan->next < scan->end && *scan->next == '(') {
        scan->next++;
        skip_blanks(scan);
        if (scan->next < scan->end && *scan->next == '"') {
            if (!take_strings(scan, false))
                return false;
            bool plain = scan->next < scan->end && *scan->next == ')';
            for (size_t i = 0; i < scan->string_length; i++)
                plain = plain && is_name(scan->string[i]);
            if (plain)
                return true;
        }
    }
    scan->word = "asm";
    return false;
}

static bool take_name(struct scan *scan)
{
    const char *start = scan->next;

    while (scan->next < scan->end && is_name(*scan->next))
        scan->next++;
    size_t length = (size_t)(scan->next - start);
#define IS(text) (length == sizeof(text) - 1 && memcmp(start, text, length) == 0)
    if (IS("asm") || IS("__asm") || IS("__asm__"))
        return take_asm(scan);
    if (IS("import") || IS("module")) { /* may be a name like any other; not worth finding out */
        scan->word = "import";
        return false;
    }
    bool raw = start[length - 1] == 'R' && length <= 3 && scan->next < scan->end && *scan->next == '"';
    if (raw)
        return take_strings(scan, true);
#undef IS
    return true;
}

/* Line markers pass; of pragmas those that load something don't. */
static bool take_directive(struct scan *scan)
{
    static const char *const words[] = {"pch", "module", "import", "include", "plugin", "embed"};
    const char *start = scan->next;

    skip_line(scan);
    size_t length = (size_t)(scan->next - start), name = strcspn(start, "\n\"");
    if (name > length)
        name = length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(start, name, words[i], strlen(words[i]))) {
            scan->word = "directive that loads a file";
            return false;
        }
    return true;
}

bool text_scan(const char *text, size_t length, const char **word)
{
    struct scan scan = {.next = text, .end = text + length};
    bool line_start = true;

    while (scan.next < scan.end && !scan.word) {
        char c = *scan.next;
        if (c == '#' && line_start)
            take_directive(&scan);
        else if (c == '"')
            take_strings(&scan, false);
        else if (c == '\'')
            take_string(&scan, '\''); /* an apostrophe between figures ends at its line */
        else if (is_name(c))
            take_name(&scan);
        else
            scan.next++;
        line_start = c == '\n' || (line_start && isspace((unsigned char)c));
    }
    *word = scan.word ? scan.word : "";
    return !scan.word;
}
