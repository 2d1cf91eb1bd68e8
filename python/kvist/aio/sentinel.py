"""Clients of a master that may change, for asyncio; see :mod:`kvist.sentinel`.

>>> async def main():
...     sentinel = Sentinel([("10.0.0.1", 26379), ("10.0.0.2", 26379)])
...     async with sentinel.master_for("orders") as master:
...         await master.set("greeting", "hello")
"""

from __future__ import annotations

import random
import weakref
from collections.abc import AsyncIterator, Sequence
from typing import Any

from .. import _core
from .._async_commands import AsyncCommands
from ..exceptions import ConnectionError, ResponseError, TimeoutError
from ..sentinel import (
    Address,
    MasterNotFoundError,
    ReplicaNotFoundError,
    Rotation,
    SlaveNotFoundError,
    Watching,
    check_role,
    sentinel_arguments,
)
from .client import Kvist
from .connection import Connection, ConnectionPool, Link, SSLConnection

__all__ = [
    "MasterNotFoundError", "ReplicaNotFoundError", "Sentinel", "SentinelConnectionPool",
    "SentinelManagedConnection", "SentinelManagedSSLConnection", "SlaveNotFoundError",
]


class SentinelManagedConnection(Connection):
    """A connection that asks Sentinel whom to connect to; kept for the name."""


class SentinelManagedSSLConnection(SentinelManagedConnection, SSLConnection):
    """The same, encrypted."""


class SentinelManagedLink(Link):
    """A link that asks Sentinel whom to connect to."""

    def __init__(self, pool: SentinelConnectionPool) -> None:
        values = dict(pool.connection_kwargs)
        super().__init__(pool.connection_class.kind, values)
        self.pool = weakref.ref(pool)
        self.primary_only = pool.is_master
        self._caller = _core.Client()
        self._caller._bind(None, {}, None)

    async def connect(self) -> Link:
        """Connects to the master, or to one of its replicas."""
        pool = self.pool()
        if pool is None:
            raise ConnectionError("the pool is gone")
        if pool.is_master:
            return await self.connect_to(await pool.get_master_address())
        async for address in pool.rotate_slaves():
            try:
                return await self.connect_to(address)
            except (ConnectionError, TimeoutError):
                # One that was connected cannot be used again: the next link takes the next replica.
                if self.transport is not None:
                    raise
        raise SlaveNotFoundError(f"No slave found for {pool.service_name!r}")

    async def connect_to(self, address: Address) -> Link:
        """Connects to a server."""
        self.settings["host"], self.settings["port"] = address
        self._configure(self.settings)
        await super().connect()
        pool = self.pool()
        try:
            if self.primary_only:
                await self._check_role()
            elif pool is not None and pool.check_connection:
                await self._ask("PING")
        except BaseException:
            self.close()
            raise
        return self

    async def _ask(self, *words: str) -> Any:
        future = self._send(self._caller, words, None, False)
        if future is None:
            raise ConnectionError("Connection closed by server.")
        return await future

    async def _check_role(self) -> None:
        try:
            check_role(await self._ask("ROLE"))
        except ResponseError:
            pass  # it will not say: it is not allowed to, or too old


class SentinelConnectionPool(ConnectionPool):
    """Links to a master, or to its replicas, wherever they are."""

    def __init__(self, service_name: str, sentinel_manager: Any, **kwargs: Any) -> None:
        ssl = kwargs.pop("ssl", False)
        kwargs.setdefault(
            "connection_class",
            SentinelManagedSSLConnection if ssl else SentinelManagedConnection,
        )
        self.is_master = kwargs.pop("is_master", True)
        self.check_connection = kwargs.pop("check_connection", False)
        self.service_name = service_name
        self.sentinel_manager = sentinel_manager
        self.master_address: Address | None = None
        self._rotation = Rotation()
        super().__init__(**kwargs)

    def __repr__(self) -> str:
        role = "master" if self.is_master else "slave"
        return (
            f"<{type(self).__module__}.{type(self).__name__}(service={self.service_name}({role}))>"
        )

    def make_connection(self) -> Link:
        """A link that has not connected yet."""
        return SentinelManagedLink(self)

    def reset(self) -> None:
        """Forgets who the master was."""
        self.master_address = None
        self._rotation = Rotation()

    async def get_master_address(self) -> Address:
        """Where the master is. If it has moved, links to the old one are closed: those in use as
        soon as they are given back."""
        address: Address = await self.sentinel_manager.discover_master(self.service_name)
        before, self.master_address = self.master_address, address
        if self.is_master and before not in (None, address):
            links, self._free = self._free, []
            shared, self.shared = self.shared, None
            self._used.clear()
            for link in [*links, *([shared] if shared else [])]:
                link.close()
        return address

    async def rotate_slaves(self) -> AsyncIterator[Address]:
        """The replicas in turn, and at last the master."""
        slaves = await self.sentinel_manager.discover_slaves(self.service_name)
        for address in self._rotation.turns(slaves):
            yield address
        try:
            yield await self.get_master_address()
        except MasterNotFoundError:
            pass
        raise SlaveNotFoundError(f"No slave found for {self.service_name!r}")

    rotate_replicas = rotate_slaves


