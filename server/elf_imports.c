/* Formats: elf(5), and for scripts execve(2). Every offset is checked: the file is the user's. */
#include "server/elf_imports.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/contents.h"

/* Larger programs and libraries are held to hide something. What tells the loader stands at the beginning. */
enum { WHOLE = 256 * 1024 * 1024, BEGINNING = 64 * 1024 };

struct image {
    unsigned char *bytes;
    size_t size;
};

/* `count` things of `size` bytes at `offset`, or NULL where they aren't all inside. */
static const void *part(const struct image *image, uint64_t offset, uint64_t count, uint64_t size)
{
    if (offset > image->size || (size && count > (image->size - offset) / size) ||
        offset % _Alignof(uint64_t))
        return NULL;
    return image->bytes + offset;
}

/* Functions of libc and libstdc++ that let in what the recorder doesn't see. */
static const char *const unseen[] = {
    "arc4random",
    "arc4random_buf",
    "arc4random_uniform",
    "clock",
    "connect",
    "dlmopen",
    "dlopen",
    "dlsym",
    "dlvsym",
    "ftime",
    "getaddrinfo",
    "getentropy",
    "getgrgid",
    "getgrnam",
    "gethostbyname",
    "gethostid",
    "gethostname",
    "getlogin",
    "getpwnam",
    "getpwuid",
    "getrandom",
    "getrusage",
    "iconv_open",
    "mq_open",
    "msgget",
    "semget",
    "shmget",
    "sysinfo",
    "timespec_get",
    "times",
    "uname",
    "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
};

/* A table of symbols with its names. */
struct symbols {
    const Elf64_Sym *table;
    uint64_t count;
    const char *names;
    uint64_t names_size;
};

static bool find_symbols(const struct image *image, struct symbols *symbols)
{
    const Elf64_Ehdr *header = part(image, 0, 1, sizeof *header);

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections = part(image, header->e_shoff, header->e_shnum, sizeof *sections);
    for (unsigned i = 0; sections && i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum)
            continue;
        const Elf64_Shdr *names = &sections[sections[i].sh_link];
        symbols->count = sections[i].sh_size / sizeof(Elf64_Sym);
        symbols->table = part(image, sections[i].sh_offset, symbols->count, sizeof *symbols->table);
        symbols->names = (const char *)image->bytes + names->sh_offset;
        symbols->names_size = names->sh_size;
        return symbols->table && names->sh_offset <= image->size &&
               names->sh_size <= image->size - names->sh_offset;
    }
    return false; /* no table: it has been hidden, or isn't what it seems */
}

static bool is_imported(const struct symbols *symbols, const char *symbol)
{
    uint64_t length = strlen(symbol) + 1;

    for (uint64_t i = 0; i < symbols->count; i++) {
        uint64_t name = symbols->table[i].st_name;
        if (symbols->table[i].st_shndx == SHN_UNDEF && name <= symbols->names_size &&
            length <= symbols->names_size - name && memcmp(symbols->names + name, symbol, length) == 0)
            return true;
    }
    return false;
}

/* Intel's manual, volume 2: SYSCALL, SYSENTER, INT 0x80. The Arm manual, C6: SVC #0. */
static bool enters_kernel(unsigned machine, const unsigned char *code, uint64_t size)
{
    static const unsigned char sequences[][2] = {{0x0f, 0x05}, {0x0f, 0x34}, {0xcd, 0x80}};
    static const unsigned char service_call[] = {0x01, 0x00, 0x00, 0xd4};

    if (machine == EM_AARCH64)
        return memmem(code, size, service_call, sizeof service_call) != NULL;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (memmem(code, size, sequences[i], sizeof sequences[i]))
            return true;
    return false;
}

/* Is eax given a small number before `end`: by mov or by push and pop? */
static bool loads_number(const unsigned char *code, const unsigned char *end)
{
    for (; code < end; code++) {
        if (end - code >= 5 && code[0] == 0xb8 && code[2] < 4 && code[3] == 0 && code[4] == 0)
            return true;
        if (end - code >= 7 && code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc0 && code[4] < 4 &&
            code[5] == 0 && code[6] == 0)
            return true;
        if (end - code >= 3 && code[0] == 0x6a && code[2] == 0x58)
            return true;
    }
    return false;
}

/* SYSCALL with a number loaded in the bytes before it: two bytes alone stand in any large program by chance.
 */
static bool calls_kernel(unsigned machine, const unsigned char *code, uint64_t size)
{
    enum { NEAR = 32 };
    static const unsigned char syscall_bytes[] = {0x0f, 0x05};
    const unsigned char *end = code + size;

    if (machine == EM_AARCH64)
        return enters_kernel(machine, code, size);
    for (const unsigned char *found = code;
         (found = memmem(found, (size_t)(end - found), syscall_bytes, sizeof syscall_bytes)); found++)
        if (loads_number(found - code > NEAR ? found - NEAR : code, found))
            return true;
    return false;
}

static bool is_in_code(const struct image *image,
                       bool (*holds)(unsigned machine, const unsigned char *code, uint64_t size))
{
    const Elf64_Ehdr *header = (const void *)image->bytes;
    const Elf64_Phdr *segments = part(image, header->e_phoff, header->e_phnum, sizeof *segments);

    if (!segments || header->e_phentsize != sizeof *segments ||
        (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64))
        return true;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X))
            continue;
        if (segments[i].p_offset > image->size || segments[i].p_filesz > image->size - segments[i].p_offset ||
            holds(header->e_machine, image->bytes + segments[i].p_offset, segments[i].p_filesz))
            return true;
    }
    return false;
}

