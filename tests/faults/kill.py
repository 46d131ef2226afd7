#!/usr/bin/env python3
"""kill.py [--quick] [--rounds N] [--seed N]

A parallel build of a generated tree (C, and Rust crates that share make's jobserver) in which server, client, both, or
make itself is killed (SIGKILL) at a random moment. Afterwards: no object is wrong or half, no compiler runs on after
2 seconds, the store is intact, the build that is begun again ends well, and make misses no token.
"""

import os
import random
import signal
import subprocess
import time

from lib import drive, kill_all
from tree import Tree


def strike(tree, victim, build):
    if victim in ("server", "both"):
        kill_all(tree.place.servers)
    if victim in ("client", "both"):
        count = random.choice([1, 4])
        kill_all(tree.clients, choose=lambda clients: random.sample(clients, min(len(clients), count)))
    if victim == "make":
        build.kill()
    if victim == "session":  # as a terminal that is closed, but harder
        try:
            os.killpg(build.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def struck_build(tree, victim, label):
    """A build that is struck one to three times. False if it never ends."""
    with open(os.path.join(tree.place.top, "said"), "w+b") as says:
        build = tree.make(says)
        for _ in range(random.choice([1, 1, 3])):
            time.sleep(random.uniform(0.01, 0.5))
            strike(tree, victim, build)
        try:
            status = build.wait(timeout=90)
        except subprocess.TimeoutExpired:
            tree.verdicts.fail(label + ": make doesn't end")
            os.killpg(build.pid, signal.SIGKILL)
            build.wait()
            return False
        if victim == "server":
            says.seek(0)
            said = says.read().decode(errors="replace")
            if status:
                tree.verdicts.fail("%s: make ended with %s: %.300s" % (label, status, said))
            if "jobserver" in said:
                tree.verdicts.fail("%s: %.300s" % (label, said))
    return True


def wait_for_ends(tree, victim, label):
    """What make doesn't wait for any more may take 2 seconds to end."""
    deadline = time.monotonic() + 2
    if victim in ("make", "session"):
        while time.monotonic() < deadline and (tree.clients() or tree.compilers()):
            time.sleep(0.02)
    if victim in ("client", "both", "session"):
        while time.monotonic() < deadline and tree.compilers():
            time.sleep(0.02)
        if tree.compilers():
            tree.verdicts.fail("%s: a compiler runs on after its client is gone" % label)
    elif victim == "make":
        for _ in range(1500):
            if not tree.clients():
                break
            time.sleep(0.02)


def sweep(tree, victim):
    """Removes what an interrupted build may leave, as make does with .DELETE_ON_ERROR; the rest must be right as it is."""
    for name in tree.results():
        if name.startswith((".ccwrap-", "rmeta", "rustc")):
            tree.verdicts.note("temporary left by something killed")
            subprocess.run(["rm", "-rf", os.path.join(tree.place.work, name)], check=False)
    if victim in ("make", "session"):
        tree.clean()


def one_round(tree, number):
    verdicts, place = tree.verdicts, tree.place
    victim = random.choice(["server", "server", "client", "both", "make", "session"])
    text = random.randint(1, 3)
    wanted = tree.want(text)
    tree.put(text)
    tree.clean()
    if random.random() < 0.5:
        place.forget()
    label = "round %d, %s" % (number, victim)
    verdicts.tries += 1

    if not struck_build(tree, victim, label):
        return
    wait_for_ends(tree, victim, label)
    sweep(tree, victim)
    if victim == "server":
        tree.check(wanted, label)
    if tree.make().wait(timeout=90):
        verdicts.fail(label + ": the build that follows fails")
    tree.check(wanted, label + ", again")
    fault = place.store_fault()
    if fault:
        verdicts.fail("%s: %s" % (label, fault))


def rounds(tree, options):
    for number in range(options.rounds):
        one_round(tree, number)


if __name__ == "__main__":
    drive("killed", __doc__, Tree, rounds, full=300, quick=15)
