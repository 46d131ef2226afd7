#!/usr/bin/env python3
"""valgrind.py [--quick]

The client under memcheck (built with glibc and debugging information from the same sources, for memcheck knows neither
musl nor static programs): a miss, a hit, a failing compile, words that aren't cached, a compile without a server and one
whose server is stopped, and the words of administration. Each must end as the plain client does, without a report.
"""

import glob
import os
import shutil
import signal
import subprocess
import sys

from lib import ROOT, Place, difference, drive

SOURCE = '#include <stdio.h>\nint f(int n) { int unused; return n; }\n'


class Bench:
    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.place = Place()
        self.place.write("f.c", SOURCE)
        self.place.write("bad.c", "int main(\n")
        self.inputs = {"f.c", "bad.c"}
        self.build()

    def build(self):
        """A folder as a build's, with this client in it."""
        folder = os.path.join(self.place.top, "build")
        os.mkdir(folder)
        for name in ("ccwrap-server", "ccwrap-recorder.so"):
            os.symlink(os.path.join(self.place.build, name), os.path.join(folder, name))
        sources = [path for folder in ("client", "common") for path in glob.glob(os.path.join(ROOT, folder, "*.c"))]
        sources += [os.path.join(ROOT, "spawn", name + ".c") for name in ("launch", "trampoline", "server_start")]
        header = os.path.join(self.place.build, "build_id.h")
        self.client = os.path.join(folder, "ccwrap")
        subprocess.run(["gcc", "-std=c11", "-g", "-O1", "-D_GNU_SOURCE", '-DCCWRAP_VERSION="test"', "-I" + ROOT, "-include", header,
                        "-o", self.client, *sources], check=True)

    def check(self, label, words, plain=None):
        """Runs the client; its outcome is the plain command's, and memcheck says nothing."""
        log = os.path.join(self.place.top, "memcheck")
        valgrind = ["valgrind", "-q", "--leak-check=no", "--track-origins=yes", "--trace-children=no", "--log-file=" + log]
        got = self.place.outcome([*valgrind, self.client, *words], self.inputs, limit=120)
        with open(log) as file:
            report = file.read()
        self.verdicts.tries += 1
        if report:
            self.verdicts.fail("%s: memcheck:\n%s" % (label, report[:3000]))
        if plain is not None:
            wrong = difference(got, plain)
            if wrong:
                self.verdicts.fail("%s: %s" % (label, wrong))


def body(bench, _):
    place = bench.place
    compile_words = "gcc -Wall -c f.c -o f.o -MD -MF f.d".split()
    commands = {"compile": compile_words, "failure": "gcc -c bad.c -o bad.o".split(), "link": "gcc --version".split()}
    plain = {name: place.outcome(words, bench.inputs) for name, words in commands.items()}
    bench.check("no server, disabled", ["disable=1", *compile_words], plain["compile"])
    place.start()
    for label in ("miss", "hit"):
        bench.check(label, compile_words, plain["compile"])
    bench.check("failure", commands["failure"], plain["failure"])
    bench.check("not cacheable", commands["link"], plain["link"])
    bench.check("bad setting", ["level=x", *compile_words])
    for words in (["--print-stats"], ["--show-config"], ["--help"], ["no-such-compiler", "-c", "f.c"], []):
        bench.check("words %s" % words, words)
    place.server.send_signal(signal.SIGSTOP)
    bench.check("hung server", compile_words, plain["compile"])
    place.server.send_signal(signal.SIGCONT)
    place.kill()
    bench.check("a server is started", compile_words, plain["compile"])


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("SKIP faults valgrind: no valgrind\n0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    drive("valgrind", __doc__, Bench, body)
