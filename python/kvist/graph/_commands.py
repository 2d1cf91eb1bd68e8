"""What the methods of graphs do, for threads and for asyncio alike.

It is written once, as generators: they yield commands, and are sent their replies. The two kinds
of graphs differ in how they execute them.
"""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

from .. import _core
from .._replies import text
from ..exceptions import DataError
from ._parameters import header, literal, quoted
from ._plans import ExecutionPlan
from ._results import Names, QueryResult, UnknownName, other_version

R = TypeVar("R")
# Commands go out of these, replies in, and at the end comes what the method answers.
Steps = Generator[tuple[Any, ...], Any, R]

PROCEDURES = ("db.labels()", "db.relationshipTypes()", "db.propertyKeys()")
# A graph whose names change between any two commands is given up after so many attempts.
ATTEMPTS = 10


class Commands:
    """The commands of one graph."""

    def __init__(self, client: Any, name: str | bytes) -> None:
        self.client = client
        self._name = name
        self._names = Names()

    @property
    def name(self) -> str | bytes:
        """The key of the graph."""
        return self._name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>"

    def _asked_names(self) -> Steps[None]:
        found: list[list[str]] = []
        for procedure in PROCEDURES:
            reply = yield ("GRAPH.RO_QUERY", self._name, f"CALL {procedure}", "--compact")
            found.append([row[0] for row in reply[1]])
        self._names.take(*found)

    def _words(
        self, command: str, q: str, params: Mapping[str, Any] | None, timeout: int | None
    ) -> tuple[Any, ...]:
        words = (command, self._name, header(params) + q, "--compact")
        if timeout is None:
            return words
        if isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 0:
            raise DataError("a timeout is a number of milliseconds, 0 or more")
        return (*words, "TIMEOUT", timeout)

    def _ran(
        self, command: str, q: str, params: Mapping[str, Any] | None, timeout: int | None
    ) -> Steps[QueryResult]:
        # A server that knows nothing of columns passes over the word.
        words = (*self._words(command, q, params, timeout), "--columns")
        missed = 0
        while True:
            version = self._names.version()
            known = () if version is None else ("VERSION", version)
            reply = yield (*words, *known)
            current = other_version(reply)
            if current is None:
                break
            # It has not run.
            yield from self._asked_names()
            if self._names.version() not in (None, current):
                # Another name came meanwhile, or this server has versions of another kind.
                missed += 1
                self._names.versioned = missed < ATTEMPTS
        for _ in range(ATTEMPTS):
            try:
                return QueryResult(self._names, reply)
            except UnknownName:
                yield from self._asked_names()
        raise DataError("the names of the graph are none that it had when the statement ran")

    def _planned(
        self, command: str, q: str, params: Mapping[str, Any] | None
    ) -> Steps[ExecutionPlan]:
        reply = yield (command, self._name, header(params) + q)
        return ExecutionPlan(reply)

    def _called(
        self, procedure: str, read_only: bool, args: Sequence[Any] | None, emit: list[str] | None
    ) -> Steps[QueryResult]:
        values = ",".join(literal(value) for value in args or ())
        q = f"CALL {procedure}({values})"
        if emit:
            q += f" YIELD {','.join(emit)}"
        command = "GRAPH.RO_QUERY" if read_only else "GRAPH.QUERY"
        return self._ran(command, q, None, None)

    def _deleted(self) -> Steps[bool]:
        self._names.clear()
        reply = yield ("GRAPH.DELETE", self._name)
        return reply is not None

    def _copied(self, clone: str | bytes) -> Steps[Any]:
        yield ("GRAPH.COPY", self._name, clone)
        return type(self)(self.client, clone)

    def _slow(self) -> Steps[list[Any]]:
        reply = yield ("GRAPH.SLOWLOG", self._name)
        return [[text(part) for part in entry] for entry in reply]

    def _slow_reset(self) -> Steps[None]:
        yield ("GRAPH.SLOWLOG", self._name, "RESET")

    def _index(
        self,
        verb: str,
        kind: str,
        edges: bool,
        label: str,
        properties: Sequence[str],
        options: Mapping[str, Any] | None = None,
    ) -> Steps[QueryResult]:
        target = f"()-[e:{quoted(label)}]->()" if edges else f"(e:{quoted(label)})"
        on = ",".join(f"e.{quoted(name)}" for name in properties)
        if not on:
            raise DataError("an index is on a property at least")
        kind = f"{kind} " if kind else ""
        q = f"{verb} {kind}INDEX FOR {target} ON ({on})"
        if options:
            q += f" OPTIONS {literal(options)}"
        return self._ran("GRAPH.QUERY", q, None, None)

    def _vector_index(
        self, edges: bool, label: str, properties: Sequence[str], dim: int, similarity: str
    ) -> Steps[QueryResult]:
        options = {"dimension": dim, "similarityFunction": similarity}
        return self._index("CREATE", "VECTOR", edges, label, properties, options)

    def _constraint(
        self, verb: str, kind: str, edges: bool, label: str, properties: Sequence[str]
    ) -> Steps[str]:
        on = "RELATIONSHIP" if edges else "NODE"
        if verb == "CREATE" and kind == "UNIQUE":
            # One that is unique needs an index on each; there may be some already.
            for name in properties:
                try:
                    yield from self._index("CREATE", "", edges, label, [name])
                except Exception as error:
                    if "already indexed" not in str(error):
                        raise
        reply = yield (
            "GRAPH.CONSTRAINT", verb, self._name, kind, on, label,
            "PROPERTIES", len(properties), *properties,
        )
        said: str = text(reply)
        return said

    def _constraints(self) -> Steps[list[dict[str, Any]]]:
        result = yield from self._called("db.constraints", True, None, None)
        return [dict(zip(result.columns, row, strict=True)) for row in result]


# Replies are read here, whatever else the client does to them.
OPTIONS: Any = {"NEVER_DECODE": True, "shape": _core.ROWS}
