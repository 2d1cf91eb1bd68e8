"""Graphs of a client for threads: see `_async_graphs` for asyncio, and `_methods` for the methods."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic

from ..typing import S
from ._as_text import Import
from ._commands import OPTIONS, R, Steps
from ._methods import Methods


class Graph(Methods, Generic[S]):
    """A graph of a client: ``client.graph(name)``.

    >>> graph = kvist.Kvist().graph("g")  # doctest: +SKIP
    >>> graph.query("UNWIND $of AS x RETURN x * 2", {"of": [1, 2]}).result_set  # doctest: +SKIP
    [[2], [4]]
    """

    def _do(self, steps: Steps[R]) -> R:
        try:
            words = next(steps)
            while True:
                try:
                    reply = self.client.execute_command(*words, **OPTIONS)
                except Exception as error:
                    words = steps.throw(error)
                else:
                    words = steps.send(reply)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def export(self, *, format: str = "CYPHER", count: int | None = None) -> Iterator[Any]:
        """The graph as text, piece by piece: all of it as it was when the first was asked for.

        ``"CYPHER"`` yields statements, ``"CSV"`` tuples of ``"NODES"``, ``"RELATIONSHIPS"`` or
        ``"SCHEMA"``, labels or a type, and a table. ``count`` is how many nodes and relationships
        are asked for at a time.
        """
        cursor = None
        while True:
            cursor, pieces = self._export_part(format, cursor, count)
            yield from pieces
            if cursor is None:
                return

    def import_(self, pieces: Iterable[Any]) -> tuple[int, int]:
        """Makes what pieces say, as ``export`` yields them; answers how many nodes and edges.

        Statements are made some at a time, and each table by itself: what was made before an error
        stays.
        """
        made = Import(self._name)
        for piece in pieces:
            self._do(made.take(piece))
        return self._do(made.end())
