"""Graphs as text: `GRAPH.EXPORT` and `GRAPH.IMPORT`, part by part."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from .._replies import text
from ..exceptions import DataError

Steps = Generator[tuple[Any, ...], Any, Any]

# Statements are sent together up to so many characters.
PART = 1 << 20
KINDS = ("NODES", "RELATIONSHIPS", "SCHEMA")
MADE = re.compile(r"(\d+) nodes created, (\d+) relationships created")


def exported(
    name: str | bytes, form: str, cursor: Any, count: int | None
) -> Generator[tuple[Any, ...], Any, tuple[Any, list[Any]]]:
    """One part: the cursor of the next, ``None`` at the end, and the pieces."""
    words: tuple[Any, ...] = ("GRAPH.EXPORT", name, "FORMAT", form)
    if cursor is not None:
        words += ("CURSOR", cursor)
    if count is not None:
        words += ("COUNT", count)
    behind, pieces = yield words
    behind = text(behind)
    shown = [
        tuple(text(word) for word in piece) if isinstance(piece, (list, tuple)) else text(piece)
        for piece in pieces
    ]
    return (None if behind == "0" else behind), shown


class Import:
    """An import: what was made so far, and the statements that have not been sent."""

    def __init__(self, name: str | bytes) -> None:
        self.name = name
        self.nodes = 0
        self.relationships = 0
        self._statements: list[str] = []
        self._characters = 0
        self._tables = False
        self._sent = False

    def take(self, piece: Any) -> Steps:
        """Takes one piece, and sends what is due."""
        match piece:
            case str():
                self._statements.append(piece)
                self._characters += len(piece)
                if self._characters >= PART:
                    yield from self._send_statements()
            case (kind, of, table) if kind in KINDS:
                yield from self._send_statements()
                self._tables = True
                yield from self._send("CSV", kind, of, table)
            case _:
                raise DataError(
                    "a piece is a statement, or a tuple of NODES, RELATIONSHIPS or SCHEMA, labels "
                    f"or a type, and a table: not {str(piece)[:60]!r}"
                )

    def end(self) -> Generator[tuple[Any, ...], Any, tuple[int, int]]:
        """Sends what is left; answers how many nodes and edges were made."""
        yield from self._send_statements()
        if not self._sent:
            # The text of an empty graph has no pieces.
            yield from self._send("CYPHER", "")
        if self._tables:
            while (yield ("GRAPH.IMPORT", self.name, "FORMAT", "CSV", "END")):
                pass
        return self.nodes, self.relationships

    def _send_statements(self) -> Steps:
        if self._statements:
            statements, self._statements, self._characters = self._statements, [], 0
            yield from self._send("CYPHER", *statements)

    def _send(self, form: str, *words: Any) -> Steps:
        reply = yield ("GRAPH.IMPORT", self.name, "FORMAT", form, *words)
        self._sent = True
        if made := MADE.match(text(reply)):
            self.nodes += int(made[1])
            self.relationships += int(made[2])
