"""Graphs of a client for asyncio: the methods of `_methods`, as coroutines."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import Any, Generic

from ..typing import S
from ._as_text import Import
from ._commands import OPTIONS, R, Steps
from ._methods import Methods


class AsyncGraph(Methods, Generic[S]):
    """A graph of a client whose methods are coroutines: `Graph`, for asyncio."""

    async def _do(self, steps: Steps[R]) -> R:
        try:
            words = next(steps)
            while True:
                try:
                    reply = await self.client.execute_command(*words, **OPTIONS)
                except Exception as error:
                    words = steps.throw(error)
                else:
                    words = steps.send(reply)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    async def export(
        self, *, format: str = "CYPHER", count: int | None = None
    ) -> AsyncIterator[Any]:
        """The graph as text, piece by piece: see `Graph.export`."""
        cursor = None
        while True:
            cursor, pieces = await self._export_part(format, cursor, count)
            for piece in pieces:
                yield piece
            if cursor is None:
                return

    async def import_(self, pieces: Iterable[Any] | AsyncIterable[Any]) -> tuple[int, int]:
        """Makes what pieces say, as ``export`` yields them: see `Graph.import_`."""
        made = Import(self._name)
        if isinstance(pieces, AsyncIterable):
            async for piece in pieces:
                await self._do(made.take(piece))
        else:
            for piece in pieces:
                await self._do(made.take(piece))
        return await self._do(made.end())
