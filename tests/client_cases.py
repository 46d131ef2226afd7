#!/usr/bin/env python3
"""The client against a stub of the server: what a user sees when the server answers, is lost, or isn't there.

    client_cases.py CCWRAP [NAME...]
"""
import fcntl
import glob
import os
import pty
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stub_server

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Place:
    """A private folder with ccwrap, a compiler that says what it was given, and a socket."""

    def __init__(self, client):
        self.root = tempfile.mkdtemp(prefix="ccwrap-client.")
        self.bin = os.path.join(self.root, "bin")
        os.mkdir(self.bin)
        self.ccwrap = os.path.join(self.bin, "ccwrap")
        shutil.copy(client, self.ccwrap)
        self.socket = os.path.join(self.root, "s.sock")
        self.tools = os.path.join(self.root, "tools")
        os.mkdir(self.tools)
        self.script("cc", 'echo "ran $0 $*"; exit 7')
        self.environment = {"PATH": self.tools + ":/usr/bin:/bin", "HOME": self.root,
                            "CCWRAP_SOCKET": self.socket}
        self.server = None

    def script(self, name, text, mode=0o755):
        path = os.path.join(self.tools, name)
        with open(path, "w") as out:
            out.write("#!/bin/sh\n%s\n" % text)
        os.chmod(path, mode)
        return path

    def answer(self, steps):
        handler = stub_server.answer(steps) if isinstance(steps, str) else steps
        self.server = stub_server.Server(self.socket, handler).start()
        return self.server

    def start(self, *words, **more):
        more.setdefault("env", self.environment)
        more.setdefault("cwd", self.root)
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(words, text=True, **more)

    def run(self, *words, **more):
        """(status, stdout, stderr) of the words, a client's by default."""
        child = self.start(*words, **more)
        out, err = child.communicate(timeout=20)
        return child.returncode, out, err

    def call(self, *words, **more):
        return self.run(self.ccwrap, *words, **more)

    def plain(self, *words):
        return 7, "ran %s/cc %s\n" % (self.tools, " ".join(words)), ""

    def remove(self):
        if self.server:
            self.server.stop()
        shutil.rmtree(self.root)


def equal(got, wanted):
    assert got == wanted, "got %r, wanted %r" % (got, wanted)


def is_gone(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def request_of(place, *words, **more):
    server = place.answer("exit:0")
    equal(place.call(*words, **more)[0], 0)
    return server.requests[0]


# ---- what the server answers ----

@case
def status_and_output(place):
    place.answer("alive,out:one\n,err:two\n,started,exit:3")
    equal(place.call("cc", "-c"), (3, "one\n", "two\n"))


@case
def run_it_yourself(place):
    place.answer("alive,run")
    equal(place.call("cc", "-c", "x.c"), place.plain("-c", "x.c"))


@case
def refusal(place):
    place.answer("refuse:1:no\n")
    equal(place.call("cc"), (1, "", "no\n"))


@case
def death_by_signal(place):
    place.answer("die:11")
    equal(place.call("cc")[0], -signal.SIGSEGV)


@case
def large_output(place):
    text = "x" * 3000000
    place.answer(lambda link, request: (link.send(stub_server.OUTPUT, b"\1" + text.encode()),
                                        link.send(stub_server.EXIT, b"\0\0")))
    equal(place.call("cc"), (0, text, ""))


@case
def request_says_all(place):
    request = request_of(place, "direct=0", "name_space=a b", "cc", "-c", "x y", "",
                         preexec_fn=lambda: os.umask(0o027))
    equal(request["argv"], ["cc", "-c", "x y", ""])
    equal(request["program"], place.tools + "/cc")
    equal(request["directory"], os.path.realpath(place.root))
    equal(request["settings"], ["direct=0", "name_space=a b"])
    equal(sorted(request["environment"]), sorted("%s=%s" % pair for pair in place.environment.items()))
    equal(request["umask"], 0o027)
    assert request["view"][1] == os.stat("/").st_ino and all(request["view"])


@case
def one_stream(place):
    equal(request_of(place, "cc", stderr=subprocess.STDOUT)["flags"], 8)


@case
def null_streams_have_no_order(place):
    equal(request_of(place, "cc", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)["flags"], 0)


@case
def terminal(place):
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, 0x5414, b"\x20\x00\x51\x00\0\0\0\0")  # TIOCSWINSZ: 32 rows, 81 columns
    request = request_of(place, "cc", stderr=theirs)
    equal((request["flags"], request["rows"], request["columns"]), (4, 32, 81))
    os.close(mine), os.close(theirs)


