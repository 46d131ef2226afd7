/* elf_imports: does a shared library use a symbol of another one? For plug-ins, which may do what their host
 * is known not to do. Any thread. */
#ifndef CCWRAP_SERVER_ELF_IMPORTS_H
#define CCWRAP_SERVER_ELF_IMPORTS_H

#include <stdbool.h>

/* `path` relative to the descriptor `directory`. True also where the file can't be understood. */
bool elf_imports(int directory, const char *path, const char *symbol);

#endif
