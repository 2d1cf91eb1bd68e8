"""Requests about projects: words out, replies in."""

# Replies are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Generator, NamedTuple, TypeVar

from .. import _core
from .._core import Grid, Ref
from ..exceptions import DataError, InvalidResponse
from ._diffs import Committed, DiffFlags, HisWritten, as_ref

R = TypeVar("R")

# Nothing is made text of: columns are bytes.
OPTIONS: Any = {"NEVER_DECODE": True}
COLUMNS = ("FORMAT", "columns")


class Call(NamedTuple):
    """A hook to be called."""

    hook: Callable[[Any], Any]
    event: Any


# Requests, or hooks, that are done one after the other; what is sent back is what they answer.
Steps = Generator[Any, Any, R]


def grid(reply: Any) -> Grid:
    """A grid: what an engine in this process hands over is one already."""
    if isinstance(reply, Grid):
        return reply
    if not isinstance(reply, bytes):
        raise InvalidResponse("the reply is no grid: this server is too old")
    return Grid.read(reply)


def record(reply: Any) -> Any:
    """A record, or ``None``."""
    if reply is None:
        return None
    rows = grid(reply)
    return rows[0] if len(rows) else None


def records(reply: Any) -> list[Any]:
    """Records, and ``None`` where one is not there."""
    return [row or None for row in grid(reply)]


def pairs(reply: Any) -> dict[str, Any]:
    """A map, which in RESP2 is a list of names and values."""
    items = reply.items() if isinstance(reply, Mapping) else zip(reply[::2], reply[1::2])
    return {name.decode(): value for name, value in items}


def value(text: Any) -> Any:
    """A value that came as its text in Zinc."""
    return None if text is None else _core.from_zinc(text.decode())


def committed(reply: Any) -> list[Committed]:
    """What became of diffs."""
    done: list[Committed] = []
    for one in map(pairs, reply):
        times = (value(one.get("oldMod")), value(one.get("mod")))
        done.append(Committed(value(one["id"]), *times, DiffFlags(int(one["flags"]))))
    return done


def written(reply: Any) -> HisWritten:
    """What was written to a history."""
    one = pairs(reply)
    return HisWritten(int(one["count"]), value(one.get("start")), value(one.get("end")))


def refs(reply: Any) -> list[Ref]:
    """Ids as refs."""
    return [Ref(id.decode()) for id in reply]


def info(reply: Any) -> dict[str, Any]:
    """What is told of a project."""
    told = pairs(reply)
    told["prefix"] = told["prefix"].decode()
    told["tags"] = pairs(told["tags"])
    return told


def options(
    limit: int | None = None,
    sort: bool = False,
    search: str | None = None,
    trash: bool = False,
    unchecked: bool = False,
) -> list[Any]:
    """The options of reading."""
    words: list[Any] = []
    if limit is not None:
        words += ["LIMIT", limit]
    if search is not None:
        words += ["SEARCH", search]
    named = {"SORT": sort, "TRASH": trash, "UNCHECKED": unchecked}
    return words + [word for word, wanted in named.items() if wanted]


def ids_of(given: Iterable[str | Ref]) -> list[str]:
    """The texts of ids."""
    if isinstance(given, (str, Ref)):
        raise DataError("ids are several: put one into a list")
    return [as_ref(id).val for id in given]


def edge(at: Any, otherwise: str) -> str:
    """An instant as a request has it."""
    if at is None:
        return otherwise
    if isinstance(at, (date, datetime)):
        return _core.to_zinc(at)
    raise DataError(f"an instant is a datetime or a date, not {type(at).__name__}")


def span(range: Any) -> list[str]:
    """A range as a request has it: a day, a start and an end, or what has these."""
    start: Any
    end: Any
    if range is None:
        return []
    if isinstance(range, datetime):
        raise DataError("a range is a day, or a start and an end")
    if isinstance(range, date):
        start, end = range, range + timedelta(days=1)
    elif hasattr(range, "start") and hasattr(range, "end"):
        start, end = range.start, range.end
    else:
        try:
            start, end = range
        except (TypeError, ValueError):
            raise DataError("a range is a day, or a start and an end") from None
    return ["RANGE", edge(start, "-"), edge(end, "+")]


def samples(items: Any) -> str:
    """Samples as a request has them: pairs of an instant and a value, dicts, or a grid."""
    if isinstance(items, Grid):
        return items.to_zinc()
    rows = [item if isinstance(item, Mapping) else pair(item) for item in items]
    if not rows:
        return "[]"
    return Grid(None, ["ts", "val"], rows).to_zinc()


def pair(item: Any) -> dict[str, Any]:
    """A sample of an instant and a value."""
    ts, val = item
    return {"ts": ts, "val": val}
