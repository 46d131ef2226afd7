# A client whose output nobody reads holds up no other build.
. "$(dirname "$0")/lib.sh"

mkdir bin
cat >bin/loudcc <<S
#!/bin/sh
case "\$*" in *-c*) echo \$\$ >"$TOP/pid"; head -c 8000000 /dev/zero | tr '\\\\0' 'x' >&2 ;; esac
exec gcc "\$@"
S
chmod +x bin/loudcc
echo 'int f;' >f.c
echo 'int g;' >g.c
export CCWRAP_JOBS=1
mkfifo "$TOP/pipe"
exec 7<>"$TOP/pipe"
"$CW" bin/loudcc -c f.c -o f.o 2>"$TOP/pipe" 7>&- &
client=$!
trap 'kill $client 2>/dev/null; at_exit' EXIT
await "$TOP/pid"
sleep 1
timeout 20 "$CW" gcc -c g.c -o g.o || fail "another compile waits for a client whose output nobody reads"
cat <&7 >"$TOP/said" &
reader=$!
wait $client || fail "the client's status"
[ -s f.o ] || fail "no object"
sleep 0.5
kill $reader
[ "$(wc -c <"$TOP/said")" = 8000000 ] || fail "$(wc -c <"$TOP/said") bytes of messages"
