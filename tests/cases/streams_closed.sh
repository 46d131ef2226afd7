# Closed or full streams: the same status, no hang, and their order is kept.
. "$(dirname "$0")/lib.sh"

echo 'int f(int a) { if (a = 1) return 1; }' >w.c
for cc in gcc clang; do
    for redirect in '<&-' '>&-' '2>&-' '<&- >&- 2>&-' '2>/dev/full' '>/dev/full' '>/dev/null 2>&1'; do
        eval "$cc -Wall -c w.c -o w.o $redirect"; want=$?
        for round in 1 2; do
            rm -f w.o
            eval "timeout 20 \"\$CW\" $cc -Wall -c w.c -o w.o $redirect"; got=$?
            [ $got = $want ] || fail "$cc $redirect: status $got, plain $want"
        done
    done
done 2>/dev/null
mkdir bin
printf '#!/bin/sh\nfor i in 1 2 3 4; do echo out $i; echo err $i >&2; done\nexec gcc "$@"\n' >bin/talk
printf '#!/bin/sh\nhead -c 300000 /dev/zero | tr "\\0" x >&2; exec gcc "$@"\n' >bin/flood
chmod +x bin/*
rm -f w.o
bin/talk -c w.c -o w.o >"$TOP/want" 2>&1
for round in 1 2; do
    "$CW" bin/talk -c w.c -o w.o >"$TOP/got" 2>&1
    equal "$TOP/got" "$TOP/want" "order of the two streams in one pipe"
done
rm -f w.o
twice bin/flood -c w.c -o w.o
{ timeout 20 "$CW" bin/flood -c w.c -o w.o 2>&1; echo "status $?" >"$TOP/status"; } | { sleep 2; head -c 1000 >/dev/null; cat >/dev/null; }
grep -q 'status 0' "$TOP/status" || fail "a slow reader: $(cat "$TOP/status")"
