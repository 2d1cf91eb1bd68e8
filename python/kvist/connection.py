"""Connections and pools of them, with redis-py's names.

Most programs never see them. A pool hands out connections that are ready for a request, and closes
those that come back in doubt: after a timeout, Ctrl-C, or anything else that left a reply unread, no
later request may get that reply. A process that was forked starts with none.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from . import _core
from ._settings import (
    DEFAULT_TIMEOUT,
    QUERY,
    UNSET,
    Encoder,
    native_settings,
    read_url,
    retry_of,
    to_bool,
)
from .exceptions import MaxConnectionsError

P = TypeVar("P", bound="ConnectionPool")

# What the query of a URL may say, and what makes a value of it.
URL_QUERY_ARGUMENT_PARSERS = QUERY
SSL_AVAILABLE = True

__all__ = [
    "URL_QUERY_ARGUMENT_PARSERS", "AbstractConnection", "BlockingConnectionPool", "Connection",
    "ConnectionPool", "DefaultParser", "SSLConnection", "UnixDomainSocketConnection", "parse_url",
    "to_bool",
]


class DefaultParser:
    """The name of redis-py's parser, for those who pass it on: the native part parses."""


class AbstractConnection(_core.Connection):
    """What all kinds of connections have in common."""

    kind: ClassVar[str]
    has_socket: ClassVar[bool] = True  # to wait for with others
    _values: dict[str, Any]

    def __init__(self, **values: Any) -> None:
        settings = native_settings(self.kind, values)
        self._configure(settings)
        self.db = settings["db"]
        self.client_name = settings["client_name"]
        self.protocol = settings["protocol"]
        self.socket_timeout = settings["timeout"]
        self.socket_connect_timeout = settings["connect_timeout"]
        self.health_check_interval = settings["health_check_interval"]
        self.retry = retry_of(values)
        self.encoder = Encoder(
            settings["encoding"], settings["encoding_errors"], settings["decode_responses"]
        )
        self.credential_provider = values.get("credential_provider")
        self.redis_connect_func = values.get("redis_connect_func")
        if self.credential_provider is not None and (
            values.get("username") or values.get("password")
        ):
            from .exceptions import DataError

            raise DataError(
                "'username' and 'password' cannot be passed along with 'credential_provider'. "
                "Please provide only one of the following arguments: \n"
                "1. 'password' and (optional) 'username'\n"
                "2. 'credential_provider'"
            )
        self._connect_callbacks: list[Any] = []

    def __repr__(self) -> str:
        pieces = ",".join(f"{name}={value}" for name, value in self.repr_pieces())
        return f"<{type(self).__module__}.{type(self).__name__}({pieces})>"

    def repr_pieces(self) -> list[tuple[str, Any]]:
        """What to show of a connection."""
        raise NotImplementedError

    def connect(self) -> None:
        """Connects, unless a connection stands."""
        if self.is_connected:
            return
        provider = self.credential_provider
        credentials = list(provider.get_credentials()) if provider is not None else None
        self._open(credentials, self.redis_connect_func is None)
        try:
            if self.redis_connect_func is not None:
                self.redis_connect_func(self)
            for reference in list(self._connect_callbacks):
                callback = reference()
                if callback is not None:
                    callback(self)
        except BaseException:
            self.disconnect()
            raise

    def on_connect(self) -> None:
        """Says hello to the server; for a ``redis_connect_func`` that does more besides."""
        settings = self._greeting_words()
        for words in settings:
            self.send_command(*words, check_health=False)
            self.read_response()

    def _greeting_words(self) -> list[tuple[Any, ...]]:
        words: list[tuple[Any, ...]] = []
        provider = self.credential_provider
        values = self._values
        login: list[Any] = []
        if provider is not None:
            login = list(provider.get_credentials())
        elif values.get("password") or values.get("username"):
            login = [name for name in (values.get("username"), values.get("password") or "") if name]
        if self.protocol == 2:
            if login:
                words.append(("AUTH", *login))
        else:
            user = ["default", *login] if len(login) == 1 else login
            words.append(("HELLO", 3, *(["AUTH", *user] if user else [])))
        if self.client_name:
            words.append(("CLIENT", "SETNAME", self.client_name))
        if self.db:
            words.append(("SELECT", self.db))
        return words

    def register_connect_callback(self, callback: Callable[[Any], None]) -> None:
        """Has a function called with the connection whenever one is made."""
        reference = (
            weakref.WeakMethod(callback) if hasattr(callback, "__self__") else weakref.ref(callback)
        )
        if reference not in self._connect_callbacks:
            self._connect_callbacks.append(reference)

    def deregister_connect_callback(self, callback: Callable[[Any], None]) -> None:
        """Has a function called no more."""
        self._connect_callbacks = [it for it in self._connect_callbacks if it() != callback]

    def read_response(
        self,
        disable_decoding: bool = False,
        *,
        timeout: Any = UNSET,
        disconnect_on_error: bool = True,
        push_request: bool = False,
    ) -> Any:
        """Waits for the next reply; raises it if it is an error."""
        wait = None if timeout is UNSET else (timeout,)
        return self._read(disable_decoding, push_request, disconnect_on_error, wait)

    def get_protocol(self) -> int | None:
        """The protocol that is spoken, or if none is yet, the one that was asked for."""
        return self.negotiated_protocol or self.protocol

    def should_reconnect(self) -> bool:
        """Whether the connection is to be made anew before it is used."""
        return False

    def check_health(self) -> None:
        """Tries the connection if it was idle for long."""

    @property
    def _sock(self) -> Any:
        """Something with a ``fileno``, for those who wait for several sockets."""
        return self if self.is_connected else None


