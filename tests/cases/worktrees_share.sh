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
