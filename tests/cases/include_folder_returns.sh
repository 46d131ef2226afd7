# An include folder vanishes and comes back: what was stored in between must not win.
. "$(dirname "$0")/lib.sh"

mkdir first second
echo '#define WHO 1' >first/who.h
echo '#define WHO 2' >second/who.h
printf '#include "who.h"\nint who = WHO;\n' >m.c
for cc in gcc clang; do
    miss "$cc" -Ifirst -Isecond -c m.c -o m.o
    mv first hidden
    miss "$cc" -Ifirst -Isecond -c m.c -o m.o
    mv hidden first
    hit "$cc" -Ifirst -Isecond -c m.c -o m.o
    mv first hidden
    hit "$cc" -Ifirst -Isecond -c m.c -o m.o
    mv hidden first
done
