"""Clients of a master that may change: Sentinels say which server it is.

::

    client ─► SentinelConnectionPool ─► a new connection asks ─► Sentinel ─► host, port
                     ▲                                             │
                     └── another master: idle connections close ◄──┘

A server is believed to be the master when it says so itself (``ROLE``), because a Sentinel may know
of a failover later than its servers do. One that answers ``READONLY`` to a write has been a master:
the connection is closed and the command tried again with the server that is the master now.

>>> from kvist.sentinel import Sentinel
>>> sentinel = Sentinel([("10.0.0.1", 26379), ("10.0.0.2", 26379)])  # doctest: +SKIP
>>> master = sentinel.master_for("orders")  # doctest: +SKIP
>>> master.set("greeting", "hello")  # doctest: +SKIP
True
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from ._commands import Commands
from ._replies import text
from ._settings import native_settings
from .backoff import NoBackoff
from .client import Kvist
from .connection import Connection, ConnectionPool, SSLConnection
from .exceptions import ConnectionError, ResponseError, TimeoutError
from .retry import Retry

__all__ = [
    "MasterNotFoundError", "ReplicaNotFoundError", "Sentinel", "SentinelConnectionPool",
    "SentinelManagedConnection", "SentinelManagedSSLConnection", "SlaveNotFoundError",
]

Address = tuple[str, int]


class MasterNotFoundError(ConnectionError):
    """No Sentinel knows a master by this name that can be reached."""


class SlaveNotFoundError(ConnectionError):
    """No Sentinel knows a replica that can be reached, nor a master."""


ReplicaNotFoundError = SlaveNotFoundError


def check_role(role: Any) -> None:
    """Refuses a server that says it is no master."""
    name = text(role[0]) if isinstance(role, (list, tuple)) and role else "master"
    if name != "master":
        raise ConnectionError(f"The server that Sentinel names as master is a {name}")


class SentinelManagedConnection(Connection):
    """A connection that asks Sentinel whom to connect to."""

    def __init__(self, **kwargs: Any) -> None:
        self.connection_pool = kwargs.pop("connection_pool")
        kwargs.pop("host", None)
        kwargs.pop("port", None)
        super().__init__(**kwargs)
        self.host = ""
        self.primary_only = self.connection_pool.is_master

    def __repr__(self) -> str:
        place = f",host={self.host},port={self.port}" if self.host else ""
        service = self.connection_pool.service_name
        return f"<{type(self).__module__}.{type(self).__name__}(service={service}{place})>"

    def connect_to(self, address: Address) -> None:
        """Connects to a server."""
        self.host, self.port = address
        values = {**self._values, "host": self.host, "port": self.port}
        self._configure(native_settings(self.kind, values))
        super().connect()
        try:
            if self.connection_pool.is_master:
                self._check_role()
            elif self.connection_pool.check_connection:
                self.send_command("PING", check_health=False)
                self.read_response()
        except BaseException:
            self.disconnect()
            raise

    def _check_role(self) -> None:
        self.send_command("ROLE", check_health=False)
        try:
            check_role(self.read_response())
        except ResponseError:
            pass  # it will not say: it is not allowed to, or too old

    def connect(self) -> None:
        """Connects to the master, or to one of its replicas."""
        if self.is_connected:
            return
        pool = self.connection_pool
        if pool.is_master:
            self.connect_to(pool.get_master_address())
            return
        for address in pool.rotate_slaves():
            try:
                self.connect_to(address)
                return
            except (ConnectionError, TimeoutError):
                continue
        raise SlaveNotFoundError(f"No slave found for {pool.service_name!r}")


class SentinelManagedSSLConnection(SentinelManagedConnection, SSLConnection):
    """The same, encrypted."""


class Rotation:
    """Whose turn it is among replicas."""

    def __init__(self) -> None:
        self.counter: int | None = None

    def turns(self, addresses: Sequence[Address]) -> Iterator[Address]:
        """Every address once, beginning with the one after the last."""
        if self.counter is None and addresses:
            self.counter = random.randrange(len(addresses))  # noqa: S311 - to spread load
        for _ in addresses:
            self.counter = ((self.counter or 0) + 1) % len(addresses)
            yield addresses[self.counter]


class SentinelConnectionPool(ConnectionPool):
    """Connections to a master, or to its replicas, wherever they are.

    ``check_connection`` has connections to replicas tried with ``PING`` as soon as they are made; a
    master is always asked whether it is one.
    """

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
        # Not a reference: a pool that is not used any more is to close its connections at once.
        self.connection_kwargs["connection_pool"] = weakref.proxy(self)

    def __repr__(self) -> str:
        role = "master" if self.is_master else "slave"
        return (
            f"<{type(self).__module__}.{type(self).__name__}(service={self.service_name}({role}))>"
        )

    def reset(self) -> None:
        """Forgets all connections, and who the master was."""
        super().reset()
        self.master_address = None
        self._rotation = Rotation()

    def owns_connection(self, connection: Any) -> bool:
        """Whether a connection is one of this pool's, to the present master."""
        here = not self.is_master or self.master_address == (connection.host, connection.port)
        return here and super().owns_connection(connection)

    def get_master_address(self) -> Address:
        """Where the master is. If it has moved, connections to the old one are closed: those in
        use as soon as they are given back."""
        address: Address = self.sentinel_manager.discover_master(self.service_name)
        before, self.master_address = self.master_address, address
        if self.is_master and before not in (None, address):
            self.disconnect()
        return address

    def rotate_slaves(self) -> Iterator[Address]:
        """The replicas in turn, and at last the master."""
        yield from self._rotation.turns(self.sentinel_manager.discover_slaves(self.service_name))
        try:
            yield self.get_master_address()
        except MasterNotFoundError:
            pass
        raise SlaveNotFoundError(f"No slave found for {self.service_name!r}")

    rotate_replicas = rotate_slaves


