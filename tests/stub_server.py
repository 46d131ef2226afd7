#!/usr/bin/env python3
"""A server that only speaks the wire format (common/wire.h): it answers each request with fixed steps.

    stub_server.py --socket PATH [--dir DIR] [--ready-fd N] [--daemon-parent] [--answer STEPS]

STEPS (also from $CCWRAP_STUB) are joined by commas:
    alive            run            close            crash (the process ends)
    out:TEXT err:TEXT               exit:STATUS      die:SIGNAL      refuse:STATUS:TEXT
    started          starts "sleep 60" in a group of its own and tells it
    ask              asks for the jobserver's descriptors and prints how many came
    wait:SECONDS     cancel (waits for CANCEL, ends what was started, says ENDED)
Named like ccwrap-server and put beside ccwrap, it shows how the client starts a server.
"""
import argparse
import array
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

REQUEST, CANCEL, FDS, ADMIN = 1, 2, 3, 4
ALIVE, STARTED, OUTPUT, EXIT, RUN, REFUSE, ASK_FDS, ENDED, TEXT, DONE = range(64, 74)


class Connection:
    def __init__(self, sock):
        self.sock, self.data, self.fds, self.child = sock, b"", [], None

    def send(self, kind, payload=b""):
        self.sock.sendall(struct.pack("<IB", len(payload) + 1, kind) + payload)

    def receive(self):
        """The next frame as (type, payload), or None at the end."""
        while len(self.data) < 4 or len(self.data) < 4 + struct.unpack_from("<I", self.data)[0]:
            more, control, _, _ = self.sock.recvmsg(65536, socket.CMSG_SPACE(64))
            for level, kind, data in control:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    fds = array.array("i")
                    fds.frombytes(data[: len(data) // 4 * 4])
                    self.fds += fds
            if not more:
                return None
            self.data += more
        end = 4 + struct.unpack_from("<I", self.data)[0]
        frame, self.data = self.data[4:end], self.data[end:]
        return frame[0], frame[1:]

    def start(self, words):
        self.child = subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stat = open("/proc/%d/stat" % self.child.pid).read()
        start = int(stat[stat.rindex(")") + 2:].split()[19])
        self.send(STARTED, struct.pack("<IQ", self.child.pid, start))


def parse_request(payload):
    """The fields of a REQUEST, by name."""
    place = 0

    def take(form):
        nonlocal place
        values = struct.unpack_from("<" + form, payload, place)
        place += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text():
        nonlocal place
        end = payload.index(b"\0", place)
        value, place = os.fsdecode(payload[place:end]), end + 1
        return value

    def texts():
        return [text() for _ in range(take("I"))]

    request = {"build": text()}
    for name, form in (("flags", "I"), ("columns", "I"), ("rows", "I"), ("umask", "I"), ("pid", "I"), ("personality", "I"), ("host", "Q"), ("view", "4Q")):
        request[name] = take(form)
    request["program"], request["directory"] = text(), text()
    request["argv"], request["environment"], request["settings"] = texts(), texts(), texts()
    assert place == len(payload)
    return request


def step_cancel(link):
    frame = link.receive()
    assert frame and frame[0] == CANCEL, frame
    if link.child:
        os.killpg(link.child.pid, signal.SIGKILL)
        link.child.wait()
    link.send(ENDED)


def step_ask(link):
    link.send(ASK_FDS)
    kind, _ = link.receive()
    assert kind == FDS
    link.send(OUTPUT, b"\1%d descriptors\n" % len(link.fds))
    for fd in link.fds:
        os.close(fd)


STEPS = {
    "alive": lambda link: link.send(ALIVE),
    "run": lambda link: link.send(RUN, b"stub\0"),
    "out": lambda link, text: link.send(OUTPUT, b"\1" + text.encode()),
    "err": lambda link, text: link.send(OUTPUT, b"\2" + text.encode()),
    "exit": lambda link, status: link.send(EXIT, bytes([0, int(status)])),
    "die": lambda link, number: link.send(EXIT, bytes([1, int(number)])),
    "refuse": lambda link, status, text: link.send(REFUSE, bytes([int(status)]) + text.encode()),
    "started": lambda link: link.start(["sleep", "60"]),
    "ask": step_ask,
    "wait": lambda link, seconds: time.sleep(float(seconds)),
    "cancel": step_cancel,
    "close": lambda link: link.sock.close(),
    "crash": lambda link: os._exit(1),
}


def answer(steps):
    """A handler that does these steps."""
    def handle(link, request):
        for step in steps.split(","):
            name, *words = step.split(":")
            STEPS[name](link, *words)
    return handle


class Server:
    """Serves each connection in a thread; `requests` holds all that came."""

    def __init__(self, path, handler):
        self.path, self.handler, self.requests = path, handler, []
        self.listener = socket.socket(socket.AF_UNIX)
        old = os.umask(0o077)
        self.listener.bind(path)
        os.umask(old)
        self.listener.listen(128)

    def serve_one(self, sock):
        link = Connection(sock)
        try:
            frame = link.receive()
            if frame and frame[0] == REQUEST:
                request = parse_request(frame[1])
                self.requests.append(request)
                self.handler(link, request)
        except OSError:
            pass
        finally:
            sock.close()

    def serve(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve_one, args=(sock,), daemon=True).start()

    def start(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--socket", required=True)
    options.add_argument("--dir")
    options.add_argument("--ready-fd", type=int)
    options.add_argument("--daemon-parent", action="store_true")
    options.add_argument("--daemon", action="store_true")
    options.add_argument("--answer", default=os.environ.get("CCWRAP_STUB", "run"))
    given = options.parse_args()
    if given.daemon_parent:
        words = [word if word != "--daemon-parent" else "--daemon" for word in sys.argv]
        subprocess.Popen([sys.executable] + words, start_new_session=True, pass_fds=[given.ready_fd])
        return
    server = Server(given.socket, answer(given.answer))
    if given.ready_fd is not None:
        os.write(given.ready_fd, b"R")
        os.close(given.ready_fd)
    server.serve()


if __name__ == "__main__":
    main()
