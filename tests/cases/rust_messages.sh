# Warnings and JSON of rustc follow the flags of now.
. "$(dirname "$0")/lib.sh"

needs rustc
mkdir out
cat >lib.rs <<'S'
#[cfg(feature = "turbo")] pub fn t() {}
pub fn u() { let x = 1; }
pub unsafe fn w() { unsafe { std::hint::unreachable_unchecked() } }
S
while read -r words; do
    eval "set -- $words"
    twice rustc --crate-name k --crate-type lib --edition=2021 --emit=dep-info,metadata -C metadata=aa --out-dir out "$@" lib.rs
done <<'S'

--check-cfg 'cfg(feature, values())'
--check-cfg 'cfg(feature, values("turbo"))'
--cap-lints allow
-A warnings
-W unsafe_op_in_unsafe_fn
-D warnings
--error-format=json
--error-format=json --json=diagnostic-rendered-ansi,artifacts,future-incompat
--color=always
--error-format=short
-A unused_variables
-F unsafe_code
--cfg 'feature="turbo"'
S
same RUSTC_LOG=rustc_span=info rustc --crate-name k --crate-type lib --emit=metadata --out-dir out lib.rs
same rustc -vV
same rustc --print sysroot
