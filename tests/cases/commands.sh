# The options beside compiling: status, text, and no server started by asking.
. "$(dirname "$0")/lib.sh"

only_ccwrap
for words in --stats --show-stats -s --print-stats --show-config -p --version --help "--stats --stats-format=json" "--stats-format=json"; do
    "$CW" $words >out 2>message || fail "$words: status $?: $(head -n 1 message)"
    [ -s out ] || fail "$words: says nothing"
done
[ -z "$(servers)" ] || fail "asking started a server"
"$CW" --no-such-option >out 2>message && fail "an unknown option succeeds"
[ "$(wc -l <message)" = 1 ] || fail "an unknown option: $(wc -l <message) lines on stderr"
"$CW" >out 2>message; [ $? -le 1 ] || fail "no words at all: status above 1"
"$CW" --stop-server >out 2>&1 || fail "--stop-server without one"
"$CW" --start-server >out 2>&1 || fail "--start-server: $(head -n 1 out)"
[ "$(servers | wc -l)" = 1 ] || fail "--start-server started $(servers | wc -l)"
"$CW" --start-server >out 2>&1 || fail "--start-server twice"
[ "$(servers | wc -l)" = 1 ] || fail "--start-server twice: $(servers | wc -l) run"
echo 'int x;' >x.c
miss_hit gcc -c x.c -o x.o
"$CW" --stats-format=json | python3 -c '
import json, sys
stats = json.load(sys.stdin)["stats"]
assert sum(stats["cache_hits"]["counts"].values()) == 1, stats
assert sum(stats["cache_misses"]["counts"].values()) == 1, stats' 2>message || fail "json: $(tail -n 1 message)"
"$CW" --print-stats | awk -F'\t' 'NF != 2 { exit 1 }' || fail "--print-stats is not name<TAB>value"
"$CW" --stop-server >out 2>&1 || fail "--stop-server"
within 3 no_servers || fail "the server is still there"
ls "$STORE" | grep -q -e '-wal$' && fail "a -wal is left"
[ "$(hits)" = 1 ] || fail "statistics went with the server"
"$CW" --zero-stats >out 2>&1 || fail "--zero-stats"
[ "$(counters)" = "0 0 0" ] || fail "--zero-stats left $(counters)"
hit gcc -c x.c -o x.o
"$CW" -c >out 2>&1 || fail "--cleanup"
"$CW" --trim >out 2>&1 || fail "--trim"
hit gcc -c x.c -o x.o
"$CW" --evict-older-than 7d >out 2>&1 || fail "--evict-older-than 7d"
hit gcc -c x.c -o x.o
"$CW" --evict-older-than 0s >out 2>&1; "$CW" --evict-older-than soon >out 2>message && fail "--evict-older-than soon succeeds"
"$CW" -C >out 2>&1 || fail "--clear"
miss gcc -c x.c -o x.o

# words that can't do their work say so
stop_server
rm -rf "$STORE"
mkdir -p "$STORE/cache.sqlite"
for words in --clear --trim --zero-stats "--evict-older-than 7d"; do
    # shellcheck disable=SC2086
    "$CW" $words >out 2>&1 && fail "$words does its work without a store"
    [ "$(wc -l <out)" = 1 ] || fail "$words without a store: $(cat out)"
done
exit 0
