"""What the fault drivers share: their options and their end, a folder with a store and a server of its own, compiles
whose result is compared with the plain compiler's, and the count of tries and failures."""

import argparse
import contextlib
import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMIT = 30  # seconds that a compile may take before it counts as hung


def build_folder():
    """Where ccwrap, ccwrap-server and ccwrap-recorder.so are."""
    folder = os.environ.get("CCWRAP_BUILD") or os.path.dirname(os.environ.get("CW", "")) or os.path.join(ROOT, "build")
    if not os.path.exists(os.path.join(folder, "ccwrap-server")):
        sys.exit("no ccwrap-server in %s: set CCWRAP_BUILD" % folder)
    return os.path.abspath(folder)


class Verdicts:
    """One line for each failure, counts at the end."""

    def __init__(self, name):
        self.name, self.tries, self.failures, self.notes = name, 0, 0, {}
        self.began = time.monotonic()

    def fail(self, text):
        self.failures += 1
        if self.failures <= 40:
            print("     | %s: %s" % (self.name, text), flush=True)

    def note(self, text, label=""):
        """Something that isn't wrong but worth a number."""
        if os.environ.get("FAULTS_VERBOSE"):
            print("     | %s: %s: %s" % (self.name, label, text), flush=True)
        self.notes[text] = self.notes.get(text, 0) + 1

    def end(self):
        took = time.monotonic() - self.began
        notes = "".join(", %d × %s" % (count, text) for text, count in sorted(self.notes.items()))
        word = "FAIL" if self.failures else "PASS"
        print("%s faults %s: %d tried, %d failed%s (%.0f s)" % (word, self.name, self.tries, self.failures, notes, took))
        print("%d passed, %d failed, 0 skipped" % (not self.failures, bool(self.failures)))
        return 1 if self.failures else 0


def drive(name, doc, bench, body, full=0, quick=0, more=()):
    """The whole of a driver: reads the options, makes `bench` (which has a `place`), lets `body(bench, options)` try, and
    ends the process with the verdict. `--rounds` is `full`, or `quick` with --quick. `more`: further options, as (name,
    default)."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    for option, default in more:
        parser.add_argument(option, type=type(default), default=default)
    options = parser.parse_args()
    options.rounds = options.rounds or (quick if options.quick else full)
    random.seed(options.seed)
    verdicts = Verdicts(name)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the verdict so far
    bench = bench(verdicts)
    try:
        body(bench, options)
    except KeyboardInterrupt:
        verdicts.note("stopped early")
    finally:
        bench.place.remove()
    sys.exit(verdicts.end())


def kill_all(find, number=signal.SIGKILL, choose=list):
    """Signals the processes whose numbers `find` gives, or those that `choose` takes of them. A number may be another's by
    the time that it is used: so each is held by a descriptor and looked for once more."""
    held = {}
    for pid in choose(find()):
        try:
            held[pid] = os.pidfd_open(pid)
        except ProcessLookupError:
            pass
    still = set(find()) if held else ()
    for pid, fd in held.items():
        if pid in still:
            try:
                signal.pidfd_send_signal(fd, number)
            except ProcessLookupError:
                pass
        os.close(fd)


def processes():
    """Of all processes: number and words of the command line, without zombies."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        yield int(pid), words


def is_zombie(pid):
    try:
        with open("/proc/%s/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return False


def fault_of_store(path):
    """What is wrong with a store's file, in words; "" if nothing."""
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=10)) as db:
        said = db.execute("PRAGMA integrity_check").fetchone()[0]
        lost = db.execute("SELECT count(*) FROM entries e WHERE NOT EXISTS (SELECT 1 FROM results r WHERE r.id = e.id * 1024) "
                          "OR NOT EXISTS (SELECT 1 FROM sets s WHERE s.id = e.id)").fetchone()[0]
        lost += db.execute("SELECT count(*) FROM bases b WHERE uses <> (SELECT count(*) FROM sets s WHERE s.base = b.id)").fetchone()[0]
        lost += db.execute("SELECT count(*) FROM sets WHERE base <> 0 AND base NOT IN (SELECT id FROM bases)").fetchone()[0]
        total, entries = db.execute("SELECT (SELECT entries FROM totals), (SELECT count(*) FROM entries)").fetchone()
    if said == "ok" and not lost and total == entries:
        return ""
    return "the store: %s, %d rows without their parts or with too many, %d counted of %d" % (said, lost, total, entries)


