#include "server/result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/clock.h"
#include "server/basedir.h"
#include "server/compilers/depfile.h"
#include "server/grounded.h"
#include "server/stats.h"
#include "spawn/peer.h"
#include "spawn/starts.h"

/* ---- packing ---- */

int result_pack(struct request *request, const struct buf *messages, uint32_t message_flags,
                const struct output_file *outputs, size_t count, struct packed **packed)
{
    struct packed_file *files = ARENA_ARRAY(&request->arena, struct packed_file, count + 1);

    files[0] = (struct packed_file){.role = RESULT_MESSAGES,
                                    .flags = message_flags,
                                    .path = "",
                                    .size = messages->length,
                                    .bytes = messages->data,
                                    .fd = -1};
    if (!messages->length)
        files[0].bytes = "";
    for (size_t i = 0; i < count; i++)
        files[i + 1] = (struct packed_file){.role = outputs[i].role,
                                            .flags = outputs[i].flags,
                                            .path = outputs[i].role == OUTPUT_OTHER ? outputs[i].path : "",
                                            .mode = outputs[i].mode,
                                            .size = outputs[i].size,
                                            .bytes = outputs[i].content,
                                            .fd = outputs[i].fd};
    return packed_make(files, count + 1, (int)request->server->settings.level,
                       request->server->settings.max_result, packed);
}

/* ---- restoring ---- */

/* For the owner his own bit tells; else only the kernel knows. */
static bool may_write(int directory, const char *path, const struct stat *status)
{
    bool surely = status->st_uid == getauxval(AT_EUID) && (status->st_mode & S_IWUSR);
    return surely || faccessat(directory, path, W_OK, 0) == 0;
}

bool result_is_dep_info(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".d") == 0;
}

bool result_may_replace(const struct request *request, int directory, const char *path)
{
    struct stat status;

    if (fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    bool replaced = request->command.replaces_outputs && !result_is_dep_info(path);
    return S_ISREG(status.st_mode) && (status.st_nlink == 1 || replaced) &&
           may_write(directory, path, &status);
}

static bool goes_up(const char *path)
{
    for (; path; path = strchr(path, '/') ? strchr(path, '/') + 1 : NULL)
        if (strncmp(path, "..", 2) == 0 && (path[2] == '/' || path[2] == '\0'))
            return true;
    return false;
}

static bool same_folder(const char *path, size_t folder, const char *other)
{
    const char *slash = other ? strrchr(other, '/') : NULL;
    return slash && (size_t)(slash - other) == folder && memcmp(path, other, folder) == 0;
}

bool result_is_asked_for(const struct request *request, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) : 0;

    if (!slash || (request->command.ground && path[0] != '/' && !goes_up(path)))
        return true;
    for (int role = 0; role < OUTPUT_ROLES; role++)
        if (same_folder(path, folder, request->command.output[role]))
            return true;
    for (char *const *word = request->wire.argv; *word; word++)
        if (folder > 0 && memmem(*word, strlen(*word), path, folder))
            return true;
    return false;
}

/* Where this request wants a file of a result; NULL if it doesn't want one of this role. */
static const char *target_of(const struct request *request, const struct packed_file *file)
{
    if (file->role == OUTPUT_OTHER)
        return file->path[0] ? file->path : NULL;
    return file->role < OUTPUT_ROLES ? request->command.output[file->role] : NULL;
}

/* … and what that name is relative to. */
static int folder_of(const struct request *request, const struct packed_file *file)
{
    return file->role == OUTPUT_OTHER ? request->ground : request->directory;
}

static bool was_absent(const struct request *request, const struct packed_file *file)
{
    return file->role < OUTPUT_ROLES && (request->absent >> file->role & 1);
}

/* A name beside the target that no compiler or build tool takes for something. */
static char *temporary_name(struct request *request, const char *target)
{
    static atomic_uint serial;
    static atomic_int pid;
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target + 1) : 0;

    if (!pid)
        pid = getpid();
    return arena_printf(&request->arena, "%.*s.ccwrap-%d-%u.tmp", folder, target, pid,
                        atomic_fetch_add(&serial, 1));
}

/* A file on its way: written whole beside its target, not yet in its place. */
struct restored {
    int directory;
    const char *temporary, *target;
    bool absent; /* nothing is there by the target's name */
};

