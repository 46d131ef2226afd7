# Two checkouts of a workspace by cargo: right paths in dep-info, and cargo settles.
. "$(dirname "$0")/lib.sh"

needs cargo rustc
export CARGO_NET_OFFLINE=true CARGO_INCREMENTAL=0 CARGO_TERM_COLOR=never
checkout() {
    mkdir -p $1/dep/src $1/app/src
    printf '[workspace]\nmembers = ["dep", "app"]\nresolver = "2"\n' >$1/Cargo.toml
    printf '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n' >$1/dep/Cargo.toml
    printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndep = { path = "../dep" }\n' >$1/app/Cargo.toml
    cat >$1/dep/build.rs <<'S'
fn main() {
    println!("cargo:rerun-if-changed=data.txt");
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::copy("data.txt", format!("{out}/d.txt")).unwrap();
}
S
    echo first >$1/dep/data.txt
    cat >$1/dep/src/lib.rs <<'S'
pub fn d() -> &'static str { include_str!(concat!(env!("OUT_DIR"), "/d.txt")) }
pub fn here() -> &'static str { env!("CARGO_MANIFEST_DIR") }
S
    echo 'fn main() { print!("{} {}", dep::here(), dep::d()) }' >$1/app/src/main.rs
}
build() { (cd $1 && timeout 100 cargo build 2>&1); }
checkout wa; checkout wb
[ "$KIND" = plain ] || export RUSTC_WRAPPER=$CW
for tree in wa wb wa; do
    rm -rf $tree/target
    build $tree >log || fail "cargo build: $(tail -n 2 log)"
    said=$($tree/target/debug/app)
    [ "$said" = "$WORK/$tree/dep first" ] || fail "the program in $tree says: $said"
    other=wa; [ $tree = wb ] || other=wb
    grep -l "$WORK/$other/" $tree/target/debug/deps/*.d && fail "$tree: dep-info names the other checkout"
    build $tree >log
    grep -q Compiling log && fail "$tree: an idle build compiles: $(grep Compiling log | head -n 1)"
done
sleep 1
echo second >wb/dep/data.txt
build wb >/dev/null
[ "$(wb/target/debug/app)" = "$WORK/wb/dep second" ] || fail "an edit in wb is not picked up"
[ "$(wa/target/debug/app)" = "$WORK/wa/dep first" ] || fail "wa was disturbed"
touch wa/dep/src/lib.rs
build wa >/dev/null; build wa >log
grep -q Compiling log && fail "never settles after a touch"
exit 0
