#!/usr/bin/env python3
"""store.py [--quick] [--rounds N] [--seed N]

A store that is damaged in every way: bits flipped and the end cut off anywhere in the database file and its -wal, a
foreign file, one of another format, read-only, a folder in its place, taken away while it is open, a full disk, two
servers on one store, and servers killed while they trim. Compiles must have the plain compiler's outcome, and the server must not end.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time

from lib import Sources, drive, fault_of_store

SOURCES = 6


def text(i):
    return "".join("int f%d_%d(int a) { return a * %d; }\n" % (i, k, i * k) for k in range(1 + 40 * i)) + "static int unused%d;\n" % i


class Bench(Sources):
    def __init__(self, verdicts):
        super().__init__(verdicts, SOURCES, text, "gcc -Wall -O1 -c f%d.c -o f%d.o".split())
        self.file = os.path.join(self.place.store, "cache.sqlite")
        self.pristine = os.path.join(self.place.top, "pristine")

    def compile_all(self, label, order=None):
        self.verdicts.tries += 1
        self.build(label, order=order)

    def hits(self):
        """How many of the sources hit now."""
        return sum(not self.wrong(i, ["hits_only=1"]) for i in range(SOURCES))

    def fill(self):
        """A store with all results, written down, and a copy of it with and without a -wal."""
        self.place.forget()
        self.place.start()
        self.compile_all("fill")
        self.place.run([self.place.wrapper, "--print-stats"])
        shutil.rmtree(self.pristine, ignore_errors=True)
        self.place.kill_servers(signal.SIGKILL)  # leaves the -wal
        shutil.copytree(self.place.store, self.pristine)

    def lay(self, with_wal):
        """Puts the filled store back; without a -wal after an orderly end."""
        self.place.stop()
        shutil.rmtree(self.place.store, ignore_errors=True)
        shutil.copytree(self.pristine, self.place.store)
        if not with_wal:
            self.place.start()
            self.place.stop()

    def in_namespace(self, script):
        """Runs a script that mounts a file system as the store: server and client see it alike. Its status and what
        it said; None where that isn't allowed."""
        self.place.forget()
        os.makedirs(self.place.store, exist_ok=True)
        for i in range(SOURCES):
            with open(os.path.join(self.place.top, "want%d.o" % i), "wb") as file:
                file.write(self.wanted[i][3]["f%d.o" % i][1])
        environment = dict(self.place.environment, STORE=self.place.store, CW=self.place.wrapper, TOP=self.place.top)
        done = subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=self.place.work, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.place.kill_servers()
        for i in range(SOURCES):
            path = os.path.join(self.place.work, "f%d.o" % i)
            if os.path.exists(path):
                os.unlink(path)
        if done.returncode == 77 or b"unshare" in done.stdout:
            self.verdicts.note("no full disk: no mount namespace")
            return None, ""
        self.verdicts.tries += 1
        return done.returncode, done.stdout[-200:].decode(errors="replace")

    def use(self, label):
        """After a damage: starts, compiles twice, and is well."""
        self.place.start()
        self.compile_all(label)
        self.compile_all(label + ", again")
        self.server_is_well(label)
        if self.hits() < SOURCES:
            self.verdicts.note("no full hits after damage", label)


def flip(path, count):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(count):
            at = random.randrange(size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << random.randrange(8)]))


