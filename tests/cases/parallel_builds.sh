# Two hundred different compiles at once, then the same again as hits.
. "$(dirname "$0")/lib.sh"

for i in $(seq 200); do echo "int v$i = $i; /* $i */" >f$i.c; done
for round in 1 2; do
    rm -f ./*.o
    seq 200 | timeout 120 xargs -P32 -I@ sh -c '"$CW" gcc -c f@.c -o f@.o 2>>log || echo bad @ >>bad' || fail "no end"
    [ ! -e bad ] || fail "$(head -n 3 bad | tr '\n' ' ') $(head -n 2 log)"
done
for i in $(seq 1 20 200); do gcc -c f$i.c -o want.o; equal f$i.o want.o f$i; done
[ "$KIND" = plain ] || [ "$(hits) $(misses)" = "200 200" ] || fail "$(hits) hits, $(misses) misses of 200 each"
