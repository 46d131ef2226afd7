# Notes of coverage: name, folder, and no sharing between folders or objects.
. "$(dirname "$0")/lib.sh"

echo 'int f(int a) { return a ? 1 : 2; }' >f.c
mkdir o p sub
cp f.c sub
# A .gcno's stamp is random unless a seed is given.
for words in --coverage -ftest-coverage -fprofile-arcs "-fprofile-arcs -ftest-coverage -fprofile-abs-path"; do
    for round in 1 2; do
        same gcc -frandom-seed=1 $words -c f.c -o o/f.o
        same gcc -frandom-seed=1 $words -c f.c -o p/g.o
        same gcc -frandom-seed=1 $words -c f.c
        cd sub
        same gcc -frandom-seed=1 $words -c f.c
        cd ..
    done
done
for round in 1 2; do
    same clang --coverage -c f.c -o o/f.o
    same clang --coverage -c f.c -o p/g.o
    same clang -fprofile-instr-generate -fcoverage-mapping -c f.c -o o/f.o
    cd sub
    same clang --coverage -c f.c
    same clang -fprofile-instr-generate -fcoverage-mapping -c f.c
    cd ..
done
for round in 1 2; do
    rm -f o/*
    "$CW" gcc --coverage -c f.c -o o/f.o && [ -s o/f.gcno ] || fail "notes are lost without a seed"
done
