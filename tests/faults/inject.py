#!/usr/bin/env python3
"""inject.py [--quick] [--seconds N] [--compile NAME,…] [--scenario S,…] [--only KIND,…] [--part I/N] [--chance N]

Fault injection: the server runs with inject.so, in which the Nth call of a kind fails (once, or from then on) or
is cut short. For each compile, scenario, kind of call and way of failing, N goes up from 1 until there is no Nth
call. After each the outcome of the compile must be the plain compiler's, and so must be what the store then gives
without a fault: for the same text, for another text of its header, and where a header appears that was not there.

Without --quick all faults are tried: some ten thousand, an hour. --part 1/2 and 2/2 share them among two processes;
--seconds (and --quick: 40) draws a sample at random. --chance N: N compiles of each kind, in each of which calls of all
kinds fail by chance, dozens at once.
"""

import errno
import itertools
import mmap
import os
import random
import shutil
import struct
import subprocess
import time

from direct import Direct, namespace
from inject_ways import COMPILES, FROM, FROM_UNTIL, HOW, KINDS, MAY_END, MAY_LITTER, MAY_LOSE_CLIENT, MAY_SET_ASIDE, SCENARIOS, SHORT, WAYS
from lib import HERE, Place, difference, drive

# With an entry that was stored before the fault.
WARM = {"warm", "textwarm", "reread", "stale", "appears"}
NEVER_BEGAN = 1  # status of a server that could not start
ANY = 1000  # KIND_ANY of inject.c
# … which leave that entry as it was.
KEEP = {"warm", "textwarm", "reread"}


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

    def order_chance(self, one_of):
        """Calls of all kinds fail, one of so many, each kind in a way that is drawn anew."""
        errors = [0] * (len(KINDS) + 1)
        for number, kind in enumerate(KINDS, 1):
            how, error = random.choice(WAYS[kind])
            errors[number] = 0 if kind in MAY_END else -1 if how == SHORT else error
        self.map[0:28] = struct.pack("7i", 0, 0, 0, one_of, 0, 0, random.randrange(1 << 30))
        self.map[28:28 + 4 * len(errors)] = struct.pack("%di" % len(errors), *errors)
        self.map[0:4] = struct.pack("i", ANY)

    def clear(self):
        """Gives how often a call failed, and how many calls there were."""
        self.map[0:4] = struct.pack("i", 0)
        _, _, _, _, seen, fired = struct.unpack("6i", self.map[0:24])
        return fired, seen


