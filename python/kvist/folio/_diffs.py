"""Changes of records, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntFlag
from itertools import groupby
from typing import Any

from .. import _core
from .._core import Ref
from ..exceptions import DataError


class DiffFlags(IntFlag):
    """What a diff was, as Folio numbers it."""

    ADD = 1
    REMOVE = 2
    TRANSIENT = 4
    FORCE = 8
    BYPASS_RESTRICTED = 16
    CUR_VAL = 32
    POINT = 64
    TREE_UPDATE = 128


@dataclass(frozen=True, slots=True)
class Diff:
    """One change: a record that is added, changed or removed.

    >>> Diff.add({"dis": "Main"}, id="s1")
    Diff(verb='ADD', tags={'dis': 'Main', 'id': Ref(val='s1')})
    """

    verb: str
    tags: Mapping[str, Any]

    @staticmethod
    def add(tags: Mapping[str, Any], id: str | Ref | None = None) -> Diff:
        """Adds a record. Without an id one is drawn; a ``mod`` is passed over."""
        given = dict(tags)
        if id is not None:
            given["id"] = as_ref(id)
        return Diff("ADD", given)

    @staticmethod
    def update(rec: Mapping[str, Any], changes: Mapping[str, Any]) -> Diff:
        """Changes tags of a record that was read: of it, ``id`` and ``mod`` are looked at.

        ``Remove()`` takes a tag away.
        """
        return Diff("UPDATE", {**changes, **identity(rec)})

    @staticmethod
    def remove(rec: Mapping[str, Any]) -> Diff:
        """Removes a record that was read."""
        return Diff("REMOVE", identity(rec))


@dataclass(frozen=True, slots=True)
class Committed:
    """What became of a diff."""

    id: Ref
    old_mod: datetime | None
    mod: datetime | None
    flags: DiffFlags

    @property
    def is_add(self) -> bool:
        """Whether the record was added."""
        return DiffFlags.ADD in self.flags

    @property
    def is_remove(self) -> bool:
        """Whether the record was removed."""
        return DiffFlags.REMOVE in self.flags


@dataclass(frozen=True, slots=True)
class Commit:
    """What hooks see of a commit: before it what is asked for, after it what became of that."""

    diffs: Sequence[Diff]
    flags: DiffFlags
    done: Sequence[Committed] = field(default=())


@dataclass(frozen=True, slots=True)
class HisWritten:
    """What was written to a history: how many samples, and from when to when."""

    count: int
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class HisWrite:
    """What hooks see of a write to a history."""

    id: Ref
    written: HisWritten


def as_ref(id: str | Ref) -> Ref:
    """An id as a ref."""
    return id if isinstance(id, Ref) else Ref(id)


def identity(rec: Mapping[str, Any]) -> dict[str, Any]:
    """The tags that say which record is meant, and as it was when."""
    if rec.get("id") is None:
        raise DataError("a record that is to change needs its id")
    given = {"id": as_ref(rec["id"])}
    return {**given, "mod": rec["mod"]} if rec.get("mod") is not None else given


def flattened(diffs: Iterable[Diff | Iterable[Diff]]) -> list[Diff]:
    """Diffs and lists of them, as one list."""
    flat: list[Diff] = []
    for diff in diffs:
        if isinstance(diff, Diff):
            flat.append(diff)
        else:
            flat.extend(diff)
    return flat


def flag_words(flags: DiffFlags) -> list[str]:
    """The options of a commit."""
    words = {
        "TRANSIENT": DiffFlags.TRANSIENT,
        "FORCE": DiffFlags.FORCE,
        "BYPASSRESTRICTED": DiffFlags.BYPASS_RESTRICTED,
    }
    return [word for word, flag in words.items() if flag in flags]


def words_of(diffs: Sequence[Diff]) -> list[str]:
    """Diffs as a request has them: those of one verb that follow each other as one list."""
    words: list[str] = []
    for verb, same in groupby(diffs, key=lambda diff: diff.verb):
        words += [verb, _core.to_zinc([diff.tags for diff in same])]
    return words
