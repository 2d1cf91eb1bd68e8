"""Other people's programs with this package's client inside.

Some name the classes they use in their settings; ``programs/`` has one file for each, run against
both servers. For the others ``redis`` is made to stand for ``kvist``: the suites in ``tests/apps``
and ``tests/clients``, which were written for redis-py and try Celery, RQ, Huey and redis-py itself
with real workers, run whole and unchanged.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.conftest import ROOT, Server

HERE = Path(__file__).parent
PACKAGE = [] if "site-packages" in str(importlib.util.find_spec("kvist")) else [HERE.parents[1]]
LIMIT = 300
# Kvist waits as long as a blocking command says, whatever ``socket_timeout`` is; redis-py gives up.
DIFFERENT = "test_a_late_reply_is_never_taken_for_another"
PROGRAMS = [
    # file, modules it needs, whether `redis` is to stand for kvist
    ("django_cache", ("django", "django_redis"), False),
    ("sessions", ("cachelib", "flask_session"), False),
    ("huey_app", ("huey",), False),
    ("limits_app", ("limits", "slowapi", "starlette", "httpx"), True),
    ("aio_apps", ("aiocache", "starlette", "httpx"), True),
]
SUITES = [
    # folder, module it needs, arguments of unittest, servers
    ("apps/celery", "celery", (), ("kvist",)),
    ("apps/rq", "rq", (), ("kvist",)),
    ("apps/huey", "huey", (), ("kvist",)),
    ("apps/redis_lock", "redis", (), ("redis", "kvist")),
    ("clients/redis_py", "redis", ("test_values", "test_users", "test_flow"), ("redis", "kvist")),
    ("clients/redis_py", "redis", ("test_json", "test_tls"), ("kvist",)),
    ("clients/redis_py", "redis", ("test_connections",), ("kvist",)),
]


def needs(module: str) -> list[str]:
    """What a suite needs: RQ's command line imports redis-py's Sentinel."""
    return [module, "kvist.sentinel"] if module == "rq" else [module]


def need(*modules: str) -> None:
    """Skips a test that needs what is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not here: install python/requirements-uses.txt to run it")


def environment(*folders: Any, **values: str) -> dict[str, str]:
    """What a program's environment is, with folders to import from."""
    path = os.pathsep.join(map(str, [*folders, *PACKAGE]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **values}


def run(words: list[str], cwd: Path, env: dict[str, str], limit: int = 60) -> None:
    """Runs a program to its end, which must be a good one."""
    done = subprocess.run(
        words, cwd=cwd, env=env, timeout=limit, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]


@pytest.mark.parametrize(("name", "modules", "alias"), PROGRAMS, ids=[it[0] for it in PROGRAMS])
def test_program(server: Server, name: str, modules: tuple[str, ...], alias: bool) -> None:
    need(*modules)
    if name == "django_cache" and importlib.util.find_spec("redis.sentinel") is None:
        pytest.skip("django-redis needs redis-py's modules")
    words = [sys.executable, *(["-m", "kvist.as_redis"] if alias else []), f"programs/{name}.py"]
    run(words, HERE, environment(KVIST_URL=f"redis://127.0.0.1:{server.port}/0"))


def suites() -> list[Any]:
    """Each suite with each of its servers."""
    return [
        pytest.param(*row[:3], kind, id=f"{row[0]}-{'+'.join(row[2])}-{kind}")
        for row in SUITES
        for kind in row[3]
    ]


@pytest.fixture(scope="module")
def begun(request: Any) -> Iterator[dict[Any, Future[None]]]:
    """The suites that were chosen, two at a time: they wait more than they work."""
    with ThreadPoolExecutor(2) as pool:
        found: dict[Any, Future[None]] = {}
        for item in request.session.items:
            if item.originalname == "test_suite":
                values = item.callspec.params
                key = values["folder"], values["words"], values["kind"]
                if all(importlib.util.find_spec(it) for it in needs(values["module"])):
                    found[key] = pool.submit(suite, *key)
        yield found


@pytest.mark.parametrize(("folder", "module", "words", "kind"), suites())
def test_suite(begun: Any, folder: str, module: str, words: tuple[str, ...], kind: str) -> None:
    need(*needs(module))
    begun[folder, words, kind].result()


def suite(folder: str, words: tuple[str, ...], kind: str) -> None:
    """Runs a suite against a server of its own."""
    tests = ROOT / "tests"
    server = Server(kind)
    try:
        env = environment(
            HERE / "site", tests / "apps", tests / "clients" / "redis_py",
            TEST_HOST="127.0.0.1", TEST_PORT=str(server.port), TEST_PROTOCOL="3",
            TEST_SERVER_COMMAND=f"{shlex.join(server.program)} --port {{port}}",
        )
        some = passing(tests / folder) if words == ("test_connections",) else []
        line = [sys.executable, "-m", "unittest", *words, *(f"-k{name}" for name in some)]
        run(line, tests / folder, env, LIMIT)
    finally:
        server.remove()


def passing(folder: Path) -> list[str]:
    """The names of the tests of connections that say what is so here, too."""
    lines = (folder / "test_connections.py").read_text().splitlines()
    names = [line.split("(")[0].split()[-1] for line in lines if line.startswith("    def test_")]
    assert DIFFERENT in names
    return [name for name in names if name != DIFFERENT]


def test_redis_stands_for_kvist() -> None:
    """Also for those who start Python anew, and without redis-py being touched."""
    code = (
        "import redis, redis.asyncio.client, redis.exceptions, kvist, kvist.aio\n"
        "from redis.asyncio import Redis\n"
        "assert redis.Redis is kvist.Kvist and Redis is kvist.aio.Kvist\n"
        "assert redis.exceptions.WatchError is kvist.WatchError is redis.WatchError\n"
        "assert redis.VERSION > (8,) and redis.asyncio is kvist.aio\n"
        "assert kvist.client.__spec__.name == 'kvist.client', kvist.client.__spec__\n"
        "try: import redis._parsers\n"
        "except ModuleNotFoundError: pass\n"
        "else: raise AssertionError('a private module')\n"
        "try: from redis import nonsense\n"
        "except ImportError: pass\n"
        "else: raise AssertionError('nonsense')\n"
    )
    run([sys.executable, "-c", code], HERE, environment(HERE / "site"))
    late = "import redis, kvist.as_redis\nkvist.as_redis.install()"
    done = subprocess.run(
        [sys.executable, "-c", late], env=environment(), capture_output=True, text=True, check=False
    )
    assert "RuntimeError: redis-py is imported already" in done.stderr
