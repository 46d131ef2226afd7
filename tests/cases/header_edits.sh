# An edited header is a miss, a reverted one a hit, a touched one a hit; a removed one an error.
. "$(dirname "$0")/lib.sh"

printf '#include "h.h"\nint v = V;\n' >v.c
for cc in gcc clang; do
    for v in 1 2 3; do
        echo "#define V $v" >h.h
        miss $cc -c v.c -o v.o
    done
    for v in 2 1 3 1; do
        echo "#define V $v" >h.h
        hit $cc -c v.c -o v.o
    done
    sleep 0.1
    touch h.h
    hit $cc -c v.c -o v.o
    rm h.h
    same $cc -c v.c -o v.o
    echo "#define V 3" >h.h
    hit $cc -c v.c -o v.o
done
