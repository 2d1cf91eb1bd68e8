"""A connection that hides nothing: what is sent and what comes back, to the byte.

Frames are kept as the bytes they came as and as a tree, `Frame(kind, value)`, which masks work on.
It shares no code with any client or server, so that no mistake is made twice.
"""

import socket

HOST = "127.0.0.1"
PATIENCE = 30.0  # seconds until a reply counts as never


class Frame:
    """One RESP frame: its type byte, and its text, number of bytes, or list of frames."""

    __slots__ = ("kind", "value", "raw")

    def __init__(self, kind, value, raw=None):
        self.kind, self.value, self.raw = kind, value, raw

    def encode(self):
        """The frame as bytes: those it came as, or those of what a mask has made of it."""
        if self.raw is not None:
            return self.raw
        if self.value is None:
            return self.kind + b"-1\r\n" if self.kind in b"$*" else b"_\r\n"
        if self.kind in b"$=!":
            return b"%s%d\r\n%s\r\n" % (self.kind, len(self.value), self.value)
        if self.kind in b"*~>%|":
            count = len(self.value) // (2 if self.kind in b"%|" else 1)
            return b"%s%d\r\n" % (self.kind, count) + b"".join(f.encode() for f in self.value)
        return self.kind + self.value + b"\r\n"

    def sorted(self):
        """The frame with the members of every list in the order of their bytes, pairs of maps kept
        together."""
        if not isinstance(self.value, list):
            return self
        members = [member.sorted() for member in self.value]
        if self.kind in b"%|":
            pairs = zip(members[::2], members[1::2])
            members = [f for pair in sorted(pairs, key=lambda p: p[0].encode()) for f in pair]
        else:
            members.sort(key=Frame.encode)
        return Frame(self.kind, members)

    def texts(self):
        """All leaves that hold bytes."""
        if isinstance(self.value, list):
            return [text for member in self.value for text in member.texts()]
        return [] if self.value is None else [self.value]


class Connection:
    """One connection to one server."""

    def __init__(self, port):
        self.socket = socket.create_connection((HOST, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", 1 << 16)

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, words):
        self.socket.sendall(request(words))

    def ask(self, *words):
        self.send([word if isinstance(word, bytes) else str(word).encode() for word in words])
        return self.receive()

    def ask_all(self, requests):
        """Many requests in one write; gives their replies."""
        self.socket.sendall(b"".join(request([str(w).encode() for w in words])
                                     for words in requests))
        return [self.receive() for _ in requests]

    def receive(self):
        """The next frame with its bytes. Not recursive: scripts may nest replies very deep."""
        raw, open_lists = [], []
        while True:
            frame, members = self.head(raw)
            if members:
                open_lists.append((frame, members))
                continue
            while open_lists:
                above, members = open_lists[-1]
                above.value.append(frame)
                if len(above.value) < members:
                    break
                frame = open_lists.pop()[0]
            else:
                frame.raw = b"".join(raw)
                return frame

    def head(self, raw):
        """A frame without its members, and how many it will have."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("closed")
        raw.append(line)
        kind, rest = line[:1], line[1:-2]
        if kind in b"+-:,#(":
            return Frame(kind, rest), 0
        if kind not in b"$=!*~>%|_":
            raise ConnectionError(f"not RESP: {line!r}")
        if kind == b"_" or rest == b"-1":
            return Frame(kind, None), 0
        count = int(rest)
        if kind in b"$=!":
            body = self.file.read(count + 2)
            if len(body) < count + 2:
                raise ConnectionError("closed")
            raw.append(body)
            return Frame(kind, body[:-2]), 0
        return Frame(kind, []), count * (2 if kind in b"%|" else 1)


def request(words):
    """A request as bytes."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
