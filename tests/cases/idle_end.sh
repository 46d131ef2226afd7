# The idle end neither strikes a running compile nor the client that comes at that moment.
. "$(dirname "$0")/lib.sh"

only_ccwrap
export CCWRAP_IDLE_TIMEOUT=2
echo 'int f;' >f.c
slow_compiler 4
timeout 40 "$CW" bin/slowcc -c f.c -o f.o || fail "the server idled out under a running compile"
for delay in 1.9 2.0 2.1 2.2; do
    sleep $delay
    rm -f f.o
    timeout 20 "$CW" gcc -c f.c -o f.o || fail "a client at the idle end ($delay s)"
done
within 6 no_servers || fail "never idles out"
