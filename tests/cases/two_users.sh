# Each user is served by a server of his own.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root to act as two users"
needs setpriv
chmod 755 "$TOP" "$WORK"
mkdir u1 u2 open
chown 65534 u1; chown 65533 u2; chmod 777 open
echo 'int f;' >u1/f.c
echo 'int g;' >u2/g.c
gcc -c u2/g.c -o want.o
as() {
    local id=$1
    shift
    timeout 40 setpriv --reuid "$id" --regid "$id" --clear-groups env -u CCWRAP_DIR -u CCACHE_DIR -u XDG_RUNTIME_DIR "$@"
}
cd u1 || exit 1
as 65534 HOME="$WORK/u1" "$CW" gcc -c f.c -o f.o || fail "first user"
cd ../u2 || exit 1
as 65533 HOME="$WORK/u2" "$CW" gcc -c g.c -o g.o || fail "second user"
[ "$(stat -c %u g.o)" = 65533 ] || fail "the second user's object belongs to $(stat -c %U g.o)"
equal g.o ../want.o "second user"
printf '#!/bin/sh\nid -u >"%s/open/who"\nexec gcc "$@"\n' "$WORK" >"$WORK/open/probe"
chmod 755 "$WORK/open/probe"
as 65533 HOME="$WORK/u2" "$CW" ../open/probe -c g.c -o g2.o
[ "$(cat "$WORK/open/who")" = 65533 ] || fail "the second user's compiler ran as $(cat "$WORK/open/who")"
while read -r socket; do
    folder=$(dirname "$socket")
    [ $((0$(stat -c %a "$folder") & 011)) = 0 ] || [ $((0$(stat -c %a "$socket") & 022)) = 0 ] || fail "$socket can be reached by others"
done < <(find "$WORK/u1" /tmp /run -xdev -user 65534 -type s 2>/dev/null)
as 65534 HOME="$WORK/u1" "$CW" --stop-server >/dev/null 2>&1
as 65533 HOME="$WORK/u2" "$CW" --stop-server >/dev/null 2>&1
exit 0
