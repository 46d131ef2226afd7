# Soft limits are those of whoever happened to start the server: they don't bind what it does for others.
. "$(dirname "$0")/lib.sh"

only_ccwrap
(ulimit -S -f 100 && "$CW" --start-server) >/dev/null || fail "no server"
server=$(servers)
for i in $(seq 4000); do echo "long v$i = $i; const char *s$i = \"text $i\";"; done >big.c
miss_hit gcc -g -c big.c -o big.o
[ "$(stat -c %s "$ASIDE/wrapped/files/big.o")" -gt 204800 ] || fail "too small to say anything"
[ "$(servers)" = "$server" ] || fail "the server has ended"
