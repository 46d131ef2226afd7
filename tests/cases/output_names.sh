# Forms of -o, and the default name; without debug info all share one entry.
. "$(dirname "$0")/lib.sh"

mkdir sub
echo 'int x;' >x.c
for cc in gcc clang; do
    miss $cc -c x.c -o x.o
    for words in "-ox.o" "" "-o sub/x.o" "-o name" "-o two.dots.o"; do hit $cc -c x.c $words; done
    twice $cc -g -c x.c -o sub/x.o
    twice $cc -S x.c
done
