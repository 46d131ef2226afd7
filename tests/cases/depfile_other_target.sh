# The same source with another -o or -MF: each depfile names its own target.
. "$(dirname "$0")/lib.sh"

mkdir one two
echo '#define H 1' >h.h
printf '#include "h.h"\nint x = H;\n' >a.c
for cc in gcc clang; do
    twice "$cc" -MD -c a.c -o one/a.o
    twice "$cc" -MD -c a.c -o two/b.o
    twice "$cc" -MD -MF one/x.d -c a.c -o one/a.o
    twice "$cc" -MD -MF two/y.d -c a.c -o one/a.o
    twice "$cc" -MD -MF two/y.d -MT word -c a.c -o one/a.o
    same "$cc" -MD -c a.c -o one/a.o
done
# equal headers in two folders: the one that was read is named
mkdir -p i j
cp h.h i; cp h.h j; mv h.h away
for cc in gcc clang; do
    for folder in i j i; do same "$cc" -MD "-I$folder" -c a.c -o a.o; done
done
