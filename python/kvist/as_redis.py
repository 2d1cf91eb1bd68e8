"""Has programs that import redis-py use this package, without a change to their code.

::

    import kvist.as_redis
    kvist.as_redis.install()            # before anything imports redis

or, for a program that is started by name::

    python -m kvist.as_redis -m celery -A app worker

From then on ``import redis`` and ``from redis.asyncio import Redis`` find this package's modules, in
this process and in those it forks. Nothing on disk is changed. ``redis.__version__`` names the release
of redis-py whose interface this package has, because programs ask for it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

import kvist

VERSION = "8.1.0"


def ours(name: str) -> str:
    """The module of this package that stands for one of redis-py's.

    >>> ours("redis.asyncio.client")
    'kvist.aio.client'
    """
    parts = name.split(".")
    if parts[1:2] == ["asyncio"]:
        parts[1] = "aio"
    return ".".join(["kvist", *parts[1:]])


class _Alias(Loader):
    """Gives a module that there is already."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put the alias's in its place


class _Finder(MetaPathFinder):
    """Finds what is below ``redis``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("redis.") or "._" in fullname:
            return None
        name = ours(fullname)
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        return None if found is None else ModuleSpec(fullname, _Alias(name))


class _Redis(types.ModuleType):
    """The module ``redis``: this package's names, and redis-py's version."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            try:
                return getattr(kvist, name)
            except AttributeError:
                pass
        raise AttributeError(f"module 'redis', which is kvist here, has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *kvist.__all__})


def install() -> None:
    """Has ``import redis`` find this package; ``RuntimeError`` if redis-py is imported already."""
    there = sys.modules.get("redis")
    if isinstance(there, _Redis):
        return
    if there is not None:
        raise RuntimeError(
            "redis-py is imported already: call kvist.as_redis.install() before anything imports it"
        )
    module = _Redis("redis", kvist.__doc__)
    module.__dict__.update(
        __version__=VERSION,
        VERSION=tuple(map(int, VERSION.split("."))),
        __all__=list(kvist.__all__),
        __path__=[],
        __package__="redis",
        __spec__=ModuleSpec("redis", None, is_package=True),
    )
    sys.meta_path.insert(0, _Finder())
    sys.modules["redis"] = module


def main() -> None:
    """Runs a module (``-m NAME``) or a script after :func:`install`."""
    import runpy

    words = sys.argv[1:]
    if not words or (words[0] == "-m" and len(words) < 2):
        sys.exit("usage: python -m kvist.as_redis (-m MODULE | SCRIPT) [ARGUMENTS]")
    install()
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, "")
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    # As the module of its name, so that those who import that find what was installed.
    importlib.import_module("kvist.as_redis").main()
