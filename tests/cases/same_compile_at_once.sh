# Eight clients ask for the same compile: all are right, and one of them is a miss.
. "$(dirname "$0")/lib.sh"

mkdir bin
printf '#!/bin/sh\nsleep 1\nexec gcc "$@"\n' >bin/cc
chmod +x bin/cc
echo 'int f(int a) { return a; }' >f.c
gcc -c f.c -o want.o
for i in 0 1 2 3 4 5 6 7; do mkdir d$i; done
seq 0 7 | xargs -P8 -I@ sh -c 'umask 00@; "$CW" bin/cc -c f.c -o d@/f.o || echo bad >>bad'
[ ! -e bad ] || fail "a client failed"
for i in 0 1 2 3 4 5 6 7; do
    equal d$i/f.o want.o "client $i"
    [ "$(stat -c %a d$i/f.o)" = "$(printf %o $((0666 & ~i)))" ] || fail "client $i: mode $(stat -c %a d$i/f.o)"
done
[ "$KIND" != ccwrap ] || [ "$(hits) $(misses)" = "7 1" ] || fail "$(hits) hits and $(misses) misses of 7 and 1"
