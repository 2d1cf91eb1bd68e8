"""Servers for the tests of the core, of both kinds, and clients for them."""

from __future__ import annotations

import asyncio
import inspect
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
import kvist.aio
from kvist import embedded

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


class Waited:
    """A graph on asyncio whose methods are waited for."""

    def __init__(self, port: int, values: dict[str, Any], name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = kvist.aio.Kvist(port=port, **values)
        self.graph = self.client.graph(name)
        self.name = self.graph.name

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.graph, name)
        return lambda *args, **options: self.loop.run_until_complete(method(*args, **options))

    def close(self) -> None:
        self.loop.run_until_complete(self.client.aclose())
        self.loop.close()


@pytest.fixture(scope="module")
def kvist_server() -> Iterator[Server]:
    server = Server("kvist")
    yield server
    server.remove()


# How a graph and a project are reached.
DOORS = ("server", "server as text", "server in RESP2", "embedded", "embedded as text", "asyncio")


@pytest.fixture(params=DOORS)
def graph(request: Any, kvist_server: Server) -> Iterator[Any]:
    values: dict[str, Any] = {"decode_responses": "text" in request.param}
    if "RESP2" in request.param:
        values["protocol"] = 2
    if "embedded" in request.param:
        with embedded.open(decode_responses=values["decode_responses"]) as client:
            yield client.graph("g")
        return
    with kvist_server.client() as client:
        client.flushall()
    if request.param == "asyncio":
        waited = Waited(kvist_server.port, values, "g")
        yield waited
        waited.close()
        return
    with kvist_server.client(**values) as client:
        yield client.graph("g")


class Project:
    """A project, and what waits for its methods where they are coroutines."""

    def __init__(self, client: Any, name: str = "p") -> None:
        self.client = client
        self.folio = client.folio(name)
        self.loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, done: Any) -> Any:
        if not inspect.isawaitable(done):
            return done
        self.loop = self.loop or asyncio.new_event_loop()

        async def waited() -> Any:
            return await done

        return self.loop.run_until_complete(waited())

    def close(self) -> None:
        if self.loop is not None:
            self(self.client.aclose())
            self.loop.close()


@pytest.fixture(params=DOORS)
def project(request: Any, kvist_server: Server) -> Iterator[Project]:
    """A project without records, reached in every way."""
    values: dict[str, Any] = {"decode_responses": "text" in request.param}
    if "RESP2" in request.param:
        values["protocol"] = 2
    if "embedded" in request.param:
        with embedded.open(decode_responses=values["decode_responses"]) as client:
            project = Project(client)
            project.folio.open()
            yield project
        return
    with kvist_server.client() as client:
        client.flushall()
    if request.param == "asyncio":
        project = Project(kvist.aio.Kvist(port=kvist_server.port, **values))
        project(project.folio.open())
        yield project
        project.close()
        return
    with kvist_server.client(**values) as client:
        project = Project(client)
        project.folio.open()
        yield project
