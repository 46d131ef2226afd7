# A header that changes within one tick of the clock after it was compiled.
. "$(dirname "$0")/lib.sh"

printf '#include "n.h"\nint n = N;\n' >m.c
for n in 1 2 3 4 5 6 7 8; do
    echo "#define N $n" >n.h
    "$CW" gcc -c m.c -o m.o || fail "status"
    echo "#define N $((n + 1))" >n.h
    "$CW" gcc -c m.c -o m.o || fail "status"
    gcc -c m.c -o want.o
    equal m.o want.o "header rewritten at once ($n)"
done
