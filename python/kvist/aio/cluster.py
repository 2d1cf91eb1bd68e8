"""A client of a cluster for asyncio; see :mod:`kvist.cluster`.

>>> async def main():
...     async with kvist.aio.RedisCluster(host="localhost", port=7000) as cluster:
...         await cluster.set("greeting", "hello")
...         return await cluster.mget_nonatomic("greeting", "nothere")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from .. import _core
from .._composed import AsyncComposed
from .._routes import Route, kind_of, parse
from .._routing import (
    REDIRECTED,
    Routed,
    cluster_callbacks,
    merged,
    node_arguments,
    startup_nodes_of,
)
from .._settings import Encoder, default_retry
from .._topology import (
    PRIMARY,
    RECOVERABLE,
    REDIRECTIONS,
    REPLICA,
    SLOTS,
    ClusterNode,
    LoadBalancingStrategy,
    NodesManager,
    blame,
    key_slot,
)
from ..client import no_retry
from ..cluster import arguments_of
from ..exceptions import (
    FINAL,
    AskError,
    ClusterError,
    ConnectionError,
    MovedError,
    RedisClusterException,
    ResponseError,
    WatchError,
)
from ..retry import Retry
from ..typing import S
from ._cluster_pipeline import ClusterPipeline
from ._cluster_pubsub import ClusterPubSub
from .client import Kvist
from .connection import Link
from .pubsub import Monitor

__all__ = [
    "PRIMARY", "REDIS_CLUSTER_HASH_SLOTS", "REPLICA", "ClusterNode", "ClusterPipeline",
    "ClusterPubSub", "KvistCluster", "LoadBalancingStrategy", "NodesManager", "RedisCluster", "key_slot",
]

C = TypeVar("C", bound="RedisCluster[Any]")


class ReadOnlyLink(Link):
    """A link that may read from a replica."""

    async def connect(self) -> Link:
        """Connects and greets the server."""
        await super().connect()
        caller = _core.Client()
        caller._bind(None, {}, None)
        try:
            future = self._send(caller, ("READONLY",), None, False)
            if future is None:
                raise ConnectionError("Connection closed by server.")
            await future
        except BaseException:
            self.close()
            raise
        return self


class RedisCluster(Routed, AsyncComposed[S]):
    """A client of a cluster on asyncio; see :class:`kvist.RedisCluster` for the arguments.

    What is known of the cluster is asked for by the first command, by ``await cluster`` or by
    ``async with``.
    """

    @overload
    def __init__(
        self: RedisCluster[str],
        host: str | None = ...,
        port: int = ...,
        startup_nodes: Sequence[ClusterNode] | None = ...,
        *,
        decode_responses: Literal[True],
        **options: Any,
    ) -> None: ...

    @overload
    def __init__(
        self: RedisCluster[bytes],
        host: str | None = ...,
        port: int = ...,
        startup_nodes: Sequence[ClusterNode] | None = ...,
        *,
        decode_responses: Literal[False] = ...,
        **options: Any,
    ) -> None: ...

    @overload
    def __init__(
        self: RedisCluster[Any],
        host: str | None = ...,
        port: int = ...,
        startup_nodes: Sequence[ClusterNode] | None = ...,
        *,
        decode_responses: bool,
        **options: Any,
    ) -> None: ...

    def __init__(
        self,
        host: str | None = None,
        port: int = 6379,
        startup_nodes: Sequence[ClusterNode] | None = None,
        require_full_coverage: bool = True,
        read_from_replicas: bool = False,
        load_balancing_strategy: LoadBalancingStrategy | None = None,
        dynamic_startup_nodes: bool = True,
        reinitialize_steps: int = 5,
        cluster_error_retry_attempts: int = 10,
        retry: Retry | None = None,
        address_remap: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
        url: str | None = None,
        event_dispatcher: Any = None,
        policy_resolver: Any = None,
        maint_notifications_config: Any = None,
        **kwargs: Any,
    ) -> None:
        if url is not None:
            kwargs.update(arguments_of(url))
            host, port = kwargs.pop("host", "localhost"), kwargs.pop("port", port)
        self.node_kwargs = node_arguments(kwargs)
        if retry is None:
            retry = default_retry()
            retry.update_retries(cluster_error_retry_attempts)
        self.retry = retry
        self.read_from_replicas = read_from_replicas
        self.load_balancing_strategy = load_balancing_strategy
        self.reinitialize_steps = reinitialize_steps
        self.reinitialize_counter = 0
        self.encoder = Encoder(
            kwargs.get("encoding", "utf-8"),
            kwargs.get("encoding_errors", "strict"),
            bool(kwargs.get("decode_responses", False)),
        )
        self.response_callbacks = cluster_callbacks(kwargs)
        self.nodes_manager = NodesManager(
            startup_nodes_of(host, port, startup_nodes),
            require_full_coverage, dynamic_startup_nodes, address_remap,
        )
        self._refreshing: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @overload
    @classmethod
    def from_url(
        cls: type[RedisCluster[Any]], url: str, *, decode_responses: Literal[True], **kwargs: Any
    ) -> RedisCluster[str]: ...

    @overload
    @classmethod
    def from_url(cls: type[C], url: str, **kwargs: Any) -> C: ...

    @classmethod
    def from_url(cls: type[C], url: str, **kwargs: Any) -> C:
        """A client of the cluster that the node at a URL belongs to; ``redis+cluster://`` URLs may
        name several."""
        if kind_of(url) == "cluster":
            return cls.of_route(parse(url), kwargs)
        return cls(url=url, **kwargs)

    @classmethod
    def of_route(cls: type[C], route: Route, values: dict[str, Any]) -> C:
        """A client for the parts of a ``redis+cluster://`` URL."""
        nodes = [ClusterNode(host, port) for host, port in route.hosts]
        return cls(startup_nodes=nodes, **{**values, **route.values})

    def __repr__(self) -> str:
        names = ",".join(sorted(self.nodes_manager.nodes_cache))
        return f"<{type(self).__module__}.{type(self).__name__}({names})>"

    def __await__(self: C) -> Generator[Any, None, C]:
        return self.initialize().__await__()

    async def initialize(self: C) -> C:
        """Asks for the slots, if that has not been done."""
        if not self.nodes_manager.epoch:
            await self.refresh(0)
        return self

    async def __aenter__(self: C) -> C:
        return await self.initialize()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections to all nodes."""
        for node in [*self.get_nodes(), *self.nodes_manager.startup_nodes.values()]:
            await _close(node)

    close = aclose

    def get_redis_connection(self, node: ClusterNode) -> Kvist[S]:
        """The client of a node."""
        if node.redis_connection is None:
            node.redis_connection = self._client_of(node)
        return node.redis_connection  # type: ignore[no-any-return]

    def _client_of(self, node: ClusterNode) -> Kvist[S]:
        # Nothing is tried again here: another node may have to be asked.
        client: Kvist[Any] = Kvist(
            host=node.host, port=node.port, retry=no_retry(), **self.node_kwargs
        )
        pool = client.connection_pool
        if self.read_from_replicas or self.load_balancing_strategy is not None:
            kind, values = pool.connection_class.kind, pool.connection_kwargs
            pool.make_connection = lambda: ReadOnlyLink(kind, values)  # type: ignore[method-assign]
        client.response_callbacks = self.response_callbacks
        client._bind(None, self.response_callbacks, pool.retry)
        return client

    async def refresh(self, known: int | None, unfit: ClusterNode | None = None) -> None:
        """Asks for the slots anew, unless another task has since they were learned for the
        ``known``-th time."""
        loop = asyncio.get_running_loop()
        if self._refreshing is None or self._loop is not loop:
            self._refreshing, self._loop = asyncio.Lock(), loop
        manager = self.nodes_manager
        async with self._refreshing:
            if known is not None and manager.epoch != known:
                return
            failure: Exception | None = None
            for node in manager.candidates(unfit):
                try:
                    gone = manager.learn(await self._slots(node), node)
                except (*RECOVERABLE, ResponseError, RedisClusterException) as error:
                    if isinstance(error, FINAL):
                        raise
                    failure = error
                    continue
                for other in gone:
                    await _close(other)
                return
        if isinstance(failure, RedisClusterException):
            raise failure
        raise RedisClusterException(
            "Redis Cluster cannot be connected. Please provide at least one reachable node: "
            f"{failure}"
        ) from failure

    async def _slots(self, node: ClusterNode) -> Any:
        plain = _core.Client()
        plain._bind(None, {}, None)
        link = await self.get_redis_connection(node).connection_pool.link()
        future = link._send(plain, ("CLUSTER SLOTS",), None, True)
        if future is None:
            raise ConnectionError("Connection closed by server.")
        return await future

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Sends a command to the node that has its key, or to the nodes that ``target_nodes`` says;
        see :meth:`kvist.RedisCluster.execute_command`."""
        targets = options.pop("target_nodes", None)
        if targets is None and len(args) == 1 and "EMPTY_RESPONSE" in options:
            targets = self.DEFAULT_NODE  # without keys it is refused by all alike
        if not self.nodes_manager.epoch:
            await self.initialize()
        return await self.insist(
            lambda: self._execute(args, options, targets),
            targets is None or isinstance(targets, str),
        )

    async def _execute(self, args: tuple[Any, ...], options: dict[str, Any], targets: Any) -> Any:
        nodes = self.nodes_for(args, targets)
        if targets is None and len(nodes) == 1:
            return await self.ask(nodes[0], args, options)
        if not nodes:
            raise RedisClusterException(f"No targets were found to execute {args} command on")
        asked = (self.ask(node, args, options) for node in nodes)
        replies = await asyncio.gather(*asked, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException):
                raise reply
        return merged(args, {node.name: reply for node, reply in zip(nodes, replies)})

    async def insist(self, act: Callable[[], Awaitable[Any]], again: bool = True) -> Any:
        """Acts until it succeeds, fails for good, or has failed too often; in between the slots are
        asked for anew. Once if ``again`` is false."""
        failures = 0
        while True:
            epoch = self.nodes_manager.epoch
            try:
                return await act()
            except RECOVERABLE as error:
                failures += 1
                if isinstance(error, FINAL):
                    raise
                unfit = getattr(error, "cluster_node", None)
                if unfit is not None and unfit == self.nodes_manager.default_node:
                    self.replace_default_node()
                if not again or 0 <= self.retry._retries < failures:
                    raise
                if failures == 1:
                    self.retry._backoff.reset()
                await asyncio.sleep(self.retry._backoff.compute(failures))
                try:
                    await self.refresh(epoch, unfit)
                except RedisClusterException:
                    pass  # no node answers yet, or not all slots are served: the next try will tell

    async def ask(self, node: ClusterNode, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Sends a command to a node, and to wherever that sends it on."""

        async def send(client: Kvist[S], asking: bool) -> Any:
            if not asking:
                return await client.execute_command(*args, **options)
            pool = client.connection_pool
            own = await pool.get_connection()
            try:  # the next command on the same link
                _, reply = await asyncio.gather(
                    client._over(own, ("ASKING",), {}), client._over(own, args, options)
                )
                return reply
            finally:
                pool.give_back(own)

        return await self.follow(node, send)

    async def follow(
        self, node: ClusterNode, send: Callable[[Any, bool], Awaitable[Any]]
    ) -> Any:
        """Does something with a node's client, and again with that of the node it is sent on to;
        ``True`` says that it must begin with ``ASKING``."""
        asking = False
        for hop in range(REDIRECTIONS):
            try:
                return await send(self.get_redis_connection(node), asking)
            except REDIRECTED as error:
                asking = False
                if isinstance(error, MovedError):
                    node = await self._moved(error, node)
                elif isinstance(error, AskError):
                    node = self.nodes_manager.node_at(error.host, error.port, node)
                    asking = True
                else:  # the slot is on its way, and some of the keys are there
                    await asyncio.sleep(min(0.002 * 2**hop, 0.2))
            except RECOVERABLE as error:
                blame(error, node)
                raise
        raise ClusterError("TTL exhausted.")

    async def _moved(self, error: AskError, asked: ClusterNode) -> ClusterNode:
        epoch = self.nodes_manager.epoch
        node = self.moved(error, asked)
        if self._should_reinitialized():
            try:
                await self.refresh(epoch)
            except RedisClusterException:
                pass  # it was served a moment ago
        return node

    def set_response_callback(self, command: str, callback: Callable[..., Any]) -> None:
        """Has a function make something else of a command's replies."""
        self.response_callbacks[command] = callback

    def get_connection_kwargs(self) -> dict[str, Any]:
        """The arguments that the nodes' clients are made from."""
        return self.node_kwargs

    def get_retry(self) -> Retry:
        """What is tried again, and how often."""
        return self.retry

    def set_retry(self, retry: Retry) -> None:
        """Changes what is tried again, and how often."""
        self.retry = retry

    def monitor(self, target_node: ClusterNode | None = None) -> Monitor:
        """Every command that a node serves, as it does."""
        return self.get_redis_connection(target_node or self.get_default_node()).monitor()

    def pubsub(
        self,
        node: ClusterNode | None = None,
        host: str | None = None,
        port: int | None = None,
        **kwargs: Any,
    ) -> ClusterPubSub:
        """Subscriptions, on a connection to this node, or to any that is fit."""
        return ClusterPubSub(self, node, host, port, **kwargs)

    def pipeline(
        self, transaction: bool | None = None, shard_hint: Any = None
    ) -> ClusterPipeline[S]:
        """Commands to be sent together, to all nodes at once. With ``transaction=True`` they run
        between ``MULTI`` and ``EXEC``, and their keys must have one slot."""
        if shard_hint:
            raise RedisClusterException("shard_hint is deprecated in cluster mode")
        return ClusterPipeline(self, bool(transaction))

    async def transaction(
        self,
        func: Callable[[ClusterPipeline[S]], Any],
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
                        await asyncio.sleep(watch_delay)

    async def _each(self, command: str, parts: Mapping[int, list[Any]]) -> list[Any]:
        async with self.pipeline() as pipe:
            for words in parts.values():
                pipe.execute_command(command, *words)
            return await pipe.execute()

    async def mget_nonatomic(self, keys: Any, *args: Any) -> list[S | None]:
        """The strings at keys anywhere in the cluster, read slot by slot."""
        wanted, parts = self._mget_parts(keys, args)
        return self._in_order(wanted, parts, await self._each("MGET", parts))

    async def mset_nonatomic(self, mapping: Mapping[Any, Any]) -> list[bool]:
        """Sets strings anywhere in the cluster, slot by slot."""
        return await self._each("MSET", self._pairs_by_slot(mapping))

    async def _sum(self, command: str, keys: Sequence[Any]) -> int:
        parts = self._by_slot(keys)
        if len(parts) == 1:
            return int(await self.execute_command(command, *keys))
        return sum(await self._each(command, parts))

    async def delete(self, *names: Any) -> int:
        """Deletes keys anywhere in the cluster, slot by slot; how many there were."""
        return await self._sum("DEL", names)

    async def exists(self, *names: Any) -> int:
        """How many of these keys anywhere in the cluster there are."""
        return await self._sum("EXISTS", names)

    async def touch(self, *args: Any) -> int:
        """Notes an access to keys anywhere in the cluster; how many there are."""
        return await self._sum("TOUCH", args)

    async def unlink(self, *names: Any) -> int:
        """Deletes keys anywhere in the cluster and frees them later; how many there were."""
        return await self._sum("UNLINK", names)

    async def scan_iter(
        self,
        match: Any = None,
        count: int | None = None,
        _type: str | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[S]:
        """The names of keys of all primaries, or of ``target_nodes``, page by page."""
        targets = kwargs.pop("target_nodes", None)
        await self.initialize()
        for node in self.nodes_for(("SCAN",), targets):
            client = self.get_redis_connection(node)
            async for key in client.scan_iter(match, count, _type, **kwargs):
                yield key


async def _close(node: ClusterNode) -> None:
    client, node.redis_connection = node.redis_connection, None
    if client is not None:
        await client.aclose()


REDIS_CLUSTER_HASH_SLOTS = SLOTS  # redis-py's name
KvistCluster = RedisCluster
