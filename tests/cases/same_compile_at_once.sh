# Eight clients ask for the same compile: all are right, and one compiler runs.
. "$(dirname "$0")/lib.sh"

mkdir bin
cat >bin/cc1x <<S
#!/bin/sh
echo run >>"$TOP/runs"
sleep 1
exec gcc "\$@"
S
chmod +x bin/cc1x
echo 'int f(int a) { return a; }' >f.c
gcc -c f.c -o want.o
for i in 1 2 3 4 5 6 7 8; do mkdir d$i; done
seq 8 | xargs -P8 -I@ sh -c 'umask 02@; "$CW" bin/cc1x -c f.c -o d@/f.o || echo bad >>bad' 2>/dev/null
[ ! -e bad ] || fail "a client failed"
for i in 1 2 3 4 5 6 7 8; do equal d$i/f.o want.o "client $i"; done
[ "$KIND" != ccwrap ] || [ "$(wc -l <"$TOP/runs")" = 1 ] || fail "$(wc -l <"$TOP/runs") compilers ran"
