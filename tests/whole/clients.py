"""Checks with client libraries of Redis."""

from .environments import go_here, node_with, python_with, python_with_redis
from .places import CLIENTS, TARGET
from .registry import check
from .servers import against_server


@check("redis-py-2", soaks=True, waits=True)
def check_redis_py_2(job):
    """Does redis-py work, speaking RESP2?"""
    redis_py(job, 2)


@check("redis-py-3", soaks=True, waits=True)
def check_redis_py_3(job):
    """Does redis-py work, speaking RESP3?"""
    redis_py(job, 3)


def redis_py(job, protocol):
    """The tests in tests/clients/redis_py."""
    python = python_with_redis(job)
    against_server(job, protocol, [python, "-m", "unittest", "-v"], CLIENTS / "redis_py")


@check("falkordb-py", soaks=True)
def check_falkordb_py(job):
    """Does FalkorDB's client work?"""
    folder = CLIENTS / "falkordb_py"
    python = python_with(job, TARGET / "venv-falkordb", folder / "requirements.txt")
    against_server(job, 2, [python, "-m", "unittest", "-v"], folder)


@check("ioredis", soaks=True)
def check_ioredis(job):
    """Does ioredis work, speaking RESP2 and RESP3?"""
    folder = CLIENTS / "ioredis"
    node = node_with(job, folder)
    for protocol in (2, 3):
        against_server(job, protocol, [node, "--test", "--test-concurrency=1"], folder)


@check("go-redis", soaks=True)
def check_go_redis(job):
    """Does go-redis work, speaking RESP2 and RESP3?"""
    go, folder = go_here(job), CLIENTS / "goredis"
    for protocol in (2, 3):
        against_server(job, protocol, [go, "test", "-count=1", "-v", "./..."], folder)
