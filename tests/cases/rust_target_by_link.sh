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
exit 0
