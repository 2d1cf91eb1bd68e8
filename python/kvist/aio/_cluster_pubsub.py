"""Subscriptions in a cluster on asyncio; see :mod:`kvist._cluster_pubsub`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._cluster_pubsub import chosen_node
from .._topology import RECOVERABLE, ClusterNode, blame
from ..exceptions import DataError, MovedError
from ..pubsub import Handler, Subscription, subscriptions
from .pubsub import Messages, PubSub

if TYPE_CHECKING:
    from .cluster import RedisCluster


class ShardPubSub(PubSub):
    """Shard channels on one node. One request must not name channels of several slots."""

    def __init__(
        self, cluster: Any, node: ClusterNode, heard: asyncio.Event, **kwargs: Any
    ) -> None:
        self.cluster = cluster
        self.node = node
        self.heard = heard
        super().__init__(cluster.get_redis_connection(node).connection_pool, **kwargs)

    def _subscribe_again(self, messages: Messages) -> None:
        self.pending_unsubscribe_shard_channels.clear()
        for names in self.cluster._by_slot(self.shard_channels).values():
            messages.link._tell("SSUBSCRIBE", *names)
        wake = messages.wake

        def heard() -> None:
            wake()
            self.heard.set()

        messages.wake = heard  # type: ignore[method-assign]


class ClusterPubSub(PubSub):
    """Subscriptions to channels, patterns and shard channels of a cluster."""

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
        if (host is None) != (port is None):
            raise DataError("Passing a host requires passing a port, and vice versa")
        self.cluster = redis_cluster
        self.node_pubsub_mapping: dict[str, ShardPubSub] = {}
        self.node: ClusterNode | None = None
        self._wanted = node, host, port
        self._is_pinned = node is not None or host is not None
        self._turn = 0
        self._heard = asyncio.Event()
        super().__init__(
            None,
            encoder=redis_cluster.get_encoder(),
            push_handler_func=push_handler_func,
            **kwargs,
        )

    @property
    def any(self) -> bool:
        """Whether anything is subscribed to."""
        shards = self.node_pubsub_mapping.values()
        return bool(self.channels or self.patterns or any(it.shard_channels for it in shards))

    def get_pubsub_node(self) -> ClusterNode | None:
        """The node that channels and patterns are subscribed to on."""
        return self.node

    async def aclose(self) -> None:
        """Ends all subscriptions and closes their connections."""
        await super().aclose()
        for pubsub in self.node_pubsub_mapping.values():
            await pubsub.aclose()
        self.node_pubsub_mapping.clear()

    close = reset = aclose

    async def connect(self) -> Messages:
        """Connects, and subscribes to what was subscribed to before."""
        if self.messages is not None and self.messages.link.is_here:
            return self.messages
        await self.cluster.initialize()
        self.node = chosen_node(self.cluster, *self._wanted)

        async def act() -> Messages:
            node = self.node or self.cluster.get_random_node()
            previous = self.connection_pool
            if self.messages is not None and previous is not None:
                self.messages.close()
                await previous.release(self.messages.link)
                self.messages = None
            self.connection_pool = self.cluster.get_redis_connection(node).connection_pool
            try:
                messages = await super(ClusterPubSub, self).connect()
            except RECOVERABLE as error:
                blame(error, node)
                raise
            self.node = node
            return messages

        return await self.cluster.insist(act)  # type: ignore[no-any-return]

    async def _persist(self, act: Callable[[], Any]) -> Any:
        async def guarded() -> Any:
            try:
                return await act()
            except RECOVERABLE:
                if self.messages is not None:
                    self.messages.close()
                raise

        return await self.cluster.insist(guarded)

    def _shard(self, node: ClusterNode) -> ShardPubSub:
        pubsub = self.node_pubsub_mapping.get(node.name)
        if pubsub is None:
            pubsub = ShardPubSub(
                self.cluster, node, self._heard,
                encoder=self.encoder, push_handler_func=self.push_handler_func,
            )
            self.node_pubsub_mapping[node.name] = pubsub
        return pubsub

    async def ssubscribe(self, *args: Any, target_node: Any = None, **kwargs: Handler) -> None:
        """Subscribes to shard channels, on the nodes that have their slots."""
        await self.cluster.initialize()
        await self._follow(self.normalized(subscriptions(args, kwargs)), target_node)

    async def _follow(self, wanted: dict[Any, Any], target: ClusterNode | None = None) -> None:
        """Subscribes to shard channels where their slots are now."""
        for slot, names in self.cluster._by_slot(wanted).items():
            asked = [Subscription(name, wanted[name]) for name in names]
            await self._ssubscribe(slot, asked, target)

    async def _ssubscribe(
        self, slot: int, asked: list[Subscription], target: ClusterNode | None
    ) -> None:
        async def act() -> None:
            node = target or self.cluster.nodes_manager.get_node_from_slot(slot)
            try:
                await self._shard(node).ssubscribe(*asked)
            except RECOVERABLE as error:
                blame(error, node)
                raise

        await self.cluster.insist(act)

    async def sunsubscribe(self, *args: Any, target_node: Any = None) -> None:
        """Ends subscriptions to shard channels: to these, or to all."""
        given = set(self.normalized(subscriptions(args, {}))) if args else None
        for pubsub in list(self.node_pubsub_mapping.values()):
            names = [it for it in pubsub.shard_channels if given is None or it in given]
            for part in self.cluster._by_slot(names).values():
                await pubsub.sunsubscribe(*part)

    async def _lost(self, pubsub: ShardPubSub) -> None:
        """A node has gone: its channels are on others."""
        channels = dict(pubsub.shard_channels)
        self.node_pubsub_mapping.pop(pubsub.node.name, None)
        await pubsub.aclose()
        if channels:
            await self._renew(pubsub.node)
            await self._follow(channels)

    async def _renew(self, unfit: ClusterNode | None = None) -> None:
        async def act() -> None:
            await self.cluster.refresh(None, unfit)

        await self.cluster.insist(act)

    async def _settle(self, pubsub: ShardPubSub, response: Any) -> dict[str, Any]:
        message = pubsub.message(response)
        channel = message["channel"]
        if message["type"] == "sunsubscribe" and channel is not None:
            if channel in pubsub.pending_unsubscribe_shard_channels:
                pubsub.settle(message)
            elif channel in pubsub.shard_channels:
                # It was not asked for: the slot has moved.
                handler = pubsub.shard_channels.pop(channel)
                await self._renew()
                await self._follow({channel: handler})
        return message

    async def _next(self, pubsub: ShardPubSub) -> Any:
        """A message of a node as it came, if one has come."""
        messages = pubsub.messages
        if messages is None:
            return None
        if not messages.kept:
            if not messages.link.is_connected:
                await self._lost(pubsub)
            return None
        response = messages.kept.popleft()
        if isinstance(response, MovedError):
            # The slot went before the subscription was there.
            channels = dict(pubsub.shard_channels)
            pubsub.shard_channels.clear()
            await self._renew()
            await self._follow(channels)
            return None
        if isinstance(response, Exception):
            raise response
        return response

    async def get_sharded_message(
        self,
        ignore_subscribe_messages: bool = False,
        timeout: float | None = 0.0,
        target_node: ClusterNode | None = None,
    ) -> Any:
        """The next message of a shard channel, waited for ``timeout`` seconds; ``None`` waits for
        ever."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            self._heard.clear()
            pubsubs = list(self.node_pubsub_mapping.values())
            if target_node is not None:
                pubsubs = [it for it in pubsubs if it.node == target_node]
            for number in range(len(pubsubs)):
                pubsub = pubsubs[(self._turn + number) % len(pubsubs)]
                response = await self._next(pubsub)
                if response is not None:
                    self._turn += number + 1
                    return await self._delivered(pubsub, response, ignore_subscribe_messages)
            left = None if deadline is None else deadline - loop.time()
            if left is not None and left <= 0:
                return None
            try:
                async with asyncio.timeout(left):
                    await self._heard.wait()
            except asyncio.TimeoutError:
                continue  # one last look

    async def _delivered(self, pubsub: ShardPubSub, response: Any, ignore: bool) -> Any:
        message = await self._settle(pubsub, response)
        if message["type"] in self.PUBLISH_MESSAGE_TYPES:
            handler = pubsub.handler(message)
            if handler is not None:
                answer = handler(message)
                if hasattr(answer, "__await__"):
                    await answer
                return None
        return None if self.is_noise(message, ignore) else message
