# Variables by which the loader itself prints or writes: never a result of the compiler's, and no reason to think ill of
# it afterwards.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >a.c
sleep 0.1
miss_hit gcc -c a.c
for level in 0 1; do
    same LD_DEBUG=help gcc -O$level -c a.c
    run_aside wrapped LD_TRACE_LOADED_OBJECTS=1 gcc -O$level -c a.c
    [ ! -s "$ASIDE/wrapped/listing" ] || fail "LD_TRACE_LOADED_OBJECTS wrote $(cat "$ASIDE/wrapped/listing")"
    hit gcc -c a.c
done
miss_hit gcc -O2 -c a.c
run_aside wrapped LD_SHOW_AUXV=1 gcc -c a.c
[ "$KIND" = plain ] || grep -q AT_PAGESZ "$ASIDE/wrapped/stdout" || fail "LD_SHOW_AUXV showed nothing"

# the name of the host, where that is the client's own
if [ "$(id -u)" = 0 ] && unshare -u true 2>/dev/null; then
    printf '#!/bin/bash\nread -r name </proc/sys/kernel/hostname\nexec gcc "-DNAME=\\"$name\\"" "$@"\n' >hostcc
    chmod +x hostcc
    echo 'const char *name = NAME;' >h.c
    same ./hostcc -c h.c -o h.o
    for name in one two; do
        unshare -u sh -c "echo $name >/proc/sys/kernel/hostname; exec \"\$@\"" sh "$CW" ./hostcc -c h.c -o h.o ||
            fail "status $?"
        grep -qa $name h.o || fail "it isn't compiled on $name"
    done
fi
exit 0
