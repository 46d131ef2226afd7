# Warnings that read comments: an edit of a header's comment alone may make a compile fail, or change its text.
. "$(dirname "$0")/lib.sh"

try() { # header before, header after, words
    local before=$1 after=$2
    shift 2
    printf '%b' "$before" >h.h
    same "$@" -c x.c -o x.o
    printf '%b' "$after" >h.h
    same "$@" -c x.c -o x.o
    printf '%b' "$before" >h.h
    same "$@" -c x.c -o x.o
}
echo '#include "h.h"' >x.c
documented='/** \\param a one */\nint f(int a);\n' wrong='/** \\param b one */\nint f(int a);\n'
for words in -Werror=documentation -Wdocumentation --warn-documentation; do try "$documented" "$wrong" clang $words; done
pragma='#pragma clang diagnostic error "-Wdocumentation"\n'
try "$pragma$documented" "$pragma$wrong" clang
falls='int f(int a) { switch (a) { case 1: a++; /* falls through */\ncase 2: return a; } return 0; }\n'
stops='int f(int a) { switch (a) { case 1: a++; /* goes elsewhere */\ncase 2: return a; } return 0; }\n'
for words in -Werror=implicit-fallthrough=3 --warn-error=implicit-fallthrough=3 -Wimplicit-fallthrough --warn-implicit-fallthrough; do
    try "$falls" "$stops" gcc $words
done
pragma='#pragma GCC diagnostic error "-Wimplicit-fallthrough"\n'
try "$pragma$falls" "$pragma$stops" gcc
for words in -Wc90-c99-compat -Werror=c90-c99-compat; do try 'int f; /* a */\n' 'int f; // a\n' gcc $words; done
# source lines with their comments in the assembler's text
lines='int f(int a) {\n/* one */ return a + 1; /* two */\n}\n'
printf '%b' "$lines" >h.h
same gcc -S -fverbose-asm x.c -o x.s
printf '%b' "${lines//two/six}" >h.h
same gcc -S -fverbose-asm x.c -o x.s
