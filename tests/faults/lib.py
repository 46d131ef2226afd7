"""What the fault drivers share: a folder with a store and a server of its own, compiles whose result is compared
with the plain compiler's, and the count of tries and failures."""

import os
import shutil
import signal
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


def skip(name, why):
    print("SKIP faults %s: %s" % (name, why))
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


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
                                CCWRAP_CONFIG=os.path.join(self.top, "none"))

    def remove(self):
        self.stop()
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    # --- the server ---

    def start(self, extra=None, limit=10):
        """Starts a server of our own, as a child, with `extra` in its environment. False if it doesn't come up."""
        environment = dict(self.environment, **(extra or {}))
        self.server = subprocess.Popen([os.path.join(self.build, "ccwrap-server"), "--daemon", "--dir", self.store, "--socket",
                                        self.socket], env=environment, cwd="/", stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=open(os.path.join(self.top, "server.err"), "a"))
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline and self.server.poll() is None:
            if os.path.exists(self.socket):
                return True
            time.sleep(0.005)
        return False

    def alive(self):
        return self.server is not None and self.server.poll() is None

    def servers(self):
        """Process ids of all servers of this place."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"ccwrap-server") and self.socket.encode() in words:
                found.append(int(pid))
        return found

    def kill_servers(self, number=signal.SIGKILL):
        for pid in self.servers():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
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

    def forget(self):
        self.stop()
        shutil.rmtree(self.store, ignore_errors=True)

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
        status, out, err = self.run(words, limit=limit)
        files = {}
        for folder, _, names in os.walk(self.work):
            for name in names:
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, self.work)
                if relative not in inputs:
                    with open(path, "rb") as file:
                        files[relative] = (os.stat(path).st_mode & 0o7777, file.read())
                    os.unlink(path)
        return status, out, err, files


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
