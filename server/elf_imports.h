/* elf_imports: what a program or shared library is, and what it takes from others, read from its file. Paths
 * are relative to the descriptor `directory`. Any thread. */
#ifndef CCWRAP_SERVER_ELF_IMPORTS_H
#define CCWRAP_SERVER_ELF_IMPORTS_H

#include <stdbool.h>

/* Does it use a symbol of another one? For plug-ins, which may do what their host is known not to do. True
 * also where the file can't be understood. */
bool elf_imports(int directory, const char *path, const char *symbol);

/* Is all that it can ask of the system seen by the recorder? That is so if it holds no byte sequence that
 * enters the kernel (wherever in its code: instructions aren't decoded, so that none is overlooked), and
 * imports no function through which libc lets in what leaves no record: the clock, chance, users, hosts,
 * shared memory. False where the file can't be understood. */
bool elf_is_observable(int directory, const char *path);

/* Which program loads this one's libraries: none for a static one. What isn't understood is a script, or is
 * for another machine. */
enum elf_loader { ELF_LOADER_UNKNOWN, ELF_LOADER_NONE, ELF_LOADER_GLIBC, ELF_LOADER_OTHER };
enum elf_loader elf_loader(const char *path);

/* Does it enter the kernel by itself, with a number that is loaded just before? For plug-ins, which link most
 * of what they use: unlike elf_is_observable it overlooks what is hidden on purpose. */
bool elf_calls_kernel(int directory, const char *path);

/* Could this program, or the interpreter of this script, begin to record? Not one without a loader (static),
 * one that changes its user, or one of another machine. Other files are left to the kernel to judge: true. */
bool elf_is_watchable(const char *path);

#endif
