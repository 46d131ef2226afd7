# Words and variables of rustc, each as the plain compiler has it and then from the cache.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir out
echo 'pub fn f() -> &'"'static str"' { option_env!("ZZ").unwrap_or("none") }' >lib.rs
base="rustc --edition 2021 --crate-name k --crate-type lib"
while read -r words; do
    eval "miss_hit $words"
done <<S
$base --emit=dep-info,metadata,link --out-dir out lib.rs
ZZ=1 $base --emit=metadata --out-dir out lib.rs
ZZ=2 $base --emit=metadata --out-dir out lib.rs
$base --emit=link -o out/named.rlib lib.rs
$base --emit=asm,llvm-ir,mir,obj,llvm-bc --out-dir out lib.rs
$base --emit=dep-info=out/x.d,metadata=out/x.rmeta lib.rs
$base --emit=metadata lib.rs
$base -Cextra-filename=-x -Cmetadata=y --emit metadata --out-dir=out lib.rs
$base -C target-cpu=native --emit=link --out-dir out lib.rs
$base -gO --emit=link --out-dir out lib.rs
$base -C embed-bitcode=no -C codegen-units=3 --emit=link --out-dir out lib.rs
$base --remap-path-prefix=$WORK=/w -g --emit=link --out-dir out lib.rs
$base --cfg 'a="b"' --cfg c --check-cfg 'cfg(c)' --emit=link --out-dir out lib.rs
$base --cfg c --cfg 'a="b"' --check-cfg 'cfg(c)' --emit=link --out-dir out lib.rs
S
plain_one() { local word=$1; shift; $word "$@" rustc --edition 2021 --crate-name p --crate-type rlib --emit=metadata --out-dir out lib.rs; }
plain_one miss A=1
plain_one miss RUSTC_FORCE_RUSTC_VERSION=1.95.0
plain_one miss LLVM_OVERRIDE_PRODUCER=me
plain_one miss RUSTC_BOOTSTRAP=1
plain_one hit TERM=xterm COLUMNS=70 TMPDIR=$TOP
hit rustc --edition 2021 --crate-name p --crate-type rlib --emit=metadata --out-dir out --color=never --diagnostic-width=50 lib.rs
# there is no preprocessed text to go by
direct_off() { $1 CCWRAP_DIRECT=0 rustc --edition 2021 --crate-name n --crate-type lib --emit=dep-info,metadata,link --out-dir out lib.rs; }
direct_off miss; direct_off hit
sed -i 's/none/nil/' lib.rs; direct_off miss; sed -i 's/nil/none/' lib.rs; direct_off hit
for words in -vV -V --help "--print sysroot" "--explain E0001" "-C help" "-A help" "--print file-names lib.rs"; do
    neither rustc $words
done
printf -- '--crate-name\nk\n--crate-type=lib\n--emit=metadata\n--out-dir\nout\nlib.rs\n' >args
miss_hit rustc @args
mv args args2; sed -i 's/^k$/j/' args2; miss rustc @args2
neither rustc --crate-name k --emit=metadata --out-dir out lib.rs other.rs
"$CW" rustc --crate-type lib --crate-name k --emit=metadata --out-dir new/folder lib.rs && [ -s new/folder/libk.rmeta ] || fail "a new folder"
neither rustc --no-such-option lib.rs
echo 'pub fn f() { broken' >bad.rs
same rustc --crate-type lib --emit=metadata --out-dir out bad.rs
echo 'pub fn f() {}' | "$CW" rustc --crate-type lib --crate-name i --emit=metadata --out-dir out - || fail "source on standard input"
# the folder's name stands in the source's name, too
mkdir -p lib/lib; cp lib.rs lib/lib/lib.rs
miss_hit rustc --crate-type lib --emit=dep-info,metadata --out-dir lib lib/lib/lib.rs
# another link of an old output is not written through
mkdir deps
crate() { "$CW" rustc --crate-name h --crate-type lib --emit=link --out-dir deps lib.rs || fail "no crate"; }
crate; ln deps/libh.rlib other.rlib; cp other.rlib keep
sed -i 's/none/NONE/' lib.rs; crate; equal other.rlib keep "the other link"
sed -i 's/NONE/none/' lib.rs; crate; equal other.rlib keep "the other link"; equal deps/libh.rlib keep "the old crate"
umask 077; hit rustc --crate-name h --crate-type lib --emit=link --out-dir deps lib.rs
exit 0
