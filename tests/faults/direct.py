"""A client that is no process: what the real client asked once is asked again, under another namespace. For questions
that are asked ten thousand times."""

import os
import socket
import struct
import subprocess

ADMIN, OUTPUT, EXIT, RUN, REFUSE, DONE = 4, 66, 67, 68, 69, 73
HEAD = 160  # bytes in which the client's own number is said
DIGITS = 7  # of a namespace, so that all requests are of one length


def namespace(number):
    return "namespace=n%0*d" % (DIGITS, number)


def read_frame(end):
    """The next frame as (type, payload); (0, b"") at the end."""
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack_from("<I", data)[0]:
        wanted = 4 if len(data) < 4 else 4 + struct.unpack_from("<I", data)[0]
        more = end.recv(wanted - len(data))
        if not more:
            return 0, b""
        data += more
    return data[4], data[5:]


class Direct:
    def __init__(self, place):
        self.place, self.frames = place, {}

    def learn(self, words, command):
        """The request of the real client, sent to a socket of ours."""
        path = self.place.socket.replace("s.sock", "t.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            client = subprocess.Popen([self.place.wrapper, namespace(0), *words, *command], cwd=self.place.work,
                                      env=dict(self.place.environment, CCWRAP_SOCKET=path), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            end, _ = listener.accept()
            with end:
                kind, payload = read_frame(end)
                client.kill()
                client.communicate()
        os.unlink(path)
        own = struct.pack("<I", client.pid)
        assert payload[:HEAD].count(own) == 1
        payload = payload.replace(own, struct.pack("<I", os.getpid()), 1)
        frame = struct.pack("<IB", len(payload) + 1, kind) + payload
        return frame.replace(path.encode(), self.place.socket.encode())

    def ask(self, number, words, command):
        """Status and both streams of a hit; status 1 where there is none; None if the server can't be reached."""
        key = (*words, *command)
        if key not in self.frames:
            self.frames[key] = self.learn(words, command)
        frame = self.frames[key].replace(namespace(0).encode(), namespace(number).encode())
        streams = {1: b"", 2: b""}
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(5)
            try:
                end.connect(self.place.socket)
                end.sendall(frame)
                while True:
                    kind, payload = read_frame(end)
                    if kind == OUTPUT:
                        streams[payload[0]] += payload[1:]
                    elif kind == EXIT:
                        return payload[1], streams[1], streams[2]
                    elif kind == REFUSE:
                        return payload[0], b"", payload[1:]
                    elif kind == RUN:
                        assert b"other_view" not in payload, "the server takes this for another process"
                        return None
                    elif kind == 0:
                        return None
            except OSError:
                return None

    def flush(self):
        """Statistics are asked for: they are told when all that waits for the writer is written."""
        words = b"stats\0json\0"
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(15)
            try:
                end.connect(self.place.socket)
                end.sendall(struct.pack("<IB", len(words) + 1, ADMIN) + words)
                while read_frame(end)[0] not in (0, DONE):
                    pass
            except OSError:
                pass