# ---- the jobserver ----

def asked(place, flags, fds=()):
    place.environment["MAKEFLAGS"] = flags
    place.answer("ask,exit:0")
    return place.call("cc", pass_fds=fds)[1]


@case
def jobserver_pipe(place):
    fds = os.pipe()
    equal(asked(place, " -j4 --jobserver-auth=%d,%d" % fds, fds), "2 descriptors\n")


@case
def jobserver_stale_numbers(place):
    equal(asked(place, " -j4 --jobserver-auth=3,4"), "0 descriptors\n")


@case
def jobserver_two_pipes(place):
    a, b = os.pipe(), os.pipe()
    equal(asked(place, "--jobserver-auth=%d,%d" % (a[0], b[1]), a + b), "0 descriptors\n")


@case
def jobserver_fifo(place):
    equal(asked(place, " -j4 --jobserver-auth=fifo:/tmp/x"), "0 descriptors\n")


# ---- a lost server ----

@case
def closed_before_start(place):
    place.answer("alive,close")
    equal(place.call("cc", "a"), place.plain("a"))


@case
def silent(place):
    place.answer("wait:9")
    begun = time.monotonic()
    equal(place.call("cc", "a"), place.plain("a"))
    assert 1.9 < time.monotonic() - begun < 3


@case
def nonsense(place):
    place.answer(lambda link, request: link.sock.sendall(b"\xff\xff\xff\xff rubbish"))
    equal(place.call("cc", "a"), place.plain("a"))


@case
def no_space_in_the_queue(place):
    # A listener that nobody accepts from: full after one connection.
    listener, first = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    listener.bind(place.socket)
    listener.listen(0)
    first.connect(place.socket)
    begun = time.monotonic()
    equal(place.call("cc", "a"), place.plain("a"))
    assert time.monotonic() - begun < 3.5


def lost_after_start(place, last):
    child = []

    def handle(link, request):
        link.start(["sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"])
        child.append(link.child.pid)
        time.sleep(0.2)
        if last == "close":
            link.sock.close()
        else:
            time.sleep(5)
    place.answer(handle)
    gone = place.script("cc", 'grep -qs "^State:.[^ZX]" /proc/$(cat pid)/status && echo "alive"; echo ran; exit 7')
    process = place.start(place.ccwrap, gone)
    while not child:
        time.sleep(0.01)
    open(place.root + "/pid", "w").write(str(child[0]))
    out, err = process.communicate(timeout=20)
    equal((process.returncode, out, err), (7, "ran\n", ""))
    assert is_gone(child[0])


@case
def closed_after_start(place):
    lost_after_start(place, "close")


@case
def silent_after_start(place):
    lost_after_start(place, "silent")


@case
def foreign_group_is_left_alone(place):
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)

    def handle(link, request):
        link.send(stub_server.STARTED, struct.pack("<IQ", other.pid, 1))
    place.answer(handle)
    equal(place.call("cc", "a"), place.plain("a"))
    assert other.poll() is None
    other.kill()
    other.wait()


# ---- signals ----

def signalled(place, steps, number, **more):
    server = place.answer(steps)
    process = place.start(place.ccwrap, "cc", **more)
    while not server.requests:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(number)
    process.communicate(timeout=20)
    return process.returncode


@case
def interrupted(place):
    equal(signalled(place, "started,cancel", signal.SIGINT), -signal.SIGINT)


@case
def terminated_and_never_answered(place):
    begun = time.monotonic()
    equal(signalled(place, "started,wait:9", signal.SIGTERM), -signal.SIGTERM)
    assert time.monotonic() - begun < 6


@case
def ignored_signal(place):
    equal(signalled(place, "alive,wait:1,exit:5", signal.SIGHUP,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)), 5)


@case
def compiler_inherits_signals(place):
    place.answer("run")
    show = place.script("show", "grep -E '^Sig(Blk|Ign|Pnd)' /proc/self/status")

    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    equal(place.call(show, preexec_fn=prepare), place.run(show, preexec_fn=prepare))


