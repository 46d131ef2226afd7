# What a script or macro tried to remove or make, and couldn't, is an input: next time it may be there.
. "$(dirname "$0")/lib.sh"

echo '#ifdef LOCKED
int locked;
#else
int open;
#endif' >a.c
try() { # what it tries, what makes it go otherwise, what undoes that
    printf '#!/bin/bash\nif %s 2>/dev/null; then D=-DLOCKED=1; fi\nexec gcc $D "$@"\n' "$1" >mycc
    chmod +x mycc
    fresh_result ./mycc -c a.c -o a.o
    eval "$2"
    fresh_result ./mycc -c a.c -o a.o
    eval "$3"
    fresh_result ./mycc -c a.c -o a.o
}
try 'unlink lock' 'touch lock' 'rm -f lock'
# folders aren't put back between two runs
printf '#!/bin/bash\nif rmdir lockd 2>/dev/null; then D=-DLOCKED=1; fi\nexec gcc $D "$@"\n' >mycc
fresh_result ./mycc -c a.c -o a.o
mkdir lockd
"$CW" ./mycc -c a.c -o a.o || fail "the compile"
nm a.o | grep -q locked || fail "rmdir that can be done now"
[ ! -e lockd ] || fail "the folder is left"
touch pipe
try 'mkfifo pipe' 'rm -f pipe' 'rm -f pipe; touch pipe'

command -v rustc >/dev/null || exit 0
rustc=$(rustc --print sysroot)/bin/rustc
cat >m.rs <<'R'
extern crate proc_macro;
use std::os::unix::fs::PermissionsExt;
#[proc_macro]
pub fn tried(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mode = std::fs::metadata("tool").map(|m| m.permissions().mode() & 0o111 != 0).unwrap_or(false);
    format!("pub const T: (bool, bool) = ({}, {});", std::fs::remove_file("stale").is_ok(), mode).parse().unwrap()
}
R
$rustc --crate-type proc-macro m.rs || fail "the macro"
echo 'm::tried!();' >u.rs
touch tool
chmod 644 tool
use=("$rustc" --crate-type lib u.rs --extern m=libm.so --emit metadata)
fresh_result "${use[@]}"
touch stale
fresh_result "${use[@]}"
rm -f stale
fresh_result "${use[@]}"
chmod 755 tool
fresh_result "${use[@]}"
chmod 644 tool
fresh_result "${use[@]}"
exit 0
