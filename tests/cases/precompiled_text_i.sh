# .i and .ii are compiled as they are, and don't collide with .c of the same text.
. "$(dirname "$0")/lib.sh"

echo 'int x = 1; /* comment */' >x.c
cp x.c x.i
printf '#define Y 1\nint y = Y;\n' >y.c
cp y.c y.i
for cc in gcc clang; do
    for source in x.c x.i y.c y.i; do twice $cc -c $source -o o.o; done
    hit $cc -c x.i -o o.o
done