class Connection(AbstractConnection):
    """A TCP connection."""

    kind = "tcp"

    def __init__(self, host: str = "localhost", port: int = 6379, **values: Any) -> None:
        self.host = host
        self.port = int(port)
        self._values = values
        super().__init__(host=host, port=port, **values)

    def repr_pieces(self) -> list[tuple[str, Any]]:
        """What to show of a connection."""
        return [("host", self.host), ("port", self.port), ("db", self.db)]


class SSLConnection(Connection):
    """An encrypted TCP connection: TLS 1.2 or 1.3."""

    kind = "tls"


class UnixDomainSocketConnection(AbstractConnection):
    """A connection over a Unix socket."""

    kind = "unix"

    def __init__(
        self, path: str = "", socket_timeout: float | None = DEFAULT_TIMEOUT, **values: Any
    ) -> None:
        self.path = path
        self._values = values
        super().__init__(path=path, socket_timeout=socket_timeout, **values)

    def repr_pieces(self) -> list[tuple[str, Any]]:
        """What to show of a connection."""
        return [("path", self.path), ("db", self.db)]


CLASSES: dict[str, type[AbstractConnection]] = {
    "tcp": Connection, "tls": SSLConnection, "unix": UnixDomainSocketConnection,
}


def parse_url(url: str) -> dict[str, Any]:
    """The arguments that a URL stands for, and the class of its connections if it is not
    :class:`Connection`."""
    kind, values = read_url(url)
    if kind != "tcp":
        values["connection_class"] = CLASSES[kind]
    return values


class ConnectionPool(_core.Pool):
    """Connections to one server, made when they are needed, up to ``max_connections``."""

    default_max_connections = 100

    def __init__(
        self,
        connection_class: type[Any] = Connection,
        max_connections: int | None = None,
        cache_factory: Any = None,
        maint_notifications_config: Any = None,
        **connection_kwargs: Any,
    ) -> None:
        max_connections = max_connections or self.default_max_connections
        if not isinstance(max_connections, int) or max_connections < 0:
            raise ValueError('"max_connections" must be a positive integer')
        self.connection_class = connection_class
        self.connection_kwargs = connection_kwargs
        self.max_connections = max_connections
        self.retry = retry_of(connection_kwargs)

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

    def make_connection(self) -> Any:
        """A connection that has not connected yet."""
        return self.connection_class(**self.connection_kwargs)

    def get_encoder(self) -> Encoder:
        """An encoder that does what the connections do."""
        values = self.connection_kwargs
        return Encoder(
            values.get("encoding", "utf-8"),
            values.get("encoding_errors", "strict"),
            bool(values.get("decode_responses", False)),
        )

    def get_protocol(self) -> Any:
        """The protocol that was asked for; ``None`` if it was left to the client."""
        return self.connection_kwargs.get("protocol")

    def reset(self) -> None:
        """Forgets all connections."""
        self.disconnect()

    def close(self) -> None:
        """Closes all connections. The pool may still be used: it makes new ones."""
        self.disconnect()

    def __enter__(self: P) -> P:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def set_retry(self, retry: Any) -> None:
        """Changes what is tried again."""
        self.retry = retry
        self.connection_kwargs["retry"] = retry

    def owns_connection(self, connection: Any) -> bool:
        """Whether a connection is one of this pool's, as far as can be told."""
        return isinstance(connection, self.connection_class)

    def get_connection_count(self) -> list[tuple[int, dict[str, Any]]]:
        """How many connections are idle and in use."""
        idle, used = self._counts()
        return [(idle, {"state": "idle"}), (used, {"state": "used"})]

    def _exhausted(self) -> None:
        raise MaxConnectionsError("Too many connections")

    def _released(self) -> None:
        """A connection came back while a thread waited for one."""


class BlockingConnectionPool(ConnectionPool):
    """A pool that has those wait, up to ``timeout`` seconds, who find all connections in use."""

    default_max_connections = 50

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
        self._freed = threading.Condition()
        self._since = threading.local()

    def get_connection(self, *args: Any, **kwargs: Any) -> Any:
        """A connection, as soon as there is one."""
        self._since.moment = None
        return super().get_connection(*args, **kwargs)

    def _exhausted(self) -> None:
        began = getattr(self._since, "moment", None)
        now = time.monotonic()
        if began is None:
            began = self._since.moment = now
        left = None if self.timeout is None else began + self.timeout - now
        if left is not None and left <= 0:
            self._since.moment = None
            raise MaxConnectionsError("No connection available.")
        # Woken by a thread that gives one back; looks by itself from time to time because one may
        # have come back between the last look and this wait.
        with self._freed:
            self._wait(True)
            try:
                idle, used = self._counts()
                if not idle and used >= self.max_connections:
                    self._freed.wait(left)
            finally:
                self._wait(False)

    def _released(self) -> None:
        with self._freed:
            self._freed.notify()
