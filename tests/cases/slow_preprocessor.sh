# A preprocessor that takes its time (direct = 0): the compile is right, hits of others don't wait for it, and it
# ends with its client.
. "$(dirname "$0")/lib.sh"
only_ccwrap

slow_preprocessor() { # seconds
    mkdir -p bin
    cat >bin/gcc <<S
#!/bin/sh
for word; do case \$word in -E) echo \$\$ >"$TOP/pid"; sleep $1 ;; esac; done
exec /usr/bin/gcc "\$@"
S
    chmod +x bin/gcc
}
runs() { kill -0 "$(cat "$TOP/pid")" 2>/dev/null; }
ended() { ! runs; }

echo 'int f;' >f.c
echo 'int quick;' >quick.c
for seconds in 0.1 0.7; do # within what a thread waits, and beyond
    slow_preprocessor $seconds
    miss CCWRAP_DIRECT=0 bin/gcc -c f.c -o f.o
    hit CCWRAP_DIRECT=0 bin/gcc -c f.c -o f.o
    miss CCWRAP_DIRECT=0 CCWRAP_NAMESPACE=$seconds bin/gcc -Wall -c f.c -o f.o
done

# many at once: each is right, and a direct hit comes between
slow_preprocessor 1
"$CW" gcc -c quick.c -o quick.o || fail "quick"
for i in 1 2 3 4 5 6 7 8; do
    echo "int f$i;" >f$i.c
    CCWRAP_DIRECT=0 "$CW" bin/gcc -c f$i.c -o f$i.o &
done
await "$TOP/pid"
before=$(counter direct_cache_hit)
for i in 1 2 3 4 5 6 7 8 9 10; do timeout 3 "$CW" gcc -c quick.c -o quick.o || fail "a hit beside slow preprocessors"; done
[ "$(counter direct_cache_hit)" = $((before + 10)) ] || fail "hits beside slow preprocessors"
wait
for i in 1 2 3 4 5 6 7 8; do
    gcc -c f$i.c -o want.o
    equal f$i.o want.o "f$i.o"
done

# the client goes, at once and later
slow_preprocessor 30
for pause in 0 0.6; do
    rm -f "$TOP/pid" f.o
    CCWRAP_DIRECT=0 "$CW" bin/gcc -c f.c -o f.o &
    client=$!
    await "$TOP/pid"
    sleep $pause
    kill -TERM $client
    wait $client
    [ $? = 143 ] || fail "the client's status"
    within 5 ended || fail "the preprocessor goes on"
    [ ! -e f.o ] || fail "an object is left"
done

# a preprocessor that fails, soon and late
slow_preprocessor 0
echo '#error no' >f.c
same CCWRAP_DIRECT=0 bin/gcc -c f.c -o f.o
slow_preprocessor 0.5
same CCWRAP_DIRECT=0 bin/gcc -c f.c -o f.o

# a bad setting's line comes first, whoever answers
slow_preprocessor 0
echo 'int f;' >f.c
CCWRAP_DIRECT=0 CCWRAP_NOTHING_SUCH=1 "$CW" bin/gcc -c f.c -o f.o 2>first
CCWRAP_DIRECT=0 CCWRAP_NOTHING_SUCH=1 "$CW" bin/gcc -c f.c -o f.o 2>second
equal first second "complaints on a miss and on a hit"
exit 0
