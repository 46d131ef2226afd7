# Use of a precompiled header: its making words, its content, and its absence all show.
. "$(dirname "$0")/lib.sh"

printf 'struct p { int a; };\n#ifdef WIDE\n#define N 2\n#else\n#define N 1\n#endif\n' >p.h
printf '#include "p.h"\nint n = N;\nstruct p q;\n' >u.c
gcc -x c-header p.h -o p.h.gch
twice gcc -c u.c -o u.o
twice gcc -include p.h -c u.c -o u.o -Winvalid-pch
gcc -DWIDE -x c-header p.h -o p.h.gch
same gcc -DWIDE -c u.c -o u.o
same gcc -c u.c -o u.o
rm p.h.gch
same gcc -c u.c -o u.o
same gcc -DWIDE -c u.c -o u.o
mkdir p.h.gch
gcc -x c-header p.h -o p.h.gch/one
same gcc -c u.c -o u.o
gcc -DWIDE -x c-header p.h -o p.h.gch/two
same gcc -DWIDE -c u.c -o u.o
same gcc -c u.c -o u.o
