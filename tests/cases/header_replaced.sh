# A header replaced by rename, by a hard link, or by a file of the same size and time.
. "$(dirname "$0")/lib.sh"

printf '#include "h.h"\nint v = V;\n' >v.c
echo '#define V 1' >h.h
echo '#define V 2' >other.h
touch -d '2020-01-01' h.h other.h
for cc in gcc clang; do
    cp -p h.h keep.h
    miss_hit "$cc" -c v.c -o v.o
    mv other.h tmp.h; mv h.h other.h; mv tmp.h h.h
    same "$cc" -c v.c -o v.o
    ln -f keep.h h.h
    same "$cc" -c v.c -o v.o
    rm h.h
    printf '#define V 3\n' >h.h
    touch -r keep.h h.h
    same "$cc" -c v.c -o v.o
    printf '#define V 4\n' >h.h
    touch -r keep.h h.h
    same "$cc" -c v.c -o v.o
    rm h.h; mv other.h h.h; cp -p h.h other.h; echo '#define V 2' >other.h; touch -d 2020-01-01 h.h other.h
    printf '%s' "/* $cc */" >>v.c
done
