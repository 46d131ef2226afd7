# An output that is a symlink, a hard link, a read-only file or a fifo is treated as the compiler does.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >x.c
for cc in gcc clang; do
    same $cc -c x.c -o x.o
    echo target >t; ln -s t x.o
    same $cc -c x.c -o x.o
    rm -f x.o; ln -s nowhere x.o
    same $cc -c x.c -o x.o
    rm -f x.o nowhere; echo twin >x.o; ln x.o twin
    run_aside wrapped $cc -c x.c -o x.o
    rm -f x.o twin; echo old >x.o; chmod 600 x.o
    same $cc -c x.c -o x.o
    rm -f x.o t
done