class Sentinel(Watching, AsyncCommands[Any]):
    """Several Sentinels, asked one after the other until one knows; see
    :class:`kvist.sentinel.Sentinel` for the arguments."""

    def __init__(
        self,
        sentinels: Sequence[tuple[str, int]],
        min_other_sentinels: int = 0,
        sentinel_kwargs: dict[str, Any] | None = None,
        force_master_ip: str | None = None,
        **connection_kwargs: Any,
    ) -> None:
        self.sentinel_kwargs = sentinel_arguments(sentinel_kwargs, connection_kwargs)
        self.sentinels = [
            Kvist(host=host, port=port, **self.sentinel_kwargs) for host, port in sentinels
        ]
        self.min_other_sentinels = min_other_sentinels
        self.connection_kwargs = connection_kwargs
        self._force_master_ip = force_master_ip

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """Sends a command to all Sentinels, or with ``once=True`` to any one of them."""
        once = kwargs.pop("once", False)
        return_responses = kwargs.pop("return_responses", False)
        asked = [random.choice(self.sentinels)] if once else list(self.sentinels)  # noqa: S311
        responses = [await sentinel.execute_command(*args, **kwargs) for sentinel in asked]
        return responses if return_responses else all(responses)

    async def __aenter__(self) -> Sentinel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections to the Sentinels. Clients that were made stay as they are."""
        for sentinel in self.sentinels:
            await sentinel.aclose()

    async def discover_master(self, service_name: str) -> Address:
        """Host and port of a master; :class:`MasterNotFoundError` if no Sentinel knows it."""
        errors: list[str] = []
        for sentinel in self.sentinels:
            try:
                masters = await sentinel.sentinel_masters()
            except (ConnectionError, TimeoutError) as error:
                errors.append(f"{sentinel} - {error}")
                continue
            address = self._believed(sentinel, masters, service_name)
            if address is not None:
                return address
        reasons = f" : {', '.join(errors)}" if errors else ""
        raise MasterNotFoundError(f"No master found for {service_name!r}{reasons}")

    async def discover_slaves(self, service_name: str) -> list[Address]:
        """Host and port of each replica that is not thought to be down."""
        for sentinel in self.sentinels:
            try:
                slaves = self.filter_slaves(await sentinel.sentinel_slaves(service_name))
            except (ConnectionError, ResponseError, TimeoutError):
                continue
            if slaves:
                return slaves
        return []

    discover_replicas = discover_slaves

    def _client(
        self, service: str, redis_class: Any, pool_class: Any, kwargs: dict[str, Any]
    ) -> Any:
        pool = pool_class(service, self, **{**self.connection_kwargs, **kwargs})
        return redis_class.from_pool(pool)

    def master_for(
        self,
        service_name: str,
        redis_class: Any = Kvist,
        connection_pool_class: Any = SentinelConnectionPool,
        **kwargs: Any,
    ) -> Any:
        """A client of a master, wherever it is."""
        kwargs["is_master"] = True
        return self._client(service_name, redis_class, connection_pool_class, kwargs)

    def slave_for(
        self,
        service_name: str,
        redis_class: Any = Kvist,
        connection_pool_class: Any = SentinelConnectionPool,
        **kwargs: Any,
    ) -> Any:
        """A client of a master's replicas: each link is made to the next of them."""
        kwargs["is_master"] = False
        return self._client(service_name, redis_class, connection_pool_class, kwargs)

    replica_for = slave_for
