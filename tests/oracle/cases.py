"""The commands that the oracle compares: name, what makes the files, the command, and where it isn't WHOLE
the fault that the canary must find.

The command is run by `sh -c 'exec …'` in an empty directory of its own, after the files were made. A case
whose words name a program that isn't installed is left out.
"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))
DIRECTORIES = 20
INCLUDES = " ".join(f"-Ii{i}" for i in range(1, DIRECTORIES + 1)) + " -Iabsent"

SOURCE = """
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#if __has_include("opt.h")
#include "opt.h"
#endif
#if __has_include(<nothere/x.h>)
#error
#endif
int main(int c, char **v) { int s = 0; for (int i = 0; i < c; i++) s += atoi(v[i]); printf("%d", s); return 0; }
END
for i in $(seq 1 20); do mkdir i$i; echo "#define X$i 1" >i$i/h$i.h; echo "#include \\"h$i.h\\"" >>a.c; done
cp a.c a.cc; echo '#include <map>' >>a.cc
"""

HEADER = """
printf '#ifndef P\\n#define P\\n#include <stdio.h>\\n#endif\\n' >p.h
printf '#include "p.h"\\nint main(){puts("");}\\n' >u.c
"""

ASSEMBLY = """
echo data >b.bin; mkdir j; echo nop >j/k.s
printf '.include "k.s"\\n.incbin "b.bin"\\n' >a.S
"""

OBJECTS = SOURCE + f"""
gcc {INCLUDES} -c a.c; echo 'int z;' >z.c; gcc -fPIC -c z.c; ar rc libz.a z.o
"""

PROFILE = """
echo 'int main(int c,char**v){int s=0;for(int i=0;i<c*9;i++)s+=i;return s&0;}' >a.c
"""

GCDA = PROFILE + "gcc -fprofile-generate -c a.c && gcc --coverage a.o -o a && ./a"

MODULE = """
printf 'export module foo;\\nexport int f(){return 1;}\\n' >foo.cc
printf 'import foo;\\nint main(){return f();}\\n' >u.cc
"""

FAKE_AS = SOURCE + """
mkdir bb; printf '#!/bin/sh\\nexec /usr/bin/as "$@"\\n' >bb/as; chmod +x bb/as
"""

WRAPPER = SOURCE + """
printf '#!/bin/sh\\nif [ -f ./cfg ]; then . ./cfg; fi\\n%s gcc "$@"\\n' "exec" >w; chmod +x w
printf '#!/bin/sh\\nexec env -i PATH=/usr/bin:/bin gcc "$@"\\n' >we; chmod +x we
"""

COREUTILS = """
cat >c <<'END'
cp a.c b.c; mv b.c d.c; ln -s d.c e.c; rm -r i1; mkdir -p m/n; ls m >l; cat e.c >/dev/null; touch l
install d.c m/; find m -type f >f; sed -i s/x/y/ d.c; sort f | head -1 >>g; test -e h || cmp a.c d.c || :
END
"""

PYTHON = """
echo '1 2 3' >in.txt
cat >g.py <<'END'
import os, shutil, subprocess, tempfile
d = open("in.txt").read()
x = os.environ.get("GENVAR")
os.path.exists("maybe")
os.listdir(".")
open("o.tmp", "w").write(d)
os.replace("o.tmp", "o.h")
with tempfile.TemporaryDirectory(dir=".") as t:
    shutil.copy("in.txt", t)
