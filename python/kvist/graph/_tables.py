"""Results as tables of other packages, which are imported when they are wanted."""

# Those packages need not be here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from datetime import date, time, timedelta
from typing import Any

from ._entities import Edge, Node, Path


def package(name: str, wanted: str) -> Any:
    """A package that is optional."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != name:
            raise
        text = f"{wanted} needs the package {name}, which is not installed: pip install {name}"
        raise ImportError(text, name=name) from None


def _value(value: Any) -> Any:
    """What JSON has for a value."""
    match value:
        case Node():
            properties = _value(value.properties)
            return {"id": value.id, "labels": value.labels or [], "properties": properties}
        case Edge():
            return {
                "id": value.id, "type": value.relation, "source": value.src_node,
                "target": value.dest_node, "properties": _value(value.properties),
            }
        case Path():
            return {"nodes": _value(value.nodes()), "relationships": _value(value.edges())}
        case list():
            return [_value(item) for item in value]
        case Mapping():
            return {key: _value(item) for key, item in value.items()}
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return value


def _cell(value: Any) -> Any:
    """What a column has for a value."""
    match value:
        case Node() | Edge():
            return {**_value(value), "properties": json.dumps(_value(value.properties))}
        case Path() | Mapping():
            return json.dumps(_value(value))
        case _:
            return value


def arrow_of(names: list[str], rows: list[list[Any]]) -> Any:
    """A table of rows that did not come as columns: from a server that has no others."""
    pyarrow = package("pyarrow", "to_arrow()")
    arrays: list[Any] = []
    for index in range(len(names)):
        values = [row[index] for row in rows]
        try:
            arrays.append(pyarrow.array([_cell(value) for value in values]))
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            # Of several types.
            texts = [None if value is None else json.dumps(_value(value)) for value in values]
            arrays.append(pyarrow.array(texts))
    return pyarrow.Table.from_arrays(arrays, names=names)
