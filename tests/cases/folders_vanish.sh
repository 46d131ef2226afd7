# TMPDIR, the working folder or the store vanish under a running server.
. "$(dirname "$0")/lib.sh"

echo 'int f;' >f.c
echo 'int g;' >g.c
mkdir tmp
TMPDIR=$WORK/tmp "$CW" gcc -c f.c -o f.o
rm -rf tmp f.o
timeout 30 "$CW" gcc -c g.c -o g.o || fail "TMPDIR of the server's birth is gone"
rm -f g.o
mkdir gone
(cd gone && rmdir ../gone && exec timeout 30 "$CW" gcc -c "$WORK/g.c" -o "$WORK/g.o") 2>message
got=$?
mkdir gone
(cd gone && rmdir ../gone && exec gcc -c "$WORK/g.c" -o "$WORK/g.o") 2>message
[ $got = $? ] || fail "in a folder that is gone: status $got"
rm -f message g.o
"$CW" gcc -c f.c -o f.o
rm -rf "$STORE" f.o
for source in f.c g.c; do same gcc -c $source -o o.o; done
