"""Subscriptions in a cluster.

::

    subscribe, psubscribe    one connection to one node: the cluster passes messages to all nodes
    ssubscribe               a connection to each node that has a channel's slot: messages of shard
                             channels stay within their shard

When a node goes, what was subscribed to on it is subscribed to again on the node that took its
place; when a slot moves, the server ends the subscriptions to its channels and they follow it. What
was published meanwhile is lost, as it is for a client that is not connected.
"""

from __future__ import annotations

import selectors
import time
from typing import TYPE_CHECKING, Any

from ._topology import RECOVERABLE, ClusterNode, blame
from .exceptions import DataError, MovedError, RedisClusterException
from .pubsub import Handler, PubSub, PubSubWorkerThread, subscriptions

if TYPE_CHECKING:
    from .cluster import RedisCluster


def chosen_node(
    cluster: Any, node: ClusterNode | None, host: str | None, port: int | None
) -> ClusterNode | None:
    """The node that was named, if one was; it must be one of the cluster's."""
    if node is None and host is None and port is None:
        return None
    if node is None:
        if host is None or port is None:
            raise DataError("Passing a host requires passing a port, and vice versa")
        found = cluster.get_node(host=host, port=port)
    else:
        host, port = node.host, node.port
        found = cluster.get_node(node_name=node.name)
    if found is None:
        raise RedisClusterException(f"Node {host}:{port} doesn't exist in the cluster")
    return found  # type: ignore[no-any-return]


class ShardPubSub(PubSub):
    """Shard channels on one node. One request must not name channels of several slots."""

    def __init__(self, cluster: Any, node: ClusterNode, **kwargs: Any) -> None:
        self.cluster = cluster
        self.node = node
        super().__init__(cluster.get_redis_connection(node).connection_pool, **kwargs)

    def on_connect(self, connection: Any) -> None:
        """Subscribes again on a new connection."""
        self.health_check_response_counter = 0
        self.pending_unsubscribe_shard_channels.clear()
        for names in self.cluster._by_slot(self.shard_channels).values():
            connection.send_command("SSUBSCRIBE", *names, check_health=False)