@case
def reader_of_stdout_is_gone(place):
    reading, writing = os.pipe()
    os.close(reading)
    place.answer("out:text,exit:4")
    # The compiler is run here, and finds the same. (Python ignores SIGPIPE, and restore_signals, the default,
    # undoes that in the child.)
    equal(place.call("cc", stdout=writing)[0], -signal.SIGPIPE)


@case
def interrupted_while_stdout_is_full(place):
    reading, writing = os.pipe()
    server = place.answer(lambda link, request: (link.send(stub_server.OUTPUT, b"\1" + b"x" * 200000),
                                                 stub_server.step_cancel(link)))
    process = place.start(place.ccwrap, "cc", stdout=writing)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    equal(process.wait(timeout=5), -signal.SIGINT)


# ---- descriptors and limits ----

@case
def closed_descriptors(place):
    place.answer("run")
    show = place.script("show", "ls /proc/self/fd > fds; exit 3")
    for words in ("<&- >&- 2>&-", "<&-", ">&-", "2>&-", ""):
        equal(place.run("sh", "-c", '"$0" "$1" %s' % words, place.ccwrap, show)[0], 3)
        got = open(place.root + "/fds").read()
        equal(place.run("sh", "-c", '"$0" %s' % words, show)[0], 3)
        equal(got, open(place.root + "/fds").read())


@case
def output_to_closed_descriptors(place):
    # what a compiler does without them is for the compiler to show: it is run here
    place.answer("out:one,err:two,exit:4")
    equal(place.run("sh", "-c", '"$0" cc >&- 2>&-', place.ccwrap)[0], 7)


@case
def full_device(place):
    place.answer("out:one,exit:4")
    with open("/dev/full", "w") as full:
        equal(place.call("cc", stdout=full)[0], 7)  # the compiler, run here


@case
def few_descriptors(place):
    place.answer("out:one,exit:4")
    equal(place.run("sh", "-c", 'ulimit -n 12; "$0" cc', place.ccwrap), (4, "one", ""))


@case
def large_request(place):
    words = ["x" * 100000] * 15  # more than a socket takes at once
    equal(request_of(place, "cc", *words)["argv"][1:], words)


@case
def removed_directory(place):
    place.answer("exit:0")
    os.mkdir(place.root + "/gone")
    code = 'cd gone && rmdir ../gone && exec "$0" cc a'
    equal(place.run("sh", "-c", code, place.ccwrap)[:2], place.plain("a")[:2])  # the shell's own complaint


@case
def long_socket_path(place):
    folder = place.root + "/" + "d" * 120
    os.mkdir(folder)
    os.symlink(folder, place.root + "/short")
    place.socket = place.root + "/short/s.sock"
    place.answer("exit:6")
    equal(place.call("socket=%s/s.sock" % folder, "cc")[0], 6)


# ---- words and names ----

@case
def words_of_ccwrap(place):
    status, out, err = place.call()
    equal((status, out, err.split()[0]), (1, "", "usage:"))
    equal(place.call("--stats")[::2], (1, "ccwrap: ccwrap-server is missing: it belongs beside ccwrap or in "
                                          "../libexec/ccwrap\n"))
    shutil.copy(place.script("x", 'echo "server $*"'), place.bin + "/ccwrap-server")
    equal(place.call("--stats", "a"), (0, "server --stats a\n", ""))
    equal(place.call(place.ccwrap, "--stats"), (0, "server --stats\n", ""))


@case
def words_when_installed(place):
    os.makedirs(place.root + "/libexec/ccwrap")
    shutil.copy(place.script("x", 'echo "server $*"'), place.root + "/libexec/ccwrap/ccwrap-server")
    equal(place.call("-s"), (0, "server -s\n", ""))


@case
def disabled(place):
    place.answer("exit:0")
    equal(place.call("disable=1", "cc", "a"), place.plain("a"))
    place.environment["CCWRAP_DISABLE"] = "yes"
    equal(place.call("cc", "a"), place.plain("a"))
    equal(place.call("disable=0", "cc", "a"), (0, "", ""))
    place.environment.pop("CCWRAP_DISABLE")
    os.makedirs(place.root + "/.config/ccwrap")
    open(place.root + "/.config/ccwrap/config", "w").write("# a remark\n disable = on\n")
    equal(place.call("cc", "a"), place.plain("a"))


