"""Which nodes of a cluster get a command, and what becomes of several nodes' replies.

::

    command ─► its keys ─► one slot ─► one node
            ─► no keys  ─► by the command's name: any node, the default node, all primaries
            ─► target_nodes, whatever the command is

A command with keys in several slots is refused here: no server would serve it. The methods that may
be served piecemeal (``delete``, ``exists``, ``mget_nonatomic`` …) divide their keys before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from . import _core
from ._key_specs import COUNTED, RANGES
from ._keys import is_read_only, keys_of, split
from ._replies import text
from ._settings import Encoder
from ._topology import (
    PRIMARY,
    REPLICA,
    ClusterNode,
    LoadBalancingStrategy,
    NodesManager,
)
from ._words import listed
from .client import Callbacks, callbacks_for
from .exceptions import (
    AskError,
    MovedError,
    RedisClusterException,
    SlotNotCoveredError,
    TryAgainError,
)

ALL_NODES = "all"
PRIMARIES = "primaries"
REPLICAS = "replicas"
RANDOM = "random"
DEFAULT_NODE = "default-node"
FLAGS = frozenset((ALL_NODES, PRIMARIES, REPLICAS, RANDOM, DEFAULT_NODE))

REDIRECTED = AskError, MovedError, TryAgainError

# Commands whose one key is their first word: most of what is ever sent.
FIRST_KEY = frozenset(
    name
    for name, ranges in RANGES.items()
    if ranges == ((1, 0, 1, 0),) and name not in COUNTED and name not in ("SORT", "MIGRATE")
)

# What concerns the whole dataset goes to every node that has a part of it.
_PRIMARIES = frozenset(
    "DBSIZE,FLUSHALL,FLUSHDB,KEYS,SCAN,FUNCTION DELETE,FUNCTION FLUSH,FUNCTION LIST,FUNCTION LOAD,"
    "FUNCTION RESTORE,SCRIPT EXISTS,SCRIPT FLUSH,SCRIPT LOAD".split(",")
)
_ANY = frozenset(
    "EVAL,EVALSHA,EVAL_RO,EVALSHA_RO,FCALL,FCALL_RO,FUNCTION DUMP,PUBLISH,RANDOMKEY".split(",")
)
# What is about a slot by its number.
_BY_SLOT = frozenset(
    "CLUSTER COUNTKEYSINSLOT,CLUSTER DELSLOTS,CLUSTER GETKEYSINSLOT,CLUSTER SETSLOT".split(",")
)
# What is about one server: the default node answers unless another is named.
_DEFAULT = frozenset(
    "ACL,AUTH,BGREWRITEAOF,BGSAVE,CLIENT,CLUSTER,COMMAND,CONFIG,DEBUG,ECHO,HELLO,INFO,LASTSAVE,"
    "LATENCY,LOLWUT,MEMORY,MODULE,PING,PUBSUB,READONLY,READWRITE,ROLE,SAVE,SHUTDOWN,SLOWLOG,TIME,"
    "WAIT,WAITAOF".split(",")
)


def flag_of(words: Sequence[Any]) -> str | None:
    """Which nodes get a command that has no keys; ``None`` if that cannot be told.

    >>> flag_of(["PING"]), flag_of(["SCRIPT", "LOAD", "return 1"]), flag_of(["NOTHING"])
    ('default-node', 'primaries', None)
    """
    name, argv = split(words)
    full = f"{argv[0]} {text(argv[1]).upper()}" if _has_word(argv) else name
    if name in _PRIMARIES or full in _PRIMARIES:
        return PRIMARIES
    if name in _ANY or full in _ANY:
        return RANDOM
    return DEFAULT_NODE if argv[0] in _DEFAULT else None


def _has_word(argv: Sequence[Any]) -> bool:
    return len(argv) > 1 and isinstance(argv[1], (str, bytes))


# What becomes of several replies.


def _numsub(replies: Mapping[str, Any]) -> list[tuple[Any, int]]:
    totals: dict[Any, int] = {}
    for reply in replies.values():
        for channel, count in reply:
            totals[channel] = totals.get(channel, 0) + count
    return list(totals.items())


def _scan(replies: Mapping[str, Any]) -> tuple[dict[str, int], list[Any]]:
    cursors = {name: cursor for name, (cursor, _) in replies.items()}
    return cursors, [key for _, page in replies.values() for key in page]


def _union(replies: Mapping[str, Any]) -> list[Any]:
    return list({item for reply in replies.values() for item in reply})


def _total(replies: Mapping[str, Any]) -> Any:
    return sum(replies.values())


def _all(replies: Mapping[str, Any]) -> bool:
    return all(replies.values())


def _every(replies: Mapping[str, Any]) -> list[bool]:
    return [all(answers) for answers in zip(*replies.values())]


def _any(replies: Mapping[str, Any]) -> Any:
    return next(iter(replies.values()))


Merge = Callable[[Mapping[str, Any]], Any]
MERGES: dict[str, Merge] = {
    **dict.fromkeys(("PUBSUB NUMSUB", "PUBSUB SHARDNUMSUB"), _numsub),
    **dict.fromkeys(("KEYS", "PUBSUB CHANNELS", "PUBSUB SHARDCHANNELS"), _union),
    **dict.fromkeys(("PUBSUB NUMPAT", "DBSIZE", "WAIT"), _total),
    **dict.fromkeys((
        "PING", "CONFIG SET", "CONFIG REWRITE", "CONFIG RESETSTAT", "CLIENT SETNAME", "BGSAVE",
        "SLOWLOG RESET", "SAVE", "MEMORY PURGE", "CLIENT PAUSE", "CLIENT UNPAUSE", "SCRIPT FLUSH",
        "FLUSHALL", "FLUSHDB", "FUNCTION FLUSH", "FUNCTION DELETE", "FUNCTION RESTORE",
    ), _all),
    "CLIENT UNBLOCK": lambda replies: int(sum(replies.values()) > 0),
    "SCAN": _scan,
    **dict.fromkeys(("SCRIPT LOAD", "FUNCTION LOAD"), _any),
    "SCRIPT EXISTS": _every,
}


def merged(words: Sequence[Any], replies: dict[str, Any]) -> Any:
    """One result of the replies of several nodes; a dict by the nodes' names if there is no better
    one."""
    name, argv = split(words)
    full = f"{argv[0]} {text(argv[1]).upper()}" if _has_word(argv) else name
    merge = MERGES.get(name) or MERGES.get(full)
    if len(replies) == 1 and merge is not _scan:
        return next(iter(replies.values()))
    return replies if merge is None else merge(replies)


# Replies that say where something is.


def _slots(reply: Any, current_host: str = "", **_: Any) -> Any:
    def place(node: Any) -> tuple[str, int]:
        return text(node[0]) or current_host, node[1]

    return {
        (first, last): {"primary": place(primary), "replicas": [place(it) for it in replicas]}
        for first, last, primary, *replicas in reply
    }


def _as_dict(reply: Any) -> dict[Any, Any]:
    return dict(reply) if hasattr(reply, "items") else dict(zip(reply[::2], reply[1::2]))


def _shards(reply: Any, **_: Any) -> list[dict[str, Any]]:
    shards: list[dict[str, Any]] = []
    for shard in map(_as_dict, reply):
        named = {text(name): value for name, value in shard.items()}
        slots = named.get("slots", [])
        if slots and not isinstance(slots[0], (list, tuple)):
            slots = list(zip(slots[::2], slots[1::2]))
        shards.append({
            "slots": [tuple(pair) for pair in slots],
            "nodes": [_as_dict(node) for node in named.get("nodes", [])],
        })
    return shards


def _text(reply: Any, **_: Any) -> Any:
    return text(reply)


def cluster_callbacks(values: dict[str, Any]) -> Callbacks:
    """What becomes of the replies of a cluster's nodes."""
    callbacks = callbacks_for(values)
    if not values.get("raw"):
        callbacks.update({
            "CLUSTER SLOTS": _slots,
            "CLUSTER SHARDS": _shards,
            "CLUSTER MYSHARDID": _text,
        })
    return callbacks


