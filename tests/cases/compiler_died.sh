# A compiler that dies by a signal, talks on both streams, or isn't there.
. "$(dirname "$0")/lib.sh"

echo 'int ok;' >ok.c
mkdir bin
cat >bin/die <<'S'
#!/bin/sh
case "$*" in *-c*) kill -SEGV $$ ;; esac
S
cat >bin/talk <<'S'
#!/bin/sh
echo out; echo err >&2; echo more
exec gcc "$@"
S
echo 'int main' >bin/notexec
chmod +x bin/die bin/talk
bash -c '"$0" bin/die -c ok.c -o o.o; exit $?' "$CW" 2>/dev/null
[ $? = 139 ] || fail "death by SEGV became status $?"
[ ! -e o.o ] || fail "an object from a dead compiler"
twice bin/talk -c ok.c -o o.o
for words in "no-such-compiler -c ok.c" "./bin/notexec -c ok.c" "$WORK/bin -c ok.c"; do
    (exec $words) 2>/dev/null
    want=$?
    "$CW" $words 2>message
    got=$?
    [ $got = $want ] || fail "$words: status $got, the shell's is $want"
    [ -s message ] || fail "$words: no message"
done
