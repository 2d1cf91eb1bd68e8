"""Links to a server, and how tasks share them.

::

    tasks ── ordinary commands ──► one shared link          many requests in one write
    tasks ── what blocks, watches, subscribes ──► links of their own, lent like a pool's connections

A shared link keeps one place for each reply that is due. Who is cancelled leaves the place behind,
so no task's reply can become another's. A link of one's own that comes back with a reply due is
closed.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any, TypeVar

from .. import _core
from .._settings import UNSET, Encoder, native_settings, read_url, retry_of, to_bool
from ..exceptions import ConnectionError, MaxConnectionsError, RedisError, TimeoutError

P = TypeVar("P", bound="ConnectionPool")


class Link(_core.Link, asyncio.Protocol):
    """A connection that the event loop drives."""

    def __init__(self, kind: str, values: dict[str, Any]) -> None:
        self.kind = kind
        self.settings = native_settings(kind, values)
        self._configure(self.settings)
        self.provider = values.get("credential_provider")
        self.loop = asyncio.get_running_loop()
        self.transport: Any = None
        self._ready: Any = None
        self._credentials: list[str] | None = None
        self._closed = self.loop.create_future()

    def __repr__(self) -> str:
        state = "open" if self.is_connected else "closed"
        return f"<{type(self).__name__} to {self.address}, {state}, {self.pending} awaited>"

    @property
    def address(self) -> str:
        """Where the server listens."""
        settings = self.settings
        return settings.get("path") or f"{settings['host']}:{settings['port']}"

    async def connect(self) -> Link:
        """Connects and greets the server."""
        try:
            async with asyncio.timeout(self.settings["connect_timeout"]):
                await self._connect()
        except BaseException as error:
            self.close()
            if isinstance(error, asyncio.TimeoutError):
                raise TimeoutError(f"Timeout connecting to {self.address}") from None
            if isinstance(error, OSError):
                reason = os.strerror(error.errno) if error.errno else str(error)
                raise ConnectionError(
                    f"Error {error.errno} connecting to {self.address}. {reason}."
                ) from error
            raise
        return self

    async def _connect(self) -> None:
        settings, loop = self.settings, self.loop
        if self.provider is not None:
            self._credentials = list(await self.provider.get_credentials_async())
        self._ready = ready = loop.create_future()
        # No other task asks for its exception if the connection is lost at once.
        ready.add_done_callback(lambda future: future.cancelled() or future.exception())
        if self.kind == "unix":
            await loop.create_unix_connection(lambda: self, settings["path"])
        else:
            await loop.create_connection(lambda: self, settings["host"], settings["port"])
        async with asyncio.timeout(settings["timeout"]):
            await ready

    def connection_made(self, transport: Any) -> None:
        """The loop has connected."""
        self.transport = transport
        keepalive = self.settings.get("keepalive")
        plain = transport.get_extra_info("socket")
        if keepalive and plain is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in zip(("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT"), keepalive):
                if hasattr(socket, name):
                    plain.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        try:
            self._begin(transport, self.loop, self._ready, self._credentials)
        except RedisError as error:
            self._abandon(error)

    def connection_lost(self, error: Exception | None) -> None:
        """The connection has ended."""
        reason = f": {error}" if error else ""
        self._fail(ConnectionError(f"Connection closed by server{reason or '.'}"))
        if not self._closed.done():
            self._closed.set_result(None)

    def _abandon(self, error: Exception) -> None:
        """Ends the link because what comes over it can be trusted no more."""
        self._fail(error)
        if self.transport is not None:
            self.transport.abort()

    def _check(self) -> None:
        left = self._time_left()
        if left is None:
            return
        if left > 0:
            self.loop.call_later(left, self._check)
        else:
            self._abandon(TimeoutError(f"Timeout reading from {self.address}"))

    def close(self) -> None:
        """Closes the connection; a task that waits gets a ``ConnectionError``."""
        self._fail(ConnectionError("Connection closed by the client."))
        if self.transport is not None and not self.loop.is_closed():
            self.transport.abort()

    async def wait_closed(self) -> None:
        """Waits until the loop has closed the socket."""
        if self.transport is not None:
            await self._closed

    @property
    def is_here(self) -> bool:
        """Whether the link stands and belongs to the loop that runs."""
        return self.is_connected and self.loop is asyncio.get_running_loop()


class Connection:
    """The kinds of connections a pool can make; kept for the names."""

    kind = "tcp"


class SSLConnection(Connection):
    """An encrypted TCP connection."""

    kind = "tls"


class UnixDomainSocketConnection(Connection):
    """A connection over a Unix socket."""

    kind = "unix"


CLASSES = {"tcp": Connection, "tls": SSLConnection, "unix": UnixDomainSocketConnection}


def parse_url(url: str) -> dict[str, Any]:
    """The arguments that a URL stands for, and the class of its connections if it is not
    :class:`Connection`."""
    kind, values = read_url(url)
    if kind != "tcp":
        values["connection_class"] = CLASSES[kind]
    return values


class ConnectionPool:
    """The links of one or several clients to one server."""

    def __init__(
        self,
        connection_class: type[Any] = Connection,
        max_connections: int | None = None,
        **connection_kwargs: Any,
    ) -> None:
        max_connections = max_connections or 100
        if not isinstance(max_connections, int) or max_connections < 0:
            raise ValueError('"max_connections" must be a positive integer')
        self.connection_class = connection_class
        self.connection_kwargs = connection_kwargs
        self.max_connections = max_connections
        self.retry = retry_of(connection_kwargs)
        native_settings(connection_class.kind, connection_kwargs)  # says now what is wrong
        self.shared: Link | None = None
        self._connecting: asyncio.Task[Link] | None = None
        self._free: list[Link] = []
        self._used: set[Link] = set()

    @classmethod
    def from_url(cls: type[P], url: str, **kwargs: Any) -> P:
        """A pool for a ``redis://``, ``rediss://`` or ``unix://`` URL; what that says wins."""
        kind, values = read_url(url)
        chosen = {"connection_class": CLASSES[kind], **kwargs, **values}
        return cls(**chosen)

    def __repr__(self) -> str:
        shown = ",".join(
            f"{name}={self.connection_kwargs[name]}"
            for name in ("host", "port", "path", "db", "client_name")
            if self.connection_kwargs.get(name) is not None
        )
        return f"<{type(self).__module__}.{type(self).__name__}({shown})>"

    def make_connection(self) -> Link:
        """A link that has not connected yet."""
        return Link(self.connection_class.kind, self.connection_kwargs)

    async def link(self) -> Link:
        """The shared link, made if there is none. Tasks that want it at once make one."""
        while True:
            shared = self.shared
            if shared is not None and shared.is_here:
                return shared
            loop = asyncio.get_running_loop()
            connecting = self._connecting
            if connecting is None or connecting.get_loop() is not loop or connecting.done():
                connecting = self._connecting = loop.create_task(self._connect_shared())
                connecting.add_done_callback(lambda task: task.cancelled() or task.exception())
            # Who gives up must not take the others' connection away.
            link = await asyncio.shield(connecting)
            if link.is_here:
                return link

    async def _connect_shared(self) -> Link:
        link = await self.make_connection().connect()
        self.shared = link
        return link

    async def get_connection(self, *_: Any, **__: Any) -> Link:
        """A link of one's own; to be given back with ``release``."""
        while self._free:
            link = self._free.pop()
            if link.is_here and link.is_clean:
                break
            link.close()
        else:
            if len(self._used) >= self.max_connections:
                await self._exhausted()
                return await self.get_connection()
            link = self.make_connection()
            self._used.add(link)
            try:
                return await link.connect()
            except BaseException:
                self._used.discard(link)
                self._freed()
                raise
        self._used.add(link)
        return link

    async def release(self, link: Link) -> None:
        """Takes a link back; one on which a reply is due is closed."""
        self.give_back(link)

    def give_back(self, link: Link) -> None:
        """The same, where nothing can be awaited."""
        known = link in self._used
        self._used.discard(link)
        if known and link.is_connected and link.is_clean and not link.listening:
            self._free.append(link)
        else:
            link.close()
        self._freed()

    async def _exhausted(self) -> None:
        raise MaxConnectionsError("Too many connections")

    def _freed(self) -> None:
        """A link came back, or one fewer is in use."""

    async def disconnect(self, inuse_connections: bool = True) -> None:
        """Closes the links."""
        links = [*self._free, *([self.shared] if self.shared else [])]
        if inuse_connections:
            links += self._used
            self._used.clear()
        self._free.clear()
        self.shared = None
        loop = asyncio.get_running_loop()
        for link in links:
            link.close()
        for link in links:
            if link.loop is loop:
                await link.wait_closed()

    async def aclose(self) -> None:
        """Closes the links. The pool may still be used: it makes new ones."""
        await self.disconnect()

    close = aclose

    async def __aenter__(self: P) -> P:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def get_encoder(self) -> Encoder:
        """An encoder that does what the links do."""
        values = self.connection_kwargs
        return Encoder(
            values.get("encoding", "utf-8"),
            values.get("encoding_errors", "strict"),
            bool(values.get("decode_responses", False)),
        )

    def get_protocol(self) -> Any:
        """The protocol that was asked for; ``None`` if it was left to the client."""
        return self.connection_kwargs.get("protocol")

    def set_retry(self, retry: Any) -> None:
        """Changes what is tried again."""
        self.retry = retry
        self.connection_kwargs["retry"] = retry


class BlockingConnectionPool(ConnectionPool):
    """A pool that has tasks wait, up to ``timeout`` seconds, when all links are in use."""

    def __init__(
        self,
        max_connections: int = 50,
        timeout: float | None = 20,
        connection_class: type[Any] = Connection,
        queue_class: Any = None,
        **connection_kwargs: Any,
    ) -> None:
        super().__init__(
            connection_class=connection_class, max_connections=max_connections, **connection_kwargs
        )
        self.timeout = timeout
        self._waiters: list[asyncio.Future[None]] = []

    async def _exhausted(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(self.timeout):
                await waiter
        except asyncio.TimeoutError:
            raise MaxConnectionsError("No connection available.") from None
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            elif waiter.cancelled():
                self._freed()  # it was woken and went: the next one's turn

    def _freed(self) -> None:
        while self._waiters:
            waiter = self._waiters.pop(0)
            if not waiter.done():
                waiter.set_result(None)
                return


__all__ = [
    "UNSET", "BlockingConnectionPool", "Connection", "ConnectionPool", "Link", "SSLConnection",
    "UnixDomainSocketConnection", "parse_url", "to_bool",
]
