/* Format: elf(5). Every offset is checked: the file is the user's. */
#include "server/elf_imports.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *bytes;
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

static bool is_imported(const struct image *image, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
                        const char *symbol)
{
    uint64_t count = symbols->sh_size / sizeof(Elf64_Sym), length = strlen(symbol) + 1;
    const Elf64_Sym *table = part(image, symbols->sh_offset, count, sizeof *table);

    if (!table || names->sh_offset > image->size || names->sh_size > image->size - names->sh_offset)
        return true;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t name = table[i].st_name;
        if (table[i].st_shndx == SHN_UNDEF && name <= names->sh_size && length <= names->sh_size - name &&
            memcmp(image->bytes + names->sh_offset + name, symbol, length) == 0)
            return true;
    }
    return false;
}

static bool imports(const struct image *image, const char *symbol)
{
    const Elf64_Ehdr *header = part(image, 0, 1, sizeof *header);

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return true;
    const Elf64_Shdr *sections = part(image, header->e_shoff, header->e_shnum, sizeof *sections);
    for (unsigned i = 0; sections && i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM)
            return sections[i].sh_link >= header->e_shnum ||
                   is_imported(image, &sections[i], &sections[sections[i].sh_link], symbol);
    return true; /* no table: it has been hidden, or isn't what it seems */
}

bool elf_imports(int directory, const char *path, const char *symbol)
{
    struct stat status;
    bool found = true;
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return true;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        struct image image = {.size = (size_t)status.st_size};
        void *bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            image.bytes = bytes;
            found = imports(&image, symbol);
            munmap(bytes, image.size);
        }
    }
    close(fd);
    return found;
}
