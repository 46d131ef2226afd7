#!/usr/bin/env python3
"""Does the recorder see all that strace sees?

    oracle.py RECORDER DUMP [PATTERN]      the cases of cases.py whose name matches the pattern
    oracle.py RECORDER DUMP -- COMMAND…    one command, in the current directory

Each command runs once, under strace, with the recorder preloaded: both watch the same processes. What strace
saw and the log lacks is shown by class:

    loader   ld.so's own look-ups, which are those before a program opens the log, and for names of objects;
             objects that were loaded are in the log, others are keyed on by a stamp
    libc     files that libc reads for itself (locales, time zone, users)
    proc     /proc, /sys, /dev
    temp     made and removed again by the command
    REAL     a miss of the recorder: the exit status is then 1, as it is where the command failed or the
             canary's word is not that of the case
"""

import collections
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from cases import all_cases

SYSTEM_CALLS = "trace=%file,getdents64,fchdir,mmap,clone,clone3,vfork,fork"
LOADER = re.compile(
    r"\.so(\.[^/]*)?$|ld\.so\.(cache|preload)|glibc-hwcaps|/ld-linux|/(tls|haswell|x86_64|avx512_1)(/|$)"
)
LIBC = re.compile(r"locale|gconv|nsswitch|/etc/(passwd|group|localtime|hosts|services)|zoneinfo|\.mo$|charset")
SHOWN = 20  # misses of a class


class Sets:
    """Absolute paths by what was done with them."""

    def __init__(self):
        self.present = set()  # opened for reading, looked at, run
        self.absent = set()
        self.written = set()  # opened for writing, made, changed
        self.listed = set()
        self.removed = set()
        self.resolved = set()  # looked at inside realpath(), which a reader of the log replays
        self.run_paths = set()  # directories that ld.so searches for an object of the process


def absolute(directory, path):
    return os.path.normpath(os.path.join(directory or "/?", path)).replace("//", "/")


# ---- the recorder's log ----

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
LOOKS = {"STAT", "LSTAT", "READLINK"}


def unescape(text):
    return re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), text)


def add_resolved(sets, path):
    """Every path that realpath() looks at: it follows one part after the other."""
    reached, rest, links = "/", path.split("/"), 0
    while rest:
        part = rest.pop(0)
        if part in ("", "."):
            continue
        reached = absolute(reached, part)
        sets.resolved.add(reached)
        if os.path.islink(reached) and links < 40:
            links += 1
            target = os.readlink(reached)
            rest = target.split("/") + rest
            reached = "/" if target.startswith("/") else os.path.dirname(reached)


def take_record(sets, kind, ok, flags, path, text):
    if kind == "REALPATH":
        add_resolved(sets, path)
        if text:
            add_resolved(sets, text)
    elif kind == "RENAME":
        (sets.removed if ok else sets.absent).add(path)
        if ok:
            sets.written.add(text)
    elif kind in ("LINK", "SYMLINK"):
        (sets.written if ok else sets.absent).add(text)
    elif kind == "UNLINK":
        (sets.removed if ok else sets.absent).add(path)
    elif kind in ("MKDIR", "ATTRIBUTES", "MAPPED"):
        (sets.written if ok else sets.absent).add(path)
    elif kind == "OPEN" and flags & WRITING:
        (sets.written if ok else sets.absent).add(path)
    elif kind in ("OPEN", "LIST", "EXEC", "EXEC_FAILED", "SPAWN", "LOADED", "START") or kind in LOOKS:
        (sets.present if ok else sets.absent).add(path)
        if kind == "LIST" and ok:
            sets.listed.add(path)


def read_log(lines):
    """Sets, pids of start records with a count, and words for what can't be followed."""
    sets, directory, starts, odd = Sets(), {}, collections.Counter(), collections.Counter()
    for line in lines:
        kind, pid, result, flags, value, path, text = line.split("\t")
        path, text = unescape(path), unescape(text)
        if kind == "DIRECTORY":
            directory[pid] = path
        elif kind in ("UNSAFE", "SYSCALL"):
            odd[f"{kind} {path or value}"] += 1
        elif kind == "RUNPATH":
            origin = os.path.dirname(path)
            sets.run_paths.update(absolute("/", d.replace("$ORIGIN", origin)) for d in text.split(":"))
        elif kind not in ("GETENV", "TIME"):
            if kind == "START":
                starts[pid] += 1
            elif kind == "SPAWN" and value == "0":
                starts["shells"] += 1  # of system() and popen(): they only run the shell that is recorded
            if kind == "REALPATH":
                path = os.path.join(directory.get(pid, "/"), path)  # its ".." are followed, not taken out
            elif kind != "SYMLINK":
                path = absolute(directory.get(pid), path)
            text = text and absolute(directory.get(pid), text)
            take_record(sets, kind, int(result) >= 0, int(flags), path, text)
    return sets, starts, odd


