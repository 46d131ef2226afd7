#!/usr/bin/env python3
"""The random differential test for rustc: two checkouts of a small crate, with modules, included files, a procedural
macro that reads a file, a folder and the environment, a crate that others are made from, and a static library.

    rust.py [--wrapper CW] [--seed N] [--steps N] [--setting KEY=VALUE]… [--keep-going] [-v]

As differential.py, which it is made from. Incremental folders are the compiler's own and not compared.
"""

import os
import re
import shutil
import subprocess
import sys

import differential
from differential import Command, Project, Test

INCREMENTAL = "inc"
# drawn anew by each run: folders for temporary files, and with -C incremental a part of the names of objects
DRAWN = re.compile(r"(?<=/rustc|/rmeta)[A-Za-z0-9]{6}(?=/)|(?<=\.)[0-9a-z]{7}(?=\.rcgu\.)")


def real_rustc():
    """rustc itself, which rustup's stand-in would start."""
    return os.path.join(subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip(), "bin/rustc")


class RustProject(Project):
    subfolders = ("src/two", "gen", "list", "nat", "early", "deps", "out/debug/deps", "other")
    executables = ()
    numbered = (".rs", ".txt", ".h")
    patched = (".txt", "one.rs", "more.rs", "dep.rs")
    commented = (".rs",)
    removable = (".txt", "one.rs", "more.rs", ".a")
    touched = (".rs", ".txt", ".a", ".rlib", ".so")
    replaced = (".rs", ".txt")

    def __init__(self, folder, rng):
        super().__init__(folder, rng)
        for tree in ("a", "b"):
            for crate in ("mac", "dep"):
                self.build(tree, crate)
            self.archive(tree, "nat", 1)
            os.symlink("out", self.path(tree, "linked"))

    @staticmethod
    def files():
        return {
            "src/lib.rs": '#[path = "../gen/odd.rs"] mod odd; mod one; mod two; include!("../gen/more.rs");\n'
                          "#[cfg(feature = \"turbo\")] pub fn turbo() -> u32 { 100 }\n"
                          "pub fn all() -> (u32, &'static str, Option<&'static str>) { let unused = 3;\n"
                          '    (one::V + two::V + odd::V + MORE + dep::v(), include_str!("note.txt"), option_env!("ZZ")) }\n'
                          "#[test] fn works() { assert!(all().0 > 0) }\n",
            "src/one.rs": "pub const V: u32 = 1;\n",
            "src/two/mod.rs": "pub const V: u32 = 2; // two\n",
            "gen/odd.rs": "pub const V: u32 = 3;\n",
            "gen/more.rs": "pub const MORE: u32 = 4;\n",
            "src/note.txt": "note 1\n",
            "data.txt": "12\n",
            "list/one.txt": "1\n",
            "mac.rs": "use proc_macro::TokenStream;\n"
                      '#[proc_macro] pub fn file(_: TokenStream) -> TokenStream { std::fs::read_to_string("data.txt").map_or(0, |v| v.len()).to_string().parse().unwrap() }\n'
                      '#[proc_macro] pub fn folder(_: TokenStream) -> TokenStream { std::fs::read_dir("list").map_or(0, |v| v.count()).to_string().parse().unwrap() }\n'
                      '#[proc_macro] pub fn named(_: TokenStream) -> TokenStream { std::env::var("ZZ_MAC").map_or(0, |v| v.len()).to_string().parse().unwrap() }\n',
            "dep.rs": "fn hidden() -> u32 { 5 }\npub fn v() -> u32 { hidden() }\npub fn generic<T: Into<u32>>(t: T) -> u32 { t.into() + 6 }\n",
            "user.rs": "pub fn u() -> usize { mac::file!() + mac::folder!() + mac::named!() + dep::generic(7u32) as usize }\n",
            "main.rs": 'fn main() { println!("{} {}", dep::v(), dep::generic(8u8)) }\n',
            "native.rs": '#[link(name = "deep", kind = "static")] extern "C" { fn deep() -> u32; }\n#[no_mangle] pub extern "C" fn entry() -> u32 { unsafe { deep() + 9 } }\n',
            "words": "--cfg\nfeature=\"turbo\"\n",
        }

    # --- what is built beside ------------------------------------------------------------------------------

    def build(self, tree, crate):
        kind, more = ("proc-macro", ["--extern", "proc_macro"]) if crate == "mac" else ("lib", ["--emit=metadata,link"])
        done = subprocess.run(["rustc", "--edition=2021", "--crate-name", crate, "--crate-type", kind, "--out-dir", "deps", "-Adead_code"] + more + [crate + ".rs"],
                              cwd=self.path(tree), capture_output=True)
        return done.returncode == 0

    def archive(self, tree, folder, number):
        self.write("deep.c", f"unsigned deep(void) {{ return {number}; }}\n")
        subprocess.run(["gcc", "-c", "deep.c", "-o", "deep.o"], cwd=self.folder, check=True)
        path = self.path(tree, folder, "libdeep.a")
        if os.path.exists(path):
            os.unlink(path)
        subprocess.run(["ar", "rcsD", path, "deep.o"], cwd=self.folder, check=True)
        os.unlink(self.path("deep.c"))
        os.unlink(self.path("deep.o"))

    # --- mutations -----------------------------------------------------------------------------------------

    def remember(self, name):
        if not name.endswith((".a", ".rlib", ".so")):
            super().remember(name)

    def rebuild(self):
        tree, crate = self.rng.choice("ab"), self.rng.choice(("dep", "mac"))
        return f"{tree}/{crate} built" if self.build(tree, crate) else None

    def edit_and_build(self):
        tree = self.rng.choice("ab")
        self.remember(f"{tree}/dep.rs")
        self.write(f"{tree}/dep.rs", self.read(f"{tree}/dep.rs").replace("{ hidden()", "{ 1 + hidden()", 1))
        return f"{tree}/dep another" if self.build(tree, "dep") else None

    def native(self):
        tree, folder, number = self.rng.choice("ab"), self.rng.choice(("nat", "nat", "early")), self.rng.randrange(1, 9)
        self.archive(tree, folder, number)
        return f"{tree}/{folder}/libdeep.a is {number}"

    def early_away(self):
        tree = self.rng.choice("ab")
        os.unlink(self.path(tree, "early/libdeep.a"))
        return f"{tree}/early/libdeep.a removed"

    def shadow(self):
        tree = self.rng.choice("ab")
        name, text = self.rng.choice((("src/one/mod.rs", "pub const V: u32 = 50;\n"), ("src/two.rs", "pub const V: u32 = 60;\n"), ("list/new.txt", "x\n"),
                                      ("deps/libdep.rlib.txt", "x\n")))
        if os.path.exists(self.path(tree, name)):
            return None
        os.makedirs(os.path.dirname(self.path(tree, name)), exist_ok=True)
        self.write(f"{tree}/{name}", text)
        return f"new {tree}/{name}"

    def link_target(self):
        tree = self.rng.choice("ab")
        link = self.path(tree, "linked")
        os.unlink(link)
        target = self.rng.choice(("out", "other", "../a/out", "../b/other"))
        os.symlink(target, link)
        return f"{tree}/linked -> {target}"

    def argument_file(self):
        tree = self.rng.choice("ab")
        self.write(f"{tree}/words", self.rng.choice(('--cfg\nfeature="turbo"\n', "-Cdebuginfo=1\n", "-O\n--cfg\nother\n")))
        return f"{tree}/words"

    def restore_all(self):
        said = super().restore_all()
        for tree in ("a", "b"):  # they were removed with all that isn't a source
            for crate in ("mac", "dep"):
                self.build(tree, crate)
            self.archive(tree, "nat", 1)
        return said

    def kinds(self):
        return [(self.edit_number, 6), (self.same_size_same_time, 3), (self.comment, 4), (self.shadow, 3), (self.remove, 1), (self.revert, 5),
                (self.touch, 3), (self.rename_over, 1), (self.rebuild, 3), (self.edit_and_build, 2), (self.native, 2), (self.early_away, 1),
                (self.link_target, 1), (self.argument_file, 1), (self.restore_all, 2)]


