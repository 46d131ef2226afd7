# What a procedural macro reads: variables by name, all variables, files.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir out
cat >m.rs <<'R'
use proc_macro::TokenStream;
fn say(n: usize) -> TokenStream { format!("{n}").parse().unwrap() }
#[proc_macro] pub fn named(_: TokenStream) -> TokenStream { say(std::env::var("ZZ_NAMED").map_or(0, |v| v.len())) }
#[proc_macro] pub fn filed(_: TokenStream) -> TokenStream { say(std::fs::read_to_string("data.txt").map_or(0, |v| v.len())) }
R
cat >w.rs <<'R'
use proc_macro::TokenStream;
#[proc_macro] pub fn all(_: TokenStream) -> TokenStream {
    format!("{}", std::env::vars().filter(|(k, _)| k.starts_with("ZZ")).count()).parse().unwrap()
}
R
echo 'pub fn f() -> usize { m::named!() + m::filed!() }' >u.rs
echo 'pub fn f() -> usize { w::all!() }' >v.rs
macro() { rustc --edition 2021 --crate-name $1 --crate-type proc-macro --out-dir out $1.rs --extern proc_macro || fail "no macro"; }
macro m; macro w
use() { # word, crate, macro, variables
    local word=$1 crate=$2 macro=$3
    shift 3
    $word "$@" rustc --edition 2021 --crate-name $crate --crate-type lib --emit=dep-info,metadata,link --out-dir out $crate.rs --extern $macro=out/lib$macro.so -L dependency=out
}
use miss u m A=1
use hit u m ZZ_OTHER=1
use miss u m ZZ_NAMED=abc
use hit u m ZZ_NAMED=abc ZZ_OTHER=3
echo data >data.txt; use miss u m A=1
echo other >data.txt; use miss u m A=1
rm data.txt; use hit u m A=1
use miss v w A=1
use hit v w A=1
use miss v w A=1 ZZ_OTHER=1
use miss v w A=1 ZZ_OTHER=1 ZZ_MORE=1
use hit v w A=1
sed -i 's/v.len()/v.len() + 100/' m.rs; macro m
use miss u m A=1
exit 0
