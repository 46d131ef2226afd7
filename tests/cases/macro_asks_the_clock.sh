# A procedural macro that asks for the time makes another result each time; one that looks at files is followed.
. "$(dirname "$0")/lib.sh"

needs rustc
only_ccwrap
cat >pm.rs <<'R'
extern crate proc_macro;
use proc_macro::TokenStream;
#[proc_macro]
pub fn now(_: TokenStream) -> TokenStream {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("{}u64", now.as_nanos() as u64).parse().unwrap()
}
#[proc_macro]
pub fn size(_: TokenStream) -> TokenStream {
    format!("{}u64", std::fs::metadata("data.bin").unwrap().len()).parse().unwrap()
}
#[proc_macro]
pub fn one(_: TokenStream) -> TokenStream {
    "1u64".parse().unwrap()
}
R
rustc --edition 2021 --crate-type proc-macro --crate-name pm pm.rs -o libpm.so || skip "no procedural macros here"
for macro in now size one; do echo "pub fn f() -> u64 { pm::$macro!() }" >$macro.rs; done
build() { rustc_words=(rustc --edition 2021 --crate-name $1 --crate-type lib --emit=link,metadata --extern pm=libpm.so $1.rs); }
build now
for _ in 1 2; do "$CW" "${rustc_words[@]}" || fail "status $?"; done
[ "$(hits)" = 0 ] || fail "an old time"
build one
miss "${rustc_words[@]}"
hit "${rustc_words[@]}"
build size
echo 12345 >data.bin
miss "${rustc_words[@]}"
hit "${rustc_words[@]}"
echo 1234567 >data.bin
miss "${rustc_words[@]}"
