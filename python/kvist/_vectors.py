"""``client.vset()``: vector sets, which Redis 8 has."""

# Attributes are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._replies import text
from ._vector_commands import AsyncVectorSetCommands, VectorSetCommands
from .typing import EncodableT, S


def _numbers(reply: Any, raw: Any = False, decodes: Any = False, **_: Any) -> Any:
    if reply is None:
        return None
    if not raw:
        return [number if isinstance(number, (int, float)) else _number(number) for number in reply]
    shown = {
        "quantization": text(reply[0]) if decodes else reply[0],
        "raw": reply[1],
        "l2": float(reply[2]),
    }
    if len(reply) > 3:
        shown["range"] = float(reply[3])
    return shown


def _number(word: Any) -> int | float:
    try:
        return int(word)
    except ValueError:
        return float(word)


def _attributes(document: Any, **_: Any) -> Any:
    import json  # costs those who need none nothing

    return json.loads(document) if document else None


def _near(reply: Any, withscores: Any = False, withattribs: Any = False, **_: Any) -> Any:
    if reply is None or not (withscores or withattribs):
        return reply
    if withscores and withattribs:
        if isinstance(reply, dict):
            found = [(element, *both) for element, both in reply.items()]
        else:
            items = iter(reply)
            found = list(zip(items, items, items))
        return {
            element: {"score": float(score), "attributes": _attributes(document)}
            for element, score, document in found
        }
    if not isinstance(reply, dict):
        items = iter(reply)
        reply = dict(zip(items, items))
    cast = float if withscores else _attributes
    return {element: cast(value) for element, value in reply.items()}


def _links(reply: Any, withscores: Any = False, **_: Any) -> Any:
    if reply is None or not withscores:
        return reply
    levels = []
    for level in reply:
        if isinstance(level, dict):
            levels.append(level)
            continue
        items = iter(level)
        levels.append({element: float(score) for element, score in zip(items, items)})
    return levels


def _info(reply: Any, **_: Any) -> Any:
    if not reply or isinstance(reply, dict):
        return reply or None
    items = iter(reply)
    return dict(zip(items, items))


_REPLIES: dict[str, Callable[..., Any]] = {
    "VEMB": _numbers,
    "VGETATTR": _attributes,
    "VINFO": _info,
    "VLINKS": _links,
    "VSIM": _near,
}


class _Sets:
    def __init__(self, client: Any) -> None:
        self.client = client
        for name, callback in _REPLIES.items():
            client.set_response_callback(name, callback)


    def _undecoded(self, raw: Any) -> dict[str, Any]:
        """Options for a vector as it is stored, which is no text."""
        if not raw:
            return {}
        settings: dict[str, Any] = getattr(self.client, "get_connection_kwargs", dict)()
        return {"NEVER_DECODE": [], "raw": True, "decodes": settings.get("decode_responses", False)}


class VectorSet(_Sets, VectorSetCommands[S]):
    """Vector sets of a client; made by ``client.vset()``."""

    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        return self.client.execute_command(*args, **options)


class AsyncVectorSet(_Sets, AsyncVectorSetCommands[S]):
    """The same for a client whose methods are coroutines."""

    # A plain function that answers the client's coroutine: nothing is awaited twice.
    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        return self.client.execute_command(*args, **options)