class Place:
    """A temporary folder with `work`, `store` and `socket`."""

    def __init__(self, build=None):
        self.build = build or build_folder()
        self.top = tempfile.mkdtemp(prefix="cw-faults-")
        self.work = os.path.join(self.top, "work")
        self.store = os.path.join(self.top, "store")
        self.socket = os.path.join(self.top, "run", "s.sock")
        self.wrapper = os.path.join(self.build, "ccwrap")
        self.server = None
        os.mkdir(self.work)
        os.mkdir(os.path.join(self.top, "run"), 0o700)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CCWRAP_", "CCACHE_"))}
        for name in ("MAKEFLAGS", "CPATH", "SOURCE_DATE_EPOCH"):
            self.environment.pop(name, None)
        self.environment.update(LC_ALL="C.UTF-8", CCWRAP_DIR=self.store, CCWRAP_SOCKET=self.socket,
                                CCWRAP_CONFIG=os.path.join(self.top, "none"), CCWRAP_LOG=os.path.join(self.top, "log"))

    def remove(self):
        self.stop()
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    # --- the server ---

    def start(self, extra=None, limit=10, before=()):
        """Starts a server of our own, as a child, with `extra` in its environment and through the words `before`, and waits
        until it serves. False if it doesn't come up."""
        environment = dict(self.environment, **(extra or {}))
        told, ready = os.pipe()
        with open(os.path.join(self.top, "server.err"), "a") as said:
            self.server = subprocess.Popen([*before, os.path.join(self.build, "ccwrap-server"), "--daemon", "--dir", self.store, "--socket",
                                            self.socket, "--ready-fd", str(ready)], env=environment, cwd="/", pass_fds=[ready],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        os.close(ready)
        ended = not select.select([told], [], [], limit)[0] or os.read(told, 1) != b"R"
        os.close(told)
        return not ended

    def alive(self):
        return self.server is not None and self.server.poll() is None

    def servers(self):
        """Process ids of all servers of this place."""
        return [pid for pid, words in processes() if words[0].endswith(b"ccwrap-server") and self.socket.encode() in words]

    def kill_servers(self, number=signal.SIGKILL):
        kill_all(self.servers, number)
        if self.server is not None and number == signal.SIGKILL:
            self.server.wait()
            self.server = None

    def stop(self):
        if self.servers():
            try:
                subprocess.run([self.wrapper, "--stop-server"], env=self.environment, timeout=10, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                pass
        self.kill_servers()

    def kill(self):
        """Ends the server, and one that a client may have started, at once."""
        self.kill_servers()
        if os.path.exists(self.socket):
            os.unlink(self.socket)

    def forget(self):
        self.stop()
        shutil.rmtree(self.store, ignore_errors=True)

    def status(self):
        """What the kernel says of the server: resident and highest megabytes, threads, descriptors, children that ended
        and were not waited for."""
        folder = "/proc/%d/" % self.server.pid
        with open(folder + "status") as file:
            said = dict(line.split(":", 1) for line in file)
        number = lambda name: int(said[name].split()[0])
        zombies = 0
        for thread in os.listdir(folder + "task"):
            with open("%stask/%s/children" % (folder, thread)) as file:
                zombies += sum(is_zombie(pid) for pid in file.read().split())
        return {"MB": number("VmRSS") / 1024, "most MB": number("VmHWM") / 1024, "threads": number("Threads"),
                "descriptors": len(os.listdir(folder + "fd")), "zombies": zombies}

    def log(self, lines=6):
        """The last of what the server logged and said, for a failure."""
        last = ""
        for name in ("log", "server.err"):
            path = os.path.join(self.top, name)
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    last += "\n" + "".join(file.readlines()[-lines:])
        return last

    # --- the store ---

    def store_set_aside(self):
        return os.path.isdir(self.store) and any("damaged" in name for name in os.listdir(self.store))

    def store_fault(self):
        """What is wrong with the store as it lies there, in words; "" if nothing."""
        path = os.path.join(self.store, "cache.sqlite")
        if not os.path.exists(path):
            return ""
        if self.store_set_aside():
            return "a store was set aside"
        return fault_of_store(path)

    # --- compiles ---

    def run(self, words, folder=None, limit=LIMIT):
        """Runs a command; gives status and both streams, status None if it hung."""
        try:
            done = subprocess.run(words, cwd=folder or self.work, env=self.environment, timeout=limit,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return None, b"", b""
        return done.returncode, done.stdout, done.stderr

    def outcome(self, words, inputs, limit=LIMIT):
        """Runs a command in `work`; all files but `inputs` are taken as outputs, and removed. Gives what can be
        compared with another outcome."""
        return *self.run(words, limit=limit), self.collect(inputs)

    def collect(self, inputs):
        """All files of `work` but `inputs`, with mode and content; they are removed."""
        files = {}
        for folder, _, names in os.walk(self.work):
            for name in names:
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, self.work)
                if relative not in inputs:
                    with open(path, "rb") as file:
                        files[relative] = (os.stat(path).st_mode & 0o7777, file.read())
                    os.unlink(path)
        return files


def difference(got, wanted):
    """What differs between two outcomes, in words; "" if nothing."""
    if got[0] is None:
        return "it hangs"
    for index, name in enumerate(("status", "stdout", "stderr")):
        if got[index] != wanted[index]:
            return "%s is %.200r, not %.100r" % (name, got[index], wanted[index])
    if set(got[3]) != set(wanted[3]):
        return "files are %s, not %s" % (sorted(got[3]), sorted(wanted[3]))
    for name in wanted[3]:
        if got[3][name] != wanted[3][name]:
            return "%s differs" % name
    return ""


class Sources:
    """A place with `count` small sources, and the outcome that each has of the plain compiler."""

    def __init__(self, verdicts, count, text, words):
        self.verdicts, self.count, self.command = verdicts, count, words
        self.place = Place()
        self.inputs = set()
        for i in range(count):
            self.place.write("f%d.c" % i, text(i))
            self.inputs.add("f%d.c" % i)
        self.wanted = [self.place.outcome(self.words(i), self.inputs) for i in range(count)]

    def words(self, i):
        return [word % i if "%" in word else word for word in self.command]

    def wrong(self, i, before=()):
        """Compiles the i-th source through the wrapper; what is wrong, or ""."""
        return difference(self.place.outcome([self.place.wrapper, *before, *self.words(i)], self.inputs), self.wanted[i])

    def build(self, label, before=(), order=None):
        """Compiles all sources; those that are wrong are failures."""
        for i in range(self.count) if order is None else order:
            began = time.monotonic()
            wrong = self.wrong(i, before)
            if wrong:
                self.verdicts.fail("%s: f%d.c: %s" % (label, i, wrong))
            if time.monotonic() - began > 1.8:
                self.verdicts.note("slower than 1.8 s", label)

    def server_is_well(self, label):
        if self.place.server is not None and not self.place.alive():
            self.verdicts.fail("%s: the server ended (%s)%s" % (label, self.place.server.returncode, self.place.log()))
