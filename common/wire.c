#include "common/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/fnv.h"

enum { LENGTH_SIZE = WIRE_HEADER - 1 }; /* the length itself, which doesn't count itself */

size_t wire_begin_frame(struct buf *buf, enum wire_type type)
{
    size_t begun = buf->length;
    buf_add_u32(buf, 0);
    buf_add_u8(buf, (uint8_t)type);
    return begun;
}

void wire_end_frame(struct buf *buf, size_t begun)
{
    size_t length = buf->length - begun - LENGTH_SIZE;
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        buf->data[begun + i] = (char)(length >> (8 * i));
}

void wire_add_frame(struct buf *buf, enum wire_type type, const void *payload, size_t size)
{
    size_t begun = wire_begin_frame(buf, type);
    buf_add(buf, payload, size);
    wire_end_frame(buf, begun);
}

long wire_frame(const void *bytes, size_t size, enum wire_type *type, const void **payload,
                size_t *payload_size)
{
    struct reader reader;

    if (size < LENGTH_SIZE)
        return 0;
    reader_init(&reader, bytes, size);
    uint32_t length = reader_u32(&reader);
    if (length < 1 ||
        length > WIRE_MAX - LENGTH_SIZE) /* told by the length alone: never wait for such a frame */
        return -EBADMSG;
    if (reader_left(&reader) < length)
        return 0;
    *type = (enum wire_type)reader_u8(&reader);
    *payload_size = length - 1;
    *payload = reader_bytes(&reader, *payload_size);
    return (long)(LENGTH_SIZE + length);
}

/* ---- the request ---- */

static size_t size_of_list(char *const *list)
{
    size_t size = sizeof(uint32_t);
    for (; *list; list++)
        size += strlen(*list) + 1;
    return size;
}

static void put_list(struct buf *buf, char *const *list)
{
    uint32_t count = 0;
    while (list[count])
        count++;
    buf_add_u32(buf, count);
    for (; *list; list++)
        buf_add_string(buf, *list);
}

static void put_view(struct buf *buf, const struct wire_view *view)
{
    buf_add_u64(buf, view->root_device);
    buf_add_u64(buf, view->root_inode);
    buf_add_u64(buf, view->mounts);
    buf_add_u64(buf, view->user);
}

bool wire_put_request(struct buf *buf, const struct wire_request *request)
{
    enum { FIXED = 512 }; /* more than all fields of a fixed size together */
    size_t size = FIXED + strlen(request->program) + strlen(request->directory) +
                  size_of_list(request->argv) + size_of_list(request->environment) +
                  size_of_list(request->settings);

    if (size > WIRE_MAX)
        return false;
    buf_reserve(buf, size);

    size_t begun = wire_begin_frame(buf, WIRE_REQUEST);
    buf_add_string(buf, request->build);
    buf_add_u32(buf, request->flags);
    buf_add_u32(buf, request->columns);
    buf_add_u32(buf, request->rows);
    buf_add_u32(buf, request->umask);
    buf_add_u32(buf, request->pid);
    buf_add_u32(buf, request->personality);
    buf_add_u64(buf, request->host);
    put_view(buf, &request->view);
    buf_add_string(buf, request->program);
    buf_add_string(buf, request->directory);
    put_list(buf, request->argv);
    put_list(buf, request->environment);
    put_list(buf, request->settings);
    wire_end_frame(buf, begun);
    return true;
}

