#!/usr/bin/env python3
"""inject.py [--quick] [--seconds N] [--only KIND[,KIND]] [--scenario S[,S]] [--seed N]

Fault injection: the server runs with inject.so, in which the Nth call of a kind fails (once, or from then on) or
is cut short. For each kind of call, way of failing and scenario, N goes up from 1 until there is no Nth call; after
each the outcome of the compile must be the plain compiler's, and so must later compiles be without a fault: of the
same text, of another text of its header, and with a header that appears where none was.
"""

import argparse
import errno
import itertools
import mmap
import os
import random
import struct
import subprocess
import sys
import time

from lib import HERE, Place, Verdicts, difference

KINDS = ("open read pread write pwrite rename unlink mmap malloc ftruncate fallocate send recv accept spawn pidfd wait fsync "
         "stat fstat access readlink readdir socketpair pipe epoll_ctl lock dup close mkstemp getsockopt compress "
         "decompress context").split()
ONCE, FROM, SHORT = 0, 1, 2
HOW = {ONCE: "once", FROM: "from then on", SHORT: "short"}
E = errno
WAYS = {  # (how, errno)
    "open": [(ONCE, E.EMFILE), (ONCE, E.EIO), (FROM, E.EMFILE), (ONCE, E.EINTR)],
    "read": [(ONCE, E.EIO), (ONCE, E.EINTR), (SHORT, 0), (FROM, E.EIO)],
    "pread": [(ONCE, E.EIO), (SHORT, 0), (FROM, E.EIO)],
    "write": [(ONCE, E.ENOSPC), (ONCE, E.EINTR), (SHORT, 0), (FROM, E.ENOSPC)],
    "pwrite": [(ONCE, E.ENOSPC), (ONCE, E.EIO), (SHORT, 0), (FROM, E.ENOSPC)],
    "rename": [(ONCE, E.EIO), (FROM, E.ENOSPC)],
    "unlink": [(ONCE, E.EIO), (FROM, E.EROFS)],
    "mmap": [(ONCE, E.ENOMEM), (FROM, E.ENOMEM)],
    "malloc": [(ONCE, E.ENOMEM)],
    "ftruncate": [(ONCE, E.EIO), (FROM, E.ENOSPC)],
    "fallocate": [(ONCE, E.ENOSPC), (FROM, E.ENOSPC)],
    "send": [(ONCE, E.EAGAIN), (ONCE, E.EPIPE), (ONCE, E.EINTR), (SHORT, 0)],
    "recv": [(ONCE, E.EAGAIN), (ONCE, E.ECONNRESET), (ONCE, E.EINTR), (SHORT, 0)],
    "accept": [(ONCE, E.EMFILE), (ONCE, E.ECONNABORTED), (ONCE, E.EINTR)],
    "spawn": [(ONCE, E.EAGAIN), (ONCE, E.ENOMEM), (FROM, E.E2BIG)],
    "pidfd": [(ONCE, E.EMFILE), (FROM, E.ENOSYS)],
    "wait": [(ONCE, E.EINTR)],
    "fsync": [(ONCE, E.EIO), (FROM, E.EIO)],
    "stat": [(ONCE, E.EIO), (ONCE, E.ENOMEM), (FROM, E.EACCES)],
    "fstat": [(ONCE, E.EIO), (FROM, E.EIO)],
    "access": [(ONCE, E.EIO), (FROM, E.EACCES)],
    "readlink": [(ONCE, E.EIO), (FROM, E.ENOMEM)],
    "readdir": [(ONCE, E.EIO), (FROM, E.EMFILE)],
    "socketpair": [(ONCE, E.EMFILE), (FROM, E.ENFILE)],
    "pipe": [(ONCE, E.EMFILE), (FROM, E.ENFILE)],
    "epoll_ctl": [(ONCE, E.ENOMEM), (ONCE, E.ENOSPC)],
    "lock": [(ONCE, E.EAGAIN), (ONCE, E.ENOLCK), (FROM, E.ENOLCK)],
    "dup": [(ONCE, E.EMFILE)],
    "close": [(ONCE, E.EIO)],
    "mkstemp": [(ONCE, E.EMFILE), (ONCE, E.ENOSPC)],
    "getsockopt": [(ONCE, E.ENOBUFS)],
    "compress": [(ONCE, 0), (FROM, 0)],
    "decompress": [(ONCE, 0), (FROM, 0)],
    "context": [(ONCE, E.ENOMEM), (FROM, E.ENOMEM)],
}
# What may end the server: memory that it can't do without, and libuv's own calls.
MAY_END = {"malloc", "mmap", "epoll_ctl", "context"}
# What may cost the connection to a client whose compiler has begun.
MAY_LOSE_CLIENT = {"read", "send", "recv"}

