"""Which nodes a cluster has, and which of them serve which slots.

::

    key ─► slot ─► slots_cache ─► [primary, replica, replica, …]
                       ▲                    a node has one client, which outlives refreshes
    CLUSTER SLOTS ─────┤
    MOVED ─────────────┘ one slot at a time

Nothing here talks to a server: what servers said comes in, and the nodes to ask come out. So the
clients for threads and for asyncio share it.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

from . import _core
from ._replies import text
from .exceptions import (
    AskError,
    ClusterDownError,
    ConnectionError,
    RedisClusterException,
    SlotNotCoveredError,
    TimeoutError,
)

SLOTS = 16384
PRIMARY = "primary"
REPLICA = "replica"

# How often a command is sent on from one node to another before that is called a loop.
REDIRECTIONS = 16
# What may be over once the slots are asked for again.
RECOVERABLE = ConnectionError, TimeoutError, ClusterDownError, SlotNotCoveredError


class ClusterNode:
    """A node of a cluster.

    >>> ClusterNode("10.0.0.1", 7000).name
    '10.0.0.1:7000'
    """

    __slots__ = "__weakref__", "host", "name", "port", "redis_connection", "server_type"

    def __init__(
        self,
        host: str,
        port: int | str = 6379,
        server_type: str | None = None,
        redis_connection: Any = None,
    ) -> None:
        self.host = "127.0.0.1" if host == "localhost" else host
        self.port = int(port)
        self.name = f"{self.host}:{self.port}"
        self.server_type = server_type
        self.redis_connection = redis_connection

    def __repr__(self) -> str:
        kind = self.server_type
        return f"[host={self.host},port={self.port},name={self.name},server_type={kind}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterNode) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


class LoadBalancingStrategy(Enum):
    """Which of the nodes that have a slot answers a command that only reads."""

    ROUND_ROBIN = "round_robin"
    ROUND_ROBIN_REPLICAS = "round_robin_replicas"
    RANDOM = "random"
    RANDOM_REPLICA = "random_replica"


def key_slot(key: bytes, bucket: int = SLOTS) -> int:
    """The slot of a key.

    >>> key_slot(b"foo"), key_slot(b"{foo}bar")
    (12182, 12182)
    """
    return _core.slot(key) % bucket


def blame(error: Exception, node: ClusterNode | None) -> None:
    """Notes in an error which node it is about."""
    error.cluster_node = node  # type: ignore[attr-defined]


def slot_ranges(reply: Any, asked: ClusterNode) -> list[tuple[int, int, list[tuple[str, int]]]]:
    """First and last slot and the addresses that serve them, the primary's first, from a reply to
    ``CLUSTER SLOTS``. A node that does not know its own address says nothing where it should
    stand; one that cannot be reached says ``?``."""
    ranges: list[tuple[int, int, list[tuple[str, int]]]] = []
    try:
        for first, last, *nodes in reply:
            places: list[tuple[str, int]] = []
            for host, port, *_ in nodes:
                if text(host) != "?":
                    places.append((text(host) or asked.host, int(port)))
                elif not places:
                    break  # without its primary a range is of no use
            if not (0 <= first <= last < SLOTS):
                raise ValueError(f"slots {first} to {last}")
            if places:
                ranges.append((first, last, places))
    except (TypeError, ValueError) as error:
        raise RedisClusterException(
            f"Unexpected response to CLUSTER SLOTS from {asked.name}: {error}"
        ) from error
    return ranges


class NodesManager:
    """What is known of a cluster."""

    def __init__(
        self,
        startup_nodes: Iterable[ClusterNode],
        require_full_coverage: bool = True,
        dynamic_startup_nodes: bool = True,
        address_remap: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
    ) -> None:
        self.startup_nodes = {node.name: node for node in startup_nodes}
        self.nodes_cache: dict[str, ClusterNode] = {}
        self.slots_cache: dict[int, list[ClusterNode]] = {}
        self.default_node: ClusterNode | None = None
        #: How often the slots were learned.
        self.epoch = 0
        self._require_full_coverage = require_full_coverage
        self._dynamic_startup_nodes = dynamic_startup_nodes
        self._address_remap = address_remap
        self._turns: dict[str, itertools.count[int]] = {}
        self._lock = threading.Lock()

    def remap_host_port(self, host: str, port: int) -> tuple[str, int]:
        """Where a node can be reached that says it is at an address."""
        return self._address_remap((host, port)) if self._address_remap else (host, port)

    def get_node(
        self, host: str | None = None, port: int | None = None, node_name: str | None = None
    ) -> ClusterNode | None:
        """The node at an address, if it is known."""
        if host is not None and port is not None:
            node_name = ClusterNode(host, port).name
        return None if node_name is None else self.nodes_cache.get(node_name)

    def get_nodes_by_server_type(self, server_type: str) -> list[ClusterNode]:
        """The primaries, or the replicas."""
        return [node for node in self.nodes_cache.values() if node.server_type == server_type]

    def get_node_from_slot(
        self,
        slot: int,
        read_from_replicas: bool = False,
        load_balancing_strategy: LoadBalancingStrategy | None = None,
        server_type: str | None = None,
    ) -> ClusterNode:
        """A node that serves a slot: its primary unless something else is wanted."""
        nodes = self.slots_cache.get(slot)
        if not nodes:
            raise SlotNotCoveredError(
                f'Slot "{slot}" not covered by the cluster. '
                f'"require_full_coverage={self._require_full_coverage}"'
            )
        if len(nodes) == 1:
            return nodes[0]
        if read_from_replicas and load_balancing_strategy is None:
            load_balancing_strategy = LoadBalancingStrategy.ROUND_ROBIN
        if load_balancing_strategy is not None:
            return self._balanced(nodes, load_balancing_strategy)
        return random.choice(nodes[1:]) if server_type == REPLICA else nodes[0]  # noqa: S311

    def _balanced(
        self, nodes: Sequence[ClusterNode], strategy: LoadBalancingStrategy
    ) -> ClusterNode:
        if strategy == LoadBalancingStrategy.RANDOM:
            return random.choice(nodes)  # noqa: S311 - to spread load
        if strategy == LoadBalancingStrategy.RANDOM_REPLICA:
            return random.choice(nodes[1:])  # noqa: S311
        turns = self._turns.setdefault(nodes[0].name, itertools.count())
        if strategy == LoadBalancingStrategy.ROUND_ROBIN_REPLICAS:
            nodes = nodes[1:]
        return nodes[next(turns) % len(nodes)]

    def candidates(self, unfit: ClusterNode | None = None) -> list[ClusterNode]:
        """Whom to ask for the slots, one after the other; who has just failed comes last."""
        nodes = list(dict.fromkeys([*self.startup_nodes.values(), *self.nodes_cache.values()]))
        random.shuffle(nodes)
        if unfit is not None and unfit in nodes:
            nodes.remove(unfit)
            nodes.append(unfit)
        return nodes

    def node_at(self, host: str, port: int, asked: ClusterNode) -> ClusterNode:
        """The node a redirection names, which may be new."""
        host, port = self.remap_host_port(host if host not in ("", "?") else asked.host, port)
        node = ClusterNode(host, port)
        with self._lock:
            return self.nodes_cache.setdefault(node.name, node)

    def move_slot(self, error: AskError, asked: ClusterNode) -> ClusterNode:
        """Notes what a ``MOVED`` says, and returns the node it names."""
        node = self.node_at(error.host, error.port, asked)
        if not 0 <= error.slot_id < SLOTS:
            return node
        with self._lock:
            nodes = self.slots_cache.get(error.slot_id, [])
            if node in nodes:
                # A replica has become the primary of all slots that the two share.
                if nodes[0] is not node:
                    nodes[0].server_type = REPLICA
                    nodes[:] = [node, *(it for it in nodes if it is not node)]
            else:
                self.slots_cache[error.slot_id] = self._shard_of(node)
            node.server_type = PRIMARY
        return node

    def _shard_of(self, primary: ClusterNode) -> list[ClusterNode]:
        for nodes in self.slots_cache.values():
            if nodes and nodes[0] is primary:
                return nodes
        return [primary]

    def learn(self, reply: Any, asked: ClusterNode) -> list[ClusterNode]:
        """Takes a reply to ``CLUSTER SLOTS``; returns the nodes that are no part of the cluster any
        more, whose clients can be closed."""
        ranges = slot_ranges(reply, asked)
        nodes: dict[str, ClusterNode] = {}
        slots: dict[int, list[ClusterNode]] = {}
        kinds: dict[str, str] = {}
        for first, last, places in ranges:
            found: list[ClusterNode] = []
            for number, place in enumerate(places):
                node = ClusterNode(*self.remap_host_port(*place))
                node = self.nodes_cache.get(node.name) or nodes.get(node.name) or node
                kinds[node.name] = REPLICA if number else PRIMARY
                nodes[node.name] = node
                found.append(node)
            slots.update(dict.fromkeys(range(first, last + 1), found))
        if not slots:
            raise RedisClusterException(f"{asked.name} knows no slots")
        if len(slots) < SLOTS and self._require_full_coverage:
            raise RedisClusterException(
                f"All slots are not covered after query all startup_nodes. {len(slots)} of {SLOTS} "
                "covered..."
            )
        with self._lock:
            gone = [node for name, node in self.nodes_cache.items() if name not in nodes]
            for name, node in nodes.items():
                node.server_type = kinds[name]
            self.nodes_cache, self.slots_cache = nodes, slots
            if self._dynamic_startup_nodes:
                self.startup_nodes = dict(nodes)
            if self.default_node is None or self.default_node.name not in nodes:
                self.default_node = slots[min(slots)][0]
            self.epoch += 1
        return gone

    def replace_default_node(self, node: ClusterNode | None = None) -> None:
        """Has another node answer what any node can: this one, or another primary."""
        if node is None:
            others = [it for it in self.nodes_cache.values() if it != self.default_node]
            primaries = [it for it in others if it.server_type == PRIMARY]
            if not others:
                return
            node = random.choice(primaries or others)  # noqa: S311
        self.default_node = node
