# Paths that lead through a process's own folder mean something else to the server.
. "$(dirname "$0")/lib.sh"

mkdir early out
echo '#define ONE 1' >one.h
echo '#include "one.h"
int x = ONE; int main(void) { return x; }' >a.c
cp one.h early/one.h
sed -i 's/1/2/' early/one.h
mv early away
sleep 0.1
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for round in 1 2; do
        for path in /proc/self/cwd /proc/thread-self/cwd /proc/self/root"$PWD"; do
            same PWD=$path $cc -g --coverage -frandom-seed=1 -c a.c -o out/x.o
            same CPATH=$path/early $cc -c -iquote /nonexistent a.c
            sed 's/"one.h"/<one.h>/' a.c >b.c
            same CPATH=$path/early:$PWD $cc -c b.c
            mv away early
            same CPATH=$path/early:$PWD $cc -c b.c
            mv early away
        done
    done
done