class Bench:
    """The server with the library, and three states of a tree with the outcomes that belong to them."""

    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.place = Place()
        self.preload = os.path.join(self.place.top, "inject.so")
        self.tiny = os.path.join(self.place.top, "bin", "gcc")
        os.mkdir(os.path.dirname(self.tiny))
        gcc = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra"]
        subprocess.run([*gcc, "-o", self.tiny, os.path.join(HERE, "tiny_compiler.c")], check=True)
        subprocess.run([*gcc, "-fPIC", "-shared", "-fno-builtin", "-o", self.preload, os.path.join(HERE, "inject.c"), "-ldl"], check=True)
        self.control = Control(os.path.join(self.place.top, "control"))
        self.numbers = itertools.count(1)
        self.stored = {}  # scenario: the namespace in which state A is stored, for those that leave it as it was
        self.last = None, "the start"
        self.direct = Direct(self.place)
        self.start()

    # --- the tree ---

    def use(self, compile_name):
        """From now on the tree and the command of this compile."""
        self.files = COMPILES[compile_name]
        program, *words = self.files["command"]
        self.command = [self.tiny if program == "bin/gcc" else program, *words]
        self.name = compile_name
        self.stored, self.state = {}, None
        shutil.rmtree(self.place.work)
        os.mkdir(self.place.work)
        for folder in self.files["folders"]:
            os.mkdir(os.path.join(self.place.work, folder))
        self.place.write(*self.files["source"])
        self.inputs = {self.files["source"][0], self.files["header"], self.files["appears"]}
        self.wanted = {}
        for state in "ABC":
            self.put(state)
            self.wanted[state] = self.place.outcome(self.command, self.inputs)
        assert self.wanted["A"][0] == 0 and self.wanted["A"][3], self.wanted["A"]
        assert len({str(outcome) for outcome in self.wanted.values()}) == 3

    def put(self, state):
        """A, B: two texts of the header. C: as A, but another header appears beside or before it."""
        if state == self.state:
            return
        self.state = state
        self.place.write(self.files["header"], self.files["text"] % (200 if state == "B" else 100))
        appears = os.path.join(self.place.work, self.files["appears"])
        if state == "C":
            self.place.write(self.files["appears"], self.files["text"] % 300)
        elif os.path.exists(appears):
            os.unlink(appears)
        time.sleep(0.005)  # a file of the same tick of the clock is taken for one that is being written

    # --- the server ---

    def start(self, ready=True):
        self.place.start({"LD_PRELOAD": self.preload, "INJECT_CONTROL": self.control.file.name})
        if ready:  # the socket is there before all else is
            self.direct.flush()

    def restart(self):
        self.place.forget()
        self.stored = {}
        self.start()

    # --- one try ---

    def words(self, scenario, number):
        return [namespace(number), *self.settings(scenario)]

    @staticmethod
    def settings(scenario):
        return ["direct=0"] if scenario.startswith("text") else []

    def expect(self, state, words, label, may_repeat=False, may_litter=False):
        began = time.monotonic()
        got, wanted = self.place.outcome([self.place.wrapper, *words, *self.command], self.inputs), self.wanted[state]
        if may_litter or not self.place.alive():  # what can't be removed stays, and what a killed compiler had
            for name in [name for name in got[3] if name.startswith((".ccwrap-", "rmeta", "rustc"))]:
                del got[3][name]
        wrong = difference(got, wanted)
        if wrong and (may_repeat or not self.place.alive()):
            # what was passed on before the connection was lost, the client's own compiler says once more
            wrong = difference((*got[:2], got[2][-len(wanted[2]):], got[3]), wanted)
        if wrong:
            self.verdicts.fail("%s: %s%s" % (label, wrong, self.place.log()))
        if time.monotonic() - began > 1.8:
            self.verdicts.note("slower than 1.8 s", label)
        return not wrong

    def holds(self, state, scenario, number, label):
        """What the store gives for this state: nothing, or the right outcome. True if it is a hit."""
        self.put(state)
        said = self.direct.ask(number, [*self.settings(scenario), "hits_only=1"], self.command)
        files = self.place.collect(self.inputs)
        if said is None or (said[0] == 1 and not files):
            return False
        wrong = "files without a hit: %s" % sorted(files) if said[0] == 1 else difference((*said, files), self.wanted[state])
        if wrong:
            self.verdicts.fail("%s: look-up of %s: %s, %s%s" % (label, state, wrong, said, self.place.log()))
        return True

    def namespace_for(self, scenario, label):
        """In warm scenarios a result of state A is stored in it."""
        number = self.stored.pop(scenario, None) or next(self.numbers)
        if scenario in WARM and not self.holds("A", scenario, number, label):
            self.put("A")
            self.expect("A", self.words(scenario, number), label + ": before")
            self.direct.flush()
        return number

    def try_one(self, scenario, kind, how, error, at):
        """One fault. Gives whether there was an at-th call, and how many there were."""
        label = "%s, %s, %s %d %s, %s" % (self.name, scenario, kind, at, HOW[how], errno.errorcode.get(error, error))
        return self.attempt(scenario, kind, (how, error), label, lambda: self.control.order(kind, how, error, at))

    def try_many(self, scenario, one_of):
        """Many faults in one compile."""
        label = "%s, %s, one of %d" % (self.name, scenario, one_of)
        return self.attempt(scenario, "any", (FROM, errno.EIO), label, lambda: self.control.order_chance(one_of))

    def attempt(self, scenario, kind, way, label, order):
        if not self.place.alive():  # after the last try was over
            if self.last[0] not in MAY_END:
                self.verdicts.fail("%s: the server ended after it (%s)%s" % (self.last[1], self.place.server.returncode, self.place.log()))
            self.place.stop()
            self.start()
        self.last = kind, label
        number = self.namespace_for(scenario, label)
        state = {"stale": "B", "appears": "C"}.get(scenario, "A")
        if scenario in ("start", "reread"):  # a server that knows nothing but the store
            self.place.kill()
            if scenario == "reread":
                self.start()
        self.put(state)
        order()
        if scenario == "start":
            self.start(ready=False)
        self.expect(state, self.words(scenario, number), label, kind in MAY_LOSE_CLIENT, kind in MAY_LITTER)
        if scenario not in KEEP:
            if kind == "lock" and way[0] == FROM:  # sqlite goes on trying for ten seconds, each time
                time.sleep(0.1)
                self.control.clear()
            self.direct.flush()
        fired, seen = self.control.clear()
        if fired:
            self.verdicts.tries += fired
            self.after(scenario, kind, way, number, label)
        elif scenario in KEEP:
            self.stored[scenario] = number
        return bool(fired), seen

    def after(self, scenario, kind, way, number, label):
        """Nothing wrong was stored, nothing was lost, and the server is well."""
        if not self.place.alive():
            began = self.place.server.returncode != NEVER_BEGAN  # with another one that a client had started
            if kind not in MAY_END and scenario != "start" and began:
                self.verdicts.fail("%s: the server ended (%s)%s" % (label, self.place.server.returncode, self.place.log()))
            else:
                self.verdicts.note("server ended by " + kind)
            self.place.stop()  # a client may have started another one
            self.start()
        for state in "BC":
            self.holds(state, scenario, number, label)
        if self.holds("A", scenario, number, label) or self.recovers(scenario, number, label):
            if scenario in KEEP:
                self.stored[scenario] = number
        else:
            self.verdicts.note("no more hits after %s" % kind, label)
            self.restart()
        if self.place.store_set_aside():
            if (kind, *way) in MAY_SET_ASIDE:
                self.verdicts.note("set aside after " + kind)
            else:
                self.verdicts.fail(label + ": the store was set aside")
            self.restart()
        elif (kind, FROM, way[1]) in MAY_SET_ASIDE:  # one sign of damage is no proof; the next try's is not to be the second
            self.place.kill()
            self.start()

    def recovers(self, scenario, number, label):
        """Without a fault a compile is stored again, at the latest after what a server waits after a failure."""
        for pause in (0, 0.3):
            time.sleep(pause)
            self.put("A")
            self.expect("A", self.words(scenario, number), label + ": then A")
            if self.holds("A", scenario, number, label):
                return True
        return False


