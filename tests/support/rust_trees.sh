# Trees for rustc by cargo. Sourced after source.sh.

# fetch_fd_find FOLDER: puts fd-find as the distribution builds it into FOLDER/fd-find, made from the distribution's
# own crates (librust-*-dev), with no network. 1 if source or crates can't be had.
fetch_fd_find() {
    local registry=/usr/share/cargo/registry patch
    [ -d $registry ] && command -v cargo >/dev/null && fetch_source rust-fd-find "$1" || return 1
    [ ! -d "$1/fd-find" ] || return 0
    rm -rf "$1/fd-unfit" && cp -a "$1/rust-fd-find" "$1/fd-unfit" || return 1
    (
        cd "$1/fd-unfit" || exit 1
        while read -r patch; do # what it asks of other crates
            case $patch in relax-* | disable-*) patch -s -p1 <"debian/patches/$patch" || exit 1 ;; esac
        done <debian/patches/series
        rm -f Cargo.lock && mkdir -p .cargo || exit 1
        printf '[source.crates-io]\nreplace-with = "deb"\n[source.deb]\ndirectory = "%s"\n' $registry >.cargo/config.toml
        cargo generate-lockfile --offline # fails if a crate is missing
    ) >"$1/log" 2>&1 </dev/null || return 1
    mv "$1/fd-unfit" "$1/fd-find"
}

# A workspace with a build script (that compiles C, if there is a second word), a procedural macro that reads a file,
# and all crate types: workspace FOLDER [c]
package() { # folder, name, rest
    mkdir -p $1/$2/src
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n%b' $2 "$3" >$1/$2/Cargo.toml
}
workspace() {
    mkdir -p $1
    printf '[workspace]\nmembers = ["base", "mac", "app", "cd", "st", "dy"]\nresolver = "2"\n' >$1/Cargo.toml
    package $1 base 'build = "build.rs"\n[dependencies]\nmac = { path = "../mac" }\n'
    package $1 mac '[lib]\nproc-macro = true\n'
    package $1 app '[dependencies]\nbase = { path = "../base" }\n'
    package $1 cd '[lib]\ncrate-type = ["cdylib"]\n[dependencies]\nbase = { path = "../base" }\n'
    package $1 st '[lib]\ncrate-type = ["staticlib"]\n[dependencies]\nbase = { path = "../base" }\n'
    package $1 dy '[lib]\ncrate-type = ["dylib"]\n[dependencies]\nbase = { path = "../base" }\n'
    for kind in cd st dy; do echo '#[no_mangle] pub extern "C" fn entry() -> u32 { base::all() }' >$1/$kind/src/lib.rs; done
    cat >$1/base/build.rs <<'R'
use std::process::Command;
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = std::env::var("OUT_DIR").unwrap();
    if !std::path::Path::new("deep.c").exists() { return; }
    println!("cargo:rerun-if-changed=deep.c");
    assert!(Command::new("gcc").args(["-c", "deep.c", "-o"]).arg(format!("{out}/deep.o")).status().unwrap().success());
    assert!(Command::new("ar").arg("rcsD").arg(format!("{out}/libdeep.a")).arg(format!("{out}/deep.o")).status().unwrap().success());
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=deep");
    println!("cargo:rustc-cfg=deep");
}
R
    [ -z "$2" ] || echo 'int deep(void) { return 2; }' >$1/base/deep.c
    cat >$1/base/src/lib.rs <<'R'
#![allow(unexpected_cfgs)]
#[cfg(deep)] extern "C" { fn deep() -> u32; }
#[cfg(not(deep))] unsafe fn deep() -> u32 { 1 }
pub fn all() -> u32 { mac::number!() + unsafe { deep() } }
pub fn note() -> &'static str { concat!(include_str!("note.txt"), env!("CARGO_PKG_NAME")) }
#[cfg(test)] mod tests { #[test] fn works() { assert!(super::all() > 0); } }
R
    echo hello >$1/base/src/note.txt
    cat >$1/mac/src/lib.rs <<'R'
use proc_macro::TokenStream;
#[proc_macro] pub fn number(_: TokenStream) -> TokenStream {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    std::fs::read_to_string(format!("{folder}/src/number.txt")).unwrap().trim().parse().unwrap()
}
R
    echo 7 >$1/base/src/number.txt
    echo 'fn main() { let unused = 1; print!("{} {}", base::all(), base::note().len()) }' >$1/app/src/main.rs
}
