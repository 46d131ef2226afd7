# After an include is gone from the source, no depfile names it.
. "$(dirname "$0")/lib.sh"

echo '#define H 1' >h.h
printf '#include "h.h"\nint x;\n' >a.c
for cc in gcc clang; do
    printf '#include "h.h"\nint x;\n' >a.c
    twice "$cc" -MD -MP -c a.c -o a.o
    mv h.h gone
    same "$cc" -MD -MP -c a.c -o a.o
    echo 'int x;' >a.c
    twice "$cc" -MD -MP -c a.c -o a.o
    mv gone h.h
done
