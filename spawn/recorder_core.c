#include "spawn/recorder_core.h"

#include <asm/stat.h>
#include <dlfcn.h>
#include <errno.h>

#include "common/fnv.h"
#include "spawn/record_format.h"
#include "spawn/recorder_raw.h"

extern char **environ;

enum state { STATE_UNTRIED, STATE_TRYING, STATE_ACTIVE, STATE_OFF };

static int state; /* enum state */
static struct record_file *file;
static uint64_t file_size;

static int program_pid;   /* the process that began this program */
static int directory_pid; /* the process whose working directory was written last */

static char preload_entry[RECORDER_PATH_SIZE]; /* "LD_PRELOAD=" and the recorder's own path */
static char file_entry[RECORDER_PATH_SIZE];    /* "CCWRAP_RECORD=" and the log's path */

/* ---- the way to the next function ---- */

/* A libc may lack what the recorder defines (execveat in musl), and programs that look a function up by its
 * name take that as its absence. */
static long absent_function(void)
{
    errno = ENOSYS;
    return -1;
}

void *recorder_resolve(void **slot, const char *name)
{
    int saved = errno;
    void *next = dlsym(RTLD_NEXT, name);

    if (!next)
        next = (void *)absent_function;
    __atomic_store_n(slot, next, __ATOMIC_RELAXED);
    errno = saved;
    return next;
}

/* ---- the log ---- */

/* Gets memory for the file's bytes up to `end`. The file is sparse, and on a full tmpfs the first touch of a
 * page would be a SIGBUS in the user's compiler. Kernels without the call (EINVAL) take that risk. */
