"""Many commands for a cluster, sent to all nodes before any reply is waited for.

::

    queue    GET a · SET b · INCR c · GET d
              │       │       │       │
    node 1 ◄──┴───────┼───────┘       │         1. every node gets its share
    node 2 ◄──────────┴───────────────┘         2. all replies are read
                                                3. what was sent on is sent again, one by one

A transaction is one slot's, so it is one node's: its commands go there between ``MULTI`` and
``EXEC``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._commands import PipelineCommands
from ._routing import DEFAULT_NODE, REDIRECTED, flag_of
from ._topology import RECOVERABLE, ClusterNode
from .exceptions import (
    ClusterDownError,
    CrossSlotTransactionError,
    RedisClusterException,
    RedisError,
    ResponseError,
    WatchError,
    annotate,
)
from .typing import S

if TYPE_CHECKING:
    from .cluster import RedisCluster

# What is sent again, one by one.
UNSETTLED = (*REDIRECTED, *RECOVERABLE)
ON_THE_CONNECTION = frozenset(("UNWATCH", "DISCARD", "EXEC", "MULTI"))


class Command:
    """A command that waits to be sent."""

    __slots__ = "args", "options", "slot", "targets"

    def __init__(self, args: tuple[Any, ...], options: dict[str, Any], slot: int | None) -> None:
        self.args = args
        self.targets = options.pop("target_nodes", None)
        self.options = options
        self.slot = slot


class Share:
    """The commands that one node gets."""

    def __init__(self, client: Any, places: Sequence[int], queue: Sequence[Command]) -> None:
        self.places = places
        self.pool = client.connection_pool
        self.pipe = client.pipeline(transaction=False)
        for place in places:
            self.pipe.execute_command(*queue[place].args, **queue[place].options)
        self.connection: Any = None
        self.batch: Any = None

    def send(self) -> None:
        """Sends them."""
        self.connection = self.pool.get_connection()
        self.batch = _core.Batch.send(self.connection, self.pipe, False)

    def receive(self) -> list[Any]:
        """Waits for their replies; an error is one like any other."""
        replies: list[Any] = []
        missing = len(self.batch)
        try:
            self.batch.receive(replies)
        except RECOVERABLE as error:
            # What was answered is settled; the rest is to be sent again.
            lost = ClusterDownError(f"no reply: {error}")
            replies += [lost] * (missing - len(replies))
        return list(self.pipe._finish(replies, False, False))

    def release(self) -> None:
        """Gives the connection back."""
        connection, self.connection = self.connection, None
        if connection is not None:
            self.pool.release(connection)


def settled(queue: Sequence[Command], results: list[Any], raise_on_error: bool) -> list[Any]:
    """The results; the first error is raised, if that is wanted."""
    if raise_on_error:
        for number, (command, result) in enumerate(zip(queue, results), 1):
            if isinstance(result, Exception):
                words = tuple(_bytes(word) for word in command.args)
                annotate(result, number, words)
                raise result
    return results


def _bytes(word: Any) -> bytes:
    raw = type(word) in (bytes, bytearray, memoryview)
    return bytes(word) if raw else str(word).encode()


class Queue:
    """What pipelines of clusters have in common, whatever waits for replies."""

    cluster: Any
    is_transaction: bool
    command_stack: list[Command]
    inner: Any

    def __len__(self) -> int:
        return len(self.command_stack) if self.inner is None else len(self.inner)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} commands>"

    def pipeline_execute_command(self, *args: Any, **options: Any) -> Any:
        """Queues a command; its keys must have one slot."""
        slot = self.cluster.slot_of(args)
        if len(args) == 1 and "EMPTY_RESPONSE" in options:
            options.setdefault("target_nodes", DEFAULT_NODE)
        if slot is None and options.get("target_nodes") is None and flag_of(args) is None:
            raise RedisClusterException(
                "No way to dispatch this command to Redis Cluster. Missing key.\n"
                f"You can execute the command by specifying target nodes.\nCommand: {args}"
            )
        self.command_stack.append(Command(args, options, slot))
        return self

    def the_slot(self) -> int:
        """The one slot of a transaction."""
        slots = {command.slot for command in self.command_stack} - {None}
        if len(slots) > 1:
            raise CrossSlotTransactionError(
                "All keys involved in a cluster transaction must map to the same slot"
            )
        if not slots:
            raise RedisClusterException("A transaction of a cluster needs a key, to know its node")
        return int(slots.pop() or 0)

    def slot_to_watch(self, names: Sequence[Any]) -> int:
        """The one slot of keys to watch."""
        if not self.is_transaction:
            raise RedisClusterException("watch is only possible with transaction=True")
        if self.inner is not None and self.inner.explicit_transaction:
            raise RedisError("Cannot issue a WATCH after a MULTI")
        if self.command_stack:
            raise RedisError("Commands without an initial WATCH have already been issued")
        slots = {self.cluster.keyslot(name) for name in names}
        if self.inner is not None:
            slots.add(self.watched_slot)
        if len(slots) != 1:
            raise CrossSlotTransactionError("Cannot watch or send commands on different slots")
        return int(slots.pop())

    watched_slot: int

    def check_slot(self, args: Sequence[Any]) -> None:
        """Refuses a command that belongs elsewhere than what is watched."""
        slot = None if args[0] in ON_THE_CONNECTION else self.cluster.slot_of(args)
        if slot is not None and slot != self.watched_slot:
            raise CrossSlotTransactionError("Cannot watch or send commands on different slots")

    def multi(self) -> None:
        """Ends what runs at once after ``watch``: the commands from here on run together."""
        if not self.is_transaction:
            raise RedisClusterException("multi is only possible with transaction=True")
        if self.inner is not None:
            self.inner.multi()
        elif self.command_stack:
            raise RedisError("Commands without an initial WATCH have already been issued")

    def shares(self) -> dict[ClusterNode, list[int]]:
        """Which commands which node gets, by their places in the queue."""
        shares: dict[ClusterNode, list[int]] = {}
        for place, command in enumerate(self.command_stack):
            if command.targets is None and command.slot is not None:
                nodes = [self.cluster.node_of_slot(command.slot, command.args)]
            else:
                nodes = self.cluster.nodes_for(command.args, command.targets)
            if len(nodes) == 1:
                shares.setdefault(nodes[0], []).append(place)
        return shares

    def set_response_callback(self, command: str, callback: Any) -> None:
        """Has a function make something else of a command's replies."""
        self.cluster.set_response_callback(command, callback)

    def get_encoder(self) -> Any:
        """An encoder that does what the connections do."""
        return self.cluster.get_encoder()

    def get_connection_kwargs(self) -> dict[str, Any]:
        """The arguments that the nodes' clients are made from."""
        return dict(self.cluster.get_connection_kwargs())


