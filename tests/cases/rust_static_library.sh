# A static library that rustc bundles changes under the same name, or appears earlier.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir nat nat2 out
library() { echo "int deep(void) { return $1; }" >d.c; gcc -c d.c -o d.o; rm -f $2/libdeep.a; ar rcsD $2/libdeep.a d.o; }
echo 'extern "C" { fn deep() -> i32; } pub fn d() -> i32 { unsafe { deep() } }' >flag.rs
echo '#[link(name = "deep", kind = "static")] extern "C" { fn deep() -> i32; } pub fn d() -> i32 { unsafe { deep() } }' >attr.rs
compile() { same rustc --crate-name k --crate-type lib --edition=2021 --emit=dep-info,metadata,link -C metadata=aa --out-dir out -L native=nat -L native=nat2 $words; }
for words in "-lstatic=deep flag.rs" "-lstatic:+whole-archive=deep flag.rs" "-Cdebuginfo=0 attr.rs"; do
    rm -f nat2/*
    library 1 nat; compile; compile
    library 2 nat; compile
    library 2 nat2; compile
    rm nat/libdeep.a; library 3 nat2; compile
done
