# A folder of PATH that may not be searched (another user's) is no reason not to cache; nor are a server's tighter
# limits a reason to stay without it.
. "$(dirname "$0")/lib.sh"

only_ccwrap
[ "$(id -u)" = 0 ] || skip "needs root to act as another user"
mkdir -m 700 closed
chmod 755 "$TOP" "$WORK"
mkdir mine && echo 'int x;' >mine/a.c && gcc -c mine/a.c -o r.o
chown -R 65534:65534 mine "$WORK"
chown 0:0 closed
export CCWRAP_DIR=$WORK/mine/store
as() { (cd mine && PATH=$WORK/closed:$PATH HOME=$WORK/mine setpriv --reuid 65534 --regid 65534 --clear-groups "$@"); }
as sh -c 'ulimit -n 64; nice "$0" gcc -c a.c' "$CW" || fail "compile under tight limits"
for _ in 1 2 3; do
    rm -f mine/a.o
    as "$CW" gcc -c a.c || fail "compile as another user"
    cmp -s mine/a.o r.o || fail "wrong object"
    sleep 0.3 # the server of tight limits leaves
done
[ "$(as "$CW" --print-stats | awk '$1 == "direct_cache_hit" { print $2 }')" -ge 2 ] || fail "no hits: $(as "$CW" --print-stats | grep -v '	0$' | tr '\n' ' ')"
as "$CW" --stop-server >/dev/null
