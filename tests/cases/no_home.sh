# No usable HOME, cache folder, runtime folder or TMPDIR: the compile succeeds.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root to become another user"
needs setpriv
echo 'int f;' >f.c
gcc -c f.c -o want.o
chmod 755 "$TOP" "$WORK"
mkdir -m 777 w
cp f.c w
mkdir -m 755 closed
: >file
cd w || exit 1
nobody() { timeout 40 setpriv --reuid 65534 --regid 65534 --clear-groups env -u CCWRAP_DIR -u CCACHE_DIR "$@"; }
try() {
    rm -f f.o
    nobody "$@" "$CW" gcc -c f.c -o f.o 2>message || fail "$*: status $?: $(head -n 1 message)"
    equal f.o ../want.o "$*"
    [ "$(wc -l <message)" -le 1 ] || fail "$*: more than one warning"
    nobody "$@" "$CW" --stop-server >/dev/null 2>&1
}
for set in "HOME=$WORK/closed" HOME=/nonexistent HOME= "HOME=$WORK/file"; do try "$set"; done
try -u HOME
try -u HOME -u XDG_RUNTIME_DIR -u XDG_CACHE_HOME -u USER -u LOGNAME
for set in XDG_RUNTIME_DIR=/run/user/0 XDG_CACHE_HOME=/proc TMPDIR=/nonexistent "TMPDIR=$WORK/closed"; do try "$set" "HOME=$WORK/closed"; done
for store in /proc/nope /dev/null "$WORK/closed/c" "$WORK/file/c"; do try "CCWRAP_DIR=$store" "CCACHE_DIR=$store" "HOME=$WORK/closed"; done
if [ "$KIND" = ccwrap ]; then # a server without a place for its store lives, and says so
    bare() { env -i PATH="$PATH" CCWRAP_SOCKET="$WORK/bare.sock" "$@"; }
    bare "$CW" gcc -c f.c -o bare.o || fail "no home, no settings"
    bare "$CW" --stats | grep -q 'no store' || fail "--stats doesn't say that there is no store"
    bare "$CW" --stop-server >/dev/null
fi
