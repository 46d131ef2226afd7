# A client that is interrupted before its request was read: no compiler begins.
. "$(dirname "$0")/lib.sh"

only_ccwrap
slow_compiler 5
echo 'int f;' >f.c
"$CW" gcc -c f.c -o g.o
server=$(servers)
for round in 1 2 3; do
    kill -STOP "$server"
    "$CW" bin/slowcc -c f.c -o f.o &
    client=$!
    sleep 0.3
    kill -TERM $client
    sleep 0.2
    kill -CONT "$server"
    wait $client
    [ $? = 143 ] || fail "the client's status"
done
sleep 0.5
[ ! -e "$TOP/pid" ] || fail "the compiler was started for a client that had been interrupted"
"$CW" gcc -c f.c -o h.o && [ -s h.o ] || fail "the next compile"