SOURCE = '#include "h.h"\nint f(int n) { int unused; char a[N]; a[n] = 0; return a[n / 2] + N; }\n'
INPUTS = {"f.c", "first/h.h", "second/h.h"}
COMPILE = "gcc -g -gsplit-dwarf -fstack-usage -Wall -I first -I second -c f.c -o f.o -MD -MF f.d".split()


class Control:
    """The file that the library in the server looks at."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(4096))
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 4096)

    def order(self, kind, how, error, at):
        self.map[0:24] = struct.pack("6i", 0, how, error, at, 0, 0)
        self.map[0:4] = struct.pack("i", KINDS.index(kind) + 1)

    def clear(self):
        """Gives whether the fault happened, and how many calls there were."""
        self.map[0:4] = struct.pack("i", 0)
        _, _, _, _, seen, fired = struct.unpack("6i", self.map[0:24])
        return bool(fired), seen


class Bench:
    """The server with the library, and three states of the tree with the outcomes that belong to them."""

    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.place = Place()
        self.library = os.path.join(self.place.top, "inject.so")
        subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-fPIC", "-shared", "-fno-builtin", "-o",
                        self.library, os.path.join(HERE, "inject.c"), "-ldl"], check=True)
        self.control = Control(os.path.join(self.place.top, "control"))
        self.place.write("f.c", SOURCE)
        os.mkdir(os.path.join(self.place.work, "first"))
        self.numbers = itertools.count(1)
        self.wanted = {}
        for state in "ABC":
            self.put(state)
            self.wanted[state] = self.place.outcome(COMPILE, INPUTS)
            assert self.wanted[state][0] == 0 and len(self.wanted[state][3]) == 4, self.wanted[state]
        self.start()

    def put(self, state):
        """A, B: two texts of the header. C: as A, but another header appears before it."""
        self.place.write("second/h.h", "#define N %d\n" % (200 if state == "B" else 100))
        appears = os.path.join(self.place.work, "first", "h.h")
        if state == "C":
            self.place.write("first/h.h", "#define N 300\n")
        elif os.path.exists(appears):
            os.unlink(appears)

    def start(self):
        extra = {"LD_PRELOAD": self.library, "INJECT_CONTROL": self.control.file.name}
        return self.place.start(extra)

    def restart(self):
        self.place.forget()
        self.start()

    def compile(self, words):
        return self.place.outcome([self.place.wrapper, *words, *COMPILE], INPUTS)

    def expect(self, state, words, label, may_repeat=False, may_litter=False):
        began = time.monotonic()
        got, wanted = self.compile(words), self.wanted[state]
        if may_litter:  # what can't be removed stays
            for name in [name for name in got[3] if name.startswith(".ccwrap-")]:
                del got[3][name]
        wrong = difference(got, wanted)
        if wrong and (may_repeat or not self.place.alive()):
            # what was passed on before the connection was lost, the client's own compiler says once more
            wrong = difference((*got[:2], got[2][-len(wanted[2]):], got[3]), wanted)
        if wrong:
            self.verdicts.fail("%s: %s" % (label, wrong))
        if time.monotonic() - began > 1.8:
            self.verdicts.note("slower than 1.8 s", label)
        return not wrong

    def flush(self):
        """All that waits for the writer is written."""
        self.place.run([self.place.wrapper, "--print-stats"], limit=15)

    def try_one(self, scenario, kind, how, error, at):
        """One fault. Gives whether there was an at-th call, and how many there were."""
        words = ["namespace=n%d" % next(self.numbers)]
        label = "%s, %s %d %s, %s" % (scenario, kind, at, HOW[how], errno.errorcode.get(error, error))
        if scenario.startswith("text"):
            words.append("direct=0")
        state = {"stale": "B", "appears": "C"}.get(scenario, "A")
        self.put("A")
        if scenario in ("warm", "textwarm", "stale", "appears", "reread"):
            self.expect("A", words, label + ": before")
        if scenario == "reread":  # a server that knows nothing but the store
            self.place.stop()
            self.start()
        self.put(state)
        if scenario == "start":
            self.place.stop()
            self.control.order(kind, how, error, at)
            self.start()
        else:
            self.control.order(kind, how, error, at)
        self.expect(state, words, label, kind in MAY_LOSE_CLIENT, kind == "unlink" and how == FROM)
        if scenario in ("cold", "text", "start"):
            self.flush()
        fired, seen = self.control.clear()
        if fired:
            self.verdicts.tries += 1
            self.after(scenario, kind, words, label)
        return fired, seen

    def after(self, scenario, kind, words, label):
        """Nothing wrong was stored, and the server is well."""
        if not self.place.alive():
            if kind not in MAY_END and scenario != "start":
                self.verdicts.fail(label + ": the server ended (%s)" % self.place.server.returncode)
            else:
                self.verdicts.note("server ended by " + kind)
            self.place.stop()
            self.start()
        for state in "BCA":
            self.put(state)
            self.expect(state, words, "%s: then %s" % (label, state))
        if not self.hits(words):
            time.sleep(0.3)
            self.expect("A", words, label + ": then A")
            if not self.hits(words):
                self.verdicts.note("no more hits after %s" % kind, label)
                self.restart()

    def hits(self, words):
        return not difference(self.compile(words + ["hits_only=1"]), self.wanted["A"])


SCENARIOS = "cold warm stale appears text textwarm reread start".split()


def numbers():
    """1, 2, 3 … and then in growing steps."""
    at = 1
    while True:
        yield at
        at += max(1, at // 12)


def run_all(bench, kinds, scenarios):
    for scenario in scenarios:
        for kind in kinds:
            for how, error in WAYS[kind]:
                for at in numbers():
                    if not bench.try_one(scenario, kind, how, error, at)[0]:
                        break
                    if how == FROM and at > 40:
                        break


def run_sample(bench, kinds, scenarios, seconds, seed):
    """Tries drawn at random; how many calls of a kind a scenario makes is learned on the way."""
    random.seed(seed)
    most = {pair: 8 for pair in itertools.product(kinds, scenarios)}
    end = time.monotonic() + seconds
    while most and time.monotonic() < end:
        kind, scenario = random.choice(sorted(most))
        how, error = random.choice(WAYS[kind])
        fired, seen = bench.try_one(scenario, kind, how, error, random.randint(1, most[kind, scenario]))
        if fired or seen:
            most[kind, scenario] = max(seen, most[kind, scenario] if fired else 1)
        else:
            del most[kind, scenario]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--seconds", type=int, default=0)
    options.add_argument("--only", default=",".join(KINDS))
    options.add_argument("--scenario", default=",".join(SCENARIOS))
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()

    verdicts = Verdicts("injected")
    bench = Bench(verdicts)
    try:
        kinds, scenarios = options.only.split(","), options.scenario.split(",")
        if options.quick or options.seconds:
            run_sample(bench, kinds, scenarios, options.seconds or 40, options.seed)
        else:
            run_all(bench, kinds, scenarios)
    finally:
        bench.place.remove()
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(main())
