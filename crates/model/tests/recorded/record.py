#!/usr/bin/env python3
"""Asks a redis-server the requests of the given files and writes its replies behind them.

    record.py FILE...    needs redis-server; starts one on a free port, and stops it

A file has one request per line. The line behind a request, indented, is the reply as it came over
the wire, with bars in place of line ends. `HELLO 3` switches to RESP3; every file begins on an
empty server. Only requests whose replies depend on neither chance nor hash order belong here.
"""

import pathlib
import shlex
import socket
import subprocess
import sys
import time

# Modules that all tests in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "tests"))

from ports import free_port  # noqa: E402


def connect(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port)).makefile("rwb")
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit("redis-server does not answer")


def read(stream):
    """One reply, as it came."""
    line = stream.readline()
    kind, rest = line[:1], line[1:-2]
    if kind in b"$=":
        length = int(rest)
        return line + (stream.read(length + 2) if length >= 0 else b"")
    if kind in b"*~%>":
        parts = max(int(rest), 0) * (2 if kind == b"%" else 1)
        return line + b"".join(read(stream) for _ in range(parts))
    return line


def ask(stream, words):
    stream.write(b"*%d\r\n" % len(words))
    for word in words:
        stream.write(b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()))
    stream.flush()
    return read(stream)


def record(path, port):
    stream = connect(port)
    ask(stream, ["FLUSHALL"])
    lines = []
    for line in path.read_text().splitlines():
        if line.startswith(" "):
            continue  # an older recording
        lines.append(line)
        if not line or line.startswith("#"):
            continue
        reply = ask(stream, shlex.split(line))
        if line.split()[0] != "HELLO":
            lines.append("    " + reply.decode().removesuffix("\r\n").replace("\r\n", "|"))
    path.write_text("\n".join(lines) + "\n")


def main():
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", ""]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for name in sys.argv[1:]:
            record(pathlib.Path(name), port)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
