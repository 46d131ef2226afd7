#include "cache/input_ground.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/filesystem.h"
#include "cache/input_layout.h"
#include "common/clock.h"
#include "common/memory.h"

enum place_state { PLACE_UNKNOWN, PLACE_DIRECTORY, PLACE_MISSING, PLACE_ODD };

struct place {
    enum place_state state;
    bool lacking;  /* there is really nothing by this name in the directory above, which exists */
    uint64_t mark; /* of a directory; 0: not to be trusted */
};

void grounding_init(struct grounding *grounding, struct strings *strings, int directory)
{
    memset(grounding, 0, sizeof *grounding);
    grounding->strings = strings;
    grounding->directory = directory;
    grounding->before = clock_of_files();
}

void grounding_release(struct grounding *grounding)
{
    memory_free(grounding->places);
    grounding->places = NULL;
}

static struct place *place_of(struct grounding *grounding, uint32_t path)
{
    if (path >= grounding->room) {
        size_t room = 2 * ((size_t)path + 1);
        grounding->places = memory_realloc(grounding->places, room * sizeof *grounding->places);
        memset(grounding->places + grounding->room, 0, (room - grounding->room) * sizeof *grounding->places);
        grounding->room = room;
    }
    return &grounding->places[path];
}

static uint64_t mark_if_trusted(const struct grounding *grounding, int fd)
{
    struct stat status;
    struct filesystem filesystem = filesystem_of(fd);

    if (!filesystem.local || filesystem.read_only || fstat(fd, &status) != 0)
        return 0;
    struct stamp stamp = stamp_of(&status);
    return stamp_trusted(&stamp, grounding->before) ? mark_of(&stamp) : 0;
}

/* The stamp is taken here, before the absences below are looked at: what appears meanwhile changes it. */
static struct place *look_at_place(struct grounding *grounding, uint32_t path)
{
    struct place *place = place_of(grounding, path);

    if (place->state != PLACE_UNKNOWN)
        return place;
    int fd = openat(grounding->directory, grounding->strings->texts[path], O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        place->state = errno == ENOENT ? PLACE_MISSING : PLACE_ODD;
        return place;
    }
    place->state = PLACE_DIRECTORY;
    place->mark = mark_if_trusted(grounding, fd);
    close(fd);
    return place;
}

/* Length of the directory part of path[0 … length), without the slashes that end it; "/" keeps its own. */
static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Really no entry by that name, not even a link that leads nowhere? Asked for often of one missing folder. */
static bool lacks(struct grounding *grounding, const char *path, size_t length)
{
    uint32_t number = strings_number_n(grounding->strings, path, length);
    struct stat status;

    if (!place_of(grounding, number)->lacking)
        place_of(grounding, number)->lacking =
            fstatat(grounding->directory, grounding->strings->texts[number], &status, AT_SYMLINK_NOFOLLOW) !=
                0 &&
            errno == ENOENT;
    return place_of(grounding, number)->lacking;
}

bool grounding_find(struct grounding *grounding, const char *path, struct grounded *grounded)
{
    struct strings *strings = grounding->strings;
    size_t end = strlen(path);

    if (end == 0 || path[end - 1] == '/')
        return false;
    for (;;) {
        size_t length = parent_length(path, end);
        uint32_t parent = length ? strings_number_n(strings, path, length) : strings_number(strings, ".");

        enum place_state state = look_at_place(grounding, parent)->state;
        if (state == PLACE_DIRECTORY) {
            if (!lacks(grounding, path, end))
                return false;
            grounded->ground = parent;
            grounded->mark = place_of(grounding, parent)->mark;
            grounded->rest = strings_number(strings, path + length + strspn(path + length, "/"));
            return true;
        }
        if (state != PLACE_MISSING || length <= 1)
            return false;
        end = length;
    }
}
