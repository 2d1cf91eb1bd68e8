"""The client for asyncio: redis.asyncio's names, every command as a coroutine."""

from __future__ import annotations

import asyncio
from asyncio import get_running_loop, sleep
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from .. import _core
from .._async_commands import AsyncPipelineCommands
from .._composed import AsyncComposed
from .._pipelined import AsyncPipelined
from .._routes import client_of, kind_of
from .._settings import DEFAULT_TIMEOUT, UNSET, Encoder, default_retry
from ..client import TLS_ARGUMENTS, Kvist as Sync, callbacks_for, no_retry
from ..exceptions import ConnectionError, RedisError, TimeoutError, WatchError
from ..retry import AsyncRetry, Retry, has_own_ways
from ..typing import S
from .connection import Connection, ConnectionPool, SSLConnection, UnixDomainSocketConnection
from .pubsub import Monitor, PubSub

if TYPE_CHECKING:
    from .._options import AsyncOptions

C = TypeVar("C", bound="Kvist[Any]")


def connection_pool_of(values: dict[str, Any]) -> ConnectionPool:
    """The pool that a client's arguments amount to."""
    values = {name: value for name, value in values.items() if value is not UNSET}
    values["retry"] = values.get("retry", default_retry()) or no_retry()
    if values["raw"] and values["protocol"] is None:
        values["protocol"] = 2
    tls = {name: values.pop(name) for name in TLS_ARGUMENTS if name in values}
    path = values.pop("unix_socket_path")
    kind: type[Connection] = SSLConnection if values.pop("ssl") else Connection
    if path is not None:
        for name in ("host", "port", "socket_keepalive", "socket_keepalive_options"):
            values.pop(name, None)
        return ConnectionPool(connection_class=UnixDomainSocketConnection, path=path, **values)
    if kind is SSLConnection:
        values.update(tls)
    return ConnectionPool(connection_class=kind, **values)


# An option of ``execute_command``: the reply stays bytes.
NEVER_DECODE = "NEVER_DECODE"