@case
def nested(place):
    place.answer("exit:0")
    place.environment["CCWRAP_ACTIVE"] = "1"
    equal(place.call("cc", "a"), place.plain("a"))


@case
def not_found(place):
    equal(place.call("no-such-cc"), (127, "", "ccwrap: no-such-cc: command not found\n"))
    equal(place.call("./no-such-cc"), (127, "", "ccwrap: ./no-such-cc: no such file\n"))
    place.script("plain-file", "", 0o644)
    equal(place.call("plain-file"), (126, "", "ccwrap: plain-file: permission denied\n"))
    equal(place.call("./tools"), (126, "", "ccwrap: ./tools: is a directory\n"))


@case
def links(place):
    links = place.root + "/links"
    os.mkdir(links)
    os.symlink(place.ccwrap, links + "/cc")
    place.environment["PATH"] = links + ":" + place.environment["PATH"]
    server = place.answer("exit:0")
    equal(place.run(links + "/cc", "-c")[0], 0)
    equal(place.run("cc", "-c", executable=links + "/cc")[0], 0)
    equal(place.call("cc", "-c")[0], 0)
    equal(place.call(links + "/cc", "-c")[0], 0)
    with_ccwrap = dict(place.environment, PATH=place.bin + ":" + place.environment["PATH"])
    equal(place.call("ccwrap", "cc", "-c", env=with_ccwrap)[0], 0)
    for request in server.requests:
        equal((request["program"], request["argv"]), (place.tools + "/cc", [place.tools + "/cc", "-c"]))
    equal([request["flags"] for request in server.requests], [16, 16, 0, 0, 0])


@case
def second_copy_is_passed_over(place):
    other = place.root + "/other"
    os.mkdir(other)
    shutil.copy(place.ccwrap, other + "/ccwrap")
    os.symlink("ccwrap", other + "/cc")
    place.environment["PATH"] = other + ":" + place.environment["PATH"]
    place.answer("run")
    equal(place.call("cc", "a"), place.plain("a"))


@case
def only_ccwrap_there(place):
    links = place.root + "/links"
    os.mkdir(links)
    os.symlink(place.ccwrap, links + "/lonely-cc")
    place.environment["PATH"] = links + ":" + place.environment["PATH"]
    equal(place.run(links + "/lonely-cc"), (127, "", "ccwrap: lonely-cc: command not found\n"))
    equal(place.call("lonely-cc"), (127, "", "ccwrap: lonely-cc: command not found\n"))


@case
def rounds_end(place):
    place.script("round", 'exec %s round' % place.ccwrap)
    place.answer("run")
    equal(place.call("round"), (126, "", "ccwrap: round: leads back to ccwrap again and again\n"))


@case
def script_without_interpreter(place):
    path = place.tools + "/bare"
    open(path, "w").write("echo bare $1\n")
    os.chmod(path, 0o755)
    place.answer("run")
    equal(place.call("bare", "a"), (0, "bare a\n", ""))


# ---- starting a server ----

def install_stub(place):
    os.environ.pop("CCWRAP_STUB", None)
    server = place.bin + "/ccwrap-server"
    with open(server, "w") as out:
        out.write('#!/bin/sh\necho $$ >> "%s/starts"\nexec %s %s "$@"\n' %
                  (place.root, sys.executable, os.path.abspath(stub_server.__file__)))
    os.chmod(server, 0o755)


def stub_pids(place):
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = open(path).read().split("\0")
        except OSError:
            continue
        if place.socket in words and "--daemon" in words:
            found.append(int(path.split("/")[2]))
    return found


@case
def many_cold_clients(place):
    install_stub(place)
    place.environment["CCWRAP_STUB"] = "exit:5"
    clients = [place.start(place.ccwrap, "cc") for _ in range(40)]
    statuses = [client.wait(timeout=20) for client in clients]
    pids = stub_pids(place)
    try:
        equal(statuses, [5] * 40)
        equal(len(pids), 1)
        pid = pids[0]
        equal(os.getsid(pid) != os.getsid(0), True)
        equal(os.readlink("/proc/%d/cwd" % pid), "/")
        equal([os.readlink("/proc/%d/fd/%d" % (pid, fd)) for fd in range(3)], ["/dev/null"] * 3)
        names = [word.split("=")[0] for word in open("/proc/%d/environ" % pid).read().split("\0") if word]
        of_shell_and_python = {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}
        assert set(names) - of_shell_and_python == {"HOME", "PATH", "CCWRAP_SOCKET", "CCWRAP_STUB"}, names
        equal(len(open(place.root + "/starts").read().split()), 1)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


