# A file that bears the name of the socket is left alone: no server starts, and words that may say why say it.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >f.c
gcc -c f.c -o want.o
export CCWRAP_SOCKET=$TOP/precious
mine() { [ "$(cat "$CCWRAP_SOCKET" 2>/dev/null)" = mine ] || fail "$1: the file is gone"; }
echo mine >"$CCWRAP_SOCKET"
"$CW" gcc -c f.c -o f.o 2>message || fail "a compile: status $?"
[ ! -s message ] || fail "a compile says: $(head -n 1 message)"
equal f.o want.o "a compile"
mine "a compile"
"$CW" --start-server >out 2>message && fail "--start-server succeeds"
[ "$(wc -l <message)" = 1 ] && grep -q "precious.*no socket" message || fail "--start-server: $(head -n 2 message)"
mine --start-server
timeout 10 "$(dirname "$CW")/ccwrap-server" --daemon --dir "$STORE" --socket "$CCWRAP_SOCKET" 2>message && fail "the server starts"
mine "the server itself"
"$CW" --stats >out 2>message || fail "--stats: status $?"
grep -q "precious.*no socket" message || fail "--stats doesn't say why no server can start"
"$CW" --stop-server >out 2>&1 || fail "--stop-server: $(head -n 1 out)"
mine --stop-server
# A file that takes the place of a running server's socket is left alone at the server's end, too.
export CCWRAP_SOCKET=$TOP/socket
"$CW" --start-server >out 2>&1 || fail "--start-server in an empty place: $(head -n 1 out)"
rm "$CCWRAP_SOCKET"
echo mine >"$CCWRAP_SOCKET"
kill $(servers)
within 5 no_servers || fail "the server doesn't end"
mine "the end of a server"
# A folder that isn't there, or that others can write to.
mkdir -m 777 "$TOP/open"
for folder in none open; do
    export CCWRAP_SOCKET=$TOP/$folder/s
    "$CW" --start-server >out 2>message && fail "$folder: --start-server succeeds"
    grep -q "$folder/s: .*folder" message || fail "$folder: $(head -n 1 message)"
    "$CW" --stats 2>&1 >out | grep -q "$folder/s: .*folder" || fail "$folder: --stats says nothing"
done
exit 0
