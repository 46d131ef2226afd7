#!/usr/bin/env python3
"""load.py [--quick] [--clients N]

A server under load: many clients at once, command lines of 64 KB and 2 MB, thousands of connections that say nothing,
say garbage, or stop reading, and a server with 64 descriptors. A build beside it ends right, and the server's memory
stays bounded; its resident size is printed.
"""

import os
import resource
import shutil
import socket
import struct
import subprocess
import time

from lib import Sources, difference, drive

SOURCES = 10
MEMORY_MAX = 600  # MB


def text(i):
    return "int f%d(int a) { return a * %d; }\nstatic int unused;\n" % (i, i)


class Bench(Sources):
    def __init__(self, verdicts):
        super().__init__(verdicts, SOURCES, text, "gcc -Wall -c f%d.c -o f%d.o".split())

    def memory(self, label):
        status = self.place.status()
        print("     %s: %d MB resident, %d MB at most, %d descriptors, %d threads"
              % (label, status["MB"], status["most MB"], status["descriptors"], status["threads"]), flush=True)
        if status["most MB"] > MEMORY_MAX:
            self.verdicts.fail("%s: %d MB resident" % (label, status["most MB"]))

    def connect(self):
        end = socket.socket(socket.AF_UNIX)
        end.setblocking(False)
        for _ in range(200):
            try:
                end.connect(self.place.socket)
                return end
            except BlockingIOError:
                time.sleep(0.005)
        end.close()
        return None

    def well(self, label):
        self.verdicts.tries += 1
        if not self.place.alive():
            self.verdicts.fail("%s: the server ended (%s)" % (label, self.place.server.returncode))
            self.place.stop()
            self.place.start()


