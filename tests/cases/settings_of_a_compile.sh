# disable, recache, readonly, hits_only, direct, extrafiles, each with the server running.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int x;' >x.c
miss_hit gcc -c x.c -o x.o
neither CCWRAP_DISABLE=1 gcc -c x.c -o x.o
before=$(hits)
same CCWRAP_RECACHE=1 gcc -c x.c -o x.o
[ "$(hits)" = "$before" ] || fail "recache gave a hit"
hit CCWRAP_READONLY=1 gcc -c x.c -o x.o
echo 'int y;' >y.c
miss CCWRAP_READONLY=1 gcc -c y.c -o y.o
miss gcc -c y.c -o y.o
hit CCWRAP_HITS_ONLY=1 gcc -c y.c -o y.o
echo 'int z;' >z.c
CCWRAP_HITS_ONLY=1 "$CW" gcc -c z.c -o z.o 2>message
[ $? = 1 ] && [ -s message ] && [ ! -e z.o ] || fail "hits_only let a miss pass"
[ "$(wc -l <message)" = 1 ] && tr -d '\0' <message | cmp -s - message || fail "hits_only: the message is no line: it ends in $(tail -c 2 message | od -An -c)"
CCWRAP_HITS_ONLY=1 "$CW" gcc y.c -shared -o y.so || fail "hits_only stopped a link"
echo one >extra
miss CCWRAP_EXTRAFILES="$WORK/extra" gcc -c x.c -o x.o
hit CCWRAP_EXTRAFILES="$WORK/extra" gcc -c x.c -o x.o
echo two >extra
miss CCWRAP_EXTRAFILES="$WORK/extra" gcc -c x.c -o x.o
printf '#include "h.h"\nint h = H;\n' >h.c
echo '#define H 1' >h.h
miss_hit CCWRAP_DIRECT=0 gcc -c h.c -o h.o
echo '#define H 2' >h.h
miss CCWRAP_DIRECT=0 gcc -c h.c -o h.o
[ "$(counter preprocessed_cache_hit)" -ge 1 ] || fail "direct=0 gave no preprocessed hit"
same CCWRAP_RECORDER=0 gcc -c h.c -o h.o
same CCWRAP_RECORDER=0 gcc -c h.c -o h.o
same CCWRAP_RECORDER=0 gcc -MD -g -c h.c -o h.o
