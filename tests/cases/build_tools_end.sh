# make, ninja, $(…) and pipes end with the build, though its first command started the server.
. "$(dirname "$0")/lib.sh"

needs make ninja
echo 'int f;' >f.c
printf 'all:\n\t@%s gcc -c f.c -o f.o\n' "$CW" >Makefile
printf 'rule cc\n  command = %s gcc -c $in -o $out\nbuild f.o: cc f.c\n' "$CW" >build.ninja
ends() { # what, command…
    local what=$1 log
    shift
    fresh
    rm -rf f.o .ninja*
    timeout 20 "$@" >out.log 2>&1 || fail "$what: status $? (124: it never ended)"
    [ -s f.o ] || fail "$what: no object"
}
ends make make -s
ends 'make -j2' make -s -j2
ends ninja ninja
ends '$(make)' bash -c 'x=$(make -s 2>&1); echo "[$x]"'
ends '$(ccwrap)' bash -c 'x=$("$CW" gcc -c f.c -o f.o 2>&1); [ -z "$x" ]'
ends pipe bash -c 'make -s 2>&1 | cat'
ends tee bash -c '"$CW" gcc -c f.c -o f.o |& tee log'
if [ "$KIND" = ccwrap ]; then [ "$(servers | wc -l)" = 1 ] || fail "the server did not outlive the build"; fi