# ---- strace's log ----

CALL = re.compile(r"(\w+)\((.*)\)\s+=\s+(-?\d+|0x[0-9a-f]+)")
LOOKING = {
    "newfstatat", "stat", "lstat", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "statx",
    "statfs", "chdir", "execve", "getxattr", "lgetxattr", "listxattr", "llistxattr",
}  # fmt: skip
RENAMING = {"rename", "renameat", "renameat2"}
LINKING = {"link", "linkat", "symlink", "symlinkat"}
REMOVING = {"unlink", "unlinkat", "rmdir"}
CHANGING = {
    "mkdir", "mkdirat", "chmod", "fchmodat", "utimensat", "truncate", "utime", "utimes", "chown", "lchown",
    "fchownat", "mknod", "mknodat",
}  # fmt: skip
BORN = {"clone", "clone3", "vfork", "fork"}
# Results that say nothing about the path: "is no link", "has no such attribute"…
UNIMPORTANT = {"EINVAL", "ENODATA", "ENOTSUP", "EOPNOTSUPP"}


class Strace:
    def __init__(self, directory, log):
        self.sets = Sets()
        self.loader = Sets()  # what happened between exec and the recorder's beginning
        self.loading = set()  # pids that are there now
        self.start = directory
        self.log = log
        self.directory = {}
        self.unfinished = {}
        self.execs = collections.Counter()
        self.root = None

    def whole_line(self, line):
        """The pid and a finished call; strace cuts a call in two where another process comes between."""
        match = re.match(r"(\d+)\s+(.*)", line)
        if not match:
            return None, None
        pid, call = match[1], match[2]
        self.root = self.root or pid
        if call.endswith("<unfinished ...>"):
            self.unfinished[pid] = call[: -len("<unfinished ...>")]
            return pid, None
        resumed = re.match(r"<\.\.\. \w+ resumed>\s?(.*)", call)
        return pid, self.unfinished.pop(pid, "") + resumed[1] if resumed else call

    def read(self, lines):
        for line in lines:
            pid, call = self.whole_line(line.rstrip("\n"))
            match = call and CALL.match(call)
            if match:
                error = re.search(r"\)\s+=\s+-1 (E\w+)", call)
                self.take(pid, match[1], match[2], int(match[3], 0), error[1] if error else "")

    def take(self, pid, name, arguments, result, error):
        if name in BORN:
            if result > 0:
                self.directory[str(result)] = self.directory.get(pid, self.start)
            return
        current = re.search(r"AT_FDCWD<([^>]*)>", arguments)
        if current:
            self.directory[pid] = current[1]
        descriptor = re.match(r"(?:\d+|AT_FDCWD)<([^>]*)>", arguments)
        if name == "getdents64":
            self.sets.listed.add(absolute("/", descriptor[1]))
        elif name == "fchdir":
            self.directory[pid] = descriptor[1] if result == 0 else self.directory.get(pid, self.start)
        elif name == "mmap":
            self.take_mapping(arguments)
        else:
            self.take_paths(pid, name, arguments, result >= 0, error)

    def take_mapping(self, arguments):
        mapped = re.search(r", \d+<(/[^>]*)>", arguments)
        writing = "MAP_SHARED" in arguments and "PROT_WRITE" in arguments
        if mapped and writing and mapped[1] != self.log:
            self.sets.written.add(mapped[1])

    def take_paths(self, pid, name, arguments, ok, error):
        sets = self.loader if pid in self.loading and name != "execve" else self.sets
        names = [n.encode("latin1").decode("unicode_escape") for n in re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)]
        folders = re.findall(r"(?:\d+|AT_FDCWD)<([^>]*)>", arguments)
        here = self.directory.get(pid, self.start)
        if not names or not names[0] or error == "EBADF":
            return
        path = absolute(folders[0] if folders else here, names[0])
        if path == self.log:
            self.loading.discard(pid)
            return
        if name in ("open", "openat", "creat"):
            writing = name == "creat" or re.search(r"O_WRONLY|O_RDWR|O_CREAT", arguments)
            (sets.absent if not ok else sets.written if writing else sets.present).add(path)
        elif name in LOOKING:
            (sets.present if ok or error in UNIMPORTANT else sets.absent).add(path)
            if name == "chdir" and ok:
                self.directory[pid] = path
            if name == "execve" and ok:
                self.execs[pid] += 1
                self.loading.add(pid)
        elif name in RENAMING:
            if ok:
                sets.written.add(absolute(folders[-1] if folders else here, names[1]))
            (sets.removed if ok else sets.absent).add(path)
        elif name in LINKING:
            other = absolute(folders[-1] if folders else here, names[1])
            if ok:
                sets.written.add(other)
        elif name in REMOVING:
            (sets.removed if ok else sets.absent).add(path)
        elif name in CHANGING and error not in UNIMPORTANT:
            (sets.written if ok else sets.absent).add(path)


