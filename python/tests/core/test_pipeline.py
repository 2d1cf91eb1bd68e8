"""Pipelines and transactions, beside redis-py's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import kvist
import kvist.aio

from .conftest import PATIENCE, Server

redis = pytest.importorskip("redis")


def both(server: Server, act: Any, **values: Any) -> None:
    """The same with both libraries, each on an empty database: results, or errors' texts, must be
    the same."""
    outcomes = []
    for library in (redis, kvist):
        client = library.Redis(port=server.port, **values)
        client.flushall()
        try:
            outcome = ("ok", shown(act(client)))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other must do the same
            outcome = (type(error).__name__, str(error))
        client.close()
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[1]


def shown(value: Any) -> Any:
    """A result with errors as text, so that it can be compared."""
    if isinstance(value, list):
        return [shown(item) for item in value]
    if isinstance(value, Exception):
        return type(value).__name__, str(value)
    return value


CASES = {
    "nothing": lambda pipe: pipe,
    "shapes": lambda pipe: pipe.set("k", 1).get("k").incr("k").hset("h", "a", 1).hgetall("h")
    .sadd("s", 1, 2).smembers("s").zadd("z", {"m": 1.5}).zrange("z", 0, -1, withscores=True)
    .zscore("z", "m").expire("k", 10).exists("k", "h").type("h").mget("k", "nope").set("k", 1, nx=True)
    .hgetall("nope").smembers("nope").ping().config_get("maxmemory"),
    "an error": lambda pipe: pipe.set("k", "x").lpush("k", 1).get("k").hset("k", "a", 1),
    "a refused command": lambda pipe: pipe.set("k", "x").execute_command("NOSUCH", "a b", "x" * 200)
    .set("k", "y"),
    "wrong arity": lambda pipe: pipe.set("a", 1).execute_command("GET").set("a", 2),
    "many": lambda pipe: [pipe.set(f"k{n}", "v" * n) for n in range(2000)][-1],
    "an empty MGET": lambda pipe: pipe.set("a", 1).mget([]).get("a"),
    "a number": lambda pipe: pipe.set("a", 1).incrbyfloat("a", 0.5).getset("a", 3),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("transaction", [True, False])
@pytest.mark.parametrize("raise_on_error", [True, False])
@pytest.mark.parametrize("values", [{}, {"protocol": 2, "decode_responses": True}, {"protocol": 3}])
def test_like_redis_py(
    server: Server, name: str, transaction: bool, raise_on_error: bool, values: dict[str, Any]
) -> None:
    def act(client: Any) -> Any:
        with client.pipeline(transaction=transaction) as pipe:
            CASES[name](pipe)
            return pipe.execute(raise_on_error=raise_on_error)

    both(server, act, **values)
    both(server, lambda client: [act(client), client.get("k")], **values)


def test_watching(server: Server) -> None:
    def act(client: Any) -> Any:
        client.set("k", 1)
        seen = []
        with client.pipeline() as pipe:
            pipe.watch("k")
            seen.append(pipe.get("k"))
            pipe.multi()
            pipe.set("k", 2).get("k")
            seen.append(pipe.execute())
            pipe.watch("k", "l")
            client.set("l", 1)
            pipe.multi()
            pipe.set("k", 3)
            try:
                pipe.execute()
            except Exception as error:  # noqa: BLE001
                seen.append(error)
            seen.append(client.get("k"))
            pipe.watch("k")
            seen.append(pipe.unwatch())
            client.set("k", 9)
            seen.append(pipe.set("k", 4).execute())
            try:
                pipe.watch("k")
                pipe.multi()
                pipe.watch("k")
            except Exception as error:  # noqa: BLE001
                seen.append(error)
            try:
                pipe.multi()
            except Exception as error:  # noqa: BLE001
                seen.append(error)
        return seen

    both(server, act)


def test_a_watch_that_is_left(server: Server) -> None:
    with server.client(max_connections=1) as client:
        with client.pipeline() as pipe:
            pipe.watch("k")
            pipe.get("k")
        with client.pipeline() as pipe:
            client_free = pipe.set("k", 1).execute()
        assert client_free == [True]
        pipe = client.pipeline()
        pipe.watch("k")
        del pipe
        assert client.set("k", 2) is True


def test_transactions(server: Server) -> None:
    with server.client() as client:
        client.set("n", 0)
        tries = []

        def add(pipe: Any) -> str:
            value = int(pipe.get("n"))
            tries.append(value)
            if len(tries) < 3:
                client.incr("n")
            pipe.multi()
            pipe.set("n", value + 10)
            return "done"

        assert client.transaction(add, "n", value_from_callable=True) == "done"
        assert client.get("n") == b"12" and len(tries) == 3


def test_a_lost_connection_while_watching(own_server: Server) -> None:
    with own_server.client() as client:
        client.set("k", 1)
        with client.pipeline() as pipe:
            pipe.watch("k")
            own_server.stop()
            own_server.start()
            with pytest.raises(kvist.WatchError, match="while watching"):
                pipe.get("k")
            assert pipe.set("k", 5).get("k").execute() == [True, b"5"]


def test_scripts(server: Server) -> None:
    with server.client() as client:
        add = client.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        assert add(keys=["n"], args=[5]) == 5
        client.script_flush()
        with client.pipeline() as pipe:
            add(keys=["n"], args=[1], client=pipe)
            add(keys=["n"], args=[2], client=pipe)
            assert pipe.execute() == [6, 8]


def test_refused_arguments_leave_no_trace(server: Server) -> None:
    with server.client() as client, client.pipeline() as pipe:
        pipe.set("a", 1)
        with pytest.raises(kvist.DataError):
            pipe.set("b", object())
        assert len(pipe) == 1 and bool(pipe)
        assert pipe.command_stack == [((b"SET", b"a", b"1"), {})]
        assert pipe.execute() == [True] and len(pipe) == 0


def test_a_broken_callback(server: Server) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise LookupError

    for transaction in (True, False):
        with server.client() as client:
            client.set_response_callback("ECHO", broken)
            with client.pipeline(transaction) as pipe, pytest.raises(LookupError):
                pipe.set("k", 1).echo("x").set("k", 2).execute()
            assert client.get("k") == b"2", "and no reply of the pipeline"


def test_discard_is_queued_like_other_commands(server: Server) -> None:
    """At once while keys are watched, where there is nothing to discard; else with the others."""
    with server.client() as client:
        with client.pipeline() as pipe:
            pipe.watch("a")
            with pytest.raises(kvist.ResponseError, match="DISCARD without MULTI"):
                pipe.discard()
        with client.pipeline() as pipe:
            pipe.watch("a")
            pipe.multi()
            pipe.set("a", 1)
            pipe.discard()
            assert (len(pipe), pipe.watching) == (2, True)
            with pytest.raises(kvist.ResponseError, match="EXEC without MULTI"):
                pipe.execute()

    async def main() -> None:
        async with kvist.aio.Kvist(port=server.port) as client:
            async with client.pipeline() as pipe:
                await pipe.watch("a")
                with pytest.raises(kvist.ResponseError, match="DISCARD without MULTI"):
                    await pipe.discard()
            async with client.pipeline() as pipe:
                await pipe.watch("a")
                pipe.multi()
                pipe.set("a", 1)
                await pipe.discard()
                assert (len(pipe), pipe.watching) == (2, True)
                with pytest.raises(kvist.ResponseError, match="EXEC without MULTI"):
                    await pipe.execute()

    asyncio.run(asyncio.wait_for(main(), 3 * PATIENCE))
