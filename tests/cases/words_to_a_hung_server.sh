# No word waits for ever for a server that hangs; but one that works for long is waited for.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >f.c
miss_hit gcc -c f.c -o f.o
sleep 1.5 # until the counters are in the store
server=$(servers)
kill -STOP $server
waiting=()
bounded() { # what should be the status, words; all at the same time
    (
        want=$1 begun=$(date +%s) out=$ASIDE/out$2 message=$ASIDE/message$2
        shift
        timeout 30 "$CW" "$@" >"$out" 2>"$message"
        status=$?
        [ $(($(date +%s) - begun)) -le 12 ] || fail "$*: took $(($(date +%s) - begun)) s"
        [ "$status" = "$want" ] || fail "$*: status $status: $(head -n 1 "$message")"
        [ "$(wc -l <"$message")" = 1 ] && grep -q "pid $server.*doesn't answer" "$message" || fail "$*: says: $(cat "$message")"
    ) &
    waiting+=($!)
}
for word in --print-stats --stats --show-config; do bounded 0 $word; done
for word in --zero-stats --clear --trim --stop-server; do bounded 1 $word; done
bounded 1 --evict-older-than 7d
for pid in "${waiting[@]}"; do wait "$pid" || exit 1; done
[ "$(awk '$1 == "direct_cache_hit" { print $2 }' "$ASIDE/out--print-stats")" = 1 ] || fail "the counters aren't read from the store"
grep -q '^ *hits  *1 ' "$ASIDE/out--stats" || fail "--stats isn't read from the store: $(head -n 2 "$ASIDE/out--stats")"
[ "$(grep -c ' = ' "$ASIDE/out--show-config")" -ge 18 ] || fail "--show-config is short"
kill -CONT $server
sleep 0.5
"$CW" --stop-server >out 2>&1 || fail "--stop-server when it lives again: $(head -n 1 out)"
within 5 no_servers || fail "the server is still there"
# A compile that runs longer than a server may be silent holds up --stop-server, which waits.
slow_compiler 8
"$CW" bin/slowcc -c f.c -o f.o &
await "$TOP/pid"
timeout 60 "$CW" --stop-server >out 2>&1 || fail "--stop-server during a compile: $(head -n 1 out)"
no_servers || fail "--stop-server came back before the server ended"
wait $! || fail "the compile: status $?"
# So does a store that another process holds: the word waits as long as the server does, and then has its effect.
"$CW" gcc -c f.c -o f.o
python3 - "$STORE/cache.sqlite" >locked <<'P' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(5)
P
await locked
timeout 60 "$CW" --clear >out 2>&1 || fail "--clear of a store that is held for a while: $(head -n 1 out)"
wait
miss gcc -c f.c -o f.o