class Kvist(_core.Client, AsyncComposed[S]):
    """A client on asyncio.

    Tasks share one connection: what they send in the same turn of the loop is one write. Commands
    that would make the others wait, ``BLPOP`` for instance, get a connection of their own.

    >>> async def main():
    ...     async with kvist.aio.Kvist(decode_responses=True) as client:
    ...         await client.set("greeting", "hello")
    ...         return await client.get("greeting")
    """

    connection_pool: ConnectionPool

    @overload
    def __init__(
        self: Kvist[str],
        *,
        host: str = ...,
        port: int = ...,
        db: str | int = ...,
        password: str | None = ...,
        decode_responses: Literal[True],
        **options: Unpack[AsyncOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[bytes],
        *,
        host: str = ...,
        port: int = ...,
        db: str | int = ...,
        password: str | None = ...,
        decode_responses: Literal[False] = ...,
        **options: Unpack[AsyncOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[Any],
        *,
        host: str = ...,
        port: int = ...,
        db: str | int = ...,
        password: str | None = ...,
        decode_responses: bool,
        **options: Unpack[AsyncOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: Kvist[Any],
        *,
        connection_pool: ConnectionPool | None,
        **options: Unpack[AsyncOptions],
    ) -> None: ...

    def __init__(
        self,
        *,
        host: str = "localhost",
        port: int = 6379,
        db: str | int = 0,
        password: str | None = None,
        socket_timeout: float | None = DEFAULT_TIMEOUT,
        socket_connect_timeout: float | None = DEFAULT_TIMEOUT,
        socket_read_size: int = 65536,
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
        ssl_min_version: Any = None,
        ssl_ciphers: str | None = None,
        ssl_password: str | None = None,
        max_connections: int | None = None,
        single_connection_client: bool = False,
        health_check_interval: float = 0,
        client_name: str | None = None,
        lib_name: str | None = UNSET,
        lib_version: str | None = UNSET,
        driver_info: Any = UNSET,
        username: str | None = None,
        auto_close_connection_pool: bool | None = None,
        redis_connect_func: Any = None,
        credential_provider: Any = None,
        protocol: int | None = None,
        legacy_responses: bool = True,
        event_dispatcher: Any = None,
        maint_notifications_config: Any = None,
        raw: bool = False,
    ) -> None:
        values = dict(locals())
        for name in ("self", "__class__", "connection_pool", "single_connection_client",
                     "auto_close_connection_pool"):
            values.pop(name, None)
        self.auto_close_connection_pool = connection_pool is None
        if connection_pool is None:
            connection_pool = connection_pool_of(values)
        self.connection_pool = connection_pool
        self.single_connection_client = single_connection_client
        self.connection: Any = None
        self._lock: asyncio.Lock | None = None
        self.response_callbacks = callbacks_for(connection_pool.connection_kwargs)
        self._bind(None, self.response_callbacks, connection_pool.retry)

    @overload
    @classmethod
    def from_url(
        cls: type[Kvist[Any]], url: str, *, decode_responses: Literal[True], **kwargs: Any
    ) -> Kvist[str]: ...

    @overload
    @classmethod
    def from_url(cls: type[C], url: str, **kwargs: Any) -> C: ...

    @classmethod
    def from_url(
        cls: type[C],
        url: str,
        single_connection_client: bool = False,
        auto_close_connection_pool: bool | None = None,
        **kwargs: Any,
    ) -> C:
        """A client for a ``redis://``, ``rediss://`` or ``unix://`` URL, or for one that names
        Sentinels or nodes of a cluster."""
        if kind_of(url) is not None:
            return cast(C, client_of(cls, url, kwargs, True))
        client = cls(
            connection_pool=ConnectionPool.from_url(url, **kwargs),
            single_connection_client=single_connection_client,
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

    def __await__(self: C) -> Generator[Any, None, C]:
        return self.initialize().__await__()

    async def initialize(self: C) -> C:
        """Takes the one connection of a client that has one."""
        if self.single_connection_client and self.connection is None:
            self.connection = await self.connection_pool.get_connection()
        return self

    async def __aenter__(self: C) -> C:
        return await self.initialize()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        """Closes the connections, unless the pool is not its own."""
        connection, self.connection = self.connection, None
        if connection is not None:
            await self.connection_pool.release(connection)
        if close_connection_pool or (
            close_connection_pool is None and self.auto_close_connection_pool
        ):
            await self.connection_pool.disconnect()

    close = aclose

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Sends a command and returns its reply, turned into what the command's method returns."""
        failure = None
        link = self.connection_pool.shared
        if link is not None and link.loop is get_running_loop() and self.connection is None:
            future = link._send(self, args, options, True)
            if future is not None:
                try:
                    return await future
                except Exception as error:
                    # What is worth another try is for the Retry to say.
                    failure = error
        return await self._execute(args, options, failure)

    async def _execute(
        self, args: tuple[Any, ...], options: dict[str, Any], failure: Exception | None
    ) -> Any:
        """The same where it is not that simple: no link yet, one of one's own, another try."""
        if self.single_connection_client:
            await self.initialize()
        return await self._persist(lambda: self._attempt(args, options), failure)

    async def _attempt(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if self.connection is not None:
            if self._lock is None:
                self._lock = asyncio.Lock()
            async with self._lock:
                return await self._alone(args, options)
        link = await self.connection_pool.link()
        future = link._send(self, args, options, True)
        if future is not None:
            return await future
        if not link.is_connected:
            raise ConnectionError("Connection closed by server.")
        own = await self.connection_pool.get_connection()
        try:
            return await self._over(own, args, options)
        finally:
            if _core.stains(args):
                own.close()
            self.connection_pool.give_back(own)

    async def _alone(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if not self.connection.is_here:
            self.connection_pool.give_back(self.connection)
            self.connection = await self.connection_pool.get_connection()
        try:
            return await self._over(self.connection, args, options)
        except asyncio.CancelledError:
            self.connection.close()  # the next reply would be this command's
            raise

    async def _over(self, link: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        future = link._send(self, args, options, False)
        if future is None:
            raise ConnectionError("Connection closed by server.")
        return await future

    async def _persist(
        self,
        act: Callable[[], Awaitable[Any]],
        failure: Exception | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> Any:
        """Acts until it succeeds, fails for good, or has failed too often."""
        return await persist(self.connection_pool.retry, act, failure, failed)

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

    def set_response_callback(self, command: str, callback: Callable[..., Any]) -> None:
        """Has a function make something else of a command's replies."""
        self.response_callbacks[command] = callback

    load_external_module = Sync.load_external_module

    async def columns(
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

        >>> await client.columns(  # doctest: +SKIP
        ...     "ZRANGE", "scores", 0, -1, "WITHSCORES", names=("who", "score"), types=(str, float)
        ... ).to_polars()
        """
        columns: _core.Columns = await self.execute_command(
            *args, columns=_core.Wanted(names, types)
        )
        return columns

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline[S]:
        """Commands to be sent together; between ``MULTI`` and ``EXEC`` unless told otherwise."""
        return Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)

    async def transaction(
        self,
        func: Callable[[Pipeline[S]], Any],
        *watches: Any,
        shard_hint: str | None = None,
        value_from_callable: bool = False,
        watch_delay: float | None = None,
    ) -> Any:
        """Has ``func`` fill a pipeline while keys are watched, again until none was changed."""
        async with self.pipeline(True, shard_hint) as pipe:
            while True:
                try:
                    if watches:
                        await pipe.watch(*watches)
                    value = func(pipe)
                    if hasattr(value, "__await__") and value is not pipe:
                        value = await value
                    results = await pipe.execute()
                    return value if value_from_callable else results
                except WatchError:
                    if watch_delay is not None and watch_delay > 0:
                        await sleep(watch_delay)

    def pubsub(self, **kwargs: Any) -> PubSub:
        """Subscriptions, on a connection of their own."""
        return PubSub(self.connection_pool, **kwargs)

    def monitor(self) -> Monitor:
        """Every command the server serves, as it does."""
        return Monitor(self.connection_pool)

    def client(self: C) -> C:
        """A client of the same pool that uses one connection for everything."""
        return type(self)(connection_pool=self.connection_pool, single_connection_client=True)


async def persist(
    retry: Retry,
    act: Callable[[], Awaitable[Any]],
    failure: Exception | None = None,
    failed: Callable[[Exception], None] | None = None,
) -> Any:
    """Acts until it succeeds, fails for good, or has failed too often; ``failure`` is a first
    failure that there already was."""
    if isinstance(retry, AsyncRetry) and has_own_ways(retry):
        return await its_way(retry, act, failure, failed)
    failures = 0
    retry._backoff.reset()
    while True:
        if failure is None:
            try:
                return await act()
            except Exception as error:
                failure = error
        if not retry.is_worth(failure):
            raise failure
        failures += 1
        if failed is not None:
            failed(failure)
        if 0 <= retry._retries < failures:
            raise failure
        wait = retry._backoff.compute(failures)
        failure = None
        if wait > 0:
            await sleep(wait)


async def its_way(
    retry: AsyncRetry,
    act: Callable[[], Awaitable[Any]],
    first: Exception | None,
    failed: Callable[[Exception], None] | None,
) -> Any:
    """The same as the ``call_with_retry`` of the ``Retry`` does it."""

    async def do() -> Any:
        nonlocal first
        if first is not None:
            error, first = first, None
            raise error
        return await act()

    async def fail(error: Exception) -> None:
        if failed is not None:
            failed(error)

    return await retry.call_with_retry(do, fail)


class Pipeline(_core.Pipeline, AsyncPipelineCommands[S], AsyncPipelined):
    """Commands that are sent together, and whose replies come together.

    >>> async def both(client):
    ...     async with client.pipeline() as pipe:
    ...         return await pipe.set("a", 1).incr("a").execute()
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
        self.connection: Any = None
        values = connection_pool.connection_kwargs
        super()._bind(
            None, response_callbacks, None,
            values.get("encoding", "utf-8"), values.get("encoding_errors", "strict"),
            bool(transaction),
        )
        self._caller = _core.Client()
        self._caller._bind(None, response_callbacks, None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} commands>"

    async def __aenter__(self) -> Pipeline[S]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.reset()

    def __await__(self) -> Generator[Any, None, Pipeline[S]]:
        return self._itself().__await__()

    async def _itself(self) -> Pipeline[S]:
        return self

    async def reset(self) -> None:
        """Forgets the commands and what is watched, and gives the connection back."""
        self.scripts.clear()
        watching = self.watching
        self._reset()
        connection, self.connection = self.connection, None
        if connection is None:
            return
        try:
            if watching and connection.is_connected and connection.is_clean:
                await self._over(connection, ("UNWATCH",), {})
        except (ConnectionError, TimeoutError):
            connection.close()
        finally:
            self.connection_pool.give_back(connection)

    aclose = close = reset

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

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Queues a command and returns the pipeline; while keys are watched and ``multi`` has not
        been called, returns what the command's reply is awaited by."""
        if (self.watching or args[0] == "WATCH") and not self.explicit_transaction:
            return self.immediate_execute_command(*args, **options)
        return self.pipeline_execute_command(*args, **options)

    async def immediate_execute_command(self, *args: Any, **options: Any) -> Any:
        """Executes a command at once, on the connection that watches."""
        pool = self.connection_pool

        async def act() -> Any:
            if self.connection is None or not (self.watching or self.connection.is_here):
                self._give_back()
                self.connection = await pool.get_connection()
            return await self._over(self.connection, args, options)

        try:
            reply = await persist(pool.retry, act, None, self._lost)
        except asyncio.CancelledError:
            self._give_back()
            self.watching = False
            raise
        if args[0] == "WATCH":
            self.watching = True
        elif args[0] in ("UNWATCH", "DISCARD", "EXEC"):
            self.watching = False
        return reply

    async def _over(self, link: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        future = link._send(self._caller, args, options, False)
        if future is None:
            raise ConnectionError("Connection closed by server.")
        return await future

    def _give_back(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            self.connection_pool.give_back(connection)

    def _lost(self, error: Exception) -> None:
        """After a failure: what was watched is not any more, which the caller must be told."""
        if self.connection is not None:
            self.connection.close()
            self._give_back()
        if self.watching:
            self.watching = False
            raise WatchError(
                f"A {type(error).__name__} occurred while watching one or more keys"
            ) from error

    async def watch(self, *names: Any) -> Any:
        """Has ``execute`` fail with ``WatchError`` if any of these keys is changed before it."""
        if self.explicit_transaction:
            raise RedisError("Cannot issue a WATCH after a MULTI")
        return await self.execute_command("WATCH", *names)

    async def unwatch(self) -> Any:
        """Watches no more."""
        return await self.execute_command("UNWATCH") if self.watching else True

    async def discard(self) -> None:
        """Has the server forget a transaction."""
        await self.execute_command("DISCARD")

    async def load_scripts(self) -> None:
        """Sees to it that the server knows the scripts that the commands call."""
        scripts = list(self.scripts)
        immediate = self.immediate_execute_command
        known = await immediate("SCRIPT EXISTS", *(it.sha for it in scripts))
        for script, exists in zip(scripts, known):
            if not exists:
                script.sha = await immediate("SCRIPT LOAD", script.script)

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Sends the commands and returns their replies."""
        if not len(self) and not self.watching:
            return []
        pool = self.connection_pool
        transaction = self.transaction or self.explicit_transaction

        async def act() -> Any:
            link = self.connection if self.connection is not None else await pool.link()
            future = link._send_pipeline(self, transaction)
            if future is None:
                raise ConnectionError("Connection closed by server.")
            return await future

        try:
            if self.scripts:
                await self.load_scripts()
            replies = await persist(pool.retry, act, None, self._lost)
            self.watching = False
            return self._finish(replies, transaction, raise_on_error)
        finally:
            await self.reset()


# One by one: what is assigned twice at once is a variable to type checkers, and no type.
Redis = Kvist
StrictRedis = Kvist
from_url = Kvist.from_url
