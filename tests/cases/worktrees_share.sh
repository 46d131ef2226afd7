# Another checkout of the same sources, or a compiler that was only touched: hits.
. "$(dirname "$0")/lib.sh"

[ "$KIND" != plain ] || skip "counts hits"
mkdir toolchain
printf '#!/bin/sh\nexec /usr/bin/gcc "$@"\n' >toolchain/gcc
chmod +x toolchain/gcc
echo 'int f;' >f.c
miss toolchain/gcc -c f.c -o f.o
touch toolchain/gcc
stop_server
hit toolchain/gcc -c f.c -o f.o
cp toolchain/gcc toolchain/new
mv toolchain/new toolchain/gcc
touch -d 2001-01-01 toolchain/gcc
hit toolchain/gcc -c f.c -o f.o
for tree in one two; do
    mkdir -p $tree/inc
    echo '#define V 3' >$tree/inc/v.h
    printf '#include "v.h"\n#include <assert.h>\nint f(int a) { assert(a); return a + V; }\n' >$tree/f.c
done
for words in "-O1 -g -Iinc -ffile-prefix-map=$WORK/TREE=." "-O1 -Iinc -DNDEBUG" "-O1 -Iinc -MD"; do
    cd one; miss gcc ${words/TREE/one} -c f.c -o f.o; cd ..
    cd two; hit gcc ${words/TREE/two} -c f.c -o f.o; cd ..
done
# include folders above the directory
for tree in three four; do
    mkdir -p $tree/lib $tree/src
    echo '#define X 4' >$tree/src/x.h
    printf '#include "x.h"\nint y(void) { return X; }\n' >$tree/lib/y.c
done
for direct in 1 0; do
    for cc in gcc clang; do
        cd three/lib; miss CCWRAP_DIRECT=$direct $cc -O2 -I. -I.. -I../src -I../lib/../src -c y.c -o y.o; cd ../..
        cd four/lib; hit CCWRAP_DIRECT=$direct $cc -O2 -I. -I.. -I../src -I../lib/../src -c y.c -o y.o; cd ../..
    done
done