bool result_folder_sets_modes(int directory, const char *path)
{
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    char folder[PATH_MAX];

    /* the detour is for a folder that may not be read, and was opened as a mere path */
    if (length == 0) {
        ssize_t own = fgetxattr(directory, "system.posix_acl_default", NULL, 0);
        if (own >= 0 || errno != EBADF)
            return own > 0;
    }
    int size = path[0] == '/'
                   ? snprintf(folder, sizeof folder, "%.*s", length, path)
                   : snprintf(folder, sizeof folder, "/proc/self/fd/%d/%.*s", directory, length, path);
    return size < (int)sizeof folder && getxattr(folder, "system.posix_acl_default", NULL, 0) > 0;
}

static mode_t mode_for(const struct request *request, const struct packed_file *file,
                       const struct restored *restored)
{
    mode_t usual = file->mode & 0111 ? 0777 : 0666;

    if (file->flags & RESULT_EXACT_MODE)
        return file->mode & 07777;
    return result_folder_sets_modes(restored->directory, restored->target)
               ? usual
               : usual & ~(mode_t)request->wire.umask;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static int write_grounded(struct request *request, struct unpacker *unpacker, int fd)
{
    struct buf marked = BUF_INIT, text = BUF_INIT;
    int error = unpacker_next_to_buf(unpacker, &marked);

    if (!error && !request->command.ground_text)
        error = -EBADMSG;
    if (!error) {
        grounded_put(request->command.ground_text, marked.data, marked.length, &text);
        error = write_all(fd, text.data, text.length);
    }
    buf_release(&marked);
    buf_release(&text);
    return error;
}

static int write_depfile(struct request *request, struct unpacker *unpacker, const struct packed_file *file,
                         int fd)
{
    struct buf stored = BUF_INIT, rest = BUF_INIT, text = BUF_INIT;
    int error = unpacker_next_to_buf(unpacker, &stored);

    if (!error && stored.length > 0 && stored.data[stored.length - 1] == '\0')
        basedir_show_names(&request->arena, request->wire.directory, stored.data, stored.length, &rest);

    if (!error && !depfile_write(file->flags & RESULT_STYLE_MASK, rest.data ? rest.data : "", rest.length,
                                 request->command.depfile_targets, &text))
        error = -EDOM;
    if (!error)
        error = write_all(fd, text.data, text.length);
    buf_release(&stored);
    buf_release(&rest);
    buf_release(&text);
    return error;
}

static int write_content(struct request *request, struct unpacker *unpacker, const struct packed_file *file,
                         int fd)
{
    if (file->flags & RESULT_GROUNDED)
        return write_grounded(request, unpacker, fd);
    if (file->flags & RESULT_STYLE_MASK)
        return request->command.depfile_targets ? write_depfile(request, unpacker, file, fd) : -EDOM;
    return unpacker_next_to_fd(unpacker, fd);
}

/* gcc's objcopy gives a .dwo the mode of the old one. */
static bool is_made_anew(const struct request *request, uint32_t role)
{
    return role == OUTPUT_OBJECT || role == OUTPUT_DIAGNOSTICS ||
           (role == OUTPUT_SPLIT_DEBUG && request->frontend != &frontend_gcc);
}

/* Depfiles and other files by the way are truncated by compilers, not made anew: they keep their modes. So do
 * assembler texts and empty objects that gcc writes. */
static bool is_written_into(const struct request *request, uint32_t role, const struct stat *old)
{
    if (request->command.replaces_outputs)
        return false;
    return !is_made_anew(request, role) || (role == OUTPUT_OBJECT && request->frontend == &frontend_gcc &&
                                            (request->command.truncates_object || old->st_size == 0));
}

static mode_t mode_of_restored(const struct request *request, const struct packed_file *file,
                               const struct restored *restored)
{
    struct stat status;

    if (!restored->absent &&
        fstatat(restored->directory, restored->target, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_written_into(request, file->role, &status))
        return status.st_mode & 07777;
    return mode_for(request, file, restored);
}

static int write_beside(struct request *request, struct unpacker *unpacker, const struct packed_file *file,
                        struct restored *restored)
{
    int fd =
        openat(restored->directory, restored->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
               mode_of_restored(request, file, restored));
    int error = fd < 0 ? -errno : write_content(request, unpacker, file, fd);
    if (fd >= 0 && close(fd) != 0 && !error)
        error = -errno;
    return error;
}

/* The old target away first: the rename is then to an absent name, hard links of the old one are not written
 * through, and that is far cheaper than a rename over it. No reader sees half a file. */
static int put_in_place(const struct restored *restored)
{
    if (!restored->absent && unlinkat(restored->directory, restored->target, 0) != 0 && errno != ENOENT)
        return -errno;
    return renameat(restored->directory, restored->temporary, restored->directory, restored->target) == 0
               ? 0
               : -errno;
}

/* A program that is open for writing anywhere can't be executed, and a child that is being started holds all
 * descriptors for a moment: that is waited for, once all are closed. */
static int write_all_beside(struct request *request, const struct packed *packed, struct unpacker *unpacker,
                            struct restored *restored, size_t *count, uint64_t *size)
{
    bool programs = false;

    for (size_t i = 1; i < packed_count(packed); i++) {
        struct packed_file file;
        packed_file(packed, i, &file);
        const char *target = target_of(request, &file);
        int error;
        if (target) {
            programs |= (file.mode & 0111) != 0;
            struct restored *next = &restored[(*count)++];
            *next = (struct restored){folder_of(request, &file), temporary_name(request, target), target,
                                      was_absent(request, &file)};
            error = write_beside(request, unpacker, &file, next);
        } else {
            error = unpacker_skip(unpacker);
        }
        if (error)
            return error;
        *size += file.size;
    }
    if (programs)
        starts_outlast();
    return 0;
}

/* `ulimit -f`: a compiler would be ended at that size. */
static bool is_within_limit(const struct request *request, const struct packed *packed)
{
    rlim_t limit = peer_file_limit(request->client);

    for (size_t i = 1; i < packed_count(packed) && limit != RLIM_INFINITY; i++) {
        struct packed_file file;
        packed_file(packed, i, &file);
        if (file.size > limit)
            return false;
    }
    return true;
}

/* A client that waited too long, or was killed, has closed its end, and may be running the compiler: nothing
 * may appear in its tree any more. On the loop, which has the socket then, its leaving is a cancel. */
static bool client_has_left(const struct request *request)
{
    char byte;

    return request->fd >= 0 && recv(request->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* All or nothing: what a compiler would do where one of the files can't be written is not for us to say. */
static int restore_files(struct request *request, const struct packed *packed, struct unpacker *unpacker,
                         uint64_t *size)
{
    struct restored *restored = ARENA_ARRAY(&request->arena, struct restored, packed_count(packed));
    size_t count = 0;
    int error = is_within_limit(request, packed)
                    ? write_all_beside(request, packed, unpacker, restored, &count, size)
                    : -EFBIG;

    if (!error && client_has_left(request))
        error = -ECANCELED;
    for (size_t i = 0; i < count && !error; i++)
        error = put_in_place(&restored[i]);
    for (size_t i = 0; i < count && error; i++)
        unlinkat(restored[i].directory, restored[i].temporary, 0);
    return error;
}

static bool may_replace_all(struct request *request, const struct packed *packed)
{
    for (size_t i = 1; i < packed_count(packed); i++) {
        struct packed_file file;
        packed_file(packed, i, &file);
        const char *target = target_of(request, &file);
        if (file.role == OUTPUT_OTHER && target && !result_is_asked_for(request, target))
            return false;
        if (target && !was_absent(request, &file) &&
            !result_may_replace(request, folder_of(request, &file), target))
            return false;
    }
    return true;
}

int result_restore(struct request *request, const struct packed *packed, uint64_t *size)
{
    static const unsigned char exited_0[2] = {0, 0};
    struct packed_file messages;
    struct buf bytes = BUF_INIT;
    int error = 0;

    *size = 0;
    if (packed_count(packed) == 0)
        return -EBADMSG;
    packed_file(packed, 0, &messages);
    if (messages.role != RESULT_MESSAGES)
        return -EBADMSG;
    if (!may_replace_all(request, packed))
        return -EEXIST;

    struct unpacker *unpacker = unpacker_new(packed);
    if (!unpacker)
        return -ENOMEM;
    error = unpacker_next_to_buf(unpacker, &bytes);
    if (!error)
        error = restore_files(request, packed, unpacker, size);
    unpacker_free(unpacker);

    if (!error) { /* messages: how long the compile took, then frames */
        struct reader reader;
        reader_init(&reader, bytes.data, bytes.length);
        stats_add(COUNTER_SAVED_NANOSECONDS, (int64_t)reader_u64(&reader));
        if (!(messages.flags & RESULT_GROUNDED))
            buf_add(&request->reply, reader.next, reader_left(&reader));
        else if (!request->command.ground_text ||
                 !grounded_put_messages(request->command.ground_text, reader.next, reader_left(&reader),
                                        &request->reply))
            error = -EBADMSG;
    }
    if (!error)
        wire_add_frame(&request->reply, WIRE_EXIT, exited_0, sizeof exited_0);
    buf_release(&bytes);
    return error;
}
