# The target folder, or one above it, is a link to another disk: hits come as without.
. "$(dirname "$0")/lib.sh"
needs rustc cargo
export CARGO_INCREMENTAL=0 RUSTC_WRAPPER=$CW CARGO_HOME=$TOP/cargo

mkdir -p p/src big/t
cd p || exit 1
printf '[package]\nname="p"\nversion="0.1.0"\nedition="2021"\n[workspace]\n' >Cargo.toml
echo 'pub fn f() -> u32 { 7 }' >src/lib.rs
echo 'fn main() { println!("{}", p::f()) }' >src/main.rs
build() { cargo "$1" --offline -q || fail "cargo $1"; }
for kind in none target parent; do
    fresh
    unset CARGO_TARGET_DIR
    rm -rf target ../link
    case $kind in
    target) ln -s ../big/t target ;;
    parent) ln -s big ../link; export CARGO_TARGET_DIR=$WORK/link/t ;;
    esac
    for what in build check; do
        before=$(misses)
        for round in 1 2 3; do
            rm -rf target/* ../big/t/*
            build $what
            [ $round != 1 ] || first=$(misses)
        done
        [ "$(misses)" = "$first" ] || fail "$kind, $what: $before, $first, then $(misses) misses"
    done
    [ $kind = none ] && { cp -r target ../plain-target; rm -rf target; }
done

# a proc-macro's tests leave an empty candidate
cd .. && mkdir w w/pm w/a && mkdir w/pm/src w/a/src && cd w || exit 1
unset CARGO_TARGET_DIR
printf '[workspace]\nmembers=["pm","a"]\nresolver="2"\n' >Cargo.toml
printf '[package]\nname="pm"\nversion="0.1.0"\nedition="2021"\n[lib]\nproc-macro=true\n' >pm/Cargo.toml
printf 'use proc_macro::TokenStream;\n#[proc_macro]\npub fn one(_: TokenStream) -> TokenStream { "1".parse().unwrap() }\n' >pm/src/lib.rs
printf '[package]\nname="a"\nversion="0.1.0"\nedition="2021"\n[dependencies]\npm={path="../pm"}\n' >a/Cargo.toml
echo 'pub fn a() -> u32 { pm::one!() }' >a/src/lib.rs
echo 'fn main() {}' >a/build.rs
fresh
for round in 1 2 3 4; do
    rm -rf target
    cargo check --all-targets --offline -q || fail "cargo check --all-targets"
    [ $round != 1 ] || first=$(misses)
done
[ "$(misses)" = "$first" ] || fail "cargo check --all-targets: $first, then $(misses) misses"

# … which is another thing once it has content
cd .. && mkdir e e/d e/out && cd e || exit 1
rustc=$(rustc --print sysroot)/bin/rustc
echo 'pub fn v() -> u32 { 1 }' >foo.rs
echo 'pub fn w() -> u32 { 2 }' >foo2.rs
echo 'extern crate foo; fn main() { println!("{}", foo::v()) }' >main.rs
$rustc --crate-type rlib --crate-name foo foo.rs -o d/libfoo.rlib || fail "foo"
: >d/libfoo.rmeta
use=("$rustc" --crate-name main --crate-type bin --edition 2021 main.rs --emit=metadata,dep-info --out-dir out -L d)
unset RUSTC_WRAPPER
miss_hit "${use[@]}"
$rustc --crate-type rlib --crate-name foo --emit=metadata foo2.rs -o d/libfoo.rmeta || fail "foo2"
fresh_result "${use[@]}"
: >d/libfoo.rmeta
hit "${use[@]}"

# a target folder that is a link to the sources' own
cd .. && mkdir s s/p s/p/deps s/tgt s/tgt2 s/tgt2/debug s/tgt2/debug/deps && cd s/p || exit 1
ln -s ../p ../tgt/debug
printf 'mod m;\nfn main() { println!("{}", m::V) }\n' >lib.rs
echo 'pub const V: u32 = 1;' >m.rs
cp ./*.rs ../tgt2/debug/
one() { "$CW" "$rustc" --crate-name lib --crate-type bin --edition 2021 lib.rs --emit=link,dep-info --out-dir "$WORK/s/$1/debug/deps" -L dependency="$WORK/s/$1/debug/deps" || fail "$1"; }
one tgt
echo 'pub const V: u32 = 2;' >m.rs
sleep 0.1
one tgt2
[ "$(../tgt2/debug/deps/lib)" = 2 ] || fail "the sources of another folder"
exit 0
