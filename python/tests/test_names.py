"""Every public name of redis-py's modules is here, or left out for a reason that is written down.

A program that imports a name of redis-py finds it under the same path. What is defined in one of its
modules (classes and functions that do not begin with an underscore, and all that ``redis`` and
``redis.asyncio`` export) is looked for in ours. A name that is listed as left out and is not missing
fails too, so that the list stays true.
"""

from __future__ import annotations

import importlib
import pkgutil
import types
from typing import Any

import pytest
from left_out import MODULES, NAMES

from kvist.as_redis import ours

redis = pytest.importorskip("redis")


def theirs() -> list[str]:
    """The modules of redis-py that are not its own business, and can be imported here."""
    found = ["redis"]
    for module in pkgutil.walk_packages(redis.__path__, "redis.", onerror=lambda _: None):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found.append(module.name)
    return found


def is_left_out(module: str) -> bool:
    """Whether nothing of a module is here."""
    return any(module == name or module.startswith(name + ".") for name in MODULES)


def names_of(name: str, module: Any) -> set[str]:
    """What a module defines for others to use."""
    if name in ("redis", "redis.asyncio"):
        return set(module.__all__)
    return {
        word for word, value in vars(module).items()
        if not word.startswith("_") and not isinstance(value, types.ModuleType)
        and isinstance(value, (type, types.FunctionType)) and value.__module__ == name
    }


def test_names() -> None:
    missing: dict[str, list[str]] = {}
    for name in theirs():
        if is_left_out(name):
            continue
        module = importlib.import_module(name)
        try:
            mine: Any = importlib.import_module(ours(name))
        except ImportError:
            mine = types.ModuleType(name)
        lacking = sorted(word for word in names_of(name, module) if not hasattr(mine, word))
        if lacking:
            missing[name] = lacking
    assert missing == {name: sorted(words) for name, words in NAMES.items()}


def test_modules_that_are_left_out() -> None:
    known = set(theirs())
    for name, reason in MODULES.items():
        assert name in known and reason
        with pytest.raises(ImportError):
            importlib.import_module(ours(name))


def test_names_that_programs_use() -> None:
    """Constants, which have no module of their own to be told by."""
    for path in (
        "client.NEVER_DECODE", "asyncio.client.NEVER_DECODE", "cluster.PRIMARY", "cluster.REPLICA",
        "cluster.REDIS_CLUSTER_HASH_SLOTS", "connection.SSL_AVAILABLE", "utils.HIREDIS_AVAILABLE",
        "connection.URL_QUERY_ARGUMENT_PARSERS", "crc.REDIS_CLUSTER_HASH_SLOTS",
    ):
        module, _, word = f"redis.{path}".rpartition(".")
        assert getattr(importlib.import_module(ours(module)), word) is not None, path
