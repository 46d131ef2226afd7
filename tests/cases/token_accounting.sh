# make -jN: at most N compilers, all tokens come back, and gcc's LTO link sees its jobserver.
. "$(dirname "$0")/lib.sh"

needs make
mkdir bin
cat >bin/probe <<S
#!/bin/sh
mark=\$(mktemp "$TOP/run.XXXXXX")
ls "$TOP"/run.* | wc -l >>"$TOP/peak"
case "\$MAKEFLAGS" in *jobserver*) echo "\$MAKEFLAGS" >>"$TOP/flags" ;; esac
sleep 0.3
rm -f "\$mark"
exec gcc "\$@"
S
chmod +x bin/probe
for i in 0 1 2 3 4 5 6 7; do echo "int v$i;" >c$i.c; done
cat >Makefile <<S
all: \$(foreach i,0 1 2 3 4 5 6 7,c\$i.o)
%.o: %.c ; +@$CW bin/probe -c \$< -o \$@
S
for jobs in 1 2 3; do
    rm -f ./*.o "$TOP"/run.* "$TOP"/peak
    fresh
    timeout 60 make -s -j$jobs 2>message || fail "make -j$jobs: status $? (124: it never ended)"
    grep -qi jobserver message && fail "make -j$jobs: $(grep -i jobserver message | head -n 1)"
    [ "$(sort -n "$TOP/peak" | tail -n 1)" -le $jobs ] || fail "make -j$jobs: $(sort -n "$TOP/peak" | tail -n 1) compilers at once"
done
[ "$KIND" != ccwrap ] || [ ! -e "$TOP/flags" ] || fail "a C compile was given a jobserver: $(head -n 1 "$TOP/flags")"
echo 'int main(void) { return 0; }' >m.c
printf 'm: m.c ; +@%s gcc -O1 -flto=jobserver -c m.c -o m.o && %s gcc -flto=jobserver m.o -o m\n' "$CW" "$CW" >Makefile
timeout 40 make -s -j2 2>message || fail "LTO: status $?"
grep -qi jobserver message && fail "LTO: $(head -n 1 message)"
for words in -n -t; do
    for run in got want; do rm -f m m.o; make -s $words >"$TOP/$run" 2>&1; done
    equal "$TOP/got" "$TOP/want" "make $words"
done