class ClusterPipeline(Queue, PipelineCommands[S]):
    """Commands that are sent together, to all nodes at once, and whose replies come together.

    >>> with cluster.pipeline() as pipe:  # doctest: +SKIP
    ...     pipe.set("a", 1).incr("a").get("b").execute()
    [True, 2, None]

    Each runs by itself: an error does not keep the others from running. It is raised when all
    replies are there, or with ``execute(raise_on_error=False)`` stands in the place of its reply.
    """

    def __init__(self, cluster: RedisCluster[S], transaction: bool = False) -> None:
        self.cluster = cluster
        self.is_transaction = transaction
        self.command_stack = []
        self.scripts: set[Any] = set()
        self.inner: Any = None  # the pipeline of the node whose keys are watched

    def __enter__(self) -> ClusterPipeline[S]:
        return self

    def __exit__(self, *_: object) -> None:
        self.reset()

    def __del__(self) -> None:
        try:
            self.reset()
        except Exception:  # noqa: S110 - the interpreter may be going away
            pass

    def reset(self) -> None:
        """Forgets the commands and what is watched."""
        self.command_stack = []
        self.scripts.clear()
        inner, self.inner = self.inner, None
        if inner is not None:
            inner.reset()

    close = reset

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Queues a command and returns the pipeline; while keys are watched and ``multi`` has not
        been called, executes it and returns its reply."""
        if args[0] == "WATCH":
            return self.watch(*args[1:])
        if self.inner is None:
            return self.pipeline_execute_command(*args, **options)
        self.check_slot(args)
        answer = self._guarded(lambda: self.inner.execute_command(*args, **options))
        return self if answer is self.inner else answer

    def _guarded(self, act: Any) -> Any:
        try:
            return act()
        except REDIRECTED as error:
            raise WatchError("Slot rebalancing occurred while watching keys") from error

    def watch(self, *names: Any) -> Any:
        """Has ``execute`` fail with ``WatchError`` if any of these keys is changed before it. They
        must have one slot, and so must all that follows."""
        slot = self.slot_to_watch(names)
        if self.inner is not None:
            return self._guarded(lambda: self.inner.watch(*names))

        def watch(client: Any, asking: bool) -> Any:
            pipe = client.pipeline(transaction=True)
            answer = pipe.watch(*names)
            self.inner, self.watched_slot = pipe, slot
            return answer

        node = self.cluster.nodes_manager.get_node_from_slot
        return self.cluster.insist(lambda: self.cluster.follow(node(slot), watch))

    def unwatch(self) -> Any:
        """Watches no more."""
        return True if self.inner is None else self.inner.unwatch()

    def discard(self) -> None:
        """Has the server forget a transaction."""
        self.reset()

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Sends the commands and returns their replies."""
        try:
            if self.inner is not None:
                return list(self._guarded(lambda: self.inner.execute(raise_on_error)))
            if not self.command_stack:
                return []
            for script in self.scripts:
                script.sha = self.cluster.script_load(script.script)
            if self.is_transaction:
                return self._transaction(raise_on_error)
            return settled(self.command_stack, self._execute(), raise_on_error)
        finally:
            self.reset()

    def _transaction(self, raise_on_error: bool) -> list[Any]:
        slot = self.the_slot()

        def send(client: Any, asking: bool) -> list[Any]:
            pipe = client.pipeline(transaction=True)
            for command in self.command_stack:
                pipe.execute_command(*command.args, **command.options)
            pool = client.connection_pool
            connection = pool.get_connection()
            try:
                if asking:
                    connection.send_command("ASKING", check_health=False)
                    connection.read_response()
                replies: list[Any] = []
                _core.Batch.send(connection, pipe, True).receive(replies)
            finally:
                pool.release(connection)
            return list(pipe._finish(replies, True, raise_on_error))

        def act() -> list[Any]:
            node = self.cluster.nodes_manager.get_node_from_slot(slot)
            return list(self.cluster.follow(node, send))

        return list(self.cluster.insist(act))

    def _execute(self) -> list[Any]:
        queue = self.command_stack
        unsent = ClusterDownError("not sent yet")
        results: list[Any] = [unsent] * len(queue)
        shares: list[Share] = []
        try:
            try:
                parts = self.shares()
            except RECOVERABLE:
                parts = {}  # no node is known to serve some slot: one by one, as things change
            for node, places in parts.items():
                share = Share(self.cluster.get_redis_connection(node), places, queue)
                shares.append(share)
                try:
                    share.send()
                except RECOVERABLE:
                    share.release()
                    shares.pop()
            for share in shares:
                for place, reply in zip(share.places, share.receive()):
                    results[place] = reply
        finally:
            for share in shares:
                share.release()
        for place, command in enumerate(queue):
            if isinstance(results[place], UNSETTLED):
                results[place] = self._again(command)
        return results

    def _again(self, command: Command) -> Any:
        options = dict(command.options)
        if command.targets is not None:
            options["target_nodes"] = command.targets
        try:
            return self.cluster.execute_command(*command.args, **options)
        except (ResponseError, *UNSETTLED, RedisClusterException, RedisError) as error:
            return error
