#include "server/compilers/response.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/contents.h"

enum { NESTING_MAX = 20 };

struct expansion {
    struct arena *arena;
    struct words *words;
    size_t capacity;
    int directory;
    size_t bytes;
    size_t files;
};

static enum response_result expand_word(struct expansion *expansion, const char *word, int depth);

static enum response_result add_word(struct expansion *expansion, const char *word)
{
    struct words *words = expansion->words;

    if (words->count >= RESPONSE_MAX_WORDS)
        return RESPONSE_UNCLEAR;
    if (words->count + 1 >= expansion->capacity) {
        size_t capacity = expansion->capacity * 2;
        const char **items = ARENA_ARRAY(expansion->arena, const char *, capacity);
        memcpy(items, words->items, words->count * sizeof(*items));
        words->items = items;
        expansion->capacity = capacity;
    }
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
    return RESPONSE_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads one word at *text, unquoted, into `word`. The word is over at an unquoted blank or the end. False if
 * it ends inside quotes or after a backslash, which compilers take differently. */
static bool unquote_word(const char **text, struct buf *word)
{
    const char *next = *text;
    char quote = 0;

    for (; *next && (quote || !is_blank(*next)); next++) {
        if (*next == '\\') {
            if (!*++next)
                return false;
            buf_add_char(word, *next);
        } else if (quote ? *next == quote : (*next == '\'' || *next == '"')) {
            quote = quote ? 0 : *next;
        } else {
            buf_add_char(word, *next);
        }
    }
    *text = next;
    return !quote;
}

static enum response_result expand_text(struct expansion *expansion, const char *text, int depth)
{
    enum response_result result = RESPONSE_OK;
    struct buf word = BUF_INIT;

    for (;;) {
        /* it ends in NUL: NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        while (is_blank(*text))
            text++;
        if (!*text)
            break;
        buf_reset(&word);
        if (!unquote_word(&text, &word) || !word.length) {
            /* Empty words are kept by one compiler and dropped by the other. */
            result = RESPONSE_UNCLEAR;
            break;
        }
        result = expand_word(expansion, arena_strndup(expansion->arena, word.data, word.length), depth);
        if (result != RESPONSE_OK)
            break;
    }
    buf_release(&word);
    return result;
}

/* The file's bytes as a string, or NULL with *result told. */
static char *read_text(struct expansion *expansion, int fd, enum response_result *result)
{
    size_t room = RESPONSE_MAX_BYTES - expansion->bytes, length;
    ssize_t got;
    struct stat status;
    char *text;

    *result = RESPONSE_UNCLEAR;
    if (fstat(fd, &status) != 0)
        return NULL;
    if (!S_ISREG(status.st_mode)) {
        *result = RESPONSE_SPECIAL;
        return NULL;
    }
    if (status.st_size < 0 || (unsigned long long)status.st_size >= room)
        return NULL;
    text = malloc((size_t)status.st_size + 1);
    if (!text)
        return NULL;
    got = contents_read(fd, text, (size_t)status.st_size);
    length = got > 0 ? (size_t)got : 0;
    text[length] = 0;
    expansion->bytes += length;
    /* A NUL, or a byte order mark: compilers differ. */
    if (length != (size_t)status.st_size || memchr(text, 0, length) || !strncmp(text, "\xef\xbb\xbf", 3)) {
        free(text);
        return NULL;
    }
    *result = RESPONSE_OK;
    return text;
}

static enum response_result expand_word(struct expansion *expansion, const char *word, int depth)
{
    enum response_result result;
    char *text;
    int fd;

    if (word[0] != '@' || !word[1])
        return add_word(expansion, word);
    fd = openat(expansion->directory, word + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return add_word(expansion, word);
    expansion->words->culprit = word;
    if (depth >= NESTING_MAX || ++expansion->files > RESPONSE_MAX_FILES) {
        close(fd);
        return RESPONSE_UNCLEAR;
    }
    text = read_text(expansion, fd, &result);
    close(fd);
    if (!text)
        return result;
    result = expand_text(expansion, text, depth + 1);
    free(text);
    return result;
}

enum response_result response_expand(int argc, char *const *argv, int directory, struct arena *arena,
                                     struct words *words)
{
    struct expansion expansion = {.arena = arena, .words = words, .directory = directory};
    enum response_result result = RESPONSE_OK;

    expansion.capacity = (size_t)argc + 2;
    words->items = ARENA_ARRAY(arena, const char *, expansion.capacity);
    words->count = 0;
    words->culprit = NULL;
    for (int i = 0; i < argc && result == RESPONSE_OK; i++)
        result = i ? expand_word(&expansion, argv[i], 0) : add_word(&expansion, argv[i]);
    return result;
}
