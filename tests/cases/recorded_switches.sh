# Words that the object records: -frecord-gcc-switches and its kin.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >x.c
for round in 1 2; do
    for words in -DA -DB "-DA -O1"; do
        same gcc -frecord-gcc-switches $words -c x.c -o x.o
        same gcc -g -grecord-gcc-switches $words -c x.c -o x.o
        same clang -frecord-command-line $words -c x.c -o x.o
        same clang -frecord-command-line $words -c x.c -o y.o
        same clang -g -grecord-command-line $words -c x.c -o x.o
        same clang -g -gno-record-gcc-switches $words -c x.c -o x.o
    done
done
