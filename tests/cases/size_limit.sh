# The store stays below its limit, the newest entry stays, and counters tell the truth.
. "$(dirname "$0")/lib.sh"

[ "$KIND" != plain ] || skip "counts"
export CCWRAP_MAXSIZE=2M CCACHE_MAXSIZE=2M
for i in $(seq 50); do
    printf 'char z%d[] = "%s";\n' "$i" "$(head -c 60000 /dev/urandom | base64 -w0)" >f.c
    "$CW" gcc -c f.c -o f.o || fail "compile $i"
done
sleep 1
size=$(du -sk --apparent-size "$STORE" | cut -f1)
[ "$size" -le 6000 ] || fail "limit 2 MB, but the store has $size kB"
hit gcc -c f.c -o f.o
fresh
echo 'int a;' >a.c
echo 'int b(' >b.c
"$CW" gcc -c a.c -o a.o; "$CW" gcc -c a.c -o a.o; "$CW" gcc -c b.c -o b.o 2>/dev/null
"$CW" gcc a.o -shared -o l.so; "$CW" gcc --version >/dev/null; "$CW" gcc -E a.c >/dev/null
[ "$(hits)" = 1 ] || fail "$(hits) hits of 1"
[ "$(misses)" = 1 ] || [ "$(misses)" = 2 ] || fail "$(misses) misses: a failure and non-compiles are none"
[ "$KIND" != ccwrap ] || [ "$(counter called_for_link) $(counter called_for_preprocessing) $(counter compile_failed)" = "1 1 1" ] || fail "reasons: $("$CW" --print-stats | awk '$2 > 0' | tr '\n\t' '; ')"
for server in $(servers); do kill "$server"; done
within 5 no_servers
[ "$(hits)" = 1 ] || fail "counters went with the server"
"$CW" gcc -c a.c -o a.o
[ "$(hits)" = 2 ] || fail "$(hits) hits of 2 after a new server"
