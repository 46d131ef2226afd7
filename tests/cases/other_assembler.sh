# COMPILER_PATH, -B and PATH choose another assembler; then it goes away again.
. "$(dirname "$0")/lib.sh"

mkdir alt
printf '#!/bin/sh\nexec /usr/bin/as --defsym marker=77 "$@"\n' >alt/as
chmod +x alt/as
echo 'int q;' >q.c
for round in 1 2; do
    same gcc -c q.c -o q.o
    same COMPILER_PATH="$WORK/alt" gcc -c q.c -o q.o
    same gcc -B alt -c q.c -o q.o
    same gcc -Balt/ -c q.c -o q.o
    same GCC_EXEC_PREFIX="$WORK/alt/" gcc -c q.c -o q.o
    same clang -fno-integrated-as -c q.c -o q.o
    same clang -fno-integrated-as -Balt -c q.c -o q.o
done
printf '#!/bin/sh\nexec /usr/bin/as --defsym marker=78 "$@"\n' >alt/as
same gcc -B alt -c q.c -o q.o
rm alt/as
same gcc -Balt -c q.c -o q.o
same COMPILER_PATH="$WORK/alt" gcc -c q.c -o q.o
