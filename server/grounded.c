#include "server/grounded.h"

#include <string.h>

#include "common/wire.h"

static const char mark[] = "\001ground"; /* rustc writes no control characters into these texts */
static const char notice[] = "{\"$message_type\":\"artifact\",\"artifact\":\"";

static bool starts_with(const char *text, size_t left, const char *start, size_t size)
{
    return left >= size && memcmp(text, start, size) == 0;
}

/* Copies `text`; where `begins` (of `begin_size` bytes, may be 0) stands at the head of a line with the
 * ground and a slash behind it, the mark is put for the ground. How often is returned. */
static size_t mark_lines(const char *ground, const char *begins, size_t begin_size, const char *text,
                         size_t size, struct buf *out)
{
    size_t ground_size = strlen(ground), marked = 0;
    const char *end = text + size;

    for (const char *line = text, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *path = line + begin_size;
        next = newline ? newline + 1 : end;
        size_t length = (size_t)(next - line);
        if (length > begin_size + ground_size && memcmp(line, begins, begin_size) == 0 &&
            memcmp(path, ground, ground_size) == 0 && path[ground_size] == '/') {
            buf_add(out, line, begin_size);
            buf_add(out, mark, sizeof mark - 1);
            buf_add(out, path + ground_size, length - begin_size - ground_size);
            marked++;
        } else {
            buf_add(out, line, length);
        }
    }
    return marked;
}

static enum grounded take(const char *ground, const char *begins, size_t begin_size, const char *text,
                          size_t size, struct buf *out)
{
    size_t before = out->length;

    if (size == 0 ||
        (!memmem(text, size, mark, sizeof mark - 1) && !memmem(text, size, ground, strlen(ground)))) {
        buf_add(out, text, size);
        return GROUNDED_NOWHERE;
    }
    if (memmem(text, size, mark, sizeof mark - 1) || !mark_lines(ground, begins, begin_size, text, size, out))
        return GROUNDED_ELSEWHERE;
    return memmem(out->data + before, out->length - before, ground, strlen(ground)) ? GROUNDED_ELSEWHERE
                                                                                    : GROUNDED_MARKED;
}

enum grounded grounded_take_targets(const char *ground, const char *text, size_t size, struct buf *out)
{
    return take(ground, "", 0, text, size, out);
}

void grounded_put(const char *ground, const char *text, size_t size, struct buf *out)
{
    const char *end = text + size;

    for (;;) {
        const char *found = memmem(text, (size_t)(end - text), mark, sizeof mark - 1);
        buf_add(out, text, (size_t)((found ? found : end) - text));
        if (!found)
            return;
        buf_add_text(out, ground);
        text = found + sizeof mark - 1;
    }
}

/* ---- messages ---- */

/* The next run of frames of one stream, its bytes joined in `run`. 1, 0 at the end, -1 if they make no sense.
 */
static int next_run(const char **frames, size_t *size, unsigned char *stream, struct buf *run)
{
    buf_reset(run);
    for (;;) {
        enum wire_type type;
        const void *payload;
        size_t length;
        long frame = *size ? wire_frame(*frames, *size, &type, &payload, &length) : 0;
        if (*size == 0)
            return run->length > 0;
        if (frame <= 0 || type != WIRE_OUTPUT || length < 1)
            return -1;
        const unsigned char *bytes = payload;
        if (run->length > 0 && bytes[0] != *stream)
            return 1;
        *stream = bytes[0];
        buf_add(run, bytes + 1, length - 1);
        *frames += frame;
        *size -= (size_t)frame;
    }
}

static void add_frame(unsigned char stream, const struct buf *run, struct buf *out)
{
    enum { PART = WIRE_MAX / 4 };

    for (size_t at = 0; at < run->length; at += PART) {
        size_t begun = wire_begin_frame(out, WIRE_OUTPUT);
        buf_add_u8(out, stream);
        buf_add(out, run->data + at, run->length - at < PART ? run->length - at : PART);
        wire_end_frame(out, begun);
    }
}

enum grounded grounded_take_messages(const char *ground, const void *frames, size_t size, struct buf *out)
{
    struct buf run = BUF_INIT, marked = BUF_INIT;
    const char *next = frames;
    unsigned char stream = 0;
    enum grounded all = GROUNDED_NOWHERE;
    int more;

    while (all != GROUNDED_ELSEWHERE && (more = next_run(&next, &size, &stream, &run)) != 0) {
        buf_reset(&marked);
        enum grounded part = more < 0
                                 ? GROUNDED_ELSEWHERE
                                 : take(ground, notice, sizeof notice - 1, run.data, run.length, &marked);
        if (part > all)
            all = part;
        add_frame(stream, &marked, out);
    }
    buf_release(&run);
    buf_release(&marked);
    return all;
}

bool grounded_put_messages(const char *ground, const void *frames, size_t size, struct buf *out)
{
    struct buf run = BUF_INIT, text = BUF_INIT;
    const char *next = frames;
    unsigned char stream = 0;
    int more;

    while ((more = next_run(&next, &size, &stream, &run)) > 0) {
        buf_reset(&text);
        grounded_put(ground, run.data, run.length, &text);
        add_frame(stream, &text, out);
    }
    buf_release(&run);
    buf_release(&text);
    return more == 0;
}

bool grounded_has_messages(const void *frames, size_t size)
{
    struct buf run = BUF_INIT;
    const char *next = frames;
    unsigned char stream = 0;
    bool others = false;
    int more;

    while (!others && (more = next_run(&next, &size, &stream, &run)) != 0) {
        const char *line = run.data ? run.data : "", *end = line + run.length;
        others = more < 0;
        while (!others && line < end) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            others = !newline || !starts_with(line, (size_t)(end - line), notice, sizeof notice - 1);
            line = newline ? newline + 1 : end;
        }
    }
    buf_release(&run);
    return others;
}