RUSTC = None


def random_command(rng, folder):
    global RUSTC
    RUSTC = RUSTC or real_rustc()
    tree = rng.choice("aab")
    here = os.path.join(folder, tree)
    source, kinds = rng.choice((("src/lib.rs", ("lib", "lib", "test", "rlib", "dylib")), ("src/lib.rs", ("lib",)), ("user.rs", ("lib",)), ("mac.rs", ("proc-macro",)),
                                ("main.rs", ("bin",)), ("native.rs", ("lib", "staticlib", "cdylib")), ("dep.rs", ("lib",))))
    kind = rng.choice(kinds)
    name = {"src/lib.rs": "crate_a"}.get(source, os.path.basename(source)[:-3] + "_x")
    out = rng.choice(("out/debug/deps", "out/debug/deps", "linked/debug/deps", "other/debug/deps", "other"))
    if rng.random() < 0.6:
        out = os.path.join(here, out)
    os.makedirs(os.path.join(here, out), exist_ok=True)
    words = [rng.choice((RUSTC, RUSTC, "rustc")), "--edition=2021", "--crate-name", name]
    words += ["--test"] if kind == "test" else ["--crate-type", kind]
    words += [rng.choice(("--emit=dep-info,metadata,link", "--emit=dep-info,metadata,link", "--emit=dep-info,metadata", "--emit=link"))
              if kind in ("lib", "rlib") else "--emit=dep-info,link"]
    words += ["--out-dir", out, "-L", f"dependency={os.path.join(here, 'deps') if rng.random() < 0.5 else 'deps'}"]
    if source == "native.rs":
        words += ["-L", "native=early", "-L", "native=nat"]
    if source in ("src/lib.rs", "user.rs", "main.rs"):
        words += ["--extern", "dep=deps/libdep." + ("rmeta" if kind in ("lib", "rlib") and rng.random() < 0.6 else "rlib")]
    if source == "user.rs":
        words += ["--extern", "mac=deps/libmac.so"]
    if kind == "proc-macro":
        words += ["--extern", "proc_macro"]
    pool = [["-g"], ["-Cdebuginfo=1"], ["-O"], ["-C", "opt-level=1"], ["-C", "codegen-units=3"], ["-C", "metadata=00aa"], ["-C", "extra-filename=-00aa"],
            ["--cfg", 'feature="turbo"'], ["--check-cfg", 'cfg(feature, values("turbo"))'], ["--cap-lints", "allow"], ["-A", "warnings"], ["-D", "warnings"],
            ["--error-format=json", "--json=diagnostic-rendered-ansi,artifacts"], ["--error-format=json", "--json=artifacts"], ["--color=always"],
            ["--diagnostic-width=60"], ["-C", f"incremental={os.path.join(here, INCREMENTAL)}"], [f"--remap-path-prefix={here}=/w"],
            [f"--remap-path-prefix={folder}=/x", "-g"], ["-C", "target-cpu=native"], ["@words"], ["-C", "panic=abort"] if kind not in ("test", "proc-macro") else ["-v"],
            ["-C", "overflow-checks=on"], ["-C", "strip=debuginfo"], ["-C", "embed-bitcode=no"], ["-C", "split-debuginfo=unpacked", "-g"], ["-W", "missing_docs"],
            ["-C", "lto"] if kind == "bin" else ["-C", "linker-plugin-lto=no"], ["-C", "link-arg=-Wl,--gc-sections"], ["-C", "save-temps"]]
    for option in rng.sample(pool, rng.choice((0, 1, 1, 2, 2, 3))):
        words += option
    words += [source if rng.random() < 0.7 else os.path.join(here, source)]
    environment = {}
    if rng.random() < 0.35:
        environment = rng.choice(({"ZZ": str(rng.randrange(3))}, {"ZZ": str(rng.randrange(3))}, {"ZZ_MAC": "x" * rng.randrange(3)}, {"UNRELATED": str(rng.randrange(100))},
                                  {"TERM": "xterm"}, {"RUST_BACKTRACE": "1"}, {"RUSTC_BOOTSTRAP": "1"}, {"CARGO_CRATE_NAME": name}, {"LC_ALL": "C"},
                                  {"LD_LIBRARY_PATH": os.path.join(here, out)}, {"LIBRARY_PATH": os.path.join(here, "early")}, {"HOME": os.environ.get("HOME", "/")}))
    return Command(tree, words, environment)


class RustTest(Test):
    project_class = RustProject
    random_command = staticmethod(random_command)

    def run(self, command, wrapper):
        outcome = super().run(command, wrapper)
        outcome.files = {DRAWN.sub("DRAWN", name): file for name, file in outcome.files.items() if f"/{INCREMENTAL}/" not in name}
        for tree in ("a", "b"):
            shutil.rmtree(self.project.path(tree, INCREMENTAL), ignore_errors=True)
        return outcome


if __name__ == "__main__":
    if not shutil.which("rustc"):
        print("SKIP: no rustc")
        sys.exit(77)
    differential.main(RustTest, __doc__)
