# What fails without a cache fails with it: status, both streams, no object left.
. "$(dirname "$0")/lib.sh"

echo 'int f( {' >bad.c
echo '#include "nope.h"' >lost.c
echo '#error stop here' >error.c
echo 'int ok;' >ok.c
mkdir folder.o
for cc in gcc clang; do
    while read -r words; do twice $cc $words; done <<'S'
-c bad.c -o o.o
-c lost.c -o o.o
-MD -MF got.d -c lost.c -o o.o
-c error.c -o o.o
-c nofile.c -o o.o
-c ok.c -o nodir/o.o
-c ok.c -o folder.o
-c ok.c -o
-c ok.c -MF
-c -x
-c ok.c -include
-fnosuch -c ok.c -o o.o
-c ok.c bad.c
-Wall -Werror -c bad.c -o o.o
-c ok.c -std=c1
-x nosuch -c ok.c
S
    twice $cc -c ok.c -o o.o
    # a broken source that is mended, and broken again
    cp ok.c bad2.c; twice $cc -c bad2.c -o o.o
    cp bad.c bad2.c; twice $cc -c bad2.c -o o.o
    cp ok.c bad2.c; same $cc -c bad2.c -o o.o
    # warm, but the output can't be written any more
    mkdir out; same $cc -c ok.c -o out/o.o; rmdir out; same $cc -c ok.c -o out/o.o
done
