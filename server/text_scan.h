/* text_scan: does a preprocessed C or C++ text make the assembler or the compiler read further files?
 *
 * Strict: any assembler text but a plain symbol name (which is how headers rename functions), any string from
 * which .incbin or .include could be made, any directive that loads something. Pure; any thread. */
#ifndef CCWRAP_SERVER_TEXT_SCAN_H
#define CCWRAP_SERVER_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* True if it surely doesn't; else *word says what was met. */
bool text_scan(const char *text, size_t length, const char **word);

#endif
