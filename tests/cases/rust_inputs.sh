# Files that rustc reads: modules, #[path], include!, include_str!, include_bytes!; swapped and moved.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir src gen out
cat >src/lib.rs <<'S'
mod a; mod b; #[path = "../gen/odd.rs"] mod odd; include!("../gen/more.rs");
pub fn t() -> (&'static str, &'static [u8], u32, u32, u32, u32) {
    (include_str!("note.txt"), include_bytes!("raw.bin"), a::V, b::V, odd::V, MORE)
}
S
echo 'pub const V: u32 = 1;' >src/a.rs
echo 'pub const V: u32 = 2;' >src/b.rs
echo 'pub const V: u32 = 3;' >gen/odd.rs
echo 'pub const MORE: u32 = 4;' >gen/more.rs
echo hello >src/note.txt
printf '\1\2' >src/raw.bin
compile() { same rustc --crate-name k --crate-type lib --edition=2021 --emit=dep-info,metadata,link -C metadata=aa --out-dir out src/lib.rs; }
compile; compile
echo other >src/note.txt; compile
printf '\3\4' >src/raw.bin; compile
echo 'pub const V: u32 = 33;' >gen/odd.rs; compile
echo 'pub const MORE: u32 = 44;' >gen/more.rs; compile
mv src/a.rs t; mv src/b.rs src/a.rs; mv t src/b.rs; compile
mkdir src/a; mv src/a.rs src/a/mod.rs; compile
echo 'pub const V: u32 = 9;' >src/a.rs; compile
rm src/a.rs; compile
cp -a src keep; echo 'broken(' >src/b.rs; compile
cp keep/b.rs src/b.rs; compile
