#include "cache/input_ground.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
    uint32_t entries; /* for which its stamp could answer */
    bool lacking;     /* there is really nothing by this name in the directory above, which exists */
    uint64_t mark;    /* of a directory; 0: not to be trusted */
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
            grounded->rest = strings_number(strings, path + length + strspn(path + length, "/"));
            return true;
        }
        if (state != PLACE_MISSING || length <= 1)
            return false;
        end = length;
    }
}

/* ---- entries ---- */

enum { ENTRIES_WORTH_A_LOOK = 2 };

static uint32_t folder_above(struct grounding *grounding, const char *path)
{
    size_t length = parent_length(path, strlen(path));
    return length ? strings_number_n(grounding->strings, path, length)
                  : strings_number(grounding->strings, ".");
}

void grounding_count_entry(struct grounding *grounding, const char *path)
{
    place_of(grounding, folder_above(grounding, path))->entries++;
}

bool grounding_take_folder(struct grounding *grounding, uint32_t path, struct grounded *grounded)
{
    if (place_of(grounding, path)->entries < ENTRIES_WORTH_A_LOOK ||
        look_at_place(grounding, path)->state != PLACE_DIRECTORY)
        return false;
    *grounded = (struct grounded){.ground = path, .rest = path, .bare = true};
    return true;
}

static bool is_still_so(const struct grounding *grounding, const char *path, const char *target)
{
    char found[PATH_MAX];
    struct stat status;

    if (!target)
        return fstatat(grounding->directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(status.st_mode);
    ssize_t length = readlinkat(grounding->directory, path, found, sizeof found);
    return length == (ssize_t)strlen(target) && memcmp(found, target, (size_t)length) == 0;
}

void grounding_confirm_entry(struct grounding *grounding, const char *path, const char *target)
{
    struct place *folder = place_of(grounding, folder_above(grounding, path));

    if (folder->state == PLACE_DIRECTORY && folder->mark && !is_still_so(grounding, path, target))
        folder->mark = 0;
}

uint64_t grounding_mark(const struct grounding *grounding, uint32_t path)
{
    return path < grounding->room ? grounding->places[path].mark : 0;
}
