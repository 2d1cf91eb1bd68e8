"""The client: redis-py's constructor, every command as a method."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from . import _core, _replies
from ._commands import PipelineCommands
from ._composed import Composed
from ._pipelined import Pipelined
from ._routes import client_of, kind_of
from ._settings import DEFAULT_TIMEOUT, UNSET, Encoder, default_retry
from .connection import (
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from .exceptions import RedisError, WatchError
from .pubsub import Monitor, PubSub, PubSubWorkerThread
from .retry import Retry
from .typing import S

if TYPE_CHECKING:
    from ._options import Options

C = TypeVar("C", bound="Kvist[Any]")

# What the native part can do to a reply while it parses it.
FUSED: dict[Any, Any] = {
    _replies.ok: _core.OK,
    _replies._set: _core.MEMBERS,
    _replies._set_reply: _core.SET,
    _replies._pong: _core.PONG,
}
TLS_ARGUMENTS = (
    "ssl_keyfile", "ssl_certfile", "ssl_cert_reqs", "ssl_include_verify_flags",
    "ssl_exclude_verify_flags", "ssl_ca_certs", "ssl_ca_path", "ssl_ca_data", "ssl_check_hostname",
    "ssl_password", "ssl_validate_ocsp", "ssl_validate_ocsp_stapled", "ssl_ocsp_context",
    "ssl_ocsp_expected_cert", "ssl_min_version", "ssl_ciphers",
)


class Callbacks(dict[str, Any]):
    """What becomes of replies, by the names of commands in any case."""

    def __setitem__(self, name: str, callback: Any) -> None:
        super().__setitem__(name.upper(), callback)

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name.upper())

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name.upper())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.upper())

    def get(self, name: str, default: Any = None) -> Any:
        """The callback of a command."""
        return super().get(name.upper(), default)

    def update(self, *others: Any, **named: Any) -> None:
        """Adds callbacks."""
        for name, callback in dict(*others, **named).items():
            self[name] = callback


def callbacks_for(values: dict[str, Any]) -> Callbacks:
    """The callbacks for connections made from these arguments."""
    chosen = Callbacks()
    if values.get("raw"):
        return chosen
    found = _replies.callbacks(values.get("protocol"), values.get("legacy_responses", True))
    for name, callback in found.items():
        dict.__setitem__(chosen, name, FUSED.get(callback, callback))
    # A dict comes as a dict over RESP3; a server that only speaks RESP2 must not make it a list.
    dict.__setitem__(chosen, "HGETALL", _core.PAIRS)
    return chosen


def connection_arguments(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a pool from those of a client's constructor."""
    tls = {name: values.pop(name) for name in TLS_ARGUMENTS}
    path = values.pop("unix_socket_path")
    if path is not None:
        for name in ("host", "port", "socket_keepalive", "socket_keepalive_options", "ssl"):
            values.pop(name)
        values.pop("socket_connect_timeout")
        return {**values, "path": path, "connection_class": UnixDomainSocketConnection}
    if values.pop("ssl"):
        return {**values, **tls, "connection_class": SSLConnection}
    return {**values, "connection_class": Connection}


# An option of ``execute_command``: the reply stays bytes.
NEVER_DECODE = "NEVER_DECODE"


