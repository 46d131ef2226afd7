# A pool of the build's, by pipe and by FIFO, is shared with rustc and whole at the end; without one the server's own serves.
. "$(dirname "$0")/lib.sh"

needs rustc python3
only_ccwrap
python3 - >big.rs <<'S'
for m in range(24):
    print("pub mod m%d {" % m)
    for f in range(40):
        print("    pub fn f%d(v: &[u64]) -> u64 { let mut s = %d; for x in v { s = s * 31 + x.rotate_left(%d) %% 7; } s }" % (f, m * f, f % 60))
    print("}")
S
cat >host.py <<'S'
# host.py KIND TOKENS SIGNAL COMMAND…: a jobserver of so many tokens for the command; says how many were taken
# at most, how many there are at the end, and the status. SIGNAL is sent to the command in its middle (0: none).
import fcntl, os, signal, struct, subprocess, sys, termios, time
kind, tokens, number, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
env, fds = dict(os.environ), ()
if kind == "pipe":
    r, w = os.pipe()
    fds, name = (r, w), "%d,%d" % (r, w)
elif kind == "fifo":
    path = os.path.abspath("pool")
    if not os.path.exists(path): os.mkfifo(path)
    r = w = os.open(path, os.O_RDWR)
    name = "fifo:" + path
elif kind == "stale":
    r, w = os.pipe()
    name = "77,78"
if kind != "none": env["MAKEFLAGS"] = " -j --jobserver-auth=" + name
else: r, w = os.pipe()
os.write(w, b"+" * tokens)
def left(): return struct.unpack("i", fcntl.ioctl(r, termios.FIONREAD, b"    "))[0]
child = subprocess.Popen(command, env=env, pass_fds=fds, start_new_session=True)
least, most, began = tokens, tokens, time.time()
while child.poll() is None:
    now = left()
    least, most = min(least, now), max(most, now)
    if number and (least < tokens or time.time() - began > 1.5):
        os.killpg(child.pid, number)
        number = 0
    time.sleep(0.001)
status = child.returncode
assert most == tokens, "more was put into the pool than was taken from it"
assert not fcntl.fcntl(r, fcntl.F_GETFL) & os.O_NONBLOCK, "the pool was made non-blocking"
print(tokens - least, left(), status)
S
words="rustc --edition 2021 --crate-name big --crate-type lib -C opt-level=3 -C codegen-units=16 --emit=link --out-dir . big.rs"
share() { # kind tokens → taken left status
    fresh
    python3 host.py "$1" "$2" 0 "$CW" $words >said 2>message || fail "$1: $(tail -n 1 message)"
    grep -i jobserver message && fail "$1: $(head -n 1 message)"
    read -r taken left status <said
    [ "$status" = 0 ] || fail "$1: status $status"
    [ "$left" = "$2" ] || fail "$1: $left tokens of $2 at the end"
}
own_pool() { ls /dev/shm/ccwrap-$(id -u)/jobserver-* "${XDG_RUNTIME_DIR:-/nowhere}"/ccwrap/jobserver-* /tmp/ccwrap-$(id -u)/jobserver-* 2>/dev/null | grep -E "jobserver-($(servers | tr '\n' '|')none)$"; }
for kind in pipe fifo; do
    for _ in 1 2 3 4 5 6 7 8; do # rustc takes one only if there is work for it at that moment, plainly too
        share $kind 3
        [ "$taken" = 0 ] || break
    done
    [ "$taken" -gt 0 ] || fail "$kind: no token of the build's was taken"
    [ -z "$(own_pool)" ] || fail "$kind: the server made a pool of its own"
    share $kind 0
done
# four at once have no more tokens between them than there are, and give each back once
python3 - >wide.rs <<'S'
for m in range(16):
    print("pub mod m%d { pub fn f(v: &[u64]) -> u64 { v.iter().map(|x| x.rotate_left(%d) %% 7).sum() } }" % (m, m))
S
printf '%s\n' '#!/bin/sh' 'for i in 1 2 3 4; do' "\"$CW\" rustc --crate-name w\$i --crate-type lib -C codegen-units=16 -C opt-level=1 --emit=link --out-dir . wide.rs &" \
    'all="$all $!"; done; for one in $all; do wait $one || exit 1; done' >four
chmod +x four
for kind in pipe fifo; do
    one=$words words= # the command is the script alone
    CW=$WORK/four share $kind 2
    words=$one
    ls libw1.rlib libw2.rlib libw3.rlib libw4.rlib >/dev/null || fail "$kind: not all four"
    rm -f libw?.rlib
done
for kind in stale none; do
    share $kind 3
    [ "$taken" = 0 ] || fail "$kind: a token was taken from a pool that wasn't offered"
    [ -n "$(own_pool)" ] || fail "$kind: no pool of the server's own"
done
tokens() { python3 -c 'import fcntl,os,struct,sys,termios; print(struct.unpack("i", fcntl.ioctl(os.open(sys.argv[1], os.O_RDWR), termios.FIONREAD, b"    "))[0])' "$1"; }
for signal in 2 9; do
    export CCWRAP_JOBS=4
    fresh
    python3 host.py none 0 $signal "$CW" $words >said 2>&1
    within 3 eval '! pgrep -f "rustc.*$PWD|rustc.*--crate-name big" >/dev/null' || fail "signal $signal: rustc lives on"
    [ "$(tokens "$(own_pool)")" = 3 ] || within 3 eval '[ "$(tokens "$(own_pool)")" = 3 ]' || fail "signal $signal: the server's pool has lost tokens"
    unset CCWRAP_JOBS
done
pool=$(own_pool)
stop_server
within 5 eval '[ ! -e "$pool" ]' || fail "the pool is left behind"
exit 0
