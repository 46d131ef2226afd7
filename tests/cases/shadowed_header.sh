# A header that appears where the compiler looks earlier is the one to be read.
. "$(dirname "$0")/lib.sh"

mkdir late
echo '#define V 1' >late/h.h
echo '#include "inner.h"' >late/outer.h
echo '#define W 1' >late/inner.h
printf '#include "h.h"\n#include "outer.h"\nint v = V * 10 + W;\n' >v.c
for cc in gcc clang; do
    mkdir early
    line="$cc -Iearly -Inot-there -Ilate -c v.c -o v.o"
    miss_hit $line
    echo '#define V 2' >early/h.h
    same $line                     # in an earlier folder
    rm early/h.h
    hit $line
    mkdir not-there
    echo '#define V 3' >not-there/h.h
    same $line                     # in a folder that did not exist
    rm -r not-there
    hit $line
    echo '#define V 4' >h.h
    same $line                     # beside the source
    rm h.h
    hit $line
    mv late/inner.h early/inner.h  # the included header's own include, from elsewhere
    echo '#define W 2' >late/inner.h
    same $line
    mv early/inner.h late/inner.h
    same $line
    touch early/unrelated.h
    same $line
    rm -r early
    same $line
done