os.symlink("in.txt", "ln"); os.readlink("ln"); os.chmod("o.h", 0o600); os.utime("o.h")
os.link("in.txt", "hard"); os.makedirs("x/y"); os.rename("x", "z"); os.truncate("hard", 3)
fd = os.open("z", os.O_RDONLY); os.stat("y", dir_fd=fd); os.mkdir("q", dir_fd=fd); os.listdir(fd)
subprocess.run(["true"]); subprocess.run(["sort", "in.txt"], cwd="z/y/..") ; os.posix_spawn("/bin/true", ["true"], {})
END
"""


def compiler_cases():
    for compiler, source in (("gcc", "a.c"), ("g++", "a.cc"), ("clang", "a.c"), ("clang++", "a.cc")):
        for name, options in (
            ("include", "-O2 -c"),
            ("depfile", "-MD -MF a.d -c"),
            ("debug", "-g -c"),
            ("split-dwarf", "-g -gsplit-dwarf -c"),
            ("save-temps", "-save-temps -c"),
            ("lto", "-flto -c"),
            ("coverage", "--coverage -c"),
            ("preprocess", "-o a.i -E"),
            ("pipe", "-pipe -c"),
            ("link", "-o a.out"),
        ):
            yield f"{compiler}-{name}", SOURCE, f"{compiler} {INCLUDES} {options} {source}"
        responses = SOURCE + f'echo "{INCLUDES} -O1" >inner.rsp; echo "@inner.rsp" >outer.rsp'
        yield f"{compiler}-response", responses, f"{compiler} @outer.rsp -c {source}"


def link_cases():
    for linker in ("bfd", "gold", "lld", "mold"):
        yield f"link-{linker}", OBJECTS, f"gcc -fuse-ld={linker} a.o -L. -lz -lm -o a.out"
        yield f"link-shared-{linker}", OBJECTS, f"gcc -shared -fuse-ld={linker} z.o -o libq.so"
    yield "link-lto", SOURCE + f"gcc {INCLUDES} -flto -c a.c", "gcc -flto=2 -O2 a.o -o a.out"
    yield "link-thin-lto", SOURCE + f"clang {INCLUDES} -flto=thin -c a.c", "clang -flto=thin -fuse-ld=lld a.o"


def other_cases():
    yield "gcc-pch-create", HEADER, "gcc -c p.h -o p.h.gch"
    yield "gcc-pch-use", HEADER + "gcc -c p.h -o p.h.gch", "gcc -c u.c"
    yield "clang-pch-create", HEADER, "clang -x c-header p.h -o p.h.pch"
    yield "clang-pch-use", HEADER + "clang -x c-header p.h -o p.h.pch", "clang -include p.h -c u.c"
    yield "gcc-profile-use", GCDA, "gcc -O2 -Wno-coverage-mismatch -fprofile-use -c a.c"
    yield "gcda-run", PROFILE + "gcc --coverage a.c -o a && ./a", "./a"
    yield "gcc-module-create", MODULE, "g++ -std=c++20 -fmodules-ts -c foo.cc"
    use = "g++ -std=c++20 -fmodules-ts -c "
    yield "gcc-module-use", MODULE + use + "foo.cc", use + "u.cc"
    yield "gcc-specs", SOURCE + "gcc -dumpspecs >my.specs", f"gcc -specs=my.specs {INCLUDES} -c a.c"
    yield "gcc-B-as", FAKE_AS, f"gcc -Bbb {INCLUDES} -c a.c"
    yield "gcc-COMPILER_PATH", FAKE_AS, f"env COMPILER_PATH=$PWD/bb gcc {INCLUDES} -c a.c"
    yield "gcc-assembly", ASSEMBLY, "gcc -Ij -Wa,-Ij -c a.S"
    yield "clang-assembly", ASSEMBLY, "clang -Ij -c a.S"
    yield "as", ASSEMBLY, "as -Ij a.S -o a.o"
    yield "ld-script", OBJECTS + "echo 'INPUT(z.o)' >z.lds", "ld -r -T z.lds -o r.o"
    yield "clang-config", SOURCE + "echo -O2 >my.cfg", f"clang --config ./my.cfg {INCLUDES} -c a.c"
    yield "clang-diagnostics", SOURCE, f"clang {INCLUDES} --serialize-diagnostics a.dia -MJ a.json -c a.c"
    yield "gcc-dumps", SOURCE, f"gcc {INCLUDES} -fstack-usage -fdump-tree-all -c a.c"
    yield "ar-create", OBJECTS, "ar rcs libn.a a.o z.o"
    yield "ar-update", OBJECTS, "ar r libz.a a.o"
    yield "strip", OBJECTS, "strip a.o"
    yield "objcopy", OBJECTS, "objcopy --only-keep-debug a.o a.dbg"
    yield "wrapper-sh", WRAPPER, f"./w {INCLUDES} -c a.c"
    yield "wrapper-env-i", WRAPPER, f"./we {INCLUDES} -c a.c"
    yield "python", PYTHON, "python3 -B g.py"
    yield "make", SOURCE + f"printf 'a.o: a.c\\n\\tgcc {INCLUDES} -c a.c\\n' >Makefile", "make -s"
    yield "coreutils", OBJECTS + COREUTILS, "sh ./c"


def odd_cases():
    static = "echo 'int main(void){return 0;}' >s.c; gcc -static s.c -o s"
    yield "static", static, "sh -c './s; true'", "UNWATCHED"
    script = """cat >s.awk <<'END'
BEGIN { if (system("cat in >out; exit 3") != 3) exit 1; "cat in | sort" | getline line; exit line != "it's" }
END
echo "it's" >in"""
    yield "system", script, "awk -f s.awk"
    yield "nvcc", "echo '__global__ void k(int *p){*p=1;} int main(){k<<<1,1>>>(0);}' >a.cu", "nvcc -c a.cu"
    yield "probe", f"gcc -D_GNU_SOURCE {HERE}/probe.c -pthread -o probe", "./probe"
    yield "probe-musl", f"musl-gcc -D_GNU_SOURCE {HERE}/probe.c -o probe", "./probe"
    yield "fakeroot", "", "fakeroot sh -c 'touch f; chown 12:13 f; test $(stat -c %u f) = 12'"


def rust_cases():
    source = """
mkdir src; echo 'mod m; pub fn f()->u32{m::g()}' >src/lib.rs; echo 'pub fn g()->u32{1}' >src/m.rs
echo 'fn main(){println!("{}",include_str!("x.txt"));let _=option_env!("OPTV");}' >src/main.rs; echo hi >src/x.txt
printf '[package]\\nname="q"\\nversion="0.1.0"\\nedition="2021"\\n' >Cargo.toml
echo 'fn main(){println!("cargo:rerun-if-changed=in.txt");}' >build.rs
"""
    rustc = "rustc --edition 2021"
    yield "rustc-lib", source, f"{rustc} --crate-type lib --emit=link,dep-info,metadata src/lib.rs"
    yield "rustc-bin", source, f"{rustc} src/main.rs"
    yield "rustc-incremental", source, f"{rustc} --crate-type lib -C incremental=inc src/lib.rs"
    yield "cargo", source, "cargo build --offline -q"


def all_cases():
    yield from odd_cases()
    yield from compiler_cases()
    yield from link_cases()
    yield from other_cases()
    yield from rust_cases()
