# -o /dev/null and -fsyntax-only: the device stays one, and an old object is neither touched nor stored.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >x.c
echo old >x.o
for cc in gcc clang; do
    twice $cc -c x.c -o /dev/null
    [ -c /dev/null ] || fail "/dev/null is no device any more"
    twice $cc -fsyntax-only x.c
    twice $cc -fsyntax-only -Wall -c x.c -o x.o
    [ "$(cat x.o)" = old ] || fail "the old object was touched"
    same $cc -c x.c -o x.o
done
