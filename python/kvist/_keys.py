"""Which words of a command are keys.

A client of a cluster needs to know where to send a command, and one that keeps copies of replies
when they are stale. The rules are those of ``COMMAND GETKEYS``; channels of shards, which a cluster
sends where it would send a key, count as keys here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._key_specs import COUNTED, RANGES, READ_ONLY

_SUBCOMMANDS = frozenset(name.split(" ")[0] for name in (*RANGES, *COUNTED) if " " in name)


def _upper(word: Any) -> str:
    return word.upper() if isinstance(word, str) else bytes(word).decode("latin-1").upper()


def split(words: Sequence[Any]) -> tuple[str, list[Any]]:
    """The upper-case name of a command, and its words as a server counts them.

    >>> split(["OBJECT ENCODING", "k"])
    ('OBJECT ENCODING', ['OBJECT', 'ENCODING', 'k'])
    >>> split([b"get", "k"])
    ('GET', ['GET', 'k'])
    """
    name = _upper(words[0])
    argv = [*name.split(" "), *words[1:]]
    if argv[0] in _SUBCOMMANDS and len(argv) > 1:
        name = f"{argv[0]} {_upper(argv[1])}"
    return name, argv


def keys_of(words: Sequence[Any]) -> list[Any]:
    """The keys among the words of a command; none if they cannot be told.

    >>> keys_of(["MSET", "a", 1, "b", 2])
    ['a', 'b']
    >>> keys_of(["XREAD", "COUNT", 1, "STREAMS", "x", "y", 0, 0])
    ['x', 'y']
    >>> keys_of(["EVAL", "return 1", 1, "k", "argument"])
    ['k']
    >>> keys_of(["PING"])
    []
    """
    name, argv = split(words)
    keys: list[Any] = []
    for begin, last, step, limit in RANGES.get(name, ()):
        start = _start(argv, begin)
        if start is None:
            continue
        if last >= 0:
            end = start + last + 1
        elif limit > 1:
            end = start + (len(argv) - start) // limit
        else:
            end = len(argv) + 1 + last
        keys += argv[start : min(end, len(argv)) : step]
    for begin, index, first, step in COUNTED.get(name, ()):
        start = _start(argv, begin)
        if start is None:
            continue
        try:
            count = int(argv[start + index])
        except (ValueError, IndexError):
            continue
        keys += argv[start + first : start + first + count * step : step]
    # Where these two have keys, a table cannot tell.
    if name == "SORT":
        store = _start(argv, ("STORE", -2))
        keys += [] if store is None else [argv[store]]
    elif name == "MIGRATE" and len(keys) > 1:
        del keys[0]  # empty, to say that keys follow
    return keys


def is_read_only(words: Sequence[Any]) -> bool:
    """Whether a command only reads its keys: then a replica may answer it.

    >>> is_read_only(["GET", "k"]), is_read_only(["SET", "k", "v"]), is_read_only(["PING"])
    (True, False, False)
    """
    return split(words)[0] in READ_ONLY


def _start(argv: list[Any], begin: int | tuple[str, int]) -> int | None:
    if isinstance(begin, int):
        return begin if begin < len(argv) else None
    word, origin = begin
    places = range(origin, len(argv)) if origin >= 0 else range(len(argv) + origin, 0, -1)
    for place in places:
        value = argv[place]
        if isinstance(value, (str, bytes)) and _upper(value) == word:
            return place + 1 if place + 1 < len(argv) else None
    return None
