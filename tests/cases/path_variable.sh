# Another PATH may lead to other programs though no folder has changed; one that leads to the same is no reason to miss.
. "$(dirname "$0")/lib.sh"

mkdir own empty
printf '#!/bin/sh\necho own assembler\nexec /usr/bin/as "$@"\n' >own/as
chmod +x own/as
echo 'int x;' >a.c
echo '.globl y' >b.s
gcc=$(command -v gcc)
export PATH=/usr/bin:/bin
sleep 0.1

for source in a.c b.s; do
    miss_hit gcc -c $source -o x.o
    hit PATH="$PWD/empty:$PATH" gcc -c $source -o x.o
    hit PATH="$PATH:$PWD/own" gcc -c $source -o x.o
    same PATH="$PWD/own:$PATH" gcc -c $source -o x.o
    same PATH="own:$PATH" gcc -c $source -o x.o
    same PATH="own:$PATH" gcc -c $source -o x.o
    hit gcc -c $source -o x.o
    for path in /nonexistent "" own : .; do same PATH=$path "$gcc" -c $source -o x.o; done
done
same CCWRAP_DIRECT=0 gcc -c a.c -o x.o
same CCWRAP_DIRECT=0 PATH="$PWD/own:$PATH" gcc -c a.c -o x.o
same CCWRAP_DIRECT=0 PATH=/nonexistent "$gcc" -c a.c -o x.o