@case
def started_server_is_no_child(place):
    install_stub(place)
    place.environment["CCWRAP_STUB"] = "run"
    show = place.script("show", 'cat /proc/$$/task/$$/children; exit 3')
    try:
        status, out, err = place.call(show)
        equal((status, len(out.split()), err), (3, 1, ""))  # the child is cat itself
    finally:
        for pid in stub_pids(place):
            os.kill(pid, signal.SIGKILL)


@case
def server_that_cannot_start(place):
    path = place.bin + "/ccwrap-server"
    open(path, "w").write("#!/bin/sh\nexit 1\n")
    os.chmod(path, 0o755)
    equal(place.call("cc", "a"), place.plain("a"))


@case
def server_that_hangs_at_start(place):
    path = place.bin + "/ccwrap-server"
    open(path, "w").write("#!/bin/sh\nexec sleep 30\n")
    os.chmod(path, 0o755)
    begun = time.monotonic()
    equal(place.call("cc", "a"), place.plain("a"))
    assert time.monotonic() - begun < 4


@case
def cold_with_few_descriptors(place):
    install_stub(place)
    place.environment["CCWRAP_STUB"] = "exit:5"
    try:
        equal(place.run("sh", "-c", 'ulimit -n 12; "$0" cc', place.ccwrap)[0], 5)
    finally:
        for pid in stub_pids(place):
            os.kill(pid, signal.SIGKILL)


@case
def socket_folder_of_another(place):
    os.environ.pop("CCWRAP_SOCKET", None)
    os.mkdir(place.root + "/open")
    os.chmod(place.root + "/open", 0o777)
    install_stub(place)
    equal(place.call("socket=%s/open/s.sock" % place.root, "cc", "a"), place.plain("a"))
    assert not os.path.exists(place.root + "/starts")


# ---- the trampoline ----

def trampoline_word(gate, umask=0o22, nice=0, affinity=0, limits=None):
    """As spawn/trampoline.c encodes it; limits that aren't given stay."""
    numbers = [gate, umask, nice + 64, affinity]
    for i in range(16):
        numbers += [limit % 2**64 for limit in (limits or {}).get(i, resource.getrlimit(i))]
    return ",".join("%x" % number for number in numbers)


def through_gate(place, byte, program, **settings):
    """(status, stdout, what came back through the gate)"""
    mine, theirs = socket.socketpair()
    child = place.start(place.ccwrap, "--ccwrap-trampoline", trampoline_word(theirs.fileno(), **settings),
                        program, "name", "a b", pass_fds=[theirs.fileno()])
    theirs.close()
    if byte:
        mine.send(b"g")
    else:
        mine.shutdown(socket.SHUT_WR)
    back = b"".join(iter(lambda: mine.recv(64), b""))
    out, err = child.communicate(timeout=10)
    equal(err, "")
    return child.returncode, out, back


@case
def trampoline_sets_all(place):
    show = place.script("show", "umask; nice; ulimit -c; ulimit -n; ls /proc/self/fd; nproc; echo $1; exit 9")
    status, out, back = through_gate(place, True, show, umask=0o137, nice=4, affinity=1,
                                     limits={4: (0, 0), 7: (99, 100)})
    equal((status, out.split("\n"), back), (9, ["0137", "4", "0", "99", "0", "1", "2", "3", "1", "a b", ""], b""))


@case
def trampoline_leaves_at_end_of_file(place):
    equal(through_gate(place, False, "/bin/true"), (125, "", b""))


@case
def trampoline_tells_errors(place):
    equal(through_gate(place, True, "/no/such"), (127, "", struct.pack("i", 2)))
    status, out, back = through_gate(place, True, "/bin/true", limits={7: (2**40, 2**40)})
    equal((status, out, back), (126, "", struct.pack("i", 1)))


def main():
    client, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    failed = 0
    for name in names:
        place = Place(client)
        try:
            CASES[name](place)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print("FAIL %s: %s" % (name, error or "assertion in line %d" % error.__traceback__.tb_next.tb_lineno))
        finally:
            place.remove()
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