def damage(bench, round_number):
    """One random damage of the file or the -wal, at rest or under a running server."""
    with_wal = random.random() < 0.5
    bench.lay(with_wal)
    path = bench.file + ("-wal" if with_wal and random.random() < 0.6 else "")
    if not os.path.exists(path) or not os.path.getsize(path):
        path = bench.file
    size = os.path.getsize(path)
    live = random.random() < 0.3
    if live:
        bench.place.start()
        bench.compile_all("live, before", order=[0])
    what = random.choice(["flip 1", "flip 1", "flip 30", "cut", "zeros", "swap"])
    label = "round %d: %s%s in %s" % (round_number, what, " (live)" if live else "", os.path.basename(path))
    if what.startswith("flip"):
        flip(path, int(what.split()[1]))
    elif what == "cut":
        os.truncate(path, random.randrange(size))
    else:
        page = 4096
        pages = max(1, size // page)
        with open(path, "r+b") as file:
            first, second = random.randrange(pages) * page, random.randrange(pages) * page
            file.seek(second)
            content = bytes(page) if what == "zeros" else file.read(page)
            file.seek(first)
            file.write(content)
    if live:
        bench.compile_all(label)
        bench.compile_all(label + ", again")
        bench.server_is_well(label)
        bench.place.stop()
    bench.use(label)


def foreign(bench):
    def text():
        with open(bench.file, "w") as file:
            file.write("this is no database\n" * 1000)

    def other_database():
        os.unlink(bench.file)
        with sqlite3.connect(bench.file) as db:
            db.execute("CREATE TABLE entries (a, b)")
            db.execute("INSERT INTO entries VALUES (1, 2)")

    def newer():
        with sqlite3.connect(bench.file) as db:
            db.execute("PRAGMA user_version = 1000000")

    def earlier():
        with sqlite3.connect(bench.file) as db:
            db.execute("PRAGMA user_version = 1")

    def no_table():
        with sqlite3.connect(bench.file) as db:
            db.execute("DROP TABLE results")

    def folder():
        os.unlink(bench.file)
        os.mkdir(bench.file)

    def fifo():
        os.unlink(bench.file)
        os.mkfifo(bench.file)

    def link_to_nowhere():
        os.unlink(bench.file)
        os.symlink("/nowhere/at/all", bench.file)

    def empty():
        open(bench.file, "w").close()

    def read_only():
        os.chmod(bench.file, 0o400)

    def store_is_a_file():
        shutil.rmtree(bench.place.store)
        open(bench.place.store, "w").close()

    def swapped_results():
        """Sound results under the wrong entries."""
        with sqlite3.connect(bench.file) as db:
            rows = db.execute("SELECT id, content FROM results ORDER BY id").fetchall()
            for (row, _), (_, content) in zip(rows, rows[1:] + rows[:1]):
                db.execute("UPDATE results SET content = ? WHERE id = ?", (content, row))

    def swapped_sets():
        with sqlite3.connect(bench.file) as db:
            rows = db.execute("SELECT id, content FROM sets ORDER BY id").fetchall()
            for row, content in rows:
                db.execute("UPDATE sets SET content = ? WHERE id = ?", (content[: len(content) // 2], row))

    def shuffled_bases():
        """Sets that lie on the wrong bases."""
        with sqlite3.connect(bench.file) as db:
            db.execute("INSERT INTO bases (uses, content) SELECT 9, content FROM sets LIMIT 1")
            db.execute("UPDATE sets SET base = (SELECT max(id) FROM bases)")

    def lost_bases():
        with sqlite3.connect(bench.file) as db:
            db.execute("DELETE FROM bases")

    for change in (text, other_database, newer, earlier, no_table, folder, fifo, link_to_nowhere, empty, read_only, store_is_a_file,
                   swapped_results, swapped_sets, shuffled_bases, lost_bases):
        bench.lay(False)
        change()
        bench.use(change.__name__)
        bench.place.stop()
        if os.path.isfile(bench.place.store):
            os.unlink(bench.place.store)


def taken_away(bench):
    """The file, or its folder, goes while the server has it open."""
    for what in ("file", "folder", "replaced"):
        bench.lay(False)
        bench.place.start()
        bench.compile_all(what + " taken away: before")
        if what == "folder":
            shutil.rmtree(bench.place.store)
        else:
            os.unlink(bench.file)
        if what == "replaced":
            shutil.copy(os.path.join(bench.pristine, "cache.sqlite"), bench.file)
        for _ in range(3):
            bench.compile_all(what + " taken away")
            bench.place.write("new.c", "int new_%d;\n" % time.monotonic_ns())
            bench.place.run([bench.place.wrapper, "gcc", "-c", "new.c", "-o", "new.o"])
            for name in ("new.c", "new.o"):
                os.unlink(os.path.join(bench.place.work, name))
            time.sleep(0.1)
        bench.server_is_well(what + " taken away")
        bench.place.stop()


def two_servers(bench):
    """Two servers with sockets of their own write one store at once."""
    bench.lay(False)
    bench.place.start()
    first, socket = bench.place.server, bench.place.socket
    bench.place.socket = socket.replace("s.sock", "t.sock")
    second_environment = dict(bench.place.environment, CCWRAP_SOCKET=bench.place.socket)
    bench.place.environment, first_environment = second_environment, bench.place.environment
    bench.place.start()
    second = bench.place.server
    for turn in range(6):
        bench.place.environment = (first_environment, second_environment)[turn % 2]
        for i in range(SOURCES):
            wrong = bench.wrong(i, ["namespace=two%d" % (turn // 2)])
            if wrong:
                bench.verdicts.fail("two servers: %s" % wrong)
        bench.verdicts.tries += 1
    for server, name in ((first, "first"), (second, "second")):
        if server.poll() is not None:
            bench.verdicts.fail("two servers: the %s ended (%s)" % (name, server.returncode))
        server.terminate()
        server.wait()
    bench.place.server = None
    bench.place.environment, bench.place.socket = first_environment, socket
    with sqlite3.connect(bench.file) as db:
        said = db.execute("PRAGMA integrity_check").fetchone()[0]
    if said != "ok":
        bench.verdicts.fail("two servers: integrity_check: %s" % said)


COPIES = 40


def multiply(path):
    """Every entry COPIES times more, under keys that nobody asks for, and older than the real ones."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        for copy in range(1, COPIES + 1):
            db.execute("CREATE TEMP TABLE new AS SELECT id AS old, (SELECT max(id) FROM entries) + row_number() OVER () AS id "
                       "FROM entries WHERE id <= %d" % SOURCES)
            db.execute("INSERT INTO entries SELECT new.id, randomblob(16), used - 1000000000 * %d, checksum, size "
                       "FROM entries e JOIN new ON e.id = new.old" % copy)
            db.execute("INSERT INTO sets SELECT new.id, base, content FROM sets s JOIN new ON s.id = new.old")
            db.execute("INSERT INTO results SELECT r.id + (new.id - new.old) * 1024, r.content FROM results r "
                       "JOIN new ON r.id / 1024 = new.old")
            db.execute("DROP TABLE new")
        db.execute("UPDATE bases SET uses = (SELECT count(*) FROM sets WHERE base = bases.id)")
        db.execute("UPDATE totals SET entries = (SELECT count(*) FROM entries)")
        db.commit()


def killed_while_trimming(bench, rounds):
    """In the middle of a slice, of a vacuum, or of a checkpoint: the store is whole, and the rest is as before."""
    bench.lay(False)
    large = os.path.join(bench.place.top, "large.sqlite")
    shutil.copy(bench.file, large)
    multiply(large)
    for number in range(rounds):
        label = "killed while trimming, round %d" % number
        bench.place.stop()
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(bench.file + suffix):
                os.unlink(bench.file + suffix)
        shutil.copy(large, bench.file)
        order = random.choice([["--trim"], ["--evict-older-than", "1h"], ["--clear"]])
        bench.place.start({"CCWRAP_MAXSIZE": str(os.path.getsize(large) // 3)})
        asked = subprocess.Popen([bench.place.wrapper, *order], env=bench.place.environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.random() * 0.3)
        bench.place.kill_servers(signal.SIGKILL)
        asked.wait()
        wrong = bench.place.store_fault()
        bench.verdicts.tries += 1
        if wrong:
            bench.verdicts.fail("%s: %s" % (label, wrong))
        bench.use(label)


def full_while_trimming(bench):
    """The limit is set lower when the disk is almost full already: what there is can still be used, and once there is room
    the store shrinks."""
    script = r"""
mount -t tmpfs -o size=2m tmpfs "$STORE" || exit 77
cp "$TOP/large.sqlite" "$STORE/cache.sqlite" || exit 77
head -c 2m /dev/zero >"$STORE/filler" 2>/dev/null
truncate -s -100k "$STORE/filler" # else it can't even be opened
export CCWRAP_MAXSIZE=250k
for n in 1 2; do for i in 0 1 2 3 4 5; do
    "$CW" gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 1; cmp -s f$i.o "$TOP/want$i.o" || exit 2
    "$CW" namespace=n$n gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 1; cmp -s f$i.o "$TOP/want$i.o" || exit 2
done; "$CW" --trim; done
rm -f "$STORE/filler"
for n in 3 4; do for i in 0 1 2 3 4 5; do
    "$CW" namespace=n$n gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 3; cmp -s f$i.o "$TOP/want$i.o" || exit 4
done; done
"$CW" --trim || exit 5
"$CW" --stop-server
[ "$(stat -c %s "$STORE/cache.sqlite")" -lt 600000 ] || exit 6
cp "$STORE/cache.sqlite" "$TOP/after.sqlite"
exit 0
"""
    status, said = bench.in_namespace(script)
    if status is None:
        return
    wrong = fault_of_store(os.path.join(bench.place.top, "after.sqlite")) if status == 0 else "status %d %s" % (status, said)
    if wrong:
        bench.verdicts.fail("full while trimming: " + wrong)


def full_disk(bench):
    script = r"""
mount -t tmpfs -o size=400k tmpfs "$STORE" || exit 77
for i in 0 1 2 3 4 5; do "$CW" gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 1; done
head -c 300k /dev/urandom >"$STORE/filler" 2>/dev/null
for n in 1 2 3 4 5 6; do for i in 0 1 2 3 4 5; do
    "$CW" namespace=n$n gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 1; cmp -s f$i.o "$TOP/want$i.o" || exit 2
done; done
rm -f "$STORE/filler"
for n in 7 7; do for i in 0 1 2 3 4 5; do
    "$CW" namespace=n$n gcc -Wall -O1 -c f$i.c -o f$i.o 2>>"$TOP/err" || exit 3; cmp -s f$i.o "$TOP/want$i.o" || exit 4
done; done
"$CW" --stop-server
exit 0
"""
    status, said = bench.in_namespace(script)
    if status:
        bench.verdicts.fail("full disk: status %d %s" % (status, said))


def body(bench, options):
    bench.fill()
    for number in range(options.rounds):
        damage(bench, number)
    foreign(bench)
    taken_away(bench)
    two_servers(bench)
    killed_while_trimming(bench, max(6, options.rounds * 2 // 5))
    full_disk(bench)
    full_while_trimming(bench)


if __name__ == "__main__":
    drive("store", __doc__, Bench, body, full=150, quick=8)
