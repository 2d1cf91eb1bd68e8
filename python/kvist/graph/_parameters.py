"""Python values as what a statement's header says of its parameters."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1
ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}
ESCAPES = str.maketrans(ESCAPED)
DAY = timedelta(days=1)


def header(parameters: Mapping[str, Any] | None) -> str:
    """What is to stand before a statement, so that it knows its parameters."""
    if parameters is None:
        return ""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters are a dict, not {type(parameters).__name__}")
    if not parameters:
        return ""
    given = (f"{_name(key)}={literal(value)}" for key, value in parameters.items())
    return "CYPHER " + " ".join(given) + " "


def _name(key: Any) -> str:
    name = key.decode() if isinstance(key, bytes) else key
    if not isinstance(name, str):
        raise TypeError(f"the name of a parameter or a map's key is a str, not {key!r}")
    return quoted(name)


def quoted(name: Any) -> str:
    """A name as a statement has it, of a label, a type, a property or a parameter."""
    if not isinstance(name, str) or not name or "`" in name:
        raise ValueError(f"{name!r} is no name: it is empty, no str, or has a backtick")
    return f"`{name}`"


def literal(value: Any) -> str:
    """A value as openCypher writes it.

    >>> literal([1, "it's", None, {"a": True}])
    '[1,"it\\'s",null,{`a`:true}]'

    What a graph cannot keep as it is (``Decimal``, bytes, sets, entities) raises ``TypeError``, an
    integer of more than 64 bits ``OverflowError``.
    """
    pieces: list[str] = []
    _write(value, pieces, 0)
    return "".join(pieces)


# Deeper than anything that the server takes, and before Python's own stack ends.
DEEPEST = 200


def _write(value: Any, pieces: list[str], depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError(f"lists and maps are at most {DEEPEST} deep in each other")
    if isinstance(value, (list, tuple)):
        pieces.append("[")
        for index, item in enumerate(value):
            pieces.append("," if index else "")
            _write(item, pieces, depth + 1)
        pieces.append("]")
    elif isinstance(value, Mapping):
        pieces.append("{")
        for index, (key, item) in enumerate(value.items()):
            pieces.append(f"{',' if index else ''}{_name(key)}:")
            _write(item, pieces, depth + 1)
        pieces.append("}")
    else:
        pieces.append(_scalar(value))


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return f'"{str.translate(value, ESCAPES)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return _fraction(float(value))
    if isinstance(value, (date, time, timedelta)):
        return _temporal(value)
    # numpy's and its like's numbers say which of Python's they are.
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", None) == 0:
        return _scalar(item())
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and hasattr(value, "ndim"):
        return literal(tolist())
    raise TypeError(f"a graph has no values of the type {type(value).__name__}: {value!r}")


def _integer(value: int) -> str:
    if not SMALLEST <= value <= LARGEST:
        raise OverflowError(f"{value} does not fit into 64 bits")
    # The smallest has no positive counterpart that a minus could stand before.
    return str(value) if value != SMALLEST else f"({SMALLEST + 1} - 1)"


def _fraction(value: float) -> str:
    if math.isnan(value):
        return "(0.0/0.0)"
    if math.isinf(value):
        return "(1.0/0.0)" if value > 0 else "(-1.0/0.0)"
    return repr(value)


def _temporal(value: date | time | timedelta) -> str:
    if isinstance(value, datetime):
        kind = "localdatetime" if value.utcoffset() is None else "datetime"
        return f'{kind}("{value.isoformat()}")'
    if isinstance(value, date):
        return f'date("{value.isoformat()}")'
    if isinstance(value, time):
        if value.tzinfo is None:
            return f'localtime("{value.isoformat()}")'
        if value.utcoffset() is None:
            raise TypeError(f"{value!r} has a zone whose offset depends on the day")
        return f'time("{value.isoformat()}")'
    return (
        f"duration({{days:{value.days},seconds:{value.seconds},"
        f"microseconds:{value.microseconds}}})"
    )
