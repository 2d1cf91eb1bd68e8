"""Where the server under test is, and how to start one of our own.

Read from the environment, as in the tests of the other clients: TEST_HOST, TEST_PORT (required:
these tests empty every database of the server), TEST_PROTOCOL (2 or 3), and TEST_SERVER_COMMAND,
a command line with {port} in it that starts a fresh server for the tests that restart one.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

import redis

HOST = os.environ.get("TEST_HOST", "127.0.0.1")
PORT = int(os.environ["TEST_PORT"])
PROTOCOL = int(os.environ.get("TEST_PROTOCOL", "3"))
COMMAND = os.environ.get("TEST_SERVER_COMMAND", "")
PATIENCE = 20.0  # seconds until something awaited counts as never


def connect(**options):
    """A redis-py client of the server under test."""
    options = {"host": HOST, "port": PORT, "protocol": PROTOCOL, **options}
    return redis.Redis(**options)


def plain(value):
    """The same value with lists for tuples: redis-py differs between RESP2 and RESP3 there."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def eventually(condition, what):
    """Waits until `condition()` is true, and returns what it gave."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE} s in vain for {what}")
        time.sleep(0.002)


class ServerCase(unittest.TestCase):
    """A test that starts with an empty server and a client `self.db`."""

    def setUp(self):
        self.db = connect()
        self.addCleanup(self.db.close)
        self.db.flushall()


class OwnServer:
    """A server that a test may stop and start again, on a port that no other has."""

    def __init__(self):
        self.port = free_port()
        self.folder = tempfile.TemporaryDirectory()
        self.process = None

    def start(self, *options):
        """Returns once the server answers. It gets these directives besides those of the command."""
        words = shlex.split(COMMAND.replace("{port}", str(self.port))) + [str(o) for o in options]
        self.process = subprocess.Popen(
            words, cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with redis.Redis(host=HOST, port=self.port, retry=None) as probe:
            eventually(lambda: self.answers(probe), "the server to answer")

    def answers(self, probe):
        """Whether the server is there; fails at once if it has died."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server stopped with {self.process.returncode}: {COMMAND}")
        try:
            return probe.ping()
        except redis.ConnectionError:
            return False

    def stop(self):
        """Ends the server as a system would, and waits for it."""
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("the server did not stop on SIGTERM") from None
            finally:
                self.process = None

    def close(self):
        """Stops the server and removes its folder."""
        self.stop()
        self.folder.cleanup()

# Modules that all tests in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from ports import free_port  # noqa: E402

