# With one socket for two stores the first caller's counts. That is told, and no other store is changed.
. "$(dirname "$0")/lib.sh"

only_ccwrap
export CCWRAP_SOCKET=$TOP/s
echo 'int f;' >f.c
miss_hit gcc -c f.c -o f.o
other() { CCWRAP_DIR=$TOP/other "$CW" "$@"; }
other --show-config >out 2>message || fail "--show-config: $(head -n 1 message)"
grep -q "running server has dir = $STORE" out || fail "--show-config is silent on dir"
other --stats >out 2>message || fail "--stats: $(head -n 1 message)"
grep -q "$STORE" out && grep -q "$TOP/other" out || fail "--stats doesn't name both stores"
for words in --clear --zero-stats --trim "--evict-older-than 0"; do
    other $words >out 2>message && fail "$words works on another store"
    [ "$(wc -l <message)" = 1 ] && grep -q "$STORE" message && grep -q "$TOP/other" message || fail "$words: $(cat message)"
done
hit gcc -c f.c -o f.o
[ ! -e "$TOP/other" ] || fail "the other store was made"
"$CW" --show-config | grep -q 'running server' && fail "--show-config tells a difference where there is none"
"$CW" --clear || fail "--clear of the store named"
miss gcc -c f.c -o f.o