class ClusterPubSub(PubSub):
    """Subscriptions to channels, patterns and shard channels of a cluster.

    >>> listener = cluster.pubsub()  # doctest: +SKIP
    >>> listener.ssubscribe("orders")  # doctest: +SKIP
    >>> listener.get_sharded_message(timeout=1)["type"]  # doctest: +SKIP
    'ssubscribe'
    """

    def __init__(
        self,
        redis_cluster: RedisCluster[Any],
        node: ClusterNode | None = None,
        host: str | None = None,
        port: int | None = None,
        push_handler_func: Any = None,
        event_dispatcher: Any = None,
        **kwargs: Any,
    ) -> None:
        self.cluster = redis_cluster
        self.node_pubsub_mapping: dict[str, ShardPubSub] = {}
        self.node = chosen_node(redis_cluster, node, host, port)
        self._is_pinned = self.node is not None
        self._turn = 0
        super().__init__(
            None,
            encoder=redis_cluster.get_encoder(),
            push_handler_func=push_handler_func,
            **kwargs,
        )

    def on_connect(self, connection: Any) -> None:
        """Subscribes again on a new connection; shard channels have connections of their own."""
        self.health_check_response_counter = 0
        self.pending_unsubscribe_channels.clear()
        self.pending_unsubscribe_patterns.clear()
        if self.channels:
            connection.send_command("SUBSCRIBE", *self.channels, check_health=False)
        if self.patterns:
            connection.send_command("PSUBSCRIBE", *self.patterns, check_health=False)

    def reset(self) -> None:
        """Ends all subscriptions and closes their connections."""
        super().reset()
        for pubsub in getattr(self, "node_pubsub_mapping", {}).values():
            pubsub.reset()
        self.node_pubsub_mapping = {}

    def get_pubsub_node(self) -> ClusterNode | None:
        """The node that channels and patterns are subscribed to on."""
        return self.node

    def get_redis_connection(self) -> Any:
        """The client of that node."""
        return None if self.node is None else self.cluster.get_redis_connection(self.node)

    def execute_command(self, *args: Any) -> Any:
        """Sends a command whose answer comes as a message."""
        if self.connection is None:
            self._choose(args[1] if len(args) > 1 else None)
        return super().execute_command(*args)

    def _choose(self, channel: Any) -> None:
        if self.node is None:
            self.node = (
                self.cluster.get_random_node()
                if channel is None
                else self.cluster.get_node_from_key(channel)
            )
        if self.node is not None:
            client = self.cluster.get_redis_connection(self.node)
            self.connection_pool = client.connection_pool

    def _move(self) -> None:
        """Goes to another node, because the one there was has gone."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.deregister_connect_callback(self.on_connect)
            connection.disconnect()
            self.connection_pool.release(connection)
        if not self._is_pinned:
            self.node = None

        def connect() -> None:
            self._choose(None)
            self.connection = self.connection_pool.get_connection()

        def again() -> None:
            try:
                connect()
            except RECOVERABLE as error:
                blame(error, self.node)
                if not self._is_pinned:
                    self.node = None
                raise

        self.cluster.insist(again)
        self.connection.register_connect_callback(self.on_connect)
        self.on_connect(self.connection)

    def parse_response(self, block: bool = True, timeout: float | None = 0) -> Any:
        """The next message as it came; ``None`` if there is none within ``timeout`` seconds."""
        try:
            return super().parse_response(block, timeout)
        except RECOVERABLE:
            self._move()
            return None

    def _shard(self, node: ClusterNode) -> ShardPubSub:
        pubsub = self.node_pubsub_mapping.get(node.name)
        if pubsub is None:
            pubsub = ShardPubSub(
                self.cluster, node, encoder=self.encoder, push_handler_func=self.push_handler_func
            )
            self.node_pubsub_mapping[node.name] = pubsub
        return pubsub

    def ssubscribe(self, *args: Any, target_node: Any = None, **kwargs: Handler) -> Any:
        """Subscribes to shard channels, on the nodes that have their slots."""
        wanted = self.normalized(subscriptions(args, kwargs))
        for names in self.cluster._by_slot(wanted).values():
            self._ssubscribe({name: wanted[name] for name in names}, target_node)
        self.shard_channels.update(wanted)
        self.pending_unsubscribe_shard_channels.difference_update(wanted)
        self.subscribed_event.set()

    def _ssubscribe(self, wanted: dict[Any, Any], target: ClusterNode | None) -> None:
        """Subscribes to shard channels of one slot."""
        from .pubsub import Subscription

        slot = self.cluster.keyslot(next(iter(wanted)))
        asked = [Subscription(name, handler) for name, handler in wanted.items()]

        def act() -> None:
            node = target or self.cluster.nodes_manager.get_node_from_slot(slot)
            try:
                PubSub.ssubscribe(self._shard(node), *asked)
            except RECOVERABLE as error:
                blame(error, node)
                raise

        self.cluster.insist(act)

    def sunsubscribe(self, *args: Any, target_node: Any = None) -> Any:
        """Ends subscriptions to shard channels: to these, or to all."""
        given = self.normalized(subscriptions(args, {})) if args else dict(self.shard_channels)
        self.pending_unsubscribe_shard_channels.update(given)
        for pubsub in list(self.node_pubsub_mapping.values()):
            names = {name: None for name in given if name in pubsub.shard_channels}
            for part in self.cluster._by_slot(names).values():
                PubSub.sunsubscribe(pubsub, *part)

    def _follow(self, channels: dict[Any, Any]) -> None:
        """Subscribes again to channels whose slots are somewhere else now."""
        for names in self.cluster._by_slot(channels).values():
            self._ssubscribe({name: channels[name] for name in names}, None)

    def _lost(self, pubsub: ShardPubSub) -> None:
        """A node has gone: its channels are on others."""
        channels = dict(pubsub.shard_channels)
        self.node_pubsub_mapping.pop(pubsub.node.name, None)
        pubsub.reset()
        self.cluster.refresh(self.cluster.nodes_manager.epoch, pubsub.node)
        self._follow(channels)

    def _next_of(self, pubsub: ShardPubSub) -> Any:
        """A message of a node as it came, if one has come."""
        if pubsub.connection is None:
            return None
        try:
            return PubSub.parse_response(pubsub, block=False, timeout=0)
        except MovedError:
            # The slot went before the subscription was there.
            epoch = self.cluster.nodes_manager.epoch
            channels = dict(pubsub.shard_channels)
            pubsub.shard_channels.clear()
            self.cluster.refresh(epoch)
            self._follow(channels)
        except RECOVERABLE:
            self._lost(pubsub)
        return None

    def _settle(self, pubsub: ShardPubSub, response: Any) -> dict[str, Any]:
        message = pubsub.message(response)
        channel = message["channel"]
        if message["type"] == "sunsubscribe" and channel is not None:
            if channel in pubsub.pending_unsubscribe_shard_channels:
                pubsub.settle(message)
                self.pending_unsubscribe_shard_channels.discard(channel)
                self.shard_channels.pop(channel, None)
                if not self.any:
                    self.subscribed_event.clear()
            elif channel in pubsub.shard_channels:
                # It was not asked for: the slot has moved.
                handler = pubsub.shard_channels.pop(channel)
                self.cluster.refresh(self.cluster.nodes_manager.epoch)
                self._follow({channel: handler})
        return message

    def get_sharded_message(
        self,
        ignore_subscribe_messages: bool = False,
        timeout: float | None = 0.0,
        target_node: ClusterNode | None = None,
    ) -> Any:
        """The next message of a shard channel, waited for ``timeout`` seconds; ``None`` waits for
        ever."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            pubsubs = list(self.node_pubsub_mapping.values())
            if target_node is not None:
                pubsubs = [it for it in pubsubs if it.node == target_node]
            for number in range(len(pubsubs)):
                pubsub = pubsubs[(self._turn + number) % len(pubsubs)]
                response = self._next_of(pubsub)
                if response is not None:
                    self._turn += number + 1
                    return self._delivered(pubsub, response, ignore_subscribe_messages)
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            sockets = [it.connection for it in pubsubs if it.connection is not None]
            # Not for ever: another thread may subscribe on a node that is not among these.
            wait = 0.5 if left is None else min(left, 0.5)
            if all(it.is_connected for it in sockets):
                with selectors.DefaultSelector() as selector:
                    for one in sockets:
                        selector.register(one, selectors.EVENT_READ)
                    selector.select(wait)

    def _delivered(self, pubsub: ShardPubSub, response: Any, ignore: bool) -> Any:
        message = self._settle(pubsub, response)
        if message["type"] in self.PUBLISH_MESSAGE_TYPES:
            handler = pubsub.handler(message)
            if handler is not None:
                handler(message)
                return None
        return None if self.is_noise(message, ignore) else message

    def run_in_thread(
        self,
        sleep_time: float = 0.0,
        daemon: bool = False,
        exception_handler: Any = None,
        pubsub: Any = None,
        sharded_pubsub: bool = False,
    ) -> PubSubWorkerThread:
        """Starts a thread that gives messages to their handlers; those of shard channels with
        ``sharded_pubsub=True``."""
        if sharded_pubsub:
            pubsub = Sharded(self)
        return super().run_in_thread(sleep_time, daemon, exception_handler, pubsub)


class Sharded:
    """Shard channels alone, for who calls ``get_message``."""

    def __init__(self, pubsub: ClusterPubSub) -> None:
        self.pubsub = pubsub
        self.get_message = pubsub.get_sharded_message
        self.close = pubsub.close
