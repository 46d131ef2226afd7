# A client that has given up on a hung server, while the server still has something to complain of to it: later
# compiles of the same don't wait for the one that nobody wants any more.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >x.c
slow_compiler 6
"$CW" gcc -c x.c -o y.o
server=$(servers)
kill -STOP "$server"
CCWRAP_DIRECT=perhaps timeout 30 "$CW" bin/slowcc -c x.c -o x.o 2>/dev/null &
sleep 3.2
kill -CONT "$server"
wait $! || fail "the compile beside a hung server: status $?"
CCWRAP_DIRECT=perhaps timeout 30 "$CW" bin/slowcc -c x.c -o x.o 2>/dev/null || fail "the second compile: status $?"
within 5 no_compilers || fail "a compiler is left"
