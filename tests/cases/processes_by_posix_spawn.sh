# Every child of server and client is started by posix_spawn, never by fork.
. "$(dirname "$0")/lib.sh"

only_ccwrap
needs strace
strace -f -o /dev/null true 2>/dev/null || skip "strace can't trace here"
[ -z "$ASAN_OPTIONS" ] || export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # it can't be traced
echo 'int x = 1;' >x.c
cp x.c x.cc
mkdir bin
printf '#!/bin/sh\nexec gcc "$@"\n' >bin/mycc
chmod +x bin/mycc
# strace ends with the last that it traces, and so with the server, which serves all that follows under the trace
strace -f -qq -e trace=fork,vfork,clone,clone3,execve -o "$TOP/trace" "$CW" gcc -c x.c -o x.o &
within 20 test -s x.o || fail "no object under strace"
PATH=$WORK/bin:$PATH "$CW" mycc -c x.c -o y.o
(cd bin && "$CW" g++ -c ../x.cc -o x.o)
"$CW" clang -c x.c -o z.o
if command -v rustc make >/dev/null; then # a jobserver is asked of the client and shared, and rustc links
    echo 'fn main() {}' >r.rs
    printf 'r: r.rs ; +@%s rustc --out-dir . r.rs\n' "$CW" >Makefile
    make -s -j2 r && [ -x r ] || fail "no program by rustc"
fi
ls x.o y.o z.o bin/x.o >/dev/null || fail "an object is missing"
stop_server
within 20 no_servers || fail "the server stays"
wait
# calls of processes until their first exec as something else than ccwrap's own programs
python3 - "$TOP/trace" <<'P' || fail "see above"
import re, sys
program, bad = {}, []
for line in open(sys.argv[1]):
    pid, call = line.split(None, 1)
    m = re.match(r'execve\("([^"]*)"', call)
    if m:
        program[pid] = m.group(1).rsplit("/", 1)[-1]
        continue
    m = re.match(r'(fork|vfork|clone3?)\(', call)
    child = re.search(r'= (\d+)$', call)
    if m and child and child.group(1) not in program:
        program[child.group(1)] = program.get(pid, "ccwrap")
    if m and program.get(pid, "ccwrap") in ("ccwrap", "ccwrap-server") and "resumed" not in call:
        # a leak checker looks on from a task that shares the memory
        thread = "CLONE_THREAD" in call or ("CLONE_VM" in call and "CLONE_UNTRACED" in call)
        spawn = m.group(1) == "vfork" or ("CLONE_VM" in call and "CLONE_VFORK" in call)
        if not thread and not spawn:
            bad.append(line.strip())
for line in bad[:5]:
    print(line)
sys.exit(bool(bad))
P
