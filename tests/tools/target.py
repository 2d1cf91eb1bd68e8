"""The two servers that tools are tried on: the one under test, and a redis-server to compare with.

Read from the environment: TEST_PORT and REDIS_PORT (these tests empty every database of both).
The connection here says exactly what it is told and hides nothing of the reply; the clients that
people use have tests of their own in ../clients.
"""

import os
import pathlib
import socket
import sys
import time
import unittest

HOST = "127.0.0.1"
PORT = int(os.environ["TEST_PORT"])
REDIS_PORT = int(os.environ["REDIS_PORT"])
PATIENCE = 20.0  # seconds until something awaited counts as never

# What both hold at the start of every test: a key of each type, in two databases, some expiring.
DATASET = """
SET text hello
SET number 42
SETEX soon 10000 gone
RPUSH list a b c
HSET hash f v g w
SADD set a b c
ZADD zset 1 a 2 b 3.5 c
XADD stream 1-1 f v
XADD stream 2-1 f w
XGROUP CREATE stream group 0
XREADGROUP GROUP group reader COUNT 1 STREAMS stream >
PFADD visitors a b c
SETBIT bits 100 1
GEOADD places 13.361389 38.115556 Palermo
SELECT 3
SET elsewhere 1
SELECT 0
"""


class Error(str):
    """An error reply."""


class Status(str):
    """A simple string."""


class Connection:
    """One connection that speaks RESP."""

    def __init__(self, port):
        self.socket = socket.create_connection((HOST, port), PATIENCE)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, *words):
        parts = [str(word).encode() for word in words]
        request = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.socket.sendall(b"*%d\r\n" % len(parts) + request)

    def ask(self, *words):
        self.send(*words)
        return self.reply()

    def line(self, text):
        """Sends words that have no blanks in them."""
        return self.ask(*text.split())

    def reply(self):
        """The next reply; maps are dictionaries, sets are sets if their members allow it."""
        line = self.file.readline()
        if not line:
            raise ConnectionError("closed")
        kind, rest = line[:1], line[1:-2].decode("utf-8", "replace")
        if kind in b"+-":
            return (Status if kind == b"+" else Error)(rest)
        if kind == b":":
            return int(rest)
        if kind in b"$=":
            return self.bulk(int(rest))
        if kind in b"*>~":
            return None if rest == "-1" else [self.reply() for _ in range(int(rest))]
        if kind == b"%":
            return {self.reply(): self.reply() for _ in range(int(rest))}
        return {b"_": None, b"#": rest == "t", b",": rest, b"(": rest}[kind]

    def bulk(self, length):
        if length < 0:
            return None
        return self.file.read(length + 2)[:-2].decode("utf-8", "replace")


def info(text):
    """The fields of an INFO, each under its section."""
    sections, here = {}, None
    for line in text.splitlines():
        if line.startswith("# "):
            here = sections.setdefault(line[2:], {})
        elif ":" in line:
            name, _, value = line.partition(":")
            here[name] = value
    return sections


def shape(value):
    """What is left of a reply without its content: types, and the names of maps."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value).__name__


def eventually(condition, what):
    """Waits until `condition()` is true, and returns what it gave."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE} s in vain for {what}")
        time.sleep(0.005)


class TwoServers(unittest.TestCase):
    """A test with a connection to each, `self.ours` and `self.theirs`; both hold the same."""

    maxDiff = None

    def setUp(self):
        self.ours, self.theirs = self.connect(PORT), self.connect(REDIS_PORT)
        for connection in (self.ours, self.theirs):
            connection.ask("FLUSHALL")
            connection.ask("CONFIG", "RESETSTAT")
            for line in DATASET.strip().splitlines():
                reply = connection.line(line)
                self.assertNotIsInstance(reply, Error, line)

    def connect(self, port):
        connection = Connection(port)
        self.addCleanup(connection.close)
        return connection

    def set_both(self, name, value):
        """Changes a setting of both, until the end of the test."""
        for connection in (self.ours, self.theirs):
            before = connection.ask("CONFIG", "GET", name)[1]
            self.assertEqual(connection.ask("CONFIG", "SET", name, value), "OK")
            self.addCleanup(connection.ask, "CONFIG", "SET", name, before)

# Modules that all tests in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ports import free_port  # noqa: E402

