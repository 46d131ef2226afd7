# The same text compiled to another kind of output never shares an entry.
. "$(dirname "$0")/lib.sh"

: >blank.c
: >blank.h
echo 'int shared = 1;' >t.c
cp t.c t.cc
cp t.c t.i
: >t.S
for round in 1 2; do
    same gcc -c blank.c -o o.o
    same gcc -x c-header -c blank.c -o o.gch
    same gcc -x c -c blank.h -o o.o
    same gcc -c t.c -o o
    same gcc -c t.cc -o o
    same gcc -c t.i -o o
    same gcc -x c++ -c t.c -o o
    same gcc -x assembler-with-cpp -c t.S -o o
    same gcc -x c -c t.S -o o
    same gcc -S t.c -o o
    same gcc -S -emit-llvm t.c -o o
    same clang -c t.c -o o
    same clang -c -emit-llvm t.c -o o
    same clang -c -flto=thin t.c -o o
    same clang -c -flto t.c -o o
    same clang -S -emit-llvm t.c -o o
    same clang -S t.c -o o
    same clang -x c++ -c t.c -o o
done
hit gcc -c t.c -o o