static char **get_list(struct reader *reader, struct arena *arena)
{
    uint32_t count = reader_u32(reader);

    if (count >
        reader_left(reader)) { /* a string takes a byte at least: no count can make us allocate more */
        reader->bad = true;
        count = 0;
    }
    char **list = ARENA_ARRAY(arena, char *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (char *)reader_string(reader);
    return list;
}

static void get_view(struct reader *reader, struct wire_view *view)
{
    view->root_device = reader_u64(reader);
    view->root_inode = reader_u64(reader);
    view->mounts = reader_u64(reader);
    view->user = reader_u64(reader);
}

const char *wire_build_of_request(const void *payload, size_t size)
{
    size_t most = sizeof((struct wire_request *)0)->build;
    size_t length = strnlen(payload, size < most ? size : most);
    return length > 0 && length < size && length < most ? payload : NULL;
}

int wire_get_request(struct wire_request *request, struct arena *arena, const void *payload, size_t size)
{
    struct reader reader;
    reader_init(&reader, payload, size);
    memset(request, 0, sizeof *request);

    const char *build = reader_string(&reader);
    if (strlen(build) >= sizeof request->build)
        return -EBADMSG;
    strcpy(request->build, build);
    request->flags = reader_u32(&reader);
    request->columns = reader_u32(&reader);
    request->rows = reader_u32(&reader);
    request->umask = reader_u32(&reader);
    request->pid = reader_u32(&reader);
    request->personality = reader_u32(&reader);
    request->host = reader_u64(&reader);
    get_view(&reader, &request->view);
    request->program = reader_string(&reader);
    request->directory = reader_string(&reader);
    request->argv = get_list(&reader, arena);
    request->environment = get_list(&reader, arena);
    request->settings = get_list(&reader, arena);

    if (reader.bad || reader_left(&reader) > 0)
        return -EBADMSG;
    if (request->program[0] != '/' || request->directory[0] != '/' || !request->argv[0])
        return -EBADMSG;
    return 0;
}

/* ---- the view ---- */

/* The inode is in the text of the link ("mnt:[4026531841]"): following it by stat costs twice the time. */
static uint64_t namespace_of(const char *path)
{
    char text[64];
    ssize_t length = readlink(path, text, sizeof text - 1);

    if (length <= 0)
        return 0;
    text[length] = '\0';
    const char *bracket = strchr(text, '[');
    return bracket ? strtoull(bracket + 1, NULL, 10) : 0;
}

/* statx(2), "struct statx": musl 1.2.3 has neither this nor the function. */
struct statx_answer {
    uint32_t mask, fields_1[7];
    uint64_t inode, fields_2[3];
    struct {
        uint64_t fields[2];
    } times[4];
    uint32_t fields_3[2], device_major, device_minor;
    uint64_t mount, fields_4[13];
};

_Static_assert(sizeof(struct statx_answer) == 256 && offsetof(struct statx_answer, mount) == 144,
               "as the kernel has it");

/* One call for the root and the mount that it is on. False where the kernel (before 5.8) can't tell. A number
 * of STATX_MNT_ID_UNIQUE (since 6.8) is never given again; others not as long as the mount is there. */
static bool find_root_mount(struct wire_view *view)
{
    enum { MASK_INODE = 0x100, MASK_MOUNT = 0x1000, MASK_UNIQUE_MOUNT = 0x4000 };
    struct statx_answer root;

    if (syscall(SYS_statx, AT_FDCWD, "/", 0, MASK_INODE | MASK_MOUNT | MASK_UNIQUE_MOUNT, &root) != 0 ||
        !(root.mask & (MASK_MOUNT | MASK_UNIQUE_MOUNT)))
        return false;
    view->root_device = (uint64_t)root.device_major << 32 | root.device_minor;
    view->root_inode = root.inode;
    view->mounts = root.mount;
    return true;
}

static void find_root_and_namespace(struct wire_view *view)
{
    struct stat root;

    if (stat("/", &root) == 0) {
        view->root_device = root.st_dev;
        view->root_inode = root.st_ino;
    }
    view->mounts = namespace_of("/proc/self/ns/mnt");
}

uint64_t wire_host_of_self(void)
{
    struct utsname names;

    return uname(&names) == 0 ? fnv_add(FNV_BASIS, names.nodename, strlen(names.nodename)) : 0;
}

void wire_view_of_self(struct wire_view *view)
{
    memset(view, 0, sizeof *view);
    if (!find_root_mount(view))
        find_root_and_namespace(view);
    view->user = namespace_of("/proc/self/ns/user");
}
