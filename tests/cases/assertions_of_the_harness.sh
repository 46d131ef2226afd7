# The harness itself: a wrapper that serves old files, drops a depfile or a message is caught.
. "$(dirname "$0")/lib.sh"

cat >liar <<'S'
#!/bin/sh
case $LIE in
old) cp "$TOP/old.o" a.o; exit 0 ;;
depfile) "$@"; status=$?; rm -f a.d; exit $status ;;
message) exec "$@" 2>/dev/null ;;
status) "$@"; exit 0 ;;
extra) "$@"; : >extra ;;
mode) "$@"; chmod 600 a.o ;;
esac
S
chmod +x liar
echo 'int a = 1; int f(void) { int unused; return 0; }' >a.c
gcc -c a.c -o "$TOP/old.o"
sed -i 's/a = 1/a = 2/' a.c
cp a.c b.c
echo 'int b(' >>b.c
try() { (CW=$WORK/liar; export LIE=$1; shift; same "$@") >"$TOP/said" 2>&1 && fail "$LIE $1 passed unseen"; grep -q '^FAIL: .*differs' "$TOP/said" || fail "no clear word: $(cat "$TOP/said")"; rm -f extra; }
try old gcc -c a.c -o a.o
try depfile gcc -MD -c a.c -o a.o
try message gcc -Wall -c a.c -o a.o
try status gcc -c b.c -o a.o
try extra gcc -c a.c -o a.o
try mode gcc -c a.c -o a.o