static bool back_with_memory(uint64_t end)
{
    uint64_t backed = __atomic_load_n(&file->backed, __ATOMIC_RELAXED);
    if (end <= backed)
        return true;

    uint64_t target = (end + RECORD_CHUNK - 1) / RECORD_CHUNK * RECORD_CHUNK;
    if (target > file_size)
        target = file_size;
    long result = raw_populate((char *)file + backed, target - backed);
    if (raw_failed(result) && result != -EINVAL)
        return false;
    while (backed < target && !__atomic_compare_exchange_n(&file->backed, &backed, target, false,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return true;
}

static struct record_entry *reserve(uint64_t size)
{
    uint64_t offset = __atomic_fetch_add(&file->used, size, __ATOMIC_RELAXED);

    if (offset > file_size || size > file_size - offset || !back_with_memory(offset + size)) {
        __atomic_store_n(&file->overflow, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    return (struct record_entry *)((char *)file + offset);
}

/* A string of an event: a folder (may be empty), a name, and their joint length without the NUL. */
struct joined {
    const char *folder;
    const char *name;
    size_t folder_length;
    size_t name_length;
};

static struct joined join(const char *folder, const char *name, size_t name_length)
{
    struct joined string = {.folder = folder, .name = name};

    string.folder_length = folder ? raw_length(folder) : 0;
    string.name_length = !name ? 0 : name_length ? name_length : raw_length(name);
    return string;
}

static size_t joined_length(const struct joined *string)
{
    bool slash = string->folder_length && string->name_length;
    return string->folder_length + slash + string->name_length;
}

static void put_joined(char *target, const struct joined *string)
{
    raw_copy(target, string->folder, string->folder_length);
    target += string->folder_length;
    if (string->folder_length && string->name_length)
        *target++ = '/';
    raw_copy(target, string->name, string->name_length);
    target[string->name_length] = '\0';
}

static void write_entry(int pid, const struct recorder_event *event)
{
    struct joined path = join(event->folder, event->path, 0);
    struct joined text = join(event->text_folder, event->text, event->text_length);
    size_t path_size = joined_length(&path) + 1;
    uint64_t size = sizeof(struct record_entry) + path_size + joined_length(&text) + 1;
    size = (size + RECORD_ALIGNMENT - 1) & ~(uint64_t)(RECORD_ALIGNMENT - 1);

    struct record_entry *entry = reserve(size);
    if (!entry)
        return;
    entry->pid = pid;
    entry->kind = event->kind;
    entry->result = event->result;
    entry->flags = event->flags;
    entry->path_size = (uint32_t)path_size;
    entry->value = event->value;
    put_joined(entry->strings, &path);
    put_joined(entry->strings + path_size, &text);
    __atomic_store_n(&entry->size, (uint32_t)size, __ATOMIC_RELEASE);
}

static void write_directory(int pid)
{
    char path[RECORDER_PATH_SIZE];
    struct recorder_event event = {.kind = RECORD_DIRECTORY, .path = path};
    long length = raw_getcwd(path, sizeof path);

    if (length <= 0) {
        path[0] = '\0';
        event.result = (int)length;
    }
    write_entry(pid, &event);
    __atomic_store_n(&directory_pid, pid, __ATOMIC_RELAXED);
}

bool recorder_active(void)
{
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

    /* Another library's constructor may run before the recorder's. */
    if (now == STATE_UNTRIED && environ) {
        recorder_begin(environ);
        now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    }
    return now == STATE_ACTIVE;
}

/* This process's pid, of which the log then knows the working directory. The kernel is asked each time: after
 * vfork parent and child share all variables. */
static int located_pid(void)
{
    int pid = raw_getpid();
    if (pid != __atomic_load_n(&directory_pid, __ATOMIC_RELAXED))
        write_directory(pid);
    return pid;
}

void recorder_write(const struct recorder_event *event)
{
    if (recorder_active())
        write_entry(located_pid(), event);
}

bool recorder_in_child(void)
{
    return raw_getpid() != program_pid;
}

/* ---- the beginning ---- */

const char *recorder_preload_entry(void)
{
    return preload_entry;
}

const char *recorder_file_entry(void)
{
    return file_entry;
}

static bool map_log(const char *path)
{
    int fd = raw_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    long size = raw_seek_end(fd);
    long map = size >= RECORD_CHUNK ? raw_map_shared(fd, (size_t)size) : -EINVAL;
    raw_close(fd);
    if (raw_failed(map))
        return false;
    file = (struct record_file *)map;
    file_size = (uint64_t)size;
    return raw_after(file->magic, RECORD_MAGIC) && file->version == RECORD_VERSION;
}

/* Remembers what the recorder's first part of an LD_PRELOAD entry is, and removes it from the entry: false if
 * nothing is left, true if a value of the user's own is (an empty one, too). */
static bool take_preload(char *entry)
{
    char *value = entry + sizeof RECORD_PRELOAD_NAME - 1;
    const char *end = raw_find(value, ':');
    size_t length = (size_t)(end - entry);

    if (length < sizeof preload_entry) {
        raw_copy(preload_entry, entry, length);
        preload_entry[length] = '\0';
    }
    if (!*end)
        return false;
    const char *own = end + 1;
    do
        *value++ = *own;
    while (*own++);
    return true;
}

/* Takes the recorder's names out of the environment, so that no program shows them or acts on them. */
static void take_names(char **list)
{
    char **keep = list;

    for (; *list; list++) {
        if (raw_after(*list, RECORD_FILE_NAME))
            continue;
        if (raw_after(*list, RECORD_PRELOAD_NAME) && !take_preload(*list))
            continue;
        *keep++ = *list;
    }
    *keep = NULL;
}

/* Copies the log's path: false if the environment names none. */
static bool find_log(char **list)
{
    for (; *list; list++) {
        if (!raw_after(*list, RECORD_FILE_NAME))
            continue;
        size_t length = raw_length(*list);
        if (length >= sizeof file_entry)
            return false;
        raw_copy(file_entry, *list, length + 1);
        return true;
    }
    return false;
}

static void write_start(void)
{
    char path[RECORDER_PATH_SIZE];
    struct recorder_event event = {.kind = RECORD_START, .value = raw_getppid(), .path = path};
    long length = raw_readlink("/proc/self/exe", path, sizeof path - 1);
    int32_t none = 0;

    path[length > 0 ? length : 0] = '\0';
    recorder_write(&event);
    __atomic_compare_exchange_n(&file->first, &none, program_pid, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void recorder_begin(char **list)
{
    int untried = STATE_UNTRIED;

    if (!list || !__atomic_compare_exchange_n(&state, &untried, STATE_TRYING, false, __ATOMIC_ACQUIRE,
                                              __ATOMIC_ACQUIRE))
        return;
    bool named = find_log(list);
    if (named)
        take_names(list);
    if (!named || !map_log(file_entry + sizeof RECORD_FILE_NAME - 1)) {
        preload_entry[0] = file_entry[0] = '\0';
        __atomic_store_n(&state, STATE_OFF, __ATOMIC_RELEASE);
        return;
    }
    program_pid = raw_getpid();
    __atomic_store_n(&state, STATE_ACTIVE, __ATOMIC_RELEASE);
    write_start();
}

/* ---- events ---- */

/* errno as a result; 0 for success. */
static int result_of(long status)
{
    return status < 0 ? -errno : 0;
}

void recorder_note_text(enum record_kind kind, long status, uint32_t flags, const char *path,
                        const char *text)
{
    struct recorder_event event = {
        .kind = kind, .result = result_of(status), .flags = flags, .path = path, .text = text};

    if (event.result != -EFAULT)
        recorder_write(&event);
}

void recorder_note(enum record_kind kind, long status, uint32_t flags, const char *path)
{
    recorder_note_text(kind, status, flags, path, NULL);
}

bool recorder_descriptor_path(int fd, char path[RECORDER_PATH_SIZE])
{
    char link[32] = "/proc/self/fd/";
    char digits[12];
    size_t count = 0, end = sizeof "/proc/self/fd/" - 1;

    if (fd < 0)
        return false;
    for (unsigned rest = (unsigned)fd; count == 0 || rest; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count)
        link[end++] = digits[--count];
    link[end] = '\0';

    long length = raw_readlink(link, path, RECORDER_PATH_SIZE - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return true;
}

/* Sets *folder to what stands before the path: NULL for none. False if it can't be told. */
static bool folder_of(int fd, const char *path, char buffer[RECORDER_PATH_SIZE], const char **folder)
{
    *folder = NULL;
    if (path[0] == '/' || fd == AT_FDCWD)
        return true;
    *folder = buffer;
    return recorder_descriptor_path(fd, buffer);
}

/* Kept out of the callers that need no folder: its buffers are large for a signal's stack. */
static __attribute__((noinline)) void write_with_folders(struct recorder_event *event, int folder,
                                                         int text_folder)
{
    char first[RECORDER_PATH_SIZE], second[RECORDER_PATH_SIZE];

    if (folder_of(folder, event->path, first, &event->folder) &&
        (!event->text || folder_of(text_folder, event->text, second, &event->text_folder)))
        recorder_write(event);
    else if (event->result != -EBADF)
        recorder_note_unsafe("descriptor");
}

void recorder_note_text_at(enum record_kind kind, long status, uint32_t flags, int folder, const char *path,
                           int text_folder, const char *text)
{
    struct recorder_event event = {
        .kind = kind, .result = result_of(status), .flags = flags, .path = path, .text = text};

    if (event.result == -EFAULT || !recorder_active())
        return;
    if (folder == AT_FDCWD && text_folder == AT_FDCWD)
        recorder_write(&event);
    else
        write_with_folders(&event, folder, text_folder);
}

void recorder_note_at(enum record_kind kind, long status, uint32_t flags, int folder, const char *path)
{
    recorder_note_text_at(kind, status, flags, folder, path, AT_FDCWD, NULL);
}

/* Appends ":" and hexadecimal figures. */
static char *put_number(char *end, uint64_t number)
{
    unsigned shift = 60;

    while (shift && !(number >> shift))
        shift -= 4;
    *end++ = ':';
    for (;; shift -= 4) {
        *end++ = "0123456789abcdef"[number >> shift & 15];
        if (!shift)
            return end;
    }
}

/* The stamp as text (record_log.h), or "" if it can't be had. */
static void write_stamp(int fd, char text[RECORD_STAMP_SIZE])
{
    struct stat status;

    text[0] = '\0';
    if (raw_failed(raw_call(__NR_fstat, fd, (long)&status, 0, 0, 0, 0)))
        return;
    text = put_number(text, status.st_dev);
    text = put_number(text, status.st_ino);
    text = put_number(text, (uint64_t)status.st_size);
    text = put_number(text, (uint64_t)status.st_mtime * 1000000000 + status.st_mtime_nsec);
    text = put_number(text, (uint64_t)status.st_ctime * 1000000000 + status.st_ctime_nsec);
    *text = '\0';
}

/* The clock that files are stamped by: it moves in ticks. */
static int64_t read_file_clock(void)
{
    enum { REALTIME_COARSE = 5 };
    int64_t now[2] = {0, 0};

    raw_call(__NR_clock_gettime, REALTIME_COARSE, (long)now, 0, 0, 0, 0);
    return now[0] * 1000000000 + now[1];
}

void recorder_note_open_at(int fd, uint32_t flags, int folder, const char *path)
{
    char stamp[RECORD_STAMP_SIZE] = "";
    struct recorder_event event = {
        .kind = RECORD_OPEN, .result = result_of(fd), .flags = flags, .path = path};

    if (event.result == -EFAULT || !recorder_active())
        return;
    if (fd >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
        event.value = read_file_clock();
        write_stamp(fd, stamp);
        event.text = stamp;
    }
    if (folder == AT_FDCWD)
        recorder_write(&event);
    else
        write_with_folders(&event, folder, AT_FDCWD);
}

void recorder_note_open(int fd, uint32_t flags, const char *path)
{
    recorder_note_open_at(fd, flags, AT_FDCWD, path);
}

void recorder_note_unsafe(const char *word)
{
    recorder_note(RECORD_UNSAFE, 0, 0, word);
}

void recorder_prepare_directory(void)
{
    if (recorder_active())
        located_pid();
}

void recorder_note_directory(void)
{
    if (recorder_active())
        write_directory(raw_getpid());
}

/* ---- names of variables ---- */

/* Digests of the names that were logged. Some programs ask for one name thousands of times. */
static uint64_t asked[512];

static uint64_t digest_name(const char *name)
{
    uint64_t digest = fnv_add(FNV_BASIS, name, raw_length(name));
    return digest ? digest : 1;
}

/* True if the name is new, or the table too full to tell. */
static bool first_asked(const char *name)
{
    enum { SLOTS = sizeof asked / sizeof asked[0], TRIES = 8 };
    uint64_t digest = digest_name(name);

    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t *slot = &asked[(digest + i) % SLOTS];
        uint64_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (found == digest)
            return false;
        if (!found) {
            __atomic_store_n(slot, digest, __ATOMIC_RELAXED);
            return true;
        }
    }
    return true;
}

void recorder_note_getenv(const char *name, bool found)
{
    if (!recorder_active() || !first_asked(name))
        return;
    struct recorder_event event = {.kind = RECORD_GETENV, .result = found ? 0 : -ENOENT, .path = name};
    recorder_write(&event);
}
