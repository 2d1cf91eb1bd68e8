"""What a statement answers: rows of Python objects, and what it has changed."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _core
from .._replies import text
from ..exceptions import DataError, InvalidResponse, ResponseError
from . import _times
from ._entities import Edge, Node, Path
from ._tables import arrow_of, package

# The types of a compact reply's values.
NULL, STRING, INTEGER, BOOLEAN, DOUBLE, ARRAY, EDGE, NODE, PATH, MAP, POINT, VECTOR = range(1, 13)
DATETIME, DATE, TIME, DURATION = range(13, 17)


class UnknownName(Exception):
    """A reply has a number for a name that is not known."""


class Names:
    """The names that compact replies have numbers for, as far as they are known.

    Names stay as long as a graph does, so that only one that is new has an unknown number. A graph
    that takes the place of another is found out by the version, a number made of all names.
    """

    __slots__ = ("keys", "labels", "types", "versioned")

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.types: list[str] = []
        self.keys: list[str] = []
        # Whether the server makes its version of names as we do; not known before it was seen.
        self.versioned = True

    def clear(self) -> None:
        """Forgets them."""
        self.take([], [], [])

    def take(self, labels: list[str], types: list[str], keys: list[str]) -> None:
        """Takes those that the server says there are."""
        self.labels, self.types, self.keys = labels, types, keys

    def version(self) -> int | None:
        """The version that these names are, where there are any."""
        if not self.versioned or not (self.labels or self.types or self.keys):
            return None
        number = 0x811C9DC5
        for kind, names in enumerate((self.labels, self.types, self.keys)):
            for name in names:
                for byte in (*name.encode(), 0xFF, kind):
                    number = ((number ^ byte) * 0x01000193) & 0xFFFFFFFF
        return number


def other_version(reply: Any) -> int | None:
    """The version of the graph's names, where a reply says that it is another than was known."""
    match reply:
        case [ResponseError(), int(current)]:
            return current
        case _:
            return None


def _name(names: list[str], number: Any) -> str:
    if not isinstance(number, int) or not 0 <= number < len(names):
        raise UnknownName(number)
    return names[number]


class Reading:
    """Reads the values of a compact reply."""

    __slots__ = ("names",)

    def __init__(self, names: Names) -> None:
        self.names = names

    def cell(self, cell: Any) -> Any:
        """A cell: a type and a value."""
        return self.value(cell[0], cell[1])

    def value(self, kind: int, value: Any) -> Any:
        """A value of a type."""
        if kind == INTEGER or value is None:
            return value
        if kind == STRING:
            return value.decode() if isinstance(value, bytes) else value
        if kind == DOUBLE:
            return float(value)
        if kind == BOOLEAN:
            return value in (b"true", "true", True, 1)
        read = READERS.get(kind)
        if read is None:
            raise DataError(f"values of the type {kind} are not known: this client is too old")
        return read(self, value)

    def array(self, value: Any) -> list[Any]:
        """A list."""
        return [self.value(kind, item) for kind, item in value]

    def map(self, value: Any) -> dict[str, Any]:
        """A map."""
        pairs = zip(value[::2], value[1::2], strict=True)
        return {text(key): self.value(kind, item) for key, (kind, item) in pairs}

    def properties(self, value: Any) -> dict[str, Any]:
        """Properties: the number of a name, a type and a value each."""
        names = self.names.keys
        return {_name(names, key): self.value(kind, item) for key, kind, item in value}

    def node(self, value: Any) -> Node:
        """A node."""
        number, labels, properties = value
        known = self.names.labels
        return Node(
            number,
            labels=[_name(known, label) for label in labels],
            properties=self.properties(properties),
        )

    def edge(self, value: Any) -> Edge:
        """A relationship."""
        number, kind, source, target, properties = value
        # One that the statement itself has deleted has no type any more.
        name = "" if kind == -1 else _name(self.names.types, kind)
        return Edge(source, name, target, number, properties=self.properties(properties))

    def path(self, value: Any) -> Path:
        """A path: lists of its nodes and its relationships."""
        nodes, edges = value
        return Path(self.cell(nodes), self.cell(edges))


