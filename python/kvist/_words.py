"""How arguments become words of a command.

Everything here is about Python's values alone: nothing is sent. What cannot be a word is refused
with the exceptions that redis-py has for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .exceptions import DataError

AGGREGATES = frozenset({"SUM", "MIN", "MAX", "COUNT"})
REFERENCES = frozenset({"KEEPREF", "DELREF", "ACKED"})
UNITS = frozenset({"m", "km", "mi", "ft"})

_SCALARS = (bytes, str, bytearray, memoryview)
_SECOND = timedelta(seconds=1)
_MILLISECOND = timedelta(milliseconds=1)


def in_seconds(time: Any) -> Any:
    """A duration in whole seconds; what is no ``timedelta`` is taken as it is."""
    return int(time.total_seconds()) if isinstance(time, timedelta) else time


def in_milliseconds(time: Any) -> Any:
    """A duration in whole milliseconds; what is no ``timedelta`` is taken as it is."""
    return int(time.total_seconds() * 1000) if isinstance(time, timedelta) else time


def at_seconds(when: Any) -> Any:
    """A moment in seconds since the epoch; what is no ``datetime`` is taken as it is."""
    return int(when.timestamp()) if isinstance(when, datetime) else when


def at_milliseconds(when: Any) -> Any:
    """A moment in milliseconds since the epoch; what is no ``datetime`` is taken as it is."""
    return int(when.timestamp() * 1000) if isinstance(when, datetime) else when


def expiry(ex: Any, px: Any, exat: Any, pxat: Any) -> tuple[Any, ...]:
    """The words that say how long a key lives, for the first of these that is given."""
    if ex is not None:
        if isinstance(ex, str) and ex.isdigit():
            ex = int(ex)
        if not isinstance(ex, (int, timedelta)):
            raise DataError("ex is a timedelta or a number of seconds")
        return ("EX", in_seconds(ex))
    if px is not None:
        if not isinstance(px, (int, timedelta)):
            raise DataError("px is a timedelta or a number of milliseconds")
        return ("PX", in_milliseconds(px))
    if exat is not None:
        return ("EXAT", at_seconds(exat))
    if pxat is not None:
        return ("PXAT", at_milliseconds(pxat))
    return ()


def listed(keys: Any, more: Iterable[Any] = ()) -> list[Any]:
    """One word or several, and more behind them, as a list."""
    if isinstance(keys, _SCALARS) or not isinstance(keys, Iterable):
        return [keys, *more]
    return [*keys, *more]


def flat(mapping: Mapping[Any, Any]) -> list[Any]:
    """Keys and values in turn."""
    words: list[Any] = []
    for pair in mapping.items():
        words += pair
    return words


def turned(mapping: Mapping[Any, Any]) -> list[Any]:
    """Values and keys in turn: what is a dict in Python is scores and members in a command."""
    words: list[Any] = []
    for key, value in mapping.items():
        words += (value, key)
    return words


def patterns(get: str | bytes | Sequence[str] | None) -> Sequence[Any]:
    """One pattern or several, or none."""
    if get is None:
        return ()
    return (get,) if isinstance(get, (str, bytes)) else get


def is_int_within(value: Any, least: int | None = None, most: int | None = None) -> bool:
    """Whether a value is an integer, or the text of one, within bounds."""
    try:
        number = int(value)
    except ValueError:
        return False
    return (least is None or number >= least) and (most is None or number <= most)


def targets(nodes: Any) -> dict[str, Any]:
    """The option that says which nodes of a cluster get a command; none if nothing was said."""
    return {} if nodes is None else {"target_nodes": nodes}


def claiming(least_idle: int | None) -> dict[str, Any]:
    """The option that says that a reply also tells how entries were delivered before."""
    return {} if least_idle is None else {"claim_min_idle_time": least_idle}


def vector_words(vector: Sequence[float] | bytes) -> tuple[Any, ...]:
    """A vector: as numbers, or as the bytes of numbers of 32 bits."""
    return ("FP32", vector) if isinstance(vector, bytes) else ("VALUES", len(vector), *vector)


def sought_words(sought: Sequence[float] | bytes | str) -> tuple[Any, ...]:
    """What to look for: a vector, or the name of an element."""
    return ("ELE", sought) if isinstance(sought, str) else vector_words(sought)


def attribute_text(attributes: Mapping[str, Any] | str | None) -> str:
    """Attributes as JSON."""
    if isinstance(attributes, str):
        return attributes
    import json

    return json.dumps(attributes or {})
