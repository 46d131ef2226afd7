# A server that hangs (SIGSTOP), idle or in a compile, is as good as none; woken, it breaks nothing.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >f.c
gcc -c f.c -o want.o
"$CW" gcc -c f.c -o f.o
servers=$(servers)
[ -n "$servers" ] || fail "no server runs"
kill -STOP $servers
for round in 1 2; do
    rm -f f.o
    begun=$(date +%s)
    timeout 30 "$CW" gcc -c f.c -o f.o || fail "hung server: status $?"
    [ $(($(date +%s) - begun)) -le 8 ] || fail "hung server: $(($(date +%s) - begun)) s"
    equal f.o want.o "hung server"
done
kill -CONT $servers
sleep 0.5
equal f.o want.o "server woke up"
"$CW" gcc -c f.c -o f.o || fail "after the server woke up"
kill -STOP $servers
timeout 30 "$CW" gcc -c f.c -o f.o || fail "hung again: status $?"
rm f.o
kill -CONT $servers
sleep 0.5
[ ! -e f.o ] || fail "the hit for a client that had left was restored"
slow_compiler 4
rm -f "$TOP/pid" f.o
timeout 60 "$CW" bin/slowcc -c f.c -o f.o &
client=$!
await "$TOP/pid"
servers=$(servers)
kill -STOP $servers
wait $client || fail "hung in a compile: status $?"
equal f.o want.o "hung in a compile"
touch "$TOP/mark"
kill -CONT $servers
sleep 2
equal f.o want.o "the late compiler wrote over it"
[ ! f.o -nt "$TOP/mark" ] || fail "the object was written after the client had ended"
# stopped when the object is there already, and woken when the client has made it anew
printf '#!/bin/sh\ngcc "$@" || exit\ncase "$*" in *-c*) echo $$ >"$TOP/pid"; sleep 3 ;; esac\n' >bin/slowcc
for way in wakes "is told to stop"; do
    rm -f "$TOP/pid" f.o
    echo "int f_${way%% *};" >f.c
    gcc -c f.c -o want.o
    timeout 60 "$CW" bin/slowcc -c f.c -o f.o &
    client=$!
    await "$TOP/pid"
    servers=$(servers)
    kill -STOP $servers
    [ "$way" = wakes ] || kill -TERM $client
    wait $client
    "$CW" gcc -c f.c -o f.o || fail "$way: the compile after it"
    kill -CONT $servers
    sleep 1
    equal f.o want.o "$way: the late server touched it"
done
exit 0
