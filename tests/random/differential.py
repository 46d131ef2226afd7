#!/usr/bin/env python3
"""A random differential test: a small project is mutated step by step, and after each step some compiles are run
plainly and through the wrapper, in the same folder. Status, both streams and every file that was written must
agree. What differs between two plain runs is no divergence (the plain run is repeated before it is called one).

    differential.py [--wrapper CW] [--peer CW]… [--seed N] [--steps N] [--setting KEY=VALUE]… [--keep-going] [-v]

A divergence is printed with the seed, the step, the history of mutations and the command. Status 1 if there was any.
A peer (ccache, say) goes through the same states and is counted, for comparison: its divergences are told only at the
end. A hit is right if the outcome agrees with the plain compiler's.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

TEMPORARY = re.compile(rb"/tmp/(cc[A-Za-z0-9]{6}|[A-Za-z0-9_]+-[0-9a-f]{6})")
TEMPORARY_NAME = re.compile(r"-[0-9a-f]{6}(?=\.json$)")
UNSTABLE = (".json", ".json.gz")  # hold times


class Outcome:
    """What one run did: status, streams, and the files that it wrote, changed or removed."""

    def __init__(self, status, out, err, files):
        self.status, self.out, self.err = status, out, err
        # clang's -ftime-trace of an assembler source names its trace like the temporary object, by chance
        self.files = {TEMPORARY_NAME.sub("-T", path): what for path, what in files.items()}

    def differences(self, other, racing=False):
        """With `racing`, two programs wrote to one stream at the same time: their bytes count, not the order."""
        found = []
        if self.status != other.status:
            found.append(f"status {self.status} and {other.status}")
        for name in ("out", "err"):
            a, b = (TEMPORARY.sub(b"/tmp/T", getattr(o, name)) for o in (self, other))
            if a != b and not (racing and sorted(a) == sorted(b)):
                found.append(f"std{name}: {a[:300]!r} and {b[:300]!r}")
        for path in sorted(set(self.files) | set(other.files)):
            a, b = self.files.get(path, "not written"), other.files.get(path, "not written")
            if a == b:
                continue
            if isinstance(a, str) or isinstance(b, str):
                found.append(f"{path}: {a if isinstance(a, str) else 'written'} and {b if isinstance(b, str) else 'written'}")
            elif a[0] != b[0]:
                found.append(f"{path}: mode {a[0]:o} and {b[0]:o}")
            elif not path.endswith(UNSTABLE) and TEMPORARY.sub(b"/tmp/T", a[1]) != TEMPORARY.sub(b"/tmp/T", b[1]):
                found.append(f"{path}: content ({len(a[1])} and {len(b[1])} bytes)")
        return found


class Project:
    """The files that are mutated: two checkouts of one small project."""

    subfolders = ("early", "late", "sub", "bin", "out")
    executables = ("bin/wrapcc", "bin/envcc")
    numbered = (".h", ".c", ".cc", ".S", ".inc")  # by the ends of their names, what each mutation may choose
    patched = (".h", "blob.bin", ".inc")
    commented = (".h", ".c", ".cc")
    removable = (".h", ".inc", "blob.bin", "list")
    touched = (".h", ".c", "wrapcc", "blob.bin")
    replaced = (".h",)

    def __init__(self, folder, rng):
        self.folder, self.rng, self.log, self.undo = folder, rng, [], []
        for tree in ("a", "b"):
            for sub in self.subfolders:
                os.makedirs(self.path(tree, sub))
            for name, text in self.files().items():
                self.write(f"{tree}/{name}", text)
            for name in self.executables:
                os.chmod(self.path(tree, name), 0o755)
        self.folders = {}

    @staticmethod
    def files():
        return {
            "main.c": '#include "one.h"\n#include <stddef.h>\n#include "two.h"\n#if __has_include("maybe.h")\n#include "maybe.h"\n#endif\n'
                      "int main_value = ONE + TWO;\nstatic int helper(int a) { switch (a) { case 1: a++; /* fallthrough */ case 2: return a; } return ONE; }\n"
                      "int use(int a) { int unused; return helper(a); }\n",
            "file.c": '#include "one.h"\nconst char *where = __FILE__;\nint lines = __LINE__ + ONE;\n',
            "plus.cc": '#include "one.h"\n#include <utility>\ntemplate <class T> T twice(T t) { return t + t; }\nint plus() { return twice(ONE); }\n',
            "data.S": '#include "one.h"\n.data\n.globl blob\nblob: .incbin "blob.bin"\n.long ONE\n',
            "inline.c": '__asm__(".data\\n.inc" "bin \\"blob.bin\\"\\n.include \\"part.inc\\"\\n");\nint i;\n',
            "sub/deep.c": '#include "../late/one.h"\n#include "local.h"\nint deep = ONE + LOCAL;\n',
            "sub/local.h": "#define LOCAL 1\n",
            "late/one.h": '#ifndef ONE_H\n#define ONE_H\n#include "nested.h"\n#define ONE (1 + NESTED)\n#endif\n',
            "late/two.h": "#define TWO 2\n",
            "late/nested.h": "#define NESTED 10 /* nested */\n",
            "pre.h": '#include "one.h"\nstruct pre { int a[ONE]; };\n',
            "usepre.c": '#include "pre.h"\nstruct pre p;\nint s = sizeof p;\n',
            "blob.bin": "first",
            "part.inc": ".long 1\n",
            "words": "-DWORD=1 -O1\n",
            "spec": "*cpp:\n+ -DSPEC=1\n\n",
            "clang.cfg": "-DCONFIG=1\n",
            "list": "fun:nobody\n",
            "bin/wrapcc": '#!/bin/sh\nexec gcc -DSCRIPT=1 "$@"\n',
            "bin/envcc": '#!/bin/sh\nexec gcc ${LEVEL:+-DONE_LEVEL=$LEVEL} "$@"\n',
        }

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def existing(self, *ends):
        found = []
        for root, _, names in os.walk(self.folder):
            for name in names:
                full = os.path.relpath(os.path.join(root, name), self.folder)
                if name.endswith(ends) and "/out/" not in full:
                    found.append(full)
        return sorted(found)

    # --- mutations: each returns what it did -----------------------------------------------------------------

    def edit_number(self):
        name = self.rng.choice(self.existing(*self.numbered))
        text = self.read(name)
        numbers = list(re.finditer(r"\b\d+\b", text))
        if not numbers:
            return None
        at = self.rng.choice(numbers)
        self.remember(name)
        self.write(name, text[: at.start()] + str(self.rng.randrange(1, 30)) + text[at.end():])
        return f"number in {name}"

    def same_size_same_time(self):
        name = self.rng.choice(self.existing(*self.patched))
        text, stat = self.read(name), os.stat(self.path(name))
        digits = [i for i, c in enumerate(text) if c.isdigit() or name.endswith("blob.bin")]
        if not digits:
            return None
        at = self.rng.choice(digits)
        self.remember(name)
        self.write(name, text[:at] + str(self.rng.randrange(1, 9)) + text[at + 1:])
        os.utime(self.path(name), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return f"{name}: other content, same size and time"

    def comment(self):
        name = self.rng.choice(self.existing(*self.commented))
        text = self.read(name)
        self.remember(name)
        kind = self.rng.choice(("end", "line", "space", "drop"))
        if kind == "end":
            text += f"/* {self.rng.randrange(100)} */\n"
        elif kind == "line":
            text = "\n" + text
        elif kind == "space":
            text = text.replace("int ", "int  ", 1)
        else:
            text = re.sub(r"/\*.*?\*/", lambda m: "", text, count=1)
        self.write(name, text)
        return f"comment or space ({kind}) in {name}"

    def shadow(self):
        name = self.rng.choice(("one.h", "two.h", "nested.h", "maybe.h", "local.h", "stddef.h"))
        tree = self.rng.choice("ab")
        where = self.rng.choice((f"{tree}/early/{name}", f"{tree}/{name}", f"{tree}/sub/{name}", f"{tree}/late/{name}"))
        if os.path.exists(self.path(where)):
            return None
        body = {"one.h": "#define ONE 77\n#define NESTED 5\n", "two.h": "#define TWO 88\n", "nested.h": "#define NESTED 99\n",
                "maybe.h": "int maybe = 1;\n", "local.h": "#define LOCAL 66\n", "stddef.h": "#include_next <stddef.h>\nint shadowed;\n"}
        self.write(where, body[name])
        return f"new header {where}"

    def remove(self):
        name = self.rng.choice(self.existing(*self.removable))
        self.remember(name)
        os.unlink(self.path(name))
        return f"removed {name}"

    def remember(self, name):
        self.undo.append((name, self.read(name), os.stat(self.path(name))))

    def revert(self):
        if not self.undo:
            return None
        name, text, stat = self.undo.pop(self.rng.randrange(len(self.undo)))
        self.write(name, text)
        if self.rng.random() < 0.4:
            os.utime(self.path(name), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return f"reverted {name}"

    def restore_all(self):
        for tree in ("a", "b"):
            for root, _, names in os.walk(self.path(tree)):
                for name in names:
                    full = os.path.relpath(os.path.join(root, name), self.path(tree))
                    if full not in self.files() and not full.startswith("out/"):
                        os.unlink(os.path.join(root, name))
            for name, text in self.files().items():
                if os.path.islink(self.path(tree, name)):
                    os.unlink(self.path(tree, name))
                if not os.path.exists(self.path(tree, name)) or self.read(f"{tree}/{name}") != text:
                    self.write(f"{tree}/{name}", text)
            for name in self.executables:
                os.chmod(self.path(tree, name), 0o755)
        self.undo.clear()
        return "all as in the beginning"

    def touch(self):
        name = self.rng.choice(self.existing(*self.touched))
        when = self.rng.choice((None, (1e9, 1e9), (1.5e9, 1.5e9)))
        os.utime(self.path(name), when)
        return f"touched {name}"

    def rename_over(self):
        name = self.rng.choice(self.existing(*self.replaced))
        self.remember(name)
        self.write("fresh", self.read(name).replace("1", "4"))
        os.rename(self.path("fresh"), self.path(name))
        return f"{name} replaced by rename"

    def folder_away(self):
        tree = self.rng.choice("ab")
        name = self.rng.choice((f"{tree}/early", f"{tree}/late"))
        if os.path.isdir(self.path(name)):
            os.rename(self.path(name), self.path(name + ".away"))
            return f"{name} moved away"
        os.rename(self.path(name + ".away"), self.path(name))
        return f"{name} moved back"

    def link_folder(self):
        tree = self.rng.choice("ab")
        link = self.path(tree, "linked")
        if os.path.islink(link):
            os.unlink(link)
        target = self.rng.choice(("early", "late", "../a/late", "../b/late"))
        os.symlink(target, link)
        return f"{tree}/linked -> {target}"

    def script(self):
        tree = self.rng.choice("ab")
        if not os.path.exists(self.path(tree, "bin/wrapcc")):
            return None
        value = self.rng.randrange(1, 9)
        stat = os.stat(self.path(tree, "bin/wrapcc"))
        self.write(f"{tree}/bin/wrapcc", f'#!/bin/sh\nexec gcc -DSCRIPT={value} "$@"\n')
        if self.rng.random() < 0.5:
            os.utime(self.path(tree, "bin/wrapcc"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return f"{tree}/bin/wrapcc says {value}"

    def option_file(self):
        tree = self.rng.choice("ab")
        name, text = self.rng.choice((("spec", "*cpp:\n+ -DSPEC={0}\n\n"), ("clang.cfg", "-DCONFIG={0} -DONE_{0}\n"), ("list", "fun:helper{0}\nfun:use\n")))
        self.write(f"{tree}/{name}", text.format(self.rng.randrange(3)))
        return f"{tree}/{name}"

    def own_assembler(self):
        """An assembler that -B or PATH finds first."""
        name = self.path(self.rng.choice("ab"), "bin/as")
        if os.path.exists(name):
            os.unlink(name)
            return "own assembler away"
        with open(name, "w") as file:
            file.write(f'#!/bin/sh\nexec /usr/bin/as --defsym own={self.rng.randrange(3)} "$@"\n')
        os.chmod(name, 0o755)
        return "own assembler"

    def precompiled(self):
        """A precompiled header beside the header, made plainly; or it goes."""
        tree = self.rng.choice("ab")
        name, options = self.rng.choice((("pre.h.gch", ["-Ilate"]), ("late/one.h.gch", ["-Ilate"]), ("pre.h.gch", ["-Ilate", "-g", "-O2"])))
        if os.path.exists(self.path(tree, name)):
            os.unlink(self.path(tree, name))
            return f"{tree}/{name} away"
        subprocess.run(["gcc", "-x", "c-header", *options, name[:-4], "-o", name], cwd=self.path(tree), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return f"{tree}/{name} made {' '.join(options)}"

    def header_is_link(self):
        name = self.rng.choice(self.existing("late/two.h", "late/nested.h"))
        target = self.path(os.path.dirname(name), self.rng.choice(("../part.inc", "../sub/local.h", "missing.h", "one.h")))
        self.remember(name)
        os.unlink(self.path(name))
        os.symlink(target, self.path(name))
        return f"{name} is a link to {os.path.basename(target)}"

    def response_file(self):
        tree = self.rng.choice("ab")
        self.write(f"{tree}/words", self.rng.choice(("-DWORD=1 -O1\n", "-DWORD=2\n", "-DONE_X=3 -g\n", "'-DWORD=4' -O2\n")))
        return f"{tree}/words"

    def kinds(self):
        return [(self.edit_number, 6), (self.same_size_same_time, 3), (self.comment, 4), (self.shadow, 4), (self.remove, 1), (self.revert, 5),
                (self.touch, 2), (self.rename_over, 1), (self.folder_away, 1), (self.link_folder, 1), (self.script, 1), (self.response_file, 1),
                (self.option_file, 1), (self.own_assembler, 1), (self.precompiled, 1), (self.header_is_link, 1),
                (self.restore_all, 2)]

    def mutate(self):
        kinds = self.kinds()
        for _ in range(10):
            kind = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            try:
                said = kind()
            except (FileNotFoundError, IndexError):
                said = None
            if said:
                self.log.append(said)
                return said
        return "nothing"


class Command:
    def __init__(self, tree, words, environment, sub=""):
        self.tree, self.words, self.environment, self.sub = tree, words, environment, sub

    def __str__(self):
        settings = " ".join(f"{k}={v}" if v is not None else f"-u {k}" for k, v in self.environment.items())
        return f"(cd {os.path.join(self.tree, self.sub)}; {settings} {' '.join(self.words)})"


def random_command(rng, folder):
    tree = rng.choice("aab")
    source = rng.choice(("main.c", "main.c", "file.c", "plus.cc", "data.S", "inline.c", "sub/deep.c", "usepre.c"))
    plus = source.endswith(".cc")
    compiler = rng.choice(("g++", "clang++") if plus else ("gcc", "gcc", "clang", "bin/wrapcc", "bin/envcc"))
    if plus and rng.random() < 0.2:
        compiler = rng.choice(("gcc", "clang"))
    clang = compiler.startswith("clang")
    words = [compiler]
    late = rng.choice(("late", "late", "linked", os.path.join(folder, tree, "late")))
    includes = rng.choice((["-Iearly", f"-I{late}"], [f"-I{late}"], ["-I", "early", "-isystem", late], [f"-I{late}", "-Iearly"],
                           ["-iquote", "early", f"-I{late}"], ["-Iabsent", f"-I{late}"]))
    words += includes
    pool = [["-g"], ["-g3"], ["-g", "-gz"], ["-ggdb", "-g0"], ["-O2"], ["-O1"], ["-Wall", "-Wextra"], ["-Werror"], ["-fPIC"], ["-DONE_UNUSED"],
            ["-DTWO=5"], ["-UTWO"], ["-D", "EXTRA=2"], ["-std=gnu++17" if plus else "-std=gnu11"], ["-include", "late/two.h"], ["-fstack-usage"],
            ["-fsanitize=undefined"], ["-fsanitize=address"], ["-g", "-gsplit-dwarf"], ["-frandom-seed=1", "--coverage"], ["@words"],
            [f"-ffile-prefix-map={folder}/{tree}=."], [f"-fdebug-prefix-map={folder}=/x", "-g"], ["-fmacro-prefix-map=late=/y"], ["-pipe"],
            ["-fdiagnostics-color=always"], ["-w"], ["-Wp,-DWP=1"], ["-ffunction-sections"], ["-fvisibility=hidden"], ["-march=native"], ["-pedantic"], ["-H"],
            ["-Xassembler", "--noexecstack"], ["-ftest-coverage"], ["-fprofile-generate"], ["-fno-common", "-fdata-sections"], ["-Wdate-time"], ["-g1"],
            ["-imacros", "late/one.h"], ["-fmessage-length=40", "-Wall"], ["-finstrument-functions"], ["-gdwarf-4"], ["-O3", "-flto"], ["-isystem", "sub"],
            ["-Isub/../late"], ["-I-unusual"], ["--param", "max-inline-insns-single=50"] if not clang else ["-mllvm", "-inline-threshold=20"]]
    pool += [["-fsave-optimization-record"], ["--serialize-diagnostics", "out/d.dia"], ["-fsanitize-ignorelist=list", "-fsanitize=address"], ["-Weverything"],
             ["-save-temps=obj"], ["-flto=thin"], ["--config", "./clang.cfg"], ["-Xclang", "-fno-pch-timestamp"], ["-emit-llvm"], ["-Wdocumentation"],
             ["-fcoverage-mapping", "-fprofile-instr-generate"], ["-ftime-trace"], ["-Xpreprocessor", "-DXP=1"], ["-fdebug-compilation-dir=/d", "-g"]] if clang else \
            [["-frecord-gcc-switches"], ["-Wa,-aln=out/l.lst"], ["-fdump-tree-optimized"], ["-save-temps=obj"], ["-B", "bin"], ["-fcallgraph-info"], ["-Wa,-Iearly"], ["-specs=spec"],
             ["-B", "bin/"], ["-fopt-info-all=out/opt.txt", "-O2"], ["-aux-info", "out/aux.txt"], ["-dumpdir", "out/"], ["-fanalyzer"],
             ["-fdiagnostics-format=json", "-Wall"], ["-Winvalid-pch", "-include", "pre.h"], ["-fpch-deps", "-MD"], ["-dM", "-dD"]]
    for option in rng.sample(pool, rng.choice((0, 1, 1, 2, 2, 3))):
        words += option
    output = rng.choice((None, "out/x.o", "out/x.o", "out/y.o", "out/two.dots.o", "out/none"))
    if rng.random() < 0.5:
        words += rng.choice((["-MD"], ["-MMD"], ["-MD", "-MF", "out/dep.d"], ["-MMD", "-MP", "-MT", "target"], ["-MD", "-MQ", "a$b", "-MFout/z.d"],
                             ["-Wp,-MD,out/k.d"], ["-Wp,-MMD,out/k.d"]))
    words += rng.choices((["-c"], ["-S"]), (9, 1))[0]
    if rng.random() < 0.1 and source in ("main.c", "usepre.c"):
        words = [w for w in words if not w.startswith("-save-temps")]
        words = [words[0], "-x", "c-header"] + words[1:]
        source, output = "pre.h", "out/pre.h.gch" if not clang else "out/pre.pch"
    path = source if rng.random() < 0.8 else os.path.join(folder, tree, source)
    words += [path]
    if output:
        words += rng.choice((["-o", output], ["-o" + output]))
    environment = {}
    if rng.random() < 0.25:
        environment = rng.choice(({"CPATH": "early"}, {"CPATH": "late"}, {"C_INCLUDE_PATH": os.path.join(folder, tree, "early")}, {"LANG": "C", "LC_ALL": None},
                                  {"LC_ALL": "C"}, {"UNRELATED": str(rng.randrange(100))}, {"LEVEL": str(rng.randrange(3))}, {"COLUMNS": "40"},
                                  {"SOURCE_DATE_EPOCH": "1000000000"}, {"TERM": "xterm"}, {"HOME": folder}, {"GCC_COLORS": ""}, {"CPATH": ""},
                                  {"PATH": "bin:" + os.environ["PATH"]}, {"PATH": f"{folder}/{tree}/bin:" + os.environ["PATH"]}, {"COMPILER_PATH": "bin"},
                                  {"LANG": "de_DE.UTF-8", "LC_ALL": None}, {"TMPDIR": os.path.join(folder, tree)}, {"PWD": f"/proc/self/cwd"}, {"TZ": "UTC"}))
    if source in ("file.c", "plus.cc", "main.c") and rng.random() < 0.1:
        return from_below(tree, words, environment)
    return Command(tree, words, environment)


def from_below(tree, words, environment):
    """The same, said in the folder `sub`."""
    names = ("early", "late", "linked", "absent", "main.c", "file.c", "plus.cc", "out/", "list", "late/", "words", "bin", "spec", "sub")
    moved = []
    for word in words:
        for glued in ("-I", "-MF", "-Wp,-MD,", "-Wp,-MMD,", "-o", "@", "-specs=", "-Wa,-aln=", "-fopt-info-all=", "-Wa,-I", ""):
            if word.startswith(glued) and word[len(glued):].startswith(names):
                word = glued + "../" + word[len(glued):]
                break
        moved.append(word)
    return Command(tree, moved, environment, "sub")


class Wrapper:
    """A compiler cache: how it is called, and what became of it."""

    def __init__(self, path, store, settings):
        found = shutil.which(path) or sys.exit(f"no wrapper {path}")
        self.name = os.path.basename(found)
        self.path = os.path.realpath(found) if self.name == "ccwrap" else found
        self.environment = {"CCWRAP_DIR": store, "CCACHE_DIR": store}
        for key, value in settings:
            self.environment["CCWRAP_" + key.upper()] = value
            if key == "direct" and value == "0":
                self.environment["CCACHE_NODIRECT"] = "1"
        self.divergences, self.right, self.wrong = 0, 0, 0

    def counters(self, base):
        said = subprocess.run([self.path, "--print-stats"], env={**base, **self.environment}, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        values = dict(line.split("\t")[:2] for line in said.splitlines() if line.count("\t") == 1)
        return [int(values.get(n, 0)) for n in ("direct_cache_hit", "preprocessed_cache_hit", "cache_miss")]

    def end(self, base):
        if self.name == "ccwrap":
            subprocess.run([self.path, "--stop-server"], env={**base, **self.environment}, capture_output=True, stdin=subprocess.DEVNULL)


class Test:
    project_class = Project
    random_command = staticmethod(random_command)

    def __init__(self, arguments):
        self.rng = random.Random(arguments.seed)
        self.arguments = arguments
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="cw-random."))
        os.mkdir(os.path.join(self.folder, "work"))
        self.project = self.project_class(os.path.join(self.folder, "work"), self.rng)
        settings = [setting.split("=", 1) for setting in arguments.setting]
        self.wrapper = Wrapper(arguments.wrapper, self.folder + "/store", settings)
        self.peers = [Wrapper(peer, f"{self.folder}/store-{i}", settings) for i, peer in enumerate(arguments.peer)]
        self.base = {k: v for k, v in os.environ.items() if not k.startswith(("CCWRAP_", "CCACHE_", "MAKE", "CPATH"))}
        self.base.update({"LC_ALL": "C.UTF-8", "CCWRAP_CONFIG": self.folder + "/none"})
        self.commands, self.compared = [], 0

    def manifest(self):
        found = {}
        for root, folders, names in os.walk(self.project.folder):
            for name in names + [f for f in folders if os.path.islink(os.path.join(root, f))]:
                full = os.path.join(root, name)
                stat = os.lstat(full)
                found[full] = (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
        return found

    def run(self, command, wrapper):
        """Runs it (None: plainly), takes away all that it wrote, and returns the outcome."""
        kept = {}
        before = self.manifest()
        for full in before:
            if not os.path.islink(full):
                stat = os.stat(full)
                with open(full, "rb") as file:
                    kept[full] = (file.read(), stat)
        environment = {**self.base, **(wrapper.environment if wrapper else {})}
        for key, value in command.environment.items():
            if value is None:
                environment.pop(key, None)
            else:
                environment[key] = value
        words = ([wrapper.path] if wrapper else []) + command.words
        where = self.project.path(command.tree, command.sub)
        done = subprocess.run(words, cwd=where, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        files = {}
        after = self.manifest()
        for full in set(before) | set(after):
            if before.get(full) == after.get(full):
                continue
            name = os.path.relpath(full, self.project.folder)
            if full not in after:
                files[name] = "removed"
            else:
                with open(full, "rb") as file:
                    files[name] = (os.stat(full).st_mode & 0o7777, file.read())
                os.unlink(full)
            if full in kept:
                data, stat = kept[full]
                with open(full, "wb") as file:
                    file.write(data)
                os.chmod(full, stat.st_mode & 0o7777)
                os.utime(full, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return Outcome(done.returncode, done.stdout, done.stderr, files)

    def hits(self, wrapper):
        return sum(wrapper.counters(self.base)[:2]) if self.peers else 0

    def differences(self, command, plain, wrapped):
        """What of the plain outcome the wrapped one lacks, but for what differs between two plain runs."""
        racing = "-pipe" in command.words  # compiler and assembler at once
        found = plain.differences(wrapped, racing)
        if found:
            noise = {d.split(":")[0] for d in plain.differences(self.run(command, None), racing)}
            found = [d for d in found if d.split(":")[0] not in noise]
        return found

    def compare(self, command, step):
        order = [None, self.wrapper, *self.peers]
        self.rng.shuffle(order)
        outcomes, hit = {}, {}
        for wrapper in order:
            before = self.hits(wrapper) if wrapper else 0
            outcomes[wrapper] = self.run(command, wrapper)
            hit[wrapper] = wrapper and self.hits(wrapper) > before
        self.compared += 1
        for wrapper in (self.wrapper, *self.peers):
            differences = self.differences(command, outcomes[None], outcomes[wrapper])
            wrapper.divergences += bool(differences)
            wrapper.right += bool(hit[wrapper] and not differences)
            wrapper.wrong += bool(hit[wrapper] and differences)
            if differences and wrapper is self.wrapper:
                self.tell(command, step, differences)
                return False
        return True

    def tell(self, command, step, differences):
        print(f"DIVERGENCE seed {self.arguments.seed} step {step}: {command}")
        for difference in differences:
            print(f"    plain and wrapped: {difference}")
        print("    after: " + "; ".join(self.project.log[-6:]), flush=True)

    def go(self):
        begun = time.time()
        for step in range(self.arguments.steps):
            for _ in range(self.rng.choice((0, 1, 1, 1, 2))):
                said = self.project.mutate()
                if self.arguments.verbose:
                    print(f"{step}: {said}")
            again = self.rng.sample(self.commands[-8:], min(2, len(self.commands[-8:])))
            fresh = self.random_command(self.rng, self.project.folder)
            self.commands.append(fresh)
            for command in again + [fresh] + ([fresh] if self.rng.random() < 0.5 else []):
                good = self.compare(command, step)
                if self.arguments.verbose:
                    print(f"    {'same' if good else 'DIFFERS'}: {command}")
                if not good and not self.arguments.keep_going:
                    return self.report(step + 1, begun)
        return self.report(self.arguments.steps, begun)

    def report(self, steps, begun):
        direct, preprocessed, missed = self.wrapper.counters(self.base)
        print(f"seed {self.arguments.seed}, {steps} steps, {self.compared} comparisons in {time.time() - begun:.0f} s: "
              f"{direct} direct hits, {preprocessed} preprocessed hits, {missed} misses, {self.wrapper.divergences} divergences")
        for wrapper in (self.wrapper, *self.peers) if self.peers else ():
            print(f"    {wrapper.name}: {wrapper.right} right hits, {wrapper.wrong} wrong hits, {wrapper.divergences} divergences")
        return 1 if self.wrapper.divergences else 0

    def end(self):
        for wrapper in (self.wrapper, *self.peers):
            wrapper.end(self.base)
        shutil.rmtree(self.folder, ignore_errors=True)


def main(test_class=Test, description=__doc__):
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrapper", default=os.environ.get("CW", os.path.join(here, "../../build/ccwrap")))
    parser.add_argument("--peer", action="append", default=[], metavar="CW", help="another cache, for comparison")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--setting", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--keep-going", action="store_true", help="don't end at the first divergence")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.randrange(1 << 30)
    if arguments.wrapper == "plain":
        arguments.wrapper = os.path.join(here, "../cases/plain")
    test = test_class(arguments)
    try:
        sys.exit(test.go())
    finally:
        test.end()


if __name__ == "__main__":
    main()
