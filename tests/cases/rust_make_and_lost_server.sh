# make -j3 with rustc, which holds its jobserver: it ends, with the right files, when the server stops or dies in the
# middle of a compile; when rustc or the client is killed, it fails as without a cache, and nothing is left.
. "$(dirname "$0")/lib.sh"

needs make rustc
only_ccwrap
# a compile that goes on until the file "on" is there, for as long as a macro says
mkdir out
cat >mac.rs <<'R'
use proc_macro::TokenStream;
#[proc_macro] pub fn wait(_: TokenStream) -> TokenStream {
    let id = std::process::id();
    std::fs::write(format!("{}/pid", std::env::var("TOP").unwrap()), format!("{id}\n")).unwrap();
    for _ in 0..400 {
        if std::path::Path::new("on").exists() { break; }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    "1".parse().unwrap()
}
R
rustc --edition 2021 --crate-name mac --crate-type proc-macro --out-dir out --extern proc_macro mac.rs || fail "no macro"
echo 'pub fn slow() -> u32 { mac::wait!() }' >slow.rs
for i in 1 2 3; do echo "pub fn q$i() -> u32 { $i }" >q$i.rs; done
cat >Makefile <<S
all: libslow.rlib libq1.rlib libq2.rlib libq3.rlib
lib%.rlib: %.rs ; +@$CW rustc --edition 2021 --crate-type rlib --crate-name \$* --emit=link -C codegen-units=4 --out-dir . --extern mac=out/libmac.so \$<
S
touch on; make -s CW= >/dev/null 2>&1 || fail "make"
mkdir want; mv lib*.rlib want; rm on
stop_server
no_rustc() { ! pgrep -f -- "--crate-name slow --emit" >/dev/null; }
begin() { # make in a session of its own; waits until the slow crate is in the middle
    rm -f on lib*.rlib "$TOP/pid"
    fresh
    setsid env --default-signal=INT timeout 100 make -s -k -j3 >message 2>&1 &
    make=$!
    await "$TOP/pid"
    within 20 test -s libq3.rlib || fail "$1: the other crates"
}
ends() { # what, status
    local status
    wait $make
    status=$?
    [ "$status" = "$2" ] || fail "$1: make ends with $status, not $2: $(head -n 2 message)"
    grep -i jobserver message && fail "$1: $(head -n 1 message)"
    within 5 no_rustc || fail "$1: rustc lives on"
}
right() { for file in want/*; do equal "$file" "${file#want/}" "$1"; done; }

begin "server stopped"
stopped=$(servers)
kill -STOP $stopped
touch on
ends "server stopped" 0
right "server stopped"
kill -CONT $stopped
sleep 0.5
right "server woke up"

begin "server killed"
kill -9 $(servers)
touch on
ends "server killed" 0
right "server killed"

begin "rustc killed"
kill -9 "$(cat "$TOP/pid")"
ends "rustc killed" 2
[ ! -e libslow.rlib ] || fail "rustc killed: half a crate"

begin "client killed"
client=$(pgrep -f "^$CW rustc .*--crate-name slow" | head -n 1)
[ -n "$client" ] || fail "no client"
kill -9 "$client"
ends "client killed" 2
[ ! -e libslow.rlib ] || fail "client killed: half a crate"

begin "make interrupted"
kill -INT -- -$make
wait $make
within 5 no_rustc || fail "make interrupted: rustc lives on"
[ ! -e libslow.rlib ] || fail "make interrupted: half a crate"
touch on
make -s -j3 >message 2>&1 || fail "the next make: $(head -n 2 message)"
right "the next make"
exit 0
