#!/usr/bin/env python3
"""soak.py [--quick] [--rounds N] [--minutes M [--duty PERCENT]] [--seed N]

Parallel builds through one server, with all that goes on beside them: headers edited, equal compiles at once, clients
interrupted, statistics and orders (zero, trim, clear, evict), preprocessed and unwatched compiles, failing compiles,
connections that say nothing. Made for a server that was built with a sanitizer, too: what it reports is a failure. So
the race detector's run is

    cmake -S . -B build-thread -G Ninja -DCCWRAP_SANITIZE=thread && ninja -C build-thread &&
        CCWRAP_BUILD=build-thread tests/faults/run soak

With --minutes rounds follow each other for so long, each with some thousand hits, and with pauses that keep all of it
below PERCENT (20) of one core; memory, descriptors, threads and zombies of the server are told in twelve rows, and
must not grow.
"""

import glob
import os
import random
import resource
import signal
import socket
import subprocess
import time

from lib import HERE, ROOT, drive
from tree import Tree

ORDERS = (["--print-stats"], ["--stats-format=json"], ["--zero-stats"], ["--trim"], ["--clear"], ["--evict-older-than", "1d"],
          ["--show-config"])
ROWS = 12


class Bench(Tree):
    def __init__(self, verdicts):
        super().__init__(verdicts)
        self.requests = 0
        self.load = os.path.join(self.place.top, "load")
        subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", "-pthread", "-o", self.load, os.path.join(ROOT, "bench", "load.c")], check=True)
        self.watch = os.path.join(self.place.top, "watch.so")
        subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", "-fPIC", "-shared", "-o", self.watch, os.path.join(HERE, "watch.c"), "-ldl"],
                       check=True)
        for text in (1, 2, 3):
            self.want(text)

    def start(self):
        """Gives the beginning of the paths of what a sanitizer reports."""
        logs = os.path.join(self.place.top, "report")
        suppressions = os.path.join(self.place.top, "suppressions")
        with open(suppressions, "w") as file:  # a number of a descriptor that another thread was given after its close
            file.write("race_top:^close$\n")
        options = "suppressions=" + suppressions
        options += ":log_path=%s:halt_on_error=0:second_deadlock_stack=1:history_size=4" % logs
        with open(os.path.join(self.place.build, "ccwrap-server"), "rb") as file:
            sanitized = b"__asan_init" in (program := file.read()) or b"__tsan_init" in program
        preload = {} if sanitized else {"LD_PRELOAD": self.watch}  # a sanitizer must come first
        self.place.start({**preload, "TSAN_OPTIONS": options, "ASAN_OPTIONS": "log_path=%s:detect_leaks=1" % logs,
                          "UBSAN_OPTIONS": "log_path=%s:print_stacktrace=1" % logs}, limit=30)
        return logs

    def watched(self):
        """What watch.c told."""
        with open(os.path.join(self.place.top, "server.err"), errors="replace") as file:
            said = file.read()
        return said[said.index("WATCH"):][:3000] if "WATCH" in said else ""

    def quietly(self, words):
        self.requests += 1
        return subprocess.Popen(words, cwd=self.place.work, env=self.place.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def hits(self, seconds):
        """The same two compiles again and again."""
        words = [self.load, "2", str(seconds), self.place.wrapper, "gcc", "-O1", "-c", "o%.c", "-o", "/dev/null"]
        status, out, _ = self.place.run(words, limit=seconds + 60)
        rate, _, _, failed = map(float, out.split())
        self.requests += int(rate * seconds)
        if status or failed:
            self.verdicts.fail("%d of the hits fail" % failed)


def interrupt(bench):
    client = bench.quietly([bench.place.wrapper, "namespace=int%d" % random.randrange(1 << 30), "gcc", "-O2", "-c", "o1.c",
                            "-o", "/dev/null"])
    time.sleep(random.uniform(0, 0.1))
    client.send_signal(random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
    client.wait()


def connect_for_nothing(bench):
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(5)
        try:
            end.connect(bench.place.socket)
            end.send(os.urandom(random.randint(0, 40)))
        except OSError:
            return
        time.sleep(random.uniform(0, 0.05))


def beside(bench, build):
    """Disturbs the build until it ends."""
    wrapper = bench.place.wrapper
    while build.poll() is None:
        choice = random.random()
        if choice < 0.4:
            bench.place.run([wrapper, *random.choice(ORDERS)], limit=60)
        elif choice < 0.6:
            connect_for_nothing(bench)
        elif choice < 0.8:
            interrupt(bench)
        else:
            bench.place.run([wrapper, "gcc", "-c", "no_such_file.c"], limit=60)
        bench.requests += 1
        time.sleep(random.uniform(0, 0.05))


def one_round(bench, number):
    place = bench.place
    text = random.randint(1, 3)
    wanted = bench.want(text)
    bench.put(text)
    bench.clean()
    how = random.choice([{}, {}, {"CCWRAP_DIRECT": "0"}, {"CCWRAP_RECORDER": "0"}, {"CCWRAP_RECACHE": "1"}])
    label = "round %d %s" % (number, how)
    bench.verdicts.tries += 1
    before = dict(place.environment)
    place.environment.update(how)
    build = bench.make()
    beside(bench, build)
    bench.requests += len(wanted)
    if build.wait():
        bench.verdicts.fail(label + ": make fails")
    bench.check(wanted, label)
    # one source many times at once: one compile, the others wait for it
    words = [place.wrapper, "namespace=twin%d" % number, "gcc", "-O1", "-c", "o3.c", "-o", "/dev/null"]
    twins = [bench.quietly(words) for _ in range(8)]
    if any([twin.wait() for twin in twins]):
        bench.verdicts.fail(label + ": a twin fails")
    place.environment.clear()
    place.environment.update(before)
    if not place.alive():
        bench.verdicts.fail("%s: the server ended (%s)%s" % (label, place.server.returncode, place.log(12)))
    return place.alive()


# --- for a time ---


def cpu(bench):
    """Seconds of processor that this driver, its children, the server and its compilers have had."""
    own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    with open("/proc/%d/stat" % bench.place.server.pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return own + sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def tell(bench, began):
    status = bench.place.status()
    row = ((time.monotonic() - began) / 60, bench.requests, status["MB"], status["most MB"], status["descriptors"],
           status["threads"], status["zombies"])
    print("     %5.1f min: %7d requests, %6.1f MB resident (%.1f at most), %3d descriptors, %2d threads, %d zombies" % row,
          flush=True)
    return status


def for_minutes(bench, minutes, duty):
    began, cpu_began, number, rows = time.monotonic(), cpu(bench), 0, []
    while time.monotonic() < began + minutes * 60:
        if not one_round(bench, number):
            return
        bench.hits(3)
        while time.monotonic() < began + (cpu(bench) - cpu_began) * 100 / duty:
            time.sleep(0.2)
        if time.monotonic() >= began + len(rows) * minutes * 60 / ROWS:
            rows.append(tell(bench, began))
        number += 1
    rows.append(tell(bench, began))
    early, late = rows[len(rows) // 3], rows[-1]
    if late["MB"] > early["MB"] * 1.5 + 8 or late["descriptors"] > early["descriptors"] + 8 or late["zombies"] > 4:
        bench.verdicts.fail("the server grows: %s, and %s later" % (early, late))


def body(bench, options):
    logs = bench.start()
    if options.minutes:
        for_minutes(bench, options.minutes, options.duty)
    else:
        all(one_round(bench, number) for number in range(options.rounds))
    server = bench.place.server
    subprocess.run([bench.place.wrapper, "--stop-server"], env=bench.place.environment, timeout=60, stdout=subprocess.DEVNULL, check=False)
    if server.wait(timeout=60):
        bench.verdicts.fail("the server's status is %s" % server.returncode)
    if bench.watched():
        bench.verdicts.fail(bench.watched())
    for report in glob.glob(logs + "*"):
        with open(report) as file:
            bench.verdicts.fail("a sanitizer reports:\n" + file.read()[:6000])


if __name__ == "__main__":
    drive("soak", __doc__, Bench, body, full=20, quick=4, more=[("--minutes", 0.0), ("--duty", 20.0)])
