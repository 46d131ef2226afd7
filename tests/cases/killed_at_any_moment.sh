# The server is killed again and again while a build runs: every object is right.
. "$(dirname "$0")/lib.sh"

only_ccwrap
for i in $(seq 60); do echo "int v$i = $i;" >f$i.c; done
(for i in $(seq 14); do sleep 0.2; for server in $(servers); do kill -9 "$server"; done; done) &
killer=$!
for round in 1 2 3; do
    rm -f ./*.o
    seq 60 | timeout 100 xargs -P4 -I@ sh -c '"$CW" gcc -c f@.c -o f@.o 2>>log || echo bad @ >>bad' || fail "no end"
    [ ! -e bad ] || fail "$(head -n 3 bad | tr '\n' ' ') $(head -n 2 log)"
    [ "$(ls f*.o | wc -l)" = 60 ] || fail "objects are missing"
done
wait $killer
for i in 1 20 40 60; do gcc -c f$i.c -o want.o; equal f$i.o want.o "f$i"; done
"$CW" --stats >/dev/null || fail "--stats after all that: the store is damaged"
hit gcc -c f1.c -o f1.o
