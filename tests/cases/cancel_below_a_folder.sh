# What an interrupted compile has made is removed: in the folder where each of its processes was, and nowhere else.
. "$(dirname "$0")/lib.sh"

mkdir bin sub
cat >bin/slowcc <<S
#!/bin/sh
(cd sub && cat y >/dev/null)
: >z.h
(cd sub && : >made.h)
case "\$*" in *-c*) echo \$\$ >"$TOP/pid"; sleep 6 ;; esac
exec gcc "\$@"
S
chmod +x bin/slowcc
echo 'int f;' >f.c
echo y >sub/y
echo 'the user has written this' >sub/z.h
"$CW" bin/slowcc -c f.c -o f.o &
await "$TOP/pid"
kill -TERM $!
wait $!
[ $? = 143 ] || fail "the client's status"
[ -e sub/z.h ] || fail "a file of the user's was removed"
only_ccwrap
within 3 test ! -e sub/made.h || fail "what the compile had made below is left"
