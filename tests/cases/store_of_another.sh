# Words that change the store of another user end with the reason, whether a server runs or not.
. "$(dirname "$0")/lib.sh"

only_ccwrap
[ "$(id -u)" = 0 ] || skip "needs root to act as two users"
needs setpriv
chmod 755 "$TOP" "$WORK"
mkdir -m 777 w
cd w || exit 1
nobody() { timeout 40 setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$WORK/w" "$@"; }
denied() { # whose store, command
    local whose=$1
    shift
    for words in --clear --trim --zero-stats "--evict-older-than 7d"; do
        "$@" "$CW" $words >out 2>message && fail "$whose: $words succeeds"
        [ "$(wc -l <message)" = 1 ] && grep -q 'Permission denied' message || fail "$whose: $words: $(cat message)"
    done
}
echo 'int f;' >f.c
miss_hit gcc -c f.c -o f.o
denied "root's, behind a closed folder" nobody env CCWRAP_DIR="$STORE/deeper"
denied "root's" nobody
nobody "$CW" --start-server >out 2>&1 || fail "a server without a store: $(head -n 1 out)"
denied "root's, with a server" nobody
nobody "$CW" --stop-server >out 2>&1
hit gcc -c f.c -o f.o
"$CW" --stop-server >/dev/null
chown -R 65534 "$STORE"
denied "another's, for root" env
