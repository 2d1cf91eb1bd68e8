"""Many commands for a cluster on asyncio, sent to all nodes before any reply is waited for; see
:mod:`kvist._cluster_pipeline`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from .._async_commands import AsyncPipelineCommands
from .._cluster_pipeline import UNSETTLED, Command, Queue, settled
from .._routing import REDIRECTED
from .._topology import RECOVERABLE
from ..exceptions import (
    ClusterDownError,
    ConnectionError,
    RedisClusterException,
    RedisError,
    ResponseError,
    WatchError,
)
from ..typing import S

if TYPE_CHECKING:
    from .cluster import RedisCluster


class ClusterPipeline(Queue, AsyncPipelineCommands[S]):
    """Commands that are sent together, to all nodes at once, and whose replies come together.

    >>> async def both(cluster):
    ...     async with cluster.pipeline() as pipe:
    ...         return await pipe.set("a", 1).get("b").execute()
    """

    def __init__(self, cluster: RedisCluster[S], transaction: bool = False) -> None:
        self.cluster = cluster
        self.is_transaction = transaction
        self.command_stack = []
        self.scripts: set[Any] = set()
        self.inner: Any = None  # the pipeline of the node whose keys are watched

    async def __aenter__(self) -> ClusterPipeline[S]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.reset()

    def __await__(self) -> Generator[Any, None, ClusterPipeline[S]]:
        return self._itself().__await__()

    async def _itself(self) -> ClusterPipeline[S]:
        return self

    async def reset(self) -> None:
        """Forgets the commands and what is watched."""
        self.command_stack = []
        self.scripts.clear()
        inner, self.inner = self.inner, None
        if inner is not None:
            await inner.reset()

    aclose = reset

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Queues a command and returns the pipeline; while keys are watched and ``multi`` has not
        been called, returns what the command's reply is awaited by."""
        if args[0] == "WATCH":
            return self.watch(*args[1:])
        if self.inner is None:
            return self.pipeline_execute_command(*args, **options)
        self.check_slot(args)
        if self.inner.explicit_transaction:
            self.inner.execute_command(*args, **options)
            return self
        return self._guarded(lambda: self.inner.execute_command(*args, **options))

    async def _guarded(self, act: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await act()
        except REDIRECTED as error:
            raise WatchError("Slot rebalancing occurred while watching keys") from error

    async def watch(self, *names: Any) -> Any:
        """Has ``execute`` fail with ``WatchError`` if any of these keys is changed before it. They
        must have one slot, and so must all that follows."""
        slot = self.slot_to_watch(names)
        if self.inner is not None:
            return await self._guarded(lambda: self.inner.watch(*names))

        async def watch(client: Any, asking: bool) -> Any:
            pipe = client.pipeline(transaction=True)
            try:
                answer = await pipe.watch(*names)
            except BaseException:
                await pipe.reset()
                raise
            self.inner, self.watched_slot = pipe, slot
            return answer

        await self.cluster.initialize()
        node = self.cluster.nodes_manager.get_node_from_slot
        return await self.cluster.insist(lambda: self.cluster.follow(node(slot), watch))

    async def unwatch(self) -> Any:
        """Watches no more."""
        return True if self.inner is None else await self.inner.unwatch()

    async def discard(self) -> None:
        """Has the server forget a transaction."""
        await self.reset()

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Sends the commands and returns their replies."""
        try:
            if self.inner is not None:
                return list(await self._guarded(lambda: self.inner.execute(raise_on_error)))
            if not self.command_stack:
                return []
            await self.cluster.initialize()
            for script in self.scripts:
                script.sha = await self.cluster.script_load(script.script)
            if self.is_transaction:
                return await self._transaction(raise_on_error)
            return settled(self.command_stack, await self._execute(), raise_on_error)
        finally:
            await self.reset()

    async def _transaction(self, raise_on_error: bool) -> list[Any]:
        slot = self.the_slot()

        async def send(client: Any, asking: bool) -> list[Any]:
            pipe = client.pipeline(transaction=True)
            for command in self.command_stack:
                pipe.execute_command(*command.args, **command.options)
            pool = client.connection_pool
            own = await pool.get_connection()
            try:
                asked = client._over(own, ("ASKING",), {}) if asking else asyncio.sleep(0)
                _, replies = await asyncio.gather(asked, sent(own, pipe, True))
            finally:
                pool.give_back(own)
            return list(pipe._finish(replies, True, raise_on_error))

        async def act() -> list[Any]:
            node = self.cluster.nodes_manager.get_node_from_slot(slot)
            return list(await self.cluster.follow(node, send))

        return list(await self.cluster.insist(act))

    async def _execute(self) -> list[Any]:
        queue = self.command_stack
        results: list[Any] = [ClusterDownError("not sent yet")] * len(queue)
        try:
            parts = self.shares()
        except RECOVERABLE:
            parts = {}  # no node is known to serve some slot: one by one, as things change
        shares = [
            self._share(self.cluster.get_redis_connection(node), places, results)
            for node, places in parts.items()
        ]
        for failure in await asyncio.gather(*shares, return_exceptions=True):
            if isinstance(failure, BaseException):
                raise failure
        for place, command in enumerate(queue):
            if isinstance(results[place], UNSETTLED):
                results[place] = await self._again(command)
        return results

    async def _share(self, client: Any, places: Sequence[int], results: list[Any]) -> None:
        """Sends a node the commands it gets, and waits for the replies."""
        pipe = client.pipeline(transaction=False)
        for place in places:
            command = self.command_stack[place]
            pipe.execute_command(*command.args, **command.options)
        try:
            replies = await sent(await client.connection_pool.link(), pipe, False)
        except RECOVERABLE:
            return
        for place, reply in zip(places, pipe._finish(replies, False, False)):
            results[place] = reply

    async def _again(self, command: Command) -> Any:
        options = dict(command.options)
        if command.targets is not None:
            options["target_nodes"] = command.targets
        try:
            return await self.cluster.execute_command(*command.args, **options)
        except (ResponseError, *UNSETTLED, RedisClusterException, RedisError) as error:
            return error


async def sent(link: Any, pipe: Any, transaction: bool) -> list[Any]:
    """The replies to what a pipeline has queued."""
    future = link._send_pipeline(pipe, transaction)
    if future is None:
        raise ConnectionError("Connection closed by server.")
    return list(await future)
