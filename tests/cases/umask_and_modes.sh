# Modes follow the umask of now; what is restored is nobody else's file.
. "$(dirname "$0")/lib.sh"

echo 'int keep; static int drop(void) { return 1; } int (*p)(void) = drop;' >f.c
for mask in 022 077 002 022; do
    (umask $mask; twice gcc -g -c f.c -o f.o) || exit 1
done
gcc -g -c f.c -o want.o
"$CW" gcc -g -c f.c -o f.o
strip -g f.o; printf garbage >>f.o; : >f.o
rm -f f.o
"$CW" gcc -g -c f.c -o f.o
equal f.o want.o "after the restored object was edited"
dd if=/dev/zero of=f.o bs=1 count=4 conv=notrunc 2>/dev/null || fail "a restored object can't be written"
"$CW" gcc -g -c f.c -o f.o
equal f.o want.o "after the restored object was overwritten"
rm want.o
for v in 7 9 7; do echo ".quad $v" >k.s; same clang -c k.s -o k.o; done
: >h.h
echo 'int d;' >d.c
for round in 1 2; do
    "$CW" gcc -c -MMD -MF d.tmp -include h.h d.c -o d.o
    mv d.tmp d.d || fail "mv of the depfile"
done
