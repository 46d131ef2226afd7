# A compile that runs out of its memory limit fails as without a cache.
. "$(dirname "$0")/lib.sh"

[ "$KIND" != ccwrap ] || "$CW" --start-server >/dev/null # not under the limit below
printf '#define A(x) x x x x x x x x\n#define B(x) A(A(A(x)))\nint a[] = { B(B(1,)) };\n' >big.c
(ulimit -v 80000; gcc -c big.c -o big.o >/dev/null 2>&1) && skip "the limit does no harm here"
(ulimit -v 80000; timeout 60 "$CW" gcc -c big.c -o big.o >/dev/null 2>&1) && fail "succeeded"
[ ! -e big.o ] || fail "an object is left"
