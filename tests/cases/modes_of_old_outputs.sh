# Compilers write into some files that are there, which keep their modes: that mode is no part of the result.
. "$(dirname "$0")/lib.sh"

umask 022
echo 'int x;' >m.c
for cc in gcc clang; do
    : >old.o && chmod 600 old.o
    same $cc -O1 -D"C=$cc" -c m.c -o old.o
    same $cc -O1 -D"C=$cc" -c m.c -o real.o
    same $cc -O1 -D"C=$cc" -c m.c -o old.o # a hit onto it
    rm -f old.o
    : >m.d && chmod 600 m.d
    same $cc -O2 -MD -c m.c
    rm -f m.d
    same $cc -O2 -MD -c m.c
    (umask 077; same $cc -O2 -MD -c m.c) || exit 1
    : >w.d && chmod 666 w.d
    same $cc -O3 -MD -MF w.d -c m.c
    rm -f w.d
    (umask 077; same $cc -O3 -MD -MF w.d -c m.c) || exit 1
    : >m.s && chmod 640 m.s
    same $cc -S m.c
    rm -f m.s
    same $cc -S m.c
    echo old >m.s && chmod 600 m.s
    same $cc -S m.c
    rm -f m.s
done