def clients_at_once(bench, count):
    """All warm, started as fast as this process can."""
    label = "%d clients at once" % count
    folders = []
    for n in range(count):
        folder = os.path.join(bench.place.top, "many", str(n))
        os.makedirs(folder)
        folders.append(folder)
    began = time.monotonic()
    running = [subprocess.Popen([bench.place.wrapper, "gcc", "-Wall", "-c", os.path.join(bench.place.work, "f%d.c" % (n % SOURCES)), "-o",
                                 "x.o"], cwd=folders[n], env=bench.place.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for n in range(count)]
    bad = sum(client.wait() != 0 for client in running)
    took = time.monotonic() - began
    sizes = {open(os.path.join(folder, "x.o"), "rb").read()[:4] for folder in folders if os.path.exists(os.path.join(folder, "x.o"))}
    missing = sum(not os.path.exists(os.path.join(folder, "x.o")) for folder in folders)
    if bad or missing or sizes != {b"\x7fELF"}:
        bench.verdicts.fail("%s: %d failed, %d objects are missing" % (label, bad, missing))
    bench.well(label)
    bench.memory("%s (%.1f s)" % (label, took))


def long_command_lines(bench):
    """Of 2 MB gcc can't make a command for cc1 any more, and says so; clang can."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (min(1 << 28, hard) if hard > 0 else 1 << 28, hard))
    for compiler, size in (("gcc", 64 << 10), ("gcc", 2 << 20), ("clang", 2 << 20), ("clang", 5 << 20)):
        if not shutil.which(compiler):
            continue
        words = [compiler, *("-DX%d=%s" % (i, "y" * 900) for i in range(size // 910)), "-c", "f1.c", "-o", "f1.o"]
        label = "%d KB of words for %s" % (size >> 10, compiler)
        plain = bench.place.outcome(words, bench.inputs)
        for turn in ("cold", "warm"):
            wrong = difference(bench.place.outcome([bench.place.wrapper, *words], bench.inputs), plain)
            if wrong:
                bench.verdicts.fail("%s, %s: %s" % (label, turn, wrong))
            bench.well(label)
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    bench.memory("long command lines")


def frame(kind, payload):
    return struct.pack("<IB", len(payload) + 1, kind) + payload


def garbage(number):
    choice = number % 8
    if choice == 0:
        return os.urandom(64)
    if choice == 1:
        return struct.pack("<IB", 1 << 23, 1) + os.urandom(1000)  # too large by a byte or so
    if choice == 2:
        return struct.pack("<IB", 7 << 20, 1) + bytes(200000)  # large, and never whole
    if choice == 3:
        return frame(1, os.urandom(500))
    if choice == 4:
        return frame(2, b"\x02")
    if choice == 5:
        return frame(4, b"stats\0json\0") * 3
    if choice == 6:
        return frame(4, b"no such word")
    return b"GET / HTTP/1.1\r\n\r\n"


def quiet_connections(bench, count):
    """They are left open while the build goes on; the server may end the oldest."""
    label = "%d connections that say nothing" % count
    ends = [bench.connect() for _ in range(count)]
    bench.build(label)
    bench.build(label + ", cold", ["namespace=quiet"])
    bench.well(label)
    bench.memory(label)
    for end in filter(None, ends):
        end.close()


def garbage_connections(bench, count):
    label = "%d connections that speak garbage" % count
    ends = []
    for number in range(count):
        end = bench.connect()
        if end:
            try:
                end.send(garbage(number))
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                pass
            ends.append(end)
        if number % 200 == 0:
            bench.build(label)
    bench.build(label + ", cold", ["namespace=garbage"])
    bench.well(label)
    bench.memory(label)
    for end in ends:
        end.close()


def deaf_connections(bench, count):
    """Clients that ask for a compile with much output, and don't read it."""
    label = "%d clients that stop reading" % count
    bench.place.write("loud.c", "#include \"loud.h\"\n")
    bench.place.write("loud.h", "".join("static int unused_variable_with_a_long_name_%d;\n" % i for i in range(20000)))
    bench.inputs |= {"loud.c", "loud.h"}
    readers = []
    running = []
    for n in range(count):
        reader, writer = os.pipe()
        readers.append(reader)
        running.append(subprocess.Popen([bench.place.wrapper, "namespace=loud%d" % (n % 4), "gcc", "-Wall", "-fno-diagnostics-show-caret", "-c",
                                         "loud.c", "-o", "/dev/null"], cwd=bench.place.work, env=bench.place.environment,
                                        stdin=subprocess.DEVNULL, stdout=writer, stderr=writer))
        os.close(writer)
    time.sleep(1)
    bench.build(label)
    bench.well(label)
    bench.memory(label)
    for client in running:
        client.kill()
        client.wait()
    for reader in readers:
        os.close(reader)


def few_descriptors(bench):
    label = "64 descriptors"
    bench.place.forget()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    place = bench.place
    place.start(before=["bash", "-c", 'ulimit -n 64; exec "$@"', "x"])
    for turn in range(3):
        running = [subprocess.Popen([place.wrapper, "namespace=few%d" % turn, *bench.words(i % SOURCES)[:-1], "/dev/null"], cwd=place.work,
                                    env=place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for i in range(60)]
        bad = sum(client.wait() != 0 for client in running)
        if bad:
            bench.verdicts.fail("%s: %d of 60 compiles failed" % (label, bad))
        bench.build(label)
    ends = [bench.connect() for _ in range(100)]
    bench.build(label + " and 100 quiet connections")
    for end in filter(None, ends):
        end.close()
    bench.well(label)
    bench.memory(label)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == hard


def body(bench, options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    scale = 5 if options.quick else 1
    bench.place.start()
    bench.build("before")
    bench.build("before, warm")
    bench.memory("before")
    clients_at_once(bench, options.clients or 1000 // scale)
    long_command_lines(bench)
    quiet_connections(bench, 2000 // scale)
    garbage_connections(bench, 2000 // scale)
    deaf_connections(bench, 40 // scale)
    few_descriptors(bench)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


if __name__ == "__main__":
    drive("load", __doc__, Bench, body, more=[("--clients", 0)])
