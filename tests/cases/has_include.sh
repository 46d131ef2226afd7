# __has_include, in both directions.
. "$(dirname "$0")/lib.sh"

printf '#if __has_include("o.h")\n#include "o.h"\n#else\n#define O 0\n#endif\nint o = O;\n' >a.c
for cc in gcc clang; do
    miss $cc -c a.c -o a.o
    echo '#define O 1' >o.h
    miss $cc -c a.c -o a.o
    rm o.h
    hit $cc -c a.c -o a.o
    echo '#define O 1' >o.h
    hit $cc -c a.c -o a.o
    rm o.h
done