class Kvist(_core.Client, Composed[S]):
    """A client of Kvist, and of every server that speaks its protocol.

    It may be used by many threads at once: each command takes a connection from the pool for as
    long as it runs. In a forked process it makes connections of its own.

    >>> import kvist
    >>> client = kvist.Kvist(decode_responses=True)  # doctest: +SKIP
    >>> client.set("greeting", "hello")  # doctest: +SKIP
    True
    >>> client.get("greeting")  # doctest: +SKIP
    'hello'

    ``raw=True`` returns replies as the protocol has them: no command makes a dict, a set, a float or
    a truth of a list or a string. Statuses (``+OK``) are ``str``; with ``decode_responses`` strings
    are too, but for those that are no text, which stay ``bytes``. It speaks RESP2 unless told
    otherwise.
    """

    connection_pool: ConnectionPool

    @overload
    def __init__(
        self: Kvist[str],
        host: str = ...,
        port: int = ...,
        db: int = ...,
        password: str | None = ...,
        *,
        decode_responses: Literal[True],
        **options: Unpack[Options],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[bytes],
        host: str = ...,
        port: int = ...,
        db: int = ...,
        password: str | None = ...,
        *,
        decode_responses: Literal[False] = ...,
        **options: Unpack[Options],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[Any],
        host: str = ...,
        port: int = ...,
        db: int = ...,
        password: str | None = ...,
        *,
        decode_responses: bool,
        **options: Unpack[Options],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[Any],
        *,
        connection_pool: ConnectionPool | None,
        **options: Unpack[Options],
    ) -> None: ...

    def __init__(
        self,
        host: str = "localhost",
        port: int = 6379,
        db: int = 0,
        password: str | None = None,
        socket_timeout: float | None = DEFAULT_TIMEOUT,
        socket_connect_timeout: float | None = DEFAULT_TIMEOUT,
        socket_read_size: int = 32768,
        socket_keepalive: bool | None = True,
        socket_keepalive_options: Any = UNSET,
        connection_pool: ConnectionPool | None = None,
        unix_socket_path: str | None = None,
        encoding: str = "utf-8",
        encoding_errors: str = "strict",
        decode_responses: bool = False,
        retry_on_timeout: bool = False,
        retry: Retry | None = UNSET,
        retry_on_error: list[type[Exception]] | None = None,
        ssl: bool = False,
        ssl_keyfile: str | None = None,
        ssl_certfile: str | None = None,
        ssl_cert_reqs: Any = "required",
        ssl_include_verify_flags: Any = None,
        ssl_exclude_verify_flags: Any = None,
        ssl_ca_certs: str | None = None,
        ssl_ca_path: str | None = None,
        ssl_ca_data: str | None = None,
        ssl_check_hostname: bool = True,
        ssl_password: str | None = None,
        ssl_validate_ocsp: bool = False,
        ssl_validate_ocsp_stapled: bool = False,
        ssl_ocsp_context: Any = None,
        ssl_ocsp_expected_cert: str | None = None,
        ssl_min_version: Any = None,
        ssl_ciphers: str | None = None,
        max_connections: int | None = None,
        single_connection_client: bool = False,
        health_check_interval: float = 0,
        client_name: str | None = None,
        lib_name: str | None = UNSET,
        lib_version: str | None = UNSET,
        driver_info: Any = UNSET,
        username: str | None = None,
        redis_connect_func: Callable[[Any], None] | None = None,
        credential_provider: Any = None,
        protocol: int | None = None,
        legacy_responses: bool = True,
        cache: Any = None,
        cache_config: Any = None,
        event_dispatcher: Any = None,
        maint_notifications_config: Any = None,
        oss_cluster_maint_notifications_handler: Any = None,
        raw: bool = False,
    ) -> None:
        values = dict(locals())
        for name in ("self", "__class__", "connection_pool", "single_connection_client"):
            values.pop(name, None)
        self.auto_close_connection_pool = connection_pool is None
        if connection_pool is None:
            values = {name: value for name, value in values.items() if value is not UNSET}
            values.setdefault("ssl", False)
            values["retry"] = values.get("retry", default_retry()) or no_retry()
            values["protocol"] = 2 if raw and protocol is None else protocol
            values = connection_arguments_of(values)
            connection_pool = ConnectionPool(**values)
        self.connection_pool = connection_pool
        self.response_callbacks = callbacks_for(connection_pool.connection_kwargs)
        self._bind(connection_pool, self.response_callbacks, connection_pool.retry)
        self.connection: Any = None
        self._caching: Any = None
        wanted = connection_pool.connection_kwargs
        if wanted.get("cache_config") is not None or wanted.get("cache") is not None:
            self._keep_replies()
        self._single_connection_client = single_connection_client
        if single_connection_client:
            self.connection = connection_pool.get_connection()
            self._hold(self.connection, threading.RLock())

    @overload
    @classmethod
    def from_url(
        cls: type[Kvist[Any]], url: str, *, decode_responses: Literal[True], **kwargs: Any
    ) -> Kvist[str]: ...

    @overload
    @classmethod
    def from_url(cls: type[C], url: str, **kwargs: Any) -> C: ...

    @classmethod
    def from_url(cls: type[C], url: str, **kwargs: Any) -> C:
        """A client for a URL.

        ``redis://[[user]:[password]]@host:port/db``, ``rediss://…`` (encrypted), or
        ``unix://[user@]/path/to/socket?db=0[&password=…]``. The query takes the constructor's
        arguments; what the URL says wins over ``kwargs``. A ``redis+sentinel://`` URL makes a client
        of a master that may change, a ``redis+cluster://`` URL one of a whole cluster; see
        :mod:`kvist._routes` for their forms.
        """
        if kind_of(url) is not None:
            return cast(C, client_of(cls, url, kwargs, False))
        single = kwargs.pop("single_connection_client", False)
        client = cls(
            connection_pool=ConnectionPool.from_url(url, **kwargs), single_connection_client=single
        )
        client.auto_close_connection_pool = True
        return client

    @classmethod
    def from_pool(cls: type[C], connection_pool: ConnectionPool) -> C:
        """A client that owns a pool, and closes it when it is closed itself."""
        client = cls(connection_pool=connection_pool)
        client.auto_close_connection_pool = True
        return client

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__}({self.connection_pool!r})>"

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # noqa: S110 - the interpreter may be going away
            pass

    def close(self) -> None:
        """Closes the connections, unless the pool is not its own."""
        connection, self.connection = getattr(self, "connection", None), None
        if connection is not None:
            self._hold(None)
            self.connection_pool.release(connection)
        caching = getattr(self, "_caching", None)
        if caching is not None:
            caching.close()
        if getattr(self, "auto_close_connection_pool", False):
            self.connection_pool.disconnect()

    def get_encoder(self) -> Encoder:
        """An encoder that does what the connections do."""
        return self.connection_pool.get_encoder()

    def get_connection_kwargs(self) -> dict[str, Any]:
        """The arguments that connections are made from."""
        return self.connection_pool.connection_kwargs

    def get_retry(self) -> Any:
        """What is tried again, and how often."""
        return self.connection_pool.retry

    def set_retry(self, retry: Retry) -> None:
        """Changes what is tried again, and how often."""
        self.connection_pool.set_retry(retry)
        self._bind(self.connection_pool, self.response_callbacks, retry)

    def set_response_callback(self, command: str, callback: Callable[..., Any]) -> None:
        """Has a function make something else of a command's replies."""
        self.response_callbacks[command] = callback

    def load_external_module(self, funcname: str, func: Callable[..., Any]) -> None:
        """Adds a method."""
        setattr(self, funcname, func)

    def parse_response(self, connection: Any, command_name: str, **options: Any) -> Any:
        """Waits for the reply to a command that was sent on a connection by hand."""
        reply = connection.read_response(disable_decoding=options.pop("NEVER_DECODE", None) is not None)
        options.pop("keys", None)
        callback = self.response_callbacks.get(command_name)
        return callback(reply, **options) if callback else reply

    def columns(
        self,
        *args: Any,
        names: Iterable[str] | None = None,
        types: Mapping[Any, Any] | Iterable[Any] | None = None,
    ) -> _core.Columns:
        """Sends a command whose reply comes as columns, without becoming objects in between.

        Rows of cells become a column for each cell; a flat reply becomes one column, or as many as
        there are ``names``, whose values take turns. ``types`` says what columns are to be, by name,
        position or in order: ``int``, ``float``, ``str`` or ``bytes``. Numbers are numbers and
        strings bytes, or text if the client decodes replies, where nothing else is said; what is
        missing is null. What is no table raises ``DataError``.

        >>> client.columns(  # doctest: +SKIP
        ...     "ZRANGE", "scores", 0, -1, "WITHSCORES", names=("who", "score"), types=(str, float)
        ... ).to_polars()
        """
        columns: _core.Columns = self.execute_command(
            *args, columns=_core.Wanted(names, types)
        )
        return columns

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline[S]:
        """Commands to be sent together; between ``MULTI`` and ``EXEC`` unless told otherwise."""
        pipe: Pipeline[S] = Pipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )
        pipe._caching = self._caching
        return pipe

    def transaction(
        self,
        func: Callable[[Pipeline[S]], Any],
        *watches: Any,
        shard_hint: str | None = None,
        value_from_callable: bool = False,
        watch_delay: float | None = None,
    ) -> Any:
        """Has ``func`` fill a pipeline while keys are watched, again until none was changed."""
        with self.pipeline(True, shard_hint) as pipe:
            while True:
                try:
                    if watches:
                        pipe.watch(*watches)
                    value = func(pipe)
                    results = pipe.execute()
                    return value if value_from_callable else results
                except WatchError:
                    if watch_delay is not None and watch_delay > 0:
                        time.sleep(watch_delay)

    def pubsub(self, **kwargs: Any) -> PubSub:
        """Subscriptions, on a connection of their own."""
        return PubSub(self.connection_pool, **kwargs)

    def monitor(self) -> Monitor:
        """Every command the server serves, as it does."""
        return Monitor(self.connection_pool)

    def client(self: C) -> C:
        """A client of the same pool that uses one connection for everything."""
        return type(self)(connection_pool=self.connection_pool, single_connection_client=True)

    def get_cache(self) -> Any:
        """The cache of replies, if there is one."""
        return None if self._caching is None else self._caching.cache

    def _keep_replies(self) -> None:
        from .cache import attach

        self._caching = attach(self)
        # On the instance, so that clients without a cache pay nothing.
        self.execute_command = self._caching.execute_command  # type: ignore[method-assign]


