# The server is killed, stopped or ended while a compile runs: the client compiles.
. "$(dirname "$0")/lib.sh"

slow_compiler 3
echo 'int f;' >f.c
for how in KILL TERM INT stop; do
    rm -f f.o "$TOP/pid"
    echo "int v_$how;" >>f.c
    gcc -c f.c -o want.o
    timeout 40 "$CW" bin/slowcc -c f.c -o f.o 2>message &
    client=$!
    await "$TOP/pid"
    case $how in
    stop) stop_server & ;;
    *) for server in $(servers); do kill -$how "$server"; done ;;
    esac
    wait $client
    status=$?
    [ $status = 0 ] || fail "$how: status $status: $(head -n 1 message)"
    equal f.o want.o "$how"
    sleep 0.5
    equal f.o want.o "$how, a moment later"
    within 10 no_compilers || fail "$how: a compiler is left"
    "$CW" gcc -c f.c -o f.o || fail "$how: the next compile"
done
