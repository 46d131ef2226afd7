# -Wp,-MD,FILE and -Wp,-MMD,FILE as the Linux kernel writes them.
. "$(dirname "$0")/lib.sh"

mkdir out
echo '#define H 1' >h.h
printf '#include "h.h"\nint x = H;\n' >a.c
for cc in gcc clang; do
    twice "$cc" -Wp,-MD,out/.a.o.d -c a.c -o out/a.o
    twice "$cc" -Wp,-MMD,out/.a.o.d -c a.c -o out/a.o
    twice "$cc" -Wp,-MMD,out/.a.o.d -Wp,-MP -c a.c -o out/a.o
    twice "$cc" -Wp,-MD,out/.a.o.d,-MT,word -c a.c -o out/a.o
    twice "$cc" -Wp,-MMD,out/.a.o.d -MF out/b.d -c a.c -o out/a.o
done