def _listed(nodes: Any) -> list[ClusterNode]:
    return list(nodes.values() if hasattr(nodes, "values") else nodes)


class Routed:
    """What clients of clusters have in common, whatever waits for replies."""

    ALL_NODES = ALL_NODES
    PRIMARIES = PRIMARIES
    REPLICAS = REPLICAS
    RANDOM = RANDOM
    DEFAULT_NODE = DEFAULT_NODE

    nodes_manager: NodesManager
    encoder: Encoder
    read_from_replicas: bool
    load_balancing_strategy: LoadBalancingStrategy | None
    reinitialize_steps: int
    reinitialize_counter: int

    def get_nodes(self) -> list[ClusterNode]:
        """All nodes."""
        return list(self.nodes_manager.nodes_cache.values())

    def get_primaries(self) -> list[ClusterNode]:
        """The nodes that take writes."""
        return self.nodes_manager.get_nodes_by_server_type(PRIMARY)

    def get_replicas(self) -> list[ClusterNode]:
        """The nodes that follow others."""
        return self.nodes_manager.get_nodes_by_server_type(REPLICA)

    def get_random_node(self) -> ClusterNode:
        """Any node."""
        return random.choice(self.get_nodes())  # noqa: S311 - to spread load

    def get_random_primary_node(self) -> ClusterNode:
        """Any node that takes writes."""
        return random.choice(self.get_primaries())  # noqa: S311

    def get_node(
        self, host: str | None = None, port: int | None = None, node_name: str | None = None
    ) -> ClusterNode | None:
        """A node by its address or name, if the cluster has it."""
        return self.nodes_manager.get_node(host, port, node_name)

    def get_default_node(self) -> ClusterNode:
        """The node that answers what any node can."""
        node = self.nodes_manager.default_node
        if node is None:
            raise RedisClusterException("Nothing is known of the cluster yet")
        return node

    def set_default_node(self, node: ClusterNode | None) -> bool:
        """Chooses the node that answers what any node can."""
        if node is None or self.get_node(node_name=node.name) is None:
            return False
        self.nodes_manager.default_node = node
        return True

    def replace_default_node(self, target_node: ClusterNode | None = None) -> None:
        """Chooses another default node: this one, or any other."""
        self.nodes_manager.replace_default_node(target_node)

    def get_encoder(self) -> Encoder:
        """An encoder that does what the connections do."""
        return self.encoder

    def keyslot(self, key: Any) -> int:
        """The slot of a key.

        Keys with the same text in their first braces have the same one.
        """
        if type(key) is bytes or (type(key) is str and self.encoder.encoding == "utf-8"):
            return _core.slot(key)
        return _core.slot(bytes(self.encoder.encode(key)))

    def get_node_from_key(self, key: Any, replica: bool = False) -> ClusterNode | None:
        """The primary that has a key, or one of its replicas if there is any."""
        slot = self.keyslot(key)
        nodes = self.nodes_manager.slots_cache.get(slot)
        if not nodes:
            raise SlotNotCoveredError(f'Slot "{slot}" is not covered by the cluster.')
        if replica:
            return nodes[1] if len(nodes) > 1 else None
        return nodes[0]

    def slot_of(self, args: Sequence[Any]) -> int | None:
        """The one slot of a command's keys; ``None`` if it has no keys.

        :class:`RedisClusterException` if they are in several.
        """
        name = args[0]
        if name in FIRST_KEY and len(args) > 1:
            return self.keyslot(args[1])
        if isinstance(name, str) and name in _BY_SLOT and len(args) > 1:
            return int(args[1])
        slots = {self.keyslot(key) for key in keys_of(args)}
        if len(slots) > 1:
            raise RedisClusterException(f"{text(name)} - all keys must map to the same key slot")
        return slots.pop() if slots else None

    determine_slot = slot_of

    def node_of_slot(self, slot: int, args: Sequence[Any]) -> ClusterNode:
        """The node that gets a command for a slot."""
        strategy = self.load_balancing_strategy
        if (strategy is not None or self.read_from_replicas) and is_read_only(args):
            return self.nodes_manager.get_node_from_slot(slot, self.read_from_replicas, strategy)
        return self.nodes_manager.get_node_from_slot(slot)

    def nodes_for(self, args: Sequence[Any], targets: Any) -> list[ClusterNode]:
        """The nodes that get a command."""
        if targets is None:
            slot = self.slot_of(args)
            if slot is not None:
                return [self.node_of_slot(slot, args)]
            targets = flag_of(args)
            if targets is None:
                raise RedisClusterException(
                    "No way to dispatch this command to Redis Cluster. Missing key.\n"
                    f"You can execute the command by specifying target nodes.\nCommand: {args}"
                )
        if isinstance(targets, str):
            return self._nodes_by_flag(targets)
        if isinstance(targets, ClusterNode):
            return [targets]
        if isinstance(targets, (Mapping, list, tuple, set)):
            return _listed(targets)
        raise TypeError(
            "target_nodes type can be one of the following: node_flag (PRIMARIES, REPLICAS, RANDOM, "
            "ALL_NODES, DEFAULT_NODE), ClusterNode, list<ClusterNode>, or dict<any, ClusterNode>. "
            f"The passed type is {type(targets)}"
        )

    def _nodes_by_flag(self, flag: str) -> list[ClusterNode]:
        if flag == DEFAULT_NODE:
            return [self.get_default_node()]
        if flag == RANDOM:
            return [self.get_random_primary_node()]
        found = {ALL_NODES: self.get_nodes, PRIMARIES: self.get_primaries,
                 REPLICAS: self.get_replicas}.get(flag)
        if found is None:
            raise TypeError(f"target_nodes cannot be {flag!r}")
        return found()

    def moved(self, error: AskError, asked: ClusterNode) -> ClusterNode:
        """Notes a ``MOVED``; returns who is to be asked now."""
        self.reinitialize_counter += 1
        return self.nodes_manager.move_slot(error, asked)

    def _should_reinitialized(self) -> bool:
        """Whether so many slots have moved that all are to be asked for again."""
        steps = self.reinitialize_steps
        return bool(steps) and self.reinitialize_counter % steps == 0

    def _by_slot(self, keys: Iterable[Any]) -> dict[int, list[Any]]:
        parts: dict[int, list[Any]] = {}
        for key in keys:
            parts.setdefault(self.keyslot(key), []).append(key)
        return parts

    def _pairs_by_slot(self, mapping: Mapping[Any, Any]) -> dict[int, list[Any]]:
        parts: dict[int, list[Any]] = {}
        for key, value in mapping.items():
            parts.setdefault(self.keyslot(key), []).extend((key, value))
        return parts

    def _mget_parts(self, keys: Any, more: Iterable[Any]) -> tuple[list[Any], dict[int, list[Any]]]:
        wanted = listed(keys, more)
        return wanted, self._by_slot(wanted)

    @staticmethod
    def _in_order(
        wanted: Iterable[Any], parts: Mapping[int, list[Any]], replies: Iterable[Any]
    ) -> list[Any]:
        found = {
            key: value
            for keys, values in zip(parts.values(), replies)
            for key, value in zip(keys, values)
        }
        return [found[key] for key in wanted]

    def slaveof(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not in a cluster: see ``cluster_replicate``."""
        raise RedisClusterException("SLAVEOF is not supported in cluster mode")

    def replicaof(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not in a cluster: see ``cluster_replicate``."""
        raise RedisClusterException("REPLICAOF is not supported in cluster mode")

    def swapdb(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not in a cluster, which has one database."""
        raise RedisClusterException("SWAPDB is not supported in cluster mode")


def node_arguments(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the nodes' clients from those of a cluster's."""
    for name in ("db", "retry", "unix_socket_path", "connection_pool", "single_connection_client"):
        if values.get(name):
            raise RedisClusterException(f"Argument '{name}' is not possible to use in cluster mode")
        values.pop(name, None)
    return values


def startup_nodes_of(
    host: str | None, port: int, startup_nodes: Iterable[ClusterNode] | None
) -> list[ClusterNode]:
    """Whom to ask first."""
    nodes = list(startup_nodes or ())
    if host is not None:
        nodes.append(ClusterNode(host, port))
    if not nodes:
        raise RedisClusterException(
            "RedisCluster requires at least one node to discover the cluster. Please provide one of "
            "the followings:\n1. host and port, for example:\n"
            " RedisCluster(host='localhost', port=6379)\n2. list of startup nodes, for example:\n"
            " RedisCluster(startup_nodes=[ClusterNode('localhost', 6379), "
            "ClusterNode('localhost', 6378)])"
        )
    return nodes
