"""A generated tree that make builds through the wrapper, and the objects that the plain compilers make of it."""

import hashlib
import os
import shutil
import subprocess

from lib import Place

FILES = 12
CRATES = 2
MAKEFILE = """all: %s
%%.o: %%.c n.h ; $(W) gcc -O1 -MD -c $< -o $@
lib%%.rlib: %%.rs n.rs ; +$(W) rustc --crate-type rlib --crate-name $* --emit=link -C codegen-units=4 $<
.DELETE_ON_ERROR:
"""


class Tree:
    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.place = Place()
        crates = CRATES if shutil.which("rustc") else 0
        results = ["o%d.o" % i for i in range(FILES)] + ["libr%d.rlib" % i for i in range(crates)]
        for i in range(FILES):
            body = "".join("extern int g%d_%d(int); int f%d_%d(int a) { return a * N + %d; }\n" % (i, k, i, k, k) for k in range(40))
            self.place.write("o%d.c" % i, '#include "n.h"\n#include <stdio.h>\n' + body)
        for i in range(crates):  # rustc reads make's jobserver
            body = "".join("pub mod m%d { pub fn f(a: u32) -> u32 { a * super::n::N + %d } }\n" % (k, k) for k in range(8))
            self.place.write("r%d.rs" % i, "pub mod n;\n" + body)
        self.place.write("Makefile", MAKEFILE % " ".join(results))
        self.texts = {}

    def put(self, number):
        """Gives the headers this text."""
        self.place.write("n.h", "#define N %d\n" % number)
        self.place.write("n.rs", "pub const N: u32 = %d;\n" % number)

    def want(self, number):
        """What a plain build makes with this text of the headers."""
        if number not in self.texts:
            self.put(number)
            self.clean()
            subprocess.run(["make", "-j2", "W="], cwd=self.place.work, env=self.place.environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.texts[number] = self.objects()
        return self.texts[number]

    def results(self):
        return [name for name in os.listdir(self.place.work) if not name.endswith((".c", ".h", ".rs")) and name != "Makefile"]

    def clean(self):
        for name in self.results():
            path = os.path.join(self.place.work, name)
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    def objects(self):
        found = {}
        for name in self.results():
            with open(os.path.join(self.place.work, name), "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
        return found

    def check(self, wanted, label):
        found = self.objects()
        if set(found) != set(wanted):
            self.verdicts.fail("%s: files are missing or too many: %s" % (label, sorted(set(found) ^ set(wanted))[:4]))
        wrong = [name for name in wanted if name in found and found[name] != wanted[name]]
        if wrong:
            self.verdicts.fail("%s: wrong: %s" % (label, wrong[:4]))

    def make(self, says=subprocess.DEVNULL):
        return subprocess.Popen(["make", "-k", "-j4", "W=" + self.place.wrapper], cwd=self.place.work,
                                env=self.place.environment, start_new_session=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=says)

    def processes(self, matches):
        """Processes that work in the tree, by the program's name."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                folder = os.readlink("/proc/%s/cwd" % pid)
                with open("/proc/%s/comm" % pid) as file:
                    name = file.read().strip()
                with open("/proc/%s/stat" % pid) as file:
                    state = file.read().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if folder == self.place.work and state not in "ZX" and matches(name):
                found.append(int(pid))
        return found

    def clients(self):
        return self.processes(lambda name: name == "ccwrap")

    def compilers(self):
        return self.processes(lambda name: name in ("gcc", "cc1", "as", "collect2", "ld", "rustc"))