def numbers():
    """1, 2, 3 … and then in growing steps."""
    at = 1
    while True:
        yield at
        at += max(1, at // 12)


def run_row(bench, scenario, kind, how, error):
    """All N of one kind of call and one way of failing."""
    for at in numbers():
        if not bench.try_one(scenario, kind, how, error, at)[0] or (how == FROM and at > FROM_UNTIL.get(kind, 40)):
            return


def run_all(bench, options):
    part, parts = map(int, options.part.split("/"))
    for compile_name in options.compile.split(","):
        bench.use(compile_name)
        for scenario in scenarios_of(bench, options):
            rows = [(scenario, kind, *way) for kind in options.only.split(",") for way in WAYS[kind]]
            for number, row in enumerate(rows):
                if number % parts == part - 1:
                    run_row(bench, *row)
            if options.verbose:
                print("     %s, %s: %d tried so far" % (compile_name, scenario, bench.verdicts.tries), flush=True)
        check_store(bench)


def run_chance(bench, options):
    """So many compiles in which calls of all kinds fail, from one in three to one in two hundred."""
    for compile_name in options.compile.split(","):
        bench.use(compile_name)
        for _ in range(options.chance):
            bench.try_many(random.choice(scenarios_of(bench, options)), random.choice([3, 7, 15, 30, 60, 200]))
        if options.verbose:
            print("     %s: %d failed calls so far" % (compile_name, bench.verdicts.tries), flush=True)
        check_store(bench)


def run_sample(bench, options, seconds):
    """Tries drawn at random; how many calls of a kind a scenario makes is learned on the way."""
    names = options.compile.split(",")
    for share, compile_name in enumerate(names, 1):
        bench.use(compile_name)
        end = bench.verdicts.began + seconds * share / len(names)
        most = {pair: 8 for pair in itertools.product(options.only.split(","), scenarios_of(bench, options))}
        while most and time.monotonic() < end:
            kind, scenario = random.choice(sorted(most))
            how, error = random.choice(WAYS[kind])
            fired, seen = bench.try_one(scenario, kind, how, error, random.randint(1, most[kind, scenario]))
            if fired or seen:
                most[kind, scenario] = max(seen, most[kind, scenario] if fired else 1)
            else:
                del most[kind, scenario]
        check_store(bench)


def scenarios_of(bench, options):
    return [name for name in options.scenario.split(",") if name in bench.files.get("scenarios", SCENARIOS)]


def check_store(bench):
    bench.place.stop()
    fault = bench.place.store_fault()
    if fault:
        bench.verdicts.fail(fault)
    bench.start()


def body(bench, options):
    options.compile = ",".join(name for name in options.compile.split(",") if name == "tiny" or shutil.which(COMPILES[name]["command"][0]))
    if options.chance:
        run_chance(bench, options)
    elif options.quick or options.seconds:
        run_sample(bench, options, options.seconds or 40)
    else:
        run_all(bench, options)


if __name__ == "__main__":
    drive("injected", __doc__, Bench, body, more=[("--seconds", 0), ("--chance", 0), ("--compile", ",".join(COMPILES)), ("--only", ",".join(KINDS)),
                                                  ("--scenario", ",".join(SCENARIOS)), ("--part", "1/1"), ("--verbose", 0)])
