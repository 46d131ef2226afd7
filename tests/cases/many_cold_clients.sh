# A hundred clients and no server: one is started, all are right, the counts are whole.
. "$(dirname "$0")/lib.sh"

for i in $(seq 100); do echo "int v$i = $i;" >f$i.c; done
seq 100 | timeout 100 xargs -P100 -I@ sh -c '"$CW" gcc -c f@.c -o f@.o >>log 2>&1 || echo bad @ >>bad' || fail "no end"
[ ! -e bad ] || fail "$(head -n 3 bad | tr '\n' ' ') $(head -n 2 log)"
[ ! -s log ] || fail "noise: $(head -n 2 log)"
for i in 1 17 50 99 100; do gcc -c f$i.c -o want.o; equal f$i.o want.o "f$i"; done
[ "$(servers | wc -l)" -le 1 ] || fail "$(servers | wc -l) servers run"
[ "$KIND" = plain ] || [ "$(misses)" = 100 ] || fail "$(misses) misses of 100"
