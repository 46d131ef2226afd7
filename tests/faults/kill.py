#!/usr/bin/env python3
"""kill.py [--quick] [--rounds N] [--seed N]

A parallel build of a generated tree in which server, client, both, or make itself is killed (SIGKILL) at a random
moment. Afterwards: no object is wrong or half, no compiler runs on after 2 seconds, the store is intact, and the
build that is begun again ends well.
"""

import argparse
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from lib import Place, Verdicts

FILES = 24


class Tree:
    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.place = Place()
        objects = " ".join("o%d.o" % i for i in range(FILES))
        for i in range(FILES):
            body = "".join('extern int g%d_%d(int); int f%d_%d(int a) { return a * N + %d; }\n' % (i, k, i, k, k) for k in range(60))
            self.place.write("o%d.c" % i, '#include "n.h"\n#include <stdio.h>\n' + body)
        self.place.write("n.h", "#define N 1\n")
        self.place.write("Makefile", "all: %s\n%%.o: %%.c n.h\n\t$(W) gcc -O1 -MD -c $< -o $@\n.DELETE_ON_ERROR:\n" % objects)
        self.wanted = {}

    def want(self, text):
        """The objects of a plain build with this text of the header."""
        if text not in self.wanted:
            self.place.write("n.h", text)
            self.clean()
            subprocess.run(["make", "-j2", "W="], cwd=self.place.work, env=self.place.environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wanted[text] = self.objects()
        return self.wanted[text]

    def clean(self):
        for name in os.listdir(self.place.work):
            if name.endswith((".o", ".d")):
                os.unlink(os.path.join(self.place.work, name))

    def objects(self):
        found = {}
        for name in os.listdir(self.place.work):
            if name.endswith((".o", ".d")):
                with open(os.path.join(self.place.work, name), "rb") as file:
                    found[name] = hashlib.sha256(file.read()).hexdigest()
        return found

    def make(self):
        return subprocess.Popen(["make", "-k", "-j4", "W=" + self.place.wrapper], cwd=self.place.work,
                                env=self.place.environment, start_new_session=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

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
        return self.processes(lambda name: name in ("gcc", "cc1", "as", "collect2", "ld"))


def kill_all(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def strike(tree, victim, build):
    if victim in ("server", "both"):
        kill_all(tree.place.servers())
    if victim in ("client", "both"):
        clients = tree.clients()
        kill_all(random.sample(clients, min(len(clients), random.choice([1, 4]))))
    if victim == "make":
        kill_all([build.pid])
    if victim == "session":  # as a terminal that is closed, but harder
        try:
            os.killpg(build.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def one_round(tree, number):
    verdicts, place = tree.verdicts, tree.place
    victim = random.choice(["server", "server", "client", "both", "make", "session"])
    text = "#define N %d\n" % random.randint(1, 3)
    wanted = tree.want(text)
    place.write("n.h", text)
    tree.clean()
    if random.random() < 0.5:
        place.forget()
    label = "round %d, %s" % (number, victim)
    verdicts.tries += 1

    build = tree.make()
    for _ in range(random.choice([1, 1, 3])):
        time.sleep(random.uniform(0.01, 0.5))
        strike(tree, victim, build)
    try:
        status = build.wait(timeout=90)
    except subprocess.TimeoutExpired:
        verdicts.fail(label + ": make doesn't end")
        os.killpg(build.pid, signal.SIGKILL)
        build.wait()
        return
    if victim == "server" and status:
        verdicts.fail("%s: make ended with %s" % (label, status))

    # what make doesn't wait for any more may take 2 seconds to end
    deadline = time.monotonic() + 2
    if victim in ("make", "session"):
        while time.monotonic() < deadline and (tree.clients() or tree.compilers()):
            time.sleep(0.02)
    if victim in ("client", "both", "session"):
        while time.monotonic() < deadline and tree.compilers():
            time.sleep(0.02)
        if tree.compilers():
            verdicts.fail("%s: a compiler runs on after its client is gone" % label)
    elif victim == "make":
        for _ in range(1500):
            if not tree.clients():
                break
            time.sleep(0.02)
    if victim == "server":
        check_objects(tree, wanted, label)
    # what was interrupted is made again, as make does with .DELETE_ON_ERROR; the rest must be right as it is
    for name in set(os.listdir(place.work)):
        path = os.path.join(place.work, name)
        if name.startswith(".ccwrap-"):
            verdicts.note("temporary file left by a killed server")
            os.unlink(path)
    if victim in ("make", "session"):
        tree.clean()
    again = tree.make()
    if again.wait(timeout=90):
        verdicts.fail(label + ": the build that follows fails")
    check_objects(tree, wanted, label + ", again")
    check_store(tree, label)


def check_objects(tree, wanted, label):
    found = tree.objects()
    if set(found) != set(wanted):
        tree.verdicts.fail("%s: files are missing or too many: %s" % (label, sorted(set(found) ^ set(wanted))[:4]))
    wrong = [name for name in wanted if name in found and found[name] != wanted[name]]
    if wrong:
        tree.verdicts.fail("%s: wrong: %s" % (label, wrong[:4]))


def check_store(tree, label):
    path = os.path.join(tree.place.store, "cache.sqlite")
    if not os.path.exists(path):
        return
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=10) as db:
        said = db.execute("PRAGMA integrity_check").fetchone()[0]
        lost = db.execute("SELECT count(*) FROM entries e WHERE NOT EXISTS (SELECT 1 FROM results r WHERE r.id = e.id * 1024) "
                          "OR NOT EXISTS (SELECT 1 FROM sets s WHERE s.id = e.id)").fetchone()[0]
        lost += db.execute("SELECT count(*) FROM bases b WHERE uses <> (SELECT count(*) FROM sets s WHERE s.base = b.id)").fetchone()[0]
        lost += db.execute("SELECT count(*) FROM sets WHERE base <> 0 AND base NOT IN (SELECT id FROM bases)").fetchone()[0]
        total, entries = db.execute("SELECT (SELECT entries FROM totals), (SELECT count(*) FROM entries)").fetchone()
    if said != "ok" or lost or total != entries:
        tree.verdicts.fail("%s: the store: %s, %d rows without their parts or with too many, %d counted of %d" % (label, said, lost, total, entries))
    if any("damaged" in name for name in os.listdir(tree.place.store)):
        tree.verdicts.fail(label + ": a store was set aside")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--rounds", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    random.seed(options.seed)

    verdicts = Verdicts("killed")
    tree = Tree(verdicts)
    try:
        for number in range(options.rounds or (15 if options.quick else 300)):
            one_round(tree, number)
    finally:
        tree.place.remove()
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(main())
