# A source or header that is edited while the compiler runs: the result belongs to neither text.
. "$(dirname "$0")/lib.sh"

slow_compiler 1
printf '#include "n.h"\nint n = N;\n' >m.c
edit_meanwhile() { # file, new text
    rm -f "$TOP/pid"
    "$CW" bin/slowcc -c m.c -o m.o &
    await "$TOP/pid"
    sleep 0.3
    echo "$2" >"$1"
    wait $!
    rm -f m.o
}
echo '#define N 1' >n.h
edit_meanwhile n.h '#define N 2'
same bin/slowcc -c m.c -o m.o
echo '#define N 1' >n.h
same bin/slowcc -c m.c -o m.o
fresh
echo 'int n = 1;' >m.c
edit_meanwhile m.c 'int n = 2;'
same bin/slowcc -c m.c -o m.o
echo 'int n = 1;' >m.c
same bin/slowcc -c m.c -o m.o