static bool is_observable(const struct image *image)
{
    struct symbols symbols;

    if (!find_symbols(image, &symbols))
        return false;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (is_imported(&symbols, unseen[i]))
            return false;
    return !is_in_code(image, enters_kernel);
}

/* Reads the first `most` bytes of a plain file (a map of one that shrinks would be a signal); false where
 * that can't be. */
static bool open_image(int directory, const char *path, size_t most, struct image *image)
{
    struct stat status;
    ssize_t size = -1;
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    image->bytes = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        most = (size_t)status.st_size < most ? (size_t)status.st_size : most;
        image->bytes = malloc(most);
        size = image->bytes ? contents_read(fd, image->bytes, most) : -1;
    }
    if (fd >= 0)
        close(fd);
    if (size <= 0) {
        free(image->bytes);
        return false;
    }
    image->size = (size_t)size;
    return true;
}

static void close_image(struct image *image)
{
    free(image->bytes);
}

bool elf_imports(int directory, const char *path, const char *symbol)
{
    struct image image;
    struct symbols symbols;

    if (!open_image(directory, path, WHOLE, &image))
        return true;
    bool found = !find_symbols(&image, &symbols) || is_imported(&symbols, symbol);
    close_image(&image);
    return found;
}

/* What `holds` says of the whole file; `unknown` where it can't be read. */
static bool judge(int directory, const char *path, bool (*holds)(const struct image *image), bool unknown)
{
    struct image image;

    if (!open_image(directory, path, WHOLE, &image))
        return unknown;
    bool held = holds(&image);
    close_image(&image);
    return held;
}

bool elf_is_observable(int directory, const char *path)
{
    return judge(directory, path, is_observable, false);
}

static bool is_elf(const struct image *image)
{
    return image->size >= SELFMAG && memcmp(image->bytes, ELFMAG, SELFMAG) == 0;
}

static bool contains(const struct image *image, const Elf64_Phdr *segment, const char *text)
{
    return segment->p_filesz <= PATH_MAX && segment->p_offset <= image->size &&
           segment->p_filesz <= image->size - segment->p_offset &&
           memmem(image->bytes + segment->p_offset, segment->p_filesz, text, strlen(text));
}

static enum elf_loader loader_of(const struct image *image)
{
#ifdef __x86_64__
    const unsigned own_machine = EM_X86_64;
#else
    const unsigned own_machine = EM_AARCH64;
#endif
    const Elf64_Ehdr *header = part(image, 0, 1, sizeof *header);

    if (!header || !is_elf(image) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_machine != own_machine || header->e_phentsize != sizeof(Elf64_Phdr))
        return ELF_LOADER_UNKNOWN;
    const Elf64_Phdr *segments = part(image, header->e_phoff, header->e_phnum, sizeof *segments);
    if (!segments)
        return ELF_LOADER_UNKNOWN;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_INTERP)
            return contains(image, &segments[i], "/ld-linux") ? ELF_LOADER_GLIBC : ELF_LOADER_OTHER;
    return ELF_LOADER_NONE;
}

enum elf_loader elf_loader(const char *path)
{
    struct image image;

    if (!open_image(AT_FDCWD, path, BEGINNING, &image))
        return ELF_LOADER_UNKNOWN;
    enum elf_loader loader = loader_of(&image);
    close_image(&image);
    return loader;
}

static bool has_kernel_calls(const struct image *image)
{
    return !part(image, 0, 1, sizeof(Elf64_Ehdr)) || !is_elf(image) || is_in_code(image, calls_kernel);
}

bool elf_calls_kernel(int directory, const char *path)
{
    return judge(directory, path, has_kernel_calls, true);
}

/* The path in a script's first line, in `interpreter`; "" if this is no script. */
static void read_interpreter(const struct image *image, char interpreter[PATH_MAX])
{
    size_t start = 2, end;

    interpreter[0] = '\0';
    if (image->size < 3 || memcmp(image->bytes, "#!", 2) != 0)
        return;
    while (start < image->size && (image->bytes[start] == ' ' || image->bytes[start] == '\t'))
        start++;
    for (end = start; end < image->size && !strchr(" \t\n", image->bytes[end]); end++)
        ;
    if (end - start >= PATH_MAX)
        return;
    memcpy(interpreter, image->bytes + start, end - start);
    interpreter[end - start] = '\0';
}

static bool changes_user(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID));
}

bool elf_is_watchable(const char *path)
{
    enum { DEPTH = 5 }; /* of scripts whose interpreter is a script; the kernel's own limit */
    char interpreter[PATH_MAX];

    for (int depth = 0; depth < DEPTH && path[0]; depth++) {
        struct image image;
        if (changes_user(path))
            return false;
        if (!open_image(AT_FDCWD, path, BEGINNING, &image))
            return true;
        bool elf = is_elf(&image);
        enum elf_loader loader = loader_of(&image);
        read_interpreter(&image, interpreter);
        close_image(&image);
        if (elf)
            return loader == ELF_LOADER_GLIBC || loader == ELF_LOADER_OTHER;
        path = interpreter;
    }
    return true;
}
