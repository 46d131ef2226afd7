# ccwrap in ccwrap, in a compiler script, in a prefix: no loop, no deadlock, no double count.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >x.c
gcc -c x.c -o want.o
timeout 30 "$CW" "$CW" gcc -c x.c -o x.o || fail "twice in front: status $?"
equal x.o want.o "twice in front"
mkdir bin
printf '#!/bin/sh\nexec "%s" gcc "$@"\n' "$CW" >bin/cc
printf '#!/bin/sh\n"%s" gcc "$@"\n' "$CW" >bin/cc2
printf '#!/bin/sh\nexec "$@"\n' >bin/launcher
chmod +x bin/*
for compiler in bin/cc bin/cc2; do
    for round in 1 2; do
        rm -f x.o
        CCWRAP_JOBS=1 timeout 30 "$CW" $compiler -c x.c -o x.o || fail "$compiler: status $?"
        equal x.o want.o $compiler
    done
done
stop_server
for i in 1 2 3 4; do echo "int x$i;" >x$i.c; done
seq 4 | CCWRAP_JOBS=1 timeout 60 xargs -P4 -I@ "$CW" bin/cc2 -c x@.c -o x@.o || fail "four nested ones in one slot: status $?"
rm -f x.o
CCWRAP_PREFIX=$WORK/bin/launcher "$CW" gcc -DP -c x.c -o x.o || fail "prefix"
equal x.o want.o "prefix"
timeout 20 bin/launcher "$CW" gcc -c x.c -o x.o || fail "below a launcher"
