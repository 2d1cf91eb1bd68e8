"""A client of a cluster: every command goes to the node that has its key.

::

    command ─► _routing: slot, node ─► the node's Kvist ─► reply
                  ▲                        │
                  ├── MOVED: note it, again at the node it names      ┐ at most 16 times
                  ├── ASK: ASKING and the command there, this once    ┘
                  └── no connection, CLUSTERDOWN: ask for all slots anew, again after a while

>>> import kvist
>>> cluster = kvist.RedisCluster(host="localhost", port=7000)  # doctest: +SKIP
>>> cluster.set("greeting", "hello")  # doctest: +SKIP
True
>>> cluster.mget_nonatomic("greeting", "nothere")  # doctest: +SKIP
[b'hello', None]
>>> cluster.dbsize(), cluster.ping(target_nodes=cluster.ALL_NODES)  # doctest: +SKIP
(1, True)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from . import _core
from ._cluster_pipeline import ClusterPipeline
from ._cluster_pubsub import ClusterPubSub
from ._composed import Composed
from ._routes import Route, kind_of, parse
from ._routing import (
    REDIRECTED,
    Routed,
    cluster_callbacks,
    merged,
    node_arguments,
    startup_nodes_of,
)
from ._settings import Encoder, default_retry, read_url
from ._topology import (
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
from .client import Kvist, no_retry
from .connection import Connection, SSLConnection
from .exceptions import (
    FINAL,
    AskError,
    ClusterError,
    MovedError,
    RedisClusterException,
    ResponseError,
    WatchError,
)
from .pubsub import Monitor
from .retry import Retry
from .typing import S

__all__ = [
    "PRIMARY", "REDIS_CLUSTER_HASH_SLOTS", "REPLICA", "ClusterNode", "ClusterPipeline",
    "ClusterPubSub", "KvistCluster", "LoadBalancingStrategy", "NodesManager", "RedisCluster", "key_slot",
]

C = TypeVar("C", bound="RedisCluster[Any]")


class ReadOnlyConnection(Connection):
    """A connection that may read from a replica."""

    def connect(self) -> None:
        """Connects, unless a connection stands."""
        if self.is_connected:
            return
        super().connect()
        try:
            self.send_command("READONLY", check_health=False)
            self.read_response()
        except BaseException:
            self.disconnect()
            raise


class ReadOnlySSLConnection(ReadOnlyConnection, SSLConnection):
    """The same, encrypted."""


class RedisCluster(Routed, Composed[S]):
    """A client of a cluster.

    It may be used by many threads at once. ``host`` and ``port``, or any of ``startup_nodes``, are
    asked for the others; whatever else a :class:`kvist.Kvist` takes, each node's client is made
    from. ``require_full_coverage=False`` allows a cluster that does not serve every slot.

    Commands that only read are answered by replicas too with ``read_from_replicas=True`` or a
    ``load_balancing_strategy``. ``address_remap`` says where a node can be reached that says it is
    at an address. After ``reinitialize_steps`` redirections all slots are asked for again.
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
        cluster_error_retry_attempts: int = 10,
        retry: Retry | None = None,
        require_full_coverage: bool = True,
        reinitialize_steps: int = 5,
        read_from_replicas: bool = False,
        load_balancing_strategy: LoadBalancingStrategy | None = None,
        dynamic_startup_nodes: bool = True,
        url: str | None = None,
        address_remap: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
        cache: Any = None,
        cache_config: Any = None,
        event_dispatcher: Any = None,
        policy_resolver: Any = None,
        maint_notifications_config: Any = None,
        **kwargs: Any,
    ) -> None:
        if url is not None:
            kwargs.update(arguments_of(url))
            host, port = kwargs.pop("host", "localhost"), kwargs.pop("port", port)
        self.node_kwargs = node_arguments(kwargs)
        if cache_config is not None or cache is not None:
            self.node_kwargs.update(cache_config=cache_config, cache=cache)
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
        self._lock = threading.RLock()
        self.refresh(None)

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
        """Closes the connections to all nodes."""
        for node in [*self.get_nodes(), *self.nodes_manager.startup_nodes.values()]:
            _close(node)

    def disconnect_connection_pools(self) -> None:
        """Closes the connections to all nodes, which are made anew when they are needed."""
        for node in self.get_nodes():
            if node.redis_connection is not None:
                node.redis_connection.connection_pool.disconnect()

    def initialize(self) -> None:
        """Asks for the slots, if that has not been done."""
        if not self.nodes_manager.epoch:
            self.refresh(None)

    def get_redis_connection(self, node: ClusterNode) -> Kvist[S]:
        """The client of a node."""
        client = node.redis_connection
        if client is None:
            with self._lock:
                client = node.redis_connection
                if client is None:
                    client = node.redis_connection = self._client_of(node)
        return client  # type: ignore[no-any-return]

    def _client_of(self, node: ClusterNode) -> Kvist[S]:
        # Nothing is tried again here: another node may have to be asked.
        client: Kvist[Any] = Kvist(node.host, node.port, retry=no_retry(), **self.node_kwargs)
        pool = client.connection_pool
        if self.read_from_replicas or self.load_balancing_strategy is not None:
            encrypted = issubclass(pool.connection_class, SSLConnection)
            pool.connection_class = ReadOnlySSLConnection if encrypted else ReadOnlyConnection
        client.response_callbacks = self.response_callbacks
        client._bind(pool, self.response_callbacks, pool.retry)
        if client._caching is not None:
            client._caching.bind(client)
        return client

    def refresh(self, known: int | None, unfit: ClusterNode | None = None) -> None:
        """Asks for the slots anew, unless another thread has since they were learned for the
        ``known``-th time."""
        manager = self.nodes_manager
        with self._lock:
            if known is not None and manager.epoch != known:
                return
            failure: Exception | None = None
            for node in manager.candidates(unfit):
                try:
                    plain = _core.Client()
                    plain._bind(self.get_redis_connection(node).connection_pool, {}, None)
                    gone = manager.learn(plain.execute_command("CLUSTER SLOTS"), node)
                except (*RECOVERABLE, ResponseError, RedisClusterException) as error:
                    if isinstance(error, FINAL):
                        raise
                    failure = error
                    continue
                for other in gone:
                    _close(other)
                return
        if isinstance(failure, RedisClusterException):
            raise failure
        raise RedisClusterException(
            "Redis Cluster cannot be connected. Please provide at least one reachable node: "
            f"{failure}"
        ) from failure

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Sends a command to the node that has its key, or to the nodes that ``target_nodes`` says:
        one of :attr:`ALL_NODES`, :attr:`PRIMARIES`, :attr:`REPLICAS`, :attr:`RANDOM` and
        :attr:`DEFAULT_NODE`, a :class:`ClusterNode`, or several. Several nodes' replies come as one
        where that makes sense, and otherwise as a dict by the nodes' names."""
        targets = options.pop("target_nodes", None)
        if targets is None and len(args) == 1 and "EMPTY_RESPONSE" in options:
            targets = self.DEFAULT_NODE  # without keys it is refused by all alike
        return self.insist(
            lambda: self._execute(args, options, targets),
            targets is None or isinstance(targets, str),
        )

    def _execute(self, args: tuple[Any, ...], options: dict[str, Any], targets: Any) -> Any:
        nodes = self.nodes_for(args, targets)
        if targets is None and len(nodes) == 1:
            return self.ask(nodes[0], args, options)
        if not nodes:
            raise RedisClusterException(f"No targets were found to execute {args} command on")
        return merged(args, {node.name: self.ask(node, args, options) for node in nodes})

    def insist(self, act: Callable[[], Any], again: bool = True) -> Any:
        """Acts until it succeeds, fails for good, or has failed too often; in between the slots are
        asked for anew. Once if ``again`` is false."""
        failures = 0
        while True:
            epoch = self.nodes_manager.epoch
            try:
                return act()
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
                time.sleep(self.retry._backoff.compute(failures))
                try:
                    self.refresh(epoch, unfit)
                except RedisClusterException:
                    pass  # no node answers yet, or not all slots are served: the next try will tell

    def ask(self, node: ClusterNode, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Sends a command to a node, and to wherever that sends it on."""

        def send(client: Any, asking: bool) -> Any:
            if not asking:
                return client.execute_command(*args, **options)
            with client.client() as alone:  # the next command on the same connection
                alone.execute_command("ASKING")
                return alone.execute_command(*args, **options)

        return self.follow(node, send)

    def follow(self, node: ClusterNode, send: Callable[[Any, bool], Any]) -> Any:
        """Does something with a node's client, and again with that of the node it is sent on to;
        ``True`` says that it must begin with ``ASKING``."""
        asking = False
        for hop in range(REDIRECTIONS):
            try:
                return send(self.get_redis_connection(node), asking)
            except REDIRECTED as error:
                asking = False
                if isinstance(error, MovedError):
                    node = self._moved(error, node)
                elif isinstance(error, AskError):
                    node = self.nodes_manager.node_at(error.host, error.port, node)
                    asking = True
                else:  # the slot is on its way, and some of the keys are there
                    time.sleep(min(0.002 * 2**hop, 0.2))
            except RECOVERABLE as error:
                blame(error, node)
                raise
        raise ClusterError("TTL exhausted.")

    def _moved(self, error: AskError, asked: ClusterNode) -> ClusterNode:
        epoch = self.nodes_manager.epoch
        node = self.moved(error, asked)
        if self._should_reinitialized():
            try:
                self.refresh(epoch)
            except RedisClusterException:
                pass  # it was served a moment ago
        return node

    def set_response_callback(self, command: str, callback: Callable[..., Any]) -> None:
        """Has a function make something else of a command's replies."""
        self.response_callbacks[command] = callback

    def load_external_module(self, funcname: str, func: Callable[..., Any]) -> None:
        """Adds a method."""
        setattr(self, funcname, func)

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

    def transaction(
        self,
        func: Callable[[ClusterPipeline[S]], Any],
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

    def _each(self, command: str, parts: Mapping[int, list[Any]]) -> list[Any]:
        with self.pipeline() as pipe:
            for words in parts.values():
                pipe.execute_command(command, *words)
            return pipe.execute()

    def mget_nonatomic(self, keys: Any, *args: Any) -> list[S | None]:
        """The strings at keys anywhere in the cluster, read slot by slot."""
        wanted, parts = self._mget_parts(keys, args)
        return self._in_order(wanted, parts, self._each("MGET", parts))

    def mset_nonatomic(self, mapping: Mapping[Any, Any]) -> list[bool]:
        """Sets strings anywhere in the cluster, slot by slot."""
        return self._each("MSET", self._pairs_by_slot(mapping))

    def _sum(self, command: str, keys: Sequence[Any]) -> int:
        parts = self._by_slot(keys)
        if len(parts) == 1:
            return int(self.execute_command(command, *keys))
        return sum(self._each(command, parts))

    def delete(self, *names: Any) -> int:
        """Deletes keys anywhere in the cluster, slot by slot; how many there were."""
        return self._sum("DEL", names)

    def exists(self, *names: Any) -> int:
        """How many of these keys anywhere in the cluster there are."""
        return self._sum("EXISTS", names)

    def touch(self, *args: Any) -> int:
        """Notes an access to keys anywhere in the cluster; how many there are."""
        return self._sum("TOUCH", args)

    def unlink(self, *names: Any) -> int:
        """Deletes keys anywhere in the cluster and frees them later; how many there were."""
        return self._sum("UNLINK", names)

    def scan_iter(
        self,
        match: Any = None,
        count: int | None = None,
        _type: str | None = None,
        **kwargs: Any,
    ) -> Iterator[S]:
        """The names of keys of all primaries, or of ``target_nodes``, page by page."""
        targets = kwargs.pop("target_nodes", None)
        for node in self.nodes_for(("SCAN",), targets):
            yield from self.get_redis_connection(node).scan_iter(match, count, _type, **kwargs)


def _close(node: ClusterNode) -> None:
    client, node.redis_connection = node.redis_connection, None
    if client is not None:
        client.close()


def arguments_of(url: str) -> dict[str, Any]:
    """The arguments that a URL of one node stands for."""
    kind, values = read_url(url)
    if kind == "unix":
        raise RedisClusterException(
            "RedisCluster does not currently support Unix Domain Socket connections"
        )
    if values.pop("db", 0):
        raise RedisClusterException("A ``db`` querystring option can only be 0 in cluster mode")
    if kind == "tls":
        values["ssl"] = True
    return values


REDIS_CLUSTER_HASH_SLOTS = SLOTS  # redis-py's name
KvistCluster = RedisCluster
