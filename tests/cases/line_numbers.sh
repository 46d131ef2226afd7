# A line added above a warning or an assertion moves it.
. "$(dirname "$0")/lib.sh"

printf '#include <assert.h>\nint f(int a) { int unused; assert(a); return a; }\n' >a.c
for cc in gcc clang; do
    for round in 1 2; do
        same $cc -Wall -c a.c -o a.o
        sed -i '1i\\' a.c
    done
    same $cc -Wall -c a.c -o a.o
    same $cc -Wall -g -c a.c -o a.o
    # columns show with -g and in the sanitizers' tables
    sed -i 's/int unused/int    unused/' a.c
    same $cc -Wall -g -c a.c -o a.o
    same $cc -fsanitize=undefined -c a.c -o a.o
    sed -i 's/return a/return   a/' a.c
    same $cc -fsanitize=undefined -c a.c -o a.o
    same $cc -g -c a.c -o a.o
done
