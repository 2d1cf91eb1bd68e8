"""Servers for the tests of the core, of both kinds, and clients for them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ports import free_port

import kvist

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 20
NATIVE = [os.environ.get("KVIST_BIN", str(ROOT / "target" / "debug" / "kvist"))]
PROGRAMS = {"redis": ["redis-server"], "kvist": [*NATIVE, "serve"]}


def eventually(condition: Any, patience: float = PATIENCE) -> Any:
    """What a condition is once it is true."""
    until = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def answered(ask: Any) -> Any:
    """What a question is answered that is asked again where its timeout is over: a timeout that a
    test makes short, for another question's sake, may be too short on a busy machine."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except kvist.TimeoutError:
            if time.monotonic() > until:
                raise


class Server:
    """A server in a folder of its own."""

    def __init__(self, kind: str, *words: str) -> None:
        self.program = program = PROGRAMS[kind]
        if shutil.which(program[0]) is None:
            pytest.skip(f"{program[0]} is not here")
        self.folder = Path(tempfile.mkdtemp(prefix="kvist-py-"))
        self.socket = str(self.folder / "s")
        self.process: Any = None
        # A port that was free may be another program's by now; then another is tried.
        for left in reversed(range(10)):
            self.port = free_port()
            self.words = [
                *program, "--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket",
                self.socket, "--save", "", "--appendonly", "no", *words,
            ]
            try:
                self.start()
                return
            except AssertionError as failure:
                if left == 0 or "Address already in use" not in str(failure):
                    raise

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(self.words, cwd=self.folder, stdout=log, stderr=log)
        log.close()
        eventually(self.answers)

    def answers(self) -> bool:
        """Whether it does."""
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(1) in (b"+", b"-")
        except OSError:
            return False

    def stop(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.wait()

    def remove(self) -> None:
        """Ends it for good."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, **values: Any) -> kvist.Kvist[Any]:
        """A client of it."""
        return kvist.Kvist(port=self.port, **values)


@pytest.fixture(scope="session", params=["redis", "kvist"])
def shared_server(request: Any) -> Iterator[Server]:
    """A server that many tests use."""
    server = Server(request.param)
    yield server
    server.remove()


@pytest.fixture
def server(shared_server: Server) -> Server:
    """The server, empty."""
    with shared_server.client() as client:
        client.flushall()
    return shared_server


@pytest.fixture(params=["redis", "kvist"])
def own_server(request: Any) -> Iterator[Server]:
    """A server that may be stopped."""
    server = Server(request.param)
    yield server
    server.remove()


@pytest.fixture(params=[2, 3])
def client(server: Server, request: Any) -> Iterator[Any]:
    """A client of the server, in both protocols."""
    with server.client(protocol=request.param) as client:
        yield client