def no_retry() -> Retry:
    """A failure is final."""
    from .backoff import NoBackoff

    return Retry(NoBackoff(), 0)


def connection_arguments_of(values: dict[str, Any]) -> dict[str, Any]:
    """As :func:`connection_arguments`, for values of which some were not given."""
    for name in ("host", "port", "socket_keepalive", "socket_keepalive_options"):
        values.setdefault(name, UNSET)
    chosen = connection_arguments(values)
    return {name: value for name, value in chosen.items() if value is not UNSET}


class Pipeline(_core.Pipeline, PipelineCommands[S], Pipelined):
    """Commands that are sent together, and whose replies come together.

    >>> with client.pipeline() as pipe:  # doctest: +SKIP
    ...     pipe.set("a", 1).incr("a").get("a").execute()
    [True, 2, b'2']

    An error does not keep the commands after it from running. It is raised when all replies are
    there, or with ``execute(raise_on_error=False)`` stands in the place of its reply.
    """

    def __init__(
        self,
        connection_pool: Any,
        response_callbacks: Any,
        transaction: bool = True,
        shard_hint: str | None = None,
    ) -> None:
        self.connection_pool = connection_pool
        self.response_callbacks = response_callbacks
        self.shard_hint = shard_hint
        self.scripts: set[Any] = set()
        self._caching: Any = None
        values = connection_pool.connection_kwargs
        self._bind(
            connection_pool, response_callbacks, connection_pool.retry,
            values.get("encoding", "utf-8"), values.get("encoding_errors", "strict"),
            bool(transaction),
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} commands>"

    def __enter__(self) -> Pipeline[S]:
        return self

    def __exit__(self, *_: object) -> None:
        self.reset()

    def __del__(self) -> None:
        try:
            self.reset()
        except Exception:  # noqa: S110 - the interpreter may be going away
            pass

    def reset(self) -> None:
        """Forgets the commands and what is watched, and gives the connection back."""
        self.scripts.clear()
        self._reset()

    def close(self) -> None:
        """The same as :meth:`reset`."""
        self.reset()

    def get_encoder(self) -> Encoder:
        """An encoder that does what the connections do."""
        encoder: Encoder = self.connection_pool.get_encoder()
        return encoder

    def get_connection_kwargs(self) -> dict[str, Any]:
        """The arguments that connections are made from."""
        values: dict[str, Any] = self.connection_pool.connection_kwargs
        return values

    def set_response_callback(self, command: str, callback: Callable[..., Any]) -> None:
        """Has a function make something else of a command's replies."""
        self.response_callbacks[command] = callback

    def multi(self) -> None:
        """Ends what runs at once after ``watch``: the commands from here on run together."""
        if self.explicit_transaction:
            raise RedisError("Cannot issue nested calls to MULTI")
        if len(self):
            raise RedisError("Commands without an initial WATCH have already been issued")
        self.explicit_transaction = True

    def watch(self, *names: Any) -> Any:
        """Has ``execute`` fail with ``WatchError`` if any of these keys is changed before it."""
        if self.explicit_transaction:
            raise RedisError("Cannot issue a WATCH after a MULTI")
        return self.execute_command("WATCH", *names)

    def unwatch(self) -> Any:
        """Watches no more."""
        return self.execute_command("UNWATCH") if self.watching else True

    def discard(self) -> None:
        """Has the server forget a transaction."""
        self.execute_command("DISCARD")

    def load_scripts(self) -> None:
        """Sees to it that the server knows the scripts that the commands call."""
        scripts = list(self.scripts)
        known = self.immediate_execute_command("SCRIPT EXISTS", *(it.sha for it in scripts))
        for script, exists in zip(scripts, known):
            if not exists:
                script.sha = self.immediate_execute_command("SCRIPT LOAD", script.script)

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Sends the commands and returns their replies."""
        if not len(self) and not self.watching:
            return []
        if self._caching is not None:
            return self._execute_uncached(raise_on_error)
        try:
            if self.scripts:
                self.load_scripts()
            return self._execute(raise_on_error)
        finally:
            self.reset()

    def _execute_uncached(self, raise_on_error: bool) -> list[Any]:
        """The same, telling the cache of replies what may not be believed any more."""
        caching, self._caching = self._caching, None
        # What ran at once while keys were watched is not among these.
        sent = None if self.watching else [words for words, _ in self.command_stack]
        try:
            return self.execute(raise_on_error)
        finally:
            caching.sent(sent)
            self._caching = caching

# One by one: what is assigned twice at once is a variable to type checkers, and no type.
Redis = Kvist
StrictRedis = Kvist

__all__ = [
    "Callbacks", "Kvist", "Monitor", "Pipeline", "PubSub", "PubSubWorkerThread", "Redis",
    "StrictRedis",
]
