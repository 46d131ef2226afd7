# A store above its limit that can't be written any more: the server doesn't spin, and it can be stopped.
. "$(dirname "$0")/lib.sh"

only_ccwrap
needs prlimit
for i in $(seq 30); do
    echo "int f$i[40] = {$i};" >f$i.c
    "$CW" gcc -g -c f$i.c -o f.o
done
stop_server
within 20 no_servers || fail "the server stays"
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
export CCWRAP_MAXSIZE=1K
prlimit --fsize=32768:32768 "$CW" --start-server 2>/dev/null
server=$(servers)
[ -n "$server" ] || fail "no server"
"$CW" --stats >/dev/null 2>&1
before=$(ticks "$server")
sleep 1
[ $(($(ticks "$server") - before)) -lt 30 ] || fail "the server is busy with nothing"
timeout 15 "$CW" --stop-server >/dev/null 2>&1
within 20 no_servers || fail "the server can't be stopped"
