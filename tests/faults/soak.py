#!/usr/bin/env python3
"""soak.py [--quick] [--rounds N] [--seed N]

Parallel builds through one server, with all that goes on beside them: headers edited, equal compiles at once, clients
interrupted, statistics and orders (zero, trim, clear, evict), preprocessed and unwatched compiles, failing compiles,
connections that say nothing. Made for a server that was built with a sanitizer: what it reports is a failure.
"""

import argparse
import glob
import os
import random
import signal
import socket
import subprocess
import sys
import time

from kill import Tree, check_objects
from lib import Verdicts

ORDERS = (["--print-stats"], ["--stats-format=json"], ["--zero-stats"], ["--trim"], ["--clear"], ["--evict-older-than", "1d"],
          ["--show-config"])


def start_server(tree):
    logs = os.path.join(tree.place.top, "report")
    suppressions = os.path.join(tree.place.top, "suppressions")
    with open(suppressions, "w") as file:  # a number of a descriptor that another thread was given after its close
        file.write("race_top:^close$\n")
    options = "suppressions=" + suppressions
    options += ":log_path=%s:halt_on_error=0:second_deadlock_stack=1:history_size=4" % logs
    tree.place.start({"TSAN_OPTIONS": options, "ASAN_OPTIONS": "log_path=%s:detect_leaks=1" % logs,
                      "UBSAN_OPTIONS": "log_path=%s:print_stacktrace=1" % logs}, limit=30)
    return logs


def beside(tree, build, wrapper):
    """Disturbs the build until it ends."""
    place, end = tree.place, None
    while build.poll() is None:
        choice = random.random()
        if choice < 0.4:
            place.run([wrapper, *random.choice(ORDERS)], limit=60)
        elif choice < 0.6:
            end = socket.socket(socket.AF_UNIX)
            end.settimeout(5)
            try:
                end.connect(place.socket)
                end.send(os.urandom(random.randint(0, 40)))
            except OSError:
                pass
        elif choice < 0.8:
            words = [wrapper, "namespace=int%d" % random.randrange(1 << 30), "gcc", "-O2", "-c", "o1.c", "-o", "/dev/null"]
            client = subprocess.Popen(words, cwd=place.work, env=place.environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.1))
            client.send_signal(random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
            client.wait()
        else:
            place.run([wrapper, "gcc", "-c", "no_such_file.c"], limit=60)
        time.sleep(random.uniform(0, 0.05))


def one_round(tree, number):
    place = tree.place
    text = "#define N %d\n" % random.randint(1, 3)
    wanted = tree.want(text)
    place.write("n.h", text)
    tree.clean()
    how = random.choice([{}, {}, {"CCWRAP_DIRECT": "0"}, {"CCWRAP_RECORDER": "0"}, {"CCWRAP_RECACHE": "1"}])
    label = "round %d %s" % (number, how)
    tree.verdicts.tries += 1
    before = dict(place.environment)
    place.environment.update(how)
    builds = [tree.make()]
    beside(tree, builds[0], place.wrapper)
    if builds[0].wait():
        tree.verdicts.fail(label + ": make fails")
    check_objects(tree, wanted, label)
    # all sources many times at once: one compile, the others wait for it
    words = [place.wrapper, "namespace=twin%d" % number, "gcc", "-O1", "-c", "o3.c", "-o", "/dev/null"]
    twins = [subprocess.Popen(words, cwd=place.work, env=place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) for _ in range(8)]
    if any(twin.wait() for twin in twins):
        tree.verdicts.fail(label + ": a twin fails")
    place.environment.clear()
    place.environment.update(before)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--rounds", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    random.seed(options.seed)

    verdicts = Verdicts("soak")
    tree = Tree(verdicts)
    try:
        for text in ("1", "2", "3"):
            tree.want("#define N %s\n" % text)
        logs = start_server(tree)
        for number in range(options.rounds or (4 if options.quick else 20)):
            one_round(tree, number)
            if not tree.place.alive():
                verdicts.fail("the server ended (%s)" % tree.place.server.returncode)
                break
        server = tree.place.server
        subprocess.run([tree.place.wrapper, "--stop-server"], env=tree.place.environment, timeout=60, stdout=subprocess.DEVNULL)
        if server.wait(timeout=60):
            verdicts.fail("the server's status is %s" % server.returncode)
        reports = glob.glob(logs + "*")
        for report in reports:
            with open(report) as file:
                verdicts.fail("a sanitizer reports:\n" + file.read()[:6000])
    finally:
        tree.place.remove()
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(main())
