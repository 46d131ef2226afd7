# Ctrl-C, TERM, HUP and KILL of the client: it dies so, no compiler and no half object is left.
. "$(dirname "$0")/lib.sh"

slow_compiler 6
echo 'int f;' >f.c
for signal in INT TERM HUP KILL; do
    rm -f "$TOP/pid" f.o
    # a job of its own, as a shell would have it (background jobs ignore INT)
    python3 - "$signal" "$CW" bin/slowcc -c f.c -o f.o <<'P' || fail "$signal"
import os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
child = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: (os.setpgid(0, 0), signal.signal(signal.SIGINT, signal.SIG_DFL)))
path = os.environ["TOP"] + "/pid"
for _ in range(200):
    if os.path.exists(path) and os.path.getsize(path): break
    time.sleep(0.05)
else: sys.exit("the compiler never ran")
os.killpg(child.pid, number)
begun = time.time()
status = child.wait(20)
if time.time() - begun > 4: sys.exit(f"took {time.time() - begun:.1f} s to die")
if status != -number: sys.exit(f"status {status} instead of death by {number}")
P
    within 5 no_compilers || fail "$signal: a compiler is left"
    [ ! -e f.o ] || fail "$signal: an object is left"
done
"$CW" gcc -c f.c -o f.o || fail "the next compile"
