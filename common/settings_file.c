#include "common/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/contents.h"

static const char blanks[] = " \t\r\f\v";

static char *trim(char *text)
{
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* A FIFO or a device of that name is refused rather than waited for. */
int settings_file_text(const char *path, struct arena *arena, char **text, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    int error = 0;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0)
        error = -errno;
    else if (!S_ISREG(status.st_mode))
        error = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    else if (status.st_size > SETTINGS_FILE_MAX)
        error = -EFBIG;
    if (error)
        goto out;

    *text = arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = contents_read(fd, *text, (size_t)status.st_size);
    *size = got > 0 ? (size_t)got : 0;
    error = got < 0 ? (int)got : 0;
    (*text)[*size] = '\0';
out:
    close(fd);
    return error;
}

/* One line, which ends at its NUL. Returns what is wrong with it; *key is for the message. */
static const char *take_line(char *text, size_t length, unsigned number, settings_file_take *take,
                             void *context, char **key)
{
    *key = text;
    if (strlen(text) != length)
        return "holds a NUL";
    *key = text = trim(text);
    if (!*text || *text == '#')
        return NULL;
    char *equals = strchr(text, '=');
    if (!equals)
        return "no \"=\"";
    *equals = '\0';
    *key = trim(text);
    if (!**key)
        return "no key";
    return take(context, number, *key, trim(equals + 1));
}

void settings_file_parse(const char *path, char *text, size_t size, struct arena *arena,
                         settings_file_take *take, settings_file_complain *complain, void *context)
{
    char *end = text + size;
    unsigned number = 1;
    for (char *next; text < end; text = next, number++) {
        char *newline = memchr(text, '\n', (size_t)(end - text)), *key;
        char *stop = newline ? newline : end;
        *stop = '\0';
        next = stop + 1;
        const char *wrong = take_line(text, (size_t)(stop - text), number, take, context, &key);
        if (wrong && complain)
            complain(context, arena_printf(arena, "%s:%u: %s: %s", path, number, key, wrong));
    }
}

int settings_file_read(const char *path, struct arena *arena, settings_file_take *take,
                       settings_file_complain *complain, void *context)
{
    char *text = NULL;
    size_t size = 0;
    int error = settings_file_text(path, arena, &text, &size);

    if (!error)
        settings_file_parse(path, text, size, arena, take, complain, context);
    return error;
}

bool settings_file_bool(const char *text, bool *value)
{
    static const struct {
        const char *text;
        bool value;
    } words[] = {
        {"1", true},  {"yes", true}, {"true", true},   {"on", true},
        {"0", false}, {"no", false}, {"false", false}, {"off", false},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i].text) == 0) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}
