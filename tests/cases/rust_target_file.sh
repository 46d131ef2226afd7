# A file that describes the target is an input, though no dep-info names it.
. "$(dirname "$0")/lib.sh"

needs rustc
export RUSTC_BOOTSTRAP=1
cat >n.rs <<'R'
#![feature(no_core, lang_items)]
#![no_core]
#![crate_type = "lib"]
#![allow(internal_features)]
#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[no_mangle] pub extern "C" fn f() {}
R
rustc -Z unstable-options --print target-spec-json >t.json 2>/dev/null || skip "this rustc prints no target"
compile() { $1 rustc --crate-name n --target t.json -Z unstable-options --emit=dep-info,metadata,asm --out-dir . n.rs; }
compile env >/dev/null 2>&1 || skip "this rustc has other names for what a crate without core needs"
rm -f libn.rmeta n.d n.s
compile miss
compile hit
sed 's/"x86-64"/"x86-64-v3"/; s/"function-sections": true/"function-sections": false/' t.json >u.json
cmp -s t.json u.json && sed 's/^{/{ "function-sections": false,/' t.json >u.json
cp t.json old.json
mv u.json t.json
compile miss
mv old.json t.json
compile hit
exit 0