# ---- comparing ----


def misses(seen, logged):
    """Pairs of a word and a path."""
    known = logged.present | logged.written | logged.listed | logged.removed | logged.resolved
    links = {os.path.realpath(p) for p in logged.listed}
    for word, paths in (
        ("in", seen.present - known),
        ("absent", seen.absent - logged.absent - logged.resolved),
        ("out", seen.written - logged.written),
        ("list", seen.listed - logged.listed - links),
        ("gone", seen.removed - logged.removed),
    ):
        for path in sorted(paths):
            yield word, path


def class_of(path, seen, logged):
    if path.startswith(("/proc", "/sys", "/dev")):
        return "proc"
    if LOADER.search(path) or path in logged.run_paths:
        return "loader"
    if LIBC.search(path):
        return "libc"
    if path in seen.written and path in seen.removed:
        return "temp"
    return "REAL"


class Oracle:
    def __init__(self, recorder, dump):
        self.recorder = os.path.abspath(recorder)
        self.dump = os.path.abspath(dump)
        self.work = tempfile.mkdtemp(prefix="oracle-")
        self.failed = []

    def observe(self, command, directory):
        """Runs the command. Returns strace's view, the log's lines and the exit status."""
        log = subprocess.check_output([self.dump, "new", self.work], text=True).strip()
        trace = os.path.join(self.work, "trace")
        status = subprocess.call(
            ["strace", "-f", "-y", "-qq", "-s", "9000", "-o", trace, "-e", SYSTEM_CALLS,
             "-E", f"LD_PRELOAD={self.recorder}", "-E", f"CCWRAP_RECORD={log}", "sh", "-c", command],
            cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        strace = Strace(directory, log)
        with open(trace, encoding="latin1") as lines:
            strace.read(lines)
        shown = subprocess.check_output([self.dump, "show", log, strace.root], encoding="latin1")
        os.unlink(log)
        return strace, shown.split("\n")[:-1], status

    def run(self, name, command, directory, fault="WHOLE"):
        strace, lines, status = self.observe(command, directory)
        logged, starts, odd = read_log(lines[1:])
        found = collections.defaultdict(list)
        for word, path in misses(strace.sets, logged):
            if path not in ("/", "/bin/sh", "/usr/bin/sh"):
                found[class_of(path, strace.sets, logged)].append(f"{word}: {path}")
        found["loader"] += [f"{word}: {path}" for word, path in misses(strace.loader, logged)]
        counts = " ".join(f"{kind} {len(paths)}" for kind, paths in sorted(found.items()) if paths)
        unseen = sum((strace.execs - starts).values()) - starts["shells"]
        print(f"{name}: exit {status}, {len(lines) - 1} records, {lines[0].strip()}, ", end="")
        print(f"execs unseen {unseen}, missed: {counts or 'none'}")
        for path in found["REAL"][:SHOWN]:
            print("    REAL", path)
        for word, count in odd.items():
            print(f"    {word} ({count}x)")
        if status or lines[0].split("\t")[0] != fault or (fault == "WHOLE" and (found["REAL"] or unseen)):
            self.failed.append(f"{name} (exit {status}, {lines[0].strip()}, unseen {unseen}, {'; '.join(found['REAL'][:3]) or 'no miss'})")
        sys.stdout.flush()

    def run_case(self, name, files, command, fault="WHOLE"):
        directory = os.path.join(self.work, name)
        os.mkdir(directory)
        made = subprocess.run(["sh", "-c", files], cwd=directory, capture_output=True, text=True)
        if made.returncode:
            print(f"{name}: left out, its files could not be made: {made.stderr.strip()[-200:]}")
        else:
            self.run(name, "exec " + command, directory, fault)
        shutil.rmtree(directory)

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)


def is_installed(command):
    linker = re.search(r"-fuse-ld=(\w+)", command)
    program = command.split()[0]
    return (program.startswith("./") or shutil.which(program)) and (not linker or shutil.which("ld." + linker[1]))


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    oracle = Oracle(arguments[0], arguments[1])
    try:
        if arguments[2:3] == ["--"]:
            oracle.run("command", "exec " + " ".join(shlex.quote(w) for w in arguments[3:]), os.getcwd())
        else:
            pattern = re.compile(arguments[2] if len(arguments) > 2 else ".")
            for name, files, command, *fault in all_cases():
                if pattern.search(name) and is_installed(command):
                    oracle.run_case(name, files, command, *fault)
    finally:
        oracle.close()
    print("failed: " + ", ".join(oracle.failed) if oracle.failed else "all seen")
    return 1 if oracle.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
