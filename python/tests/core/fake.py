"""Servers that say what a test wants them to say, and proxies that spoil what servers say."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any


class Fake:
    """Listens, and has a function talk to every client."""

    def __init__(self, talk: Callable[[socket.socket], Any]) -> None:
        self.talk = talk
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = int(self.listener.getsockname()[1])
        self.accepted = 0
        self.sockets: list[socket.socket] = []
        self.closing = False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Accepts every client."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.accepted += 1
            self.sockets.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        """Talks to one until it goes."""
        with contextlib.suppress(OSError), connection:
            try:
                self.talk(connection)
            finally:
                # Another thread may be reading it, which keeps a closed socket open.
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()
        for connection in self.sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def requests(connection: socket.socket) -> Any:
    """The requests that come over a connection, as lists of words."""
    stream = connection.makefile("rb")
    while True:
        line = stream.readline()
        if not line:
            return
        words = []
        for _ in range(int(line[1:])):
            length = int(stream.readline()[1:])
            words.append(stream.read(length))
            stream.read(2)
        yield words


def answering(answer: Callable[[list[bytes]], bytes]) -> Callable[[socket.socket], None]:
    """Has a function answer each request; greetings are answered with RESP2's."""

    def talk(connection: socket.socket) -> None:
        for words in requests(connection):
            if words[0] == b"HELLO":
                connection.sendall(b"-ERR unknown command `HELLO`\r\n")
            elif words[:2] == [b"CLIENT", b"SETINFO"]:
                connection.sendall(b"+OK\r\n")
            else:
                connection.sendall(answer(words))

    return talk


def proxy(port: int, spoil: Callable[[int, bytes], Any]) -> Callable[[socket.socket], None]:
    """Passes everything on to a server. What comes back goes through ``spoil``, which is given the
    number of bytes that were passed before and yields pieces, or ``None`` to cut."""

    def talk(client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", port))

        def up() -> None:
            with contextlib.suppress(OSError):
                while data := client.recv(65536):
                    server.sendall(data)
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_WR)

        threading.Thread(target=up, daemon=True).start()
        passed = 0
        with server:
            while data := server.recv(65536):
                for piece in spoil(passed, data):
                    if piece is None:
                        return
                    client.sendall(piece)
                passed += len(data)

    return talk