READERS: dict[int, Any] = {
    NULL: lambda _reading, _value: None,
    ARRAY: Reading.array,
    EDGE: Reading.edge,
    NODE: Reading.node,
    PATH: Reading.path,
    MAP: Reading.map,
    POINT: lambda _reading, value: {
        "latitude": float(value[0]), "longitude": float(value[1])
    },
    VECTOR: lambda _reading, value: [float(number) for number in value],
    # All of them are whole seconds, which may be those of a day before 1970.
    DATETIME: lambda _reading, value: _times.date_time(value, 0, 0, None),
    DATE: lambda _reading, value: _times.day(value // _times.DAY),
    TIME: lambda _reading, value: _times.time_of_day(value % _times.DAY * 10**9, None),
    DURATION: lambda _reading, value: _times.span(0, value, 0),
}


class Makers:
    """What makes the objects of rows that came as columns."""

    node = Node
    edge = Edge
    path = Path
    date = staticmethod(_times.day)
    time = staticmethod(_times.time_of_day)
    datetime = staticmethod(_times.date_time)
    duration = staticmethod(_times.span)


# Rows that are made at a time, where a program goes through them.
PIECE = 1024


def _read(names: Names, rows: Any) -> list[list[Any]]:
    """Rows whose cells have their types, in part."""
    read = Reading(names).value
    if isinstance(rows, tuple):
        # Some have cells that still have their types.
        return [
            [read(*it) if isinstance(it, list) else it for it in row]
            if isinstance(row, tuple) else row
            for row in rows
        ]
    made: list[list[Any]] = rows
    return made


class QueryResult:
    """The rows of a statement, and what it has changed.

    ``result_set`` is a list of rows, which are lists; ``header`` has a type (always 1) and a name
    for each column. Rows become objects when they are looked at: iterating over a result makes a
    few at a time, ``result_set`` all, once. ``to_arrow``, ``to_pandas`` and ``to_polars`` make none.
    """

    __slots__ = ("_lines", "_packed", "_rows", "header")

    def __init__(self, names: Names, reply: Any) -> None:
        self._packed: _core.GraphRows | None = None
        self._rows: list[list[Any]] | None = []
        self.header: list[list[Any]] = []
        match reply:
            case [lines]:
                pass
            case [header, rows, lines]:
                self.header = [[kind, text(name)] for kind, name in header]
                self._rows = _read(names, rows)
            case [header, *parts, lines] if len(parts) == len(header) + 1:
                shown = [text(name) for name in header]
                self.header = [[1, name] for name in shown]
                self._packed = _core.GraphRows(shown, parts, Makers)
                self._rows = None
            case _:
                raise InvalidResponse("the reply to a statement has no rows and no lines")
        if isinstance(lines, Exception):
            # What goes wrong while rows are sent comes behind them.
            raise lines
        self._lines: dict[str, str] = {}
        for line in lines:
            name, _, value = text(line).partition(": ")
            self._lines[name.lower()] = value

    @property
    def result_set(self) -> list[list[Any]]:
        """All rows."""
        if self._rows is None:
            self._rows = [] if self._packed is None else self._packed.rows(0, len(self._packed))
        return self._rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for _, name in self.header]

    def column(self, name: str | int) -> list[Any]:
        """The values of a column, by its name or its place."""
        at = self.columns.index(name) if isinstance(name, str) else range(len(self.header))[name]
        if self._packed is not None and self._rows is None:
            return self._packed.column(at)
        return [row[at] for row in self.result_set]

    def _table(self) -> Any:
        """What speaks Arrow."""
        if self._packed is not None:
            return self._packed.to_columns()
        return arrow_of(self.columns, self.result_set)

    def to_columns(self) -> _core.Columns:
        """The rows as columns of Arrow's types, for everything that takes ``__arrow_c_stream__``.

        Nodes, relationships and points are structs, lists of one type lists; maps, paths, the
        properties of entities and what is of several types are texts of JSON.
        """
        if self._packed is None and self.header:
            raise DataError("the server did not answer columns")
        if self._packed is None:
            return _core.GraphRows([], [bytes(20)], Makers).to_columns()
        return self._packed.to_columns()

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``."""
        pyarrow = package("pyarrow", "to_arrow()")
        return pyarrow.table(self._table()) if self.header else pyarrow.table({})

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``; needs pyarrow too."""
        package("pandas", "to_pandas()")
        package("pyarrow", "to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``."""
        polars = package("polars", "to_polars()")
        return polars.DataFrame(self._table() if self.header else {})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[list[Any]]:
        if self._rows is not None or self._packed is None:
            return iter(self.result_set)
        return self._made(self._packed)

    def _made(self, packed: _core.GraphRows) -> Iterator[list[Any]]:
        for start in range(0, len(packed), PIECE):
            yield from packed.rows(start, start + PIECE)

    def __len__(self) -> int:
        return len(self.result_set if self._packed is None else self._packed)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> list[Any]:
        return self.result_set[index]

    def _number(self, name: str) -> int:
        return int(self._lines.get(name, "0"))

    @property
    def labels_added(self) -> int:
        """How many labels nodes were given."""
        return self._number("labels added")

    @property
    def labels_removed(self) -> int:
        """How many labels nodes lost."""
        return self._number("labels removed")

    @property
    def nodes_created(self) -> int:
        """How many nodes were made."""
        return self._number("nodes created")

    @property
    def nodes_deleted(self) -> int:
        """How many nodes were deleted."""
        return self._number("nodes deleted")

    @property
    def properties_set(self) -> int:
        """How many properties were set."""
        return self._number("properties set")

    @property
    def properties_removed(self) -> int:
        """How many properties were removed."""
        return self._number("properties removed")

    @property
    def relationships_created(self) -> int:
        """How many relationships were made."""
        return self._number("relationships created")

    @property
    def relationships_deleted(self) -> int:
        """How many relationships were deleted."""
        return self._number("relationships deleted")

    @property
    def indices_created(self) -> int:
        """How many indexes were made."""
        return self._number("indices created")

    @property
    def indices_deleted(self) -> int:
        """How many indexes were dropped."""
        return self._number("indices deleted")

    @property
    def cached_execution(self) -> bool:
        """Whether the plan of the statement was known."""
        return self._number("cached execution") == 1

    @property
    def run_time_ms(self) -> float:
        """How long the statement ran, in milliseconds."""
        value = self._lines.get("query internal execution time", "0")
        return float(value.split(" ")[0])

    def __repr__(self) -> str:
        return f"<QueryResult: {len(self)} rows of {self.columns}>"
