# Crates that a crate is made from: their contents, their names, and those behind them.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir out nat
crate() { # name, words
    local name=$1
    shift
    rustc --edition 2021 --crate-name $name --crate-type lib --emit=metadata,link --out-dir out -L dependency=out "$@" $name.rs || fail "no crate $name"
}
echo '#[link(name = "deep", kind = "static")] extern "C" { fn deep() -> u32; } pub fn v() -> u32 { unsafe { deep() } }' >a.rs
library() { echo "int deep(void) { return $1; }" >deep.c; gcc -c deep.c -o deep.o && rm -f nat/libdeep.a && ar rcsD nat/libdeep.a deep.o; }
library 1
echo 'pub fn v() -> u32 { 2 }' >z.rs
echo 'pub fn v() -> u32 { a::v() }' >b.rs
echo 'pub fn w() -> u32 { x::v() * 10 + y::v() }' >s.rs
echo 'fn main() { std::process::exit((b::v() % 100) as i32) }' >m.rs
crate a -L native=nat; crate z; crate b --extern a=out/liba.rmeta
two() { $1 rustc --edition 2021 --crate-name s --crate-type lib --emit=metadata,link --out-dir out -L dependency=out --extern x=$2 --extern y=$3 s.rs; }
two miss out/liba.rmeta out/libz.rmeta
two hit out/liba.rmeta out/libz.rmeta
two miss out/libz.rmeta out/liba.rmeta
bin() { $1 rustc --edition 2021 --crate-name m --crate-type $2 --emit=link --out-dir out -L dependency=out --extern b=out/libb.rlib m.rs; }
bin miss bin
bin hit bin
# only the code of a crate behind the named one changes
library 2; crate a -L native=nat
bin miss bin
library 1; crate a -L native=nat; bin hit bin
# a crate behind it is gone: the compiler's own complaint
mv out/liba.rlib t; mv out/liba.rmeta t2; same rustc --edition 2021 --crate-name m --crate-type bin --emit=link --out-dir out -L dependency=out --extern b=out/libb.rlib m.rs
mv t out/liba.rlib; mv t2 out/liba.rmeta; bin hit bin
# a library that the linker would find earlier
echo 'int sum(void) { return 3; }' >sum.c
gcc -c sum.c -o sum.o && ar rcsD nat/libsum.a sum.o
echo 'extern "C" { fn sum() -> i32; } fn main() { std::process::exit(unsafe { sum() }) }' >l.rs
link() { $1 rustc --edition 2021 --crate-name l --crate-type bin --out-dir out -L native=early -L native=nat -l sum l.rs; }
mkdir early
link miss; link hit
sed 's/3/4/' sum.c >sum2.c; gcc -c sum2.c -o sum2.o && ar rcsD early/libsum.a sum2.o
link miss
rm early/libsum.a; link hit
for kind in cdylib dylib staticlib proc-macro; do
    echo '#[no_mangle] pub extern "C" fn e() -> u32 { 7 }' >k.rs
    [ $kind != proc-macro ] || echo '#[proc_macro] pub fn e(_: proc_macro::TokenStream) -> proc_macro::TokenStream { "7".parse().unwrap() }' >k.rs
    miss_hit rustc --edition 2021 --crate-name k --crate-type $kind --emit=dep-info,link --out-dir out k.rs --extern proc_macro
done
echo '#[test] fn t() { assert!(1 < 2) }' >t.rs
miss_hit rustc --edition 2021 --crate-name t --test --emit=dep-info,link --out-dir out t.rs
# the old program in its place is not an input
cp -a "$ASIDE/wrapped/files/out/." out/
miss_hit rustc --edition 2021 --crate-name t --test --emit=dep-info,link --out-dir out -C opt-level=1 t.rs
exit 0
