# Another target folder shares; notices and dep-info name the folder of now.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir -p one/debug/deps two/debug/deps 'th ree/debug/deps' one/debug/build/s-1 two/debug/build/s-1
echo 'pub fn a() -> u32 { let unused = 1; 1 }' >a.rs
echo 'pub fn b() -> u32 { a::a() }' >b.rs
echo 'fn main() { println!("{}", b::b()) }' >c.rs
echo 'fn main() {}' >s.rs
build() { # words for a, b, c; target folder
    local t="$4/debug/deps" json="--error-format=json --json=diagnostic-rendered-ansi,artifacts"
    $1 LD_LIBRARY_PATH="$t" rustc --edition 2021 $json --crate-name a --crate-type lib --emit=dep-info,metadata,link -C metadata=1 -C extra-filename=-1 --out-dir "$t" a.rs
    rustc --edition 2021 --crate-name a --crate-type lib --emit=dep-info,metadata,link -C metadata=1 -C extra-filename=-1 --out-dir "$t" a.rs $json 2>/dev/null
    $2 LD_LIBRARY_PATH="$t" rustc --edition 2021 $json --crate-name b --crate-type lib --emit=dep-info,metadata,link -C metadata=2 -C extra-filename=-2 --out-dir "$t" -L dependency="$t" --extern a="$t/liba-1.rmeta" b.rs
    rustc --edition 2021 --crate-name b --crate-type lib --emit=dep-info,metadata,link -C metadata=2 -C extra-filename=-2 --out-dir "$t" -L dependency="$t" --extern a="$t/liba-1.rmeta" b.rs $json 2>/dev/null
    $3 LD_LIBRARY_PATH="$t" rustc --edition 2021 $json --crate-name c --crate-type bin --emit=dep-info,link -C metadata=3 -C extra-filename=-3 --out-dir "$t" -L dependency="$t" --extern b="$t/libb-2.rlib" c.rs
}
build miss miss miss "$WORK/one"
build hit hit hit "$WORK/one"
build hit hit hit "$WORK/two"
build miss miss miss "$WORK/th ree"
build hit hit hit "$WORK/th ree"
script() { $1 rustc --edition 2021 --crate-name s --crate-type bin --emit=dep-info,link -C extra-filename=-1 --out-dir "$2" -L dependency=$WORK/one/debug/deps s.rs; }
script miss "$WORK/one/debug/build/s-1"
script hit "$WORK/one/debug/build/s-1"
# a crate that others have built since is no reason to compile again
touch one/debug/deps/libother-9.rlib
build hit hit hit "$WORK/one"
# folders said relative to the directory
build hit hit hit one
build hit hit hit two
# what shows where the folder is does not share
echo 'pub const P: &str = include_str!(concat!(env!("OUT_DIR"), "/t.txt"));' >o.rs
for t in one two; do
    echo same >$t/t.txt
    miss OUT_DIR=$WORK/$t rustc --edition 2021 --crate-name o --crate-type lib -g --emit=dep-info,metadata,link --out-dir $WORK/$t/debug/deps o.rs
    hit OUT_DIR=$WORK/$t rustc --edition 2021 --crate-name o --crate-type lib -g --emit=dep-info,metadata,link --out-dir $WORK/$t/debug/deps o.rs
done
exit 0