def sentinel_arguments(
    sentinel_kwargs: dict[str, Any] | None, connection_kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of connections to Sentinels."""
    if sentinel_kwargs is None:
        sentinel_kwargs = {
            name: value for name, value in connection_kwargs.items() if name.startswith("socket_")
        }
    # There is another Sentinel to ask: no need to insist.
    return {"retry": Retry(NoBackoff(), 0), **sentinel_kwargs}


class Watching:
    """What Sentinels say, and what to make of it."""

    sentinels: list[Any]
    min_other_sentinels: int
    _force_master_ip: str | None

    def __repr__(self) -> str:
        places = ",".join(
            "{host}:{port}".format_map(sentinel.connection_pool.connection_kwargs)
            for sentinel in self.sentinels
        )
        return f"<{type(self).__module__}.{type(self).__name__}(sentinels=[{places}])>"

    def check_master_state(self, state: dict[str, Any], service_name: str) -> bool:
        """Whether a Sentinel thinks well of a master, and knows enough others to be believed."""
        if not state["is_master"] or state["is_sdown"] or state["is_odown"]:
            return False
        return bool(state["num-other-sentinels"] >= self.min_other_sentinels)

    def filter_slaves(self, slaves: Sequence[dict[str, Any]]) -> list[Address]:
        """The addresses of those replicas that are not thought to be down."""
        return [
            (slave["ip"], slave["port"])
            for slave in slaves
            if not (slave["is_odown"] or slave["is_sdown"])
        ]

    filter_replicas = filter_slaves

    def _believed(self, sentinel: Any, masters: dict[str, Any], service: str) -> Address | None:
        """The address of a master, from one Sentinel's answer, which is then asked first."""
        state = masters.get(service)
        if not state or not self.check_master_state(state, service):
            return None
        self.sentinels = [sentinel, *(it for it in self.sentinels if it is not sentinel)]
        return self._force_master_ip or state["ip"], state["port"]


class Sentinel(Watching, Commands[Any]):
    """Several Sentinels, asked one after the other until one knows.

    ``sentinels`` are pairs of host and port. A Sentinel that knows fewer than
    ``min_other_sentinels`` others is not believed. ``sentinel_kwargs`` are arguments of connections
    to Sentinels (the ``socket_…`` ones of ``connection_kwargs`` if not given); ``connection_kwargs``
    those of connections to the servers they watch. ``force_master_ip`` replaces the host that is
    told, for a master behind an address of its own.

    The ``sentinel_…`` methods ask all Sentinels and return whether all of them agreed, or with
    ``return_responses=True`` the list of what they said.
    """

    def __init__(
        self,
        sentinels: Sequence[tuple[str, int]],
        min_other_sentinels: int = 0,
        sentinel_kwargs: dict[str, Any] | None = None,
        force_master_ip: str | None = None,
        **connection_kwargs: Any,
    ) -> None:
        self.sentinel_kwargs = sentinel_arguments(sentinel_kwargs, connection_kwargs)
        self.sentinels = [Kvist(host, port, **self.sentinel_kwargs) for host, port in sentinels]
        self.min_other_sentinels = min_other_sentinels
        self.connection_kwargs = connection_kwargs
        self._force_master_ip = force_master_ip

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """Sends a command to all Sentinels, or with ``once=True`` to any one of them."""
        once = kwargs.pop("once", False)
        return_responses = kwargs.pop("return_responses", False)
        asked = [random.choice(self.sentinels)] if once else self.sentinels  # noqa: S311
        responses = [sentinel.execute_command(*args, **kwargs) for sentinel in list(asked)]
        return responses if return_responses else all(responses)

    def __enter__(self) -> Sentinel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections to the Sentinels. Clients that were made stay as they are."""
        for sentinel in self.sentinels:
            sentinel.close()

    def discover_master(self, service_name: str) -> Address:
        """Host and port of a master; :class:`MasterNotFoundError` if no Sentinel knows it."""
        errors: list[str] = []
        for sentinel in self.sentinels:
            try:
                masters = sentinel.sentinel_masters()
            except (ConnectionError, TimeoutError) as error:
                errors.append(f"{sentinel} - {error}")
                continue
            address = self._believed(sentinel, masters, service_name)
            if address is not None:
                return address
        reasons = f" : {', '.join(errors)}" if errors else ""
        raise MasterNotFoundError(f"No master found for {service_name!r}{reasons}")

    def discover_slaves(self, service_name: str) -> list[Address]:
        """Host and port of each replica that is not thought to be down."""
        for sentinel in self.sentinels:
            try:
                slaves = self.filter_slaves(sentinel.sentinel_slaves(service_name))
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
        """A client of a master's replicas: each connection is made to the next of them."""
        kwargs["is_master"] = False
        return self._client(service_name, redis_class, connection_pool_class, kwargs)

    replica_for = slave_for
