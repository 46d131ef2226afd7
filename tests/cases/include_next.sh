# A header put into the middle of an #include_next chain; computed includes.
. "$(dirname "$0")/lib.sh"

mkdir a b c
printf '#include_next <n.h>\n' >a/n.h
echo '#define N 3' >c/n.h
printf '#include <n.h>\nint n = N;\n' >n.c
printf '#include NAME\nint n = N;\n' >computed.c
for cc in gcc clang; do
    twice $cc -Ia -Ib -Ic -c n.c -o n.o
    echo '#define N 2' >b/n.h
    same $cc -Ia -Ib -Ic -c n.c -o n.o
    same $cc '-DNAME="b/n.h"' -c computed.c -o n.o
    same $cc '-DNAME="c/n.h"' -c computed.c -o n.o
    rm b/n.h
    same $cc -Ia -Ib -Ic -c n.c -o n.o
    same $cc '-DNAME="b/n.h"' -c computed.c -o n.o
done
