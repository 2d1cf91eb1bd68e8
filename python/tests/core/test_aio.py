"""The client on asyncio: shared links, links of one's own, cancellation, loss."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest

import kvist
import kvist.aio
from kvist.aio.connection import BlockingConnectionPool
from kvist.backoff import NoBackoff
from kvist.retry import Retry

from .conftest import PATIENCE, Server
from .fake import Fake, answering


def looped(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test in a loop, which must not take for ever."""

    @wraps(test)
    def run(*args: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **named), 3 * PATIENCE))

    return run


def of(server: Server, **values: Any) -> Any:
    return kvist.aio.Kvist(port=server.port, **values)


@looped
async def test_commands(server: Server) -> None:
    for protocol in (None, 2, 3):
        async with of(server, protocol=protocol, decode_responses=True) as client:
            assert await client.set("k", 1) is True
            assert await client.incr("k") == 2
            await client.hset("h", mapping={"a": "1"})
            assert await client.hgetall("h") == {"a": "1"}
            await client.sadd("s", "x")
            assert await client.smembers("s") == {"x"}
            assert [key async for key in client.scan_iter("h*")] == ["h"]
            with pytest.raises(kvist.ResponseError, match="WRONGTYPE"):
                await client.lpush("k", 1)
            with pytest.raises(kvist.DataError):
                await client.set("k", None)
            assert await client.get("k") == "2"
            await client.flushall()


@looped
async def test_many_tasks_share_one_link(server: Server) -> None:
    async with of(server) as client:

        async def work(number: int) -> None:
            for n in range(50):
                word = b"%d:%d" % (number, n)
                assert await client.echo(word) == word

        await asyncio.gather(*(work(number) for number in range(100)))
        async with of(server) as other:
            mine = [it for it in await other.client_list() if it["cmd"] == "echo"]
            assert len(mine) == 1


@looped
async def test_what_blocks_has_a_link_of_its_own(server: Server) -> None:
    async with of(server) as other, of(server, socket_timeout=1, retry=None) as client:
        waiting = [asyncio.create_task(client.blpop(f"l{n}", timeout=0)) for n in range(5)]
        for _ in range(100):
            assert await client.echo("x") == b"x"
        await asyncio.sleep(1.5)  # longer than the timeout
        for n in range(5):
            await other.rpush(f"l{n}", n)
        assert await asyncio.gather(*waiting) == [
            (b"l%d" % n, b"%d" % n) for n in range(5)
        ]
        await client.execute_command("SELECT", 3)
        await client.execute_command("MULTI")
        assert await client.set("k", 1) is True


@looped
async def test_cancelled_tasks_take_nothing_away(server: Server) -> None:
    """Half of all tasks give up at some moment; a task that stays gets the reply to what it asked."""
    rng = random.Random(7)
    async with of(server) as client:

        async def ask(word: bytes) -> None:
            assert await client.echo(word) == word

        async def ask_many(word: bytes) -> None:
            async with client.pipeline(transaction=rng.random() < 0.5) as pipe:
                assert await pipe.echo(word).echo(b"x").execute() == [word, b"x"]

        async def wait_for_nothing(word: bytes) -> None:
            await client.blpop(word, timeout=0)

        for round_number in range(30):
            tasks = []
            for n in range(40):
                kind = rng.choice([ask, ask, ask_many, wait_for_nothing])
                tasks.append((kind, asyncio.create_task(kind(b"%d:%d" % (round_number, n)))))
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            for kind, task in tasks:
                if kind is wait_for_nothing or rng.random() < 0.5:
                    task.cancel()
            for result in await asyncio.gather(*(task for _, task in tasks), return_exceptions=True):
                assert result is None or isinstance(result, asyncio.CancelledError), result
        assert await client.echo("end") == b"end"
        assert not client.connection_pool._used


@looped
async def test_timeouts(server: Server) -> None:
    silent = asyncio.Event()

    def answer(words: list[bytes]) -> bytes:
        return b"" if words[0] == b"SILENT" else b"+%s\r\n" % words[0]

    with Fake(answering(answer)) as fake:
        async with kvist.aio.Kvist(port=fake.port, socket_timeout=1, retry=None) as client:
            assert await client.execute_command("A") == b"A"
            with pytest.raises(kvist.TimeoutError):
                await client.execute_command("SILENT")
            # The link was closed: its next reply would have been the wrong one.
            assert await client.execute_command("B") == b"B"
            assert fake.accepted == 2
    silent.set()


@looped
async def test_restart(own_server: Server) -> None:
    async with of(own_server) as client:
        await client.set("k", 1)
        own_server.stop()
        own_server.start()
        results = await asyncio.gather(*(client.get("k") for _ in range(50)))
        assert results == [None] * 50
    own_server.stop()
    async with of(own_server, retry=Retry(NoBackoff(), 2)) as client:
        with pytest.raises(kvist.ConnectionError, match="connecting to localhost"):
            await client.get("k")


@looped
async def test_pipelines(server: Server) -> None:
    async with of(server) as client:
        async with client.pipeline() as pipe:
            assert await pipe.set("k", 1).incr("k").get("k").execute() == [True, 2, b"2"]
            with pytest.raises(kvist.ResponseError, match=r"Command # 2 \(LPUSH k 1\) of pipeline"):
                await pipe.set("k", 1).lpush("k", 1).execute()
            got = await pipe.lpush("k", 1).get("k").execute(raise_on_error=False)
            assert isinstance(got[0], kvist.ResponseError) and got[1] == b"1"
            assert await pipe.execute() == []
        async with client.pipeline(transaction=False) as pipe:
            for n in range(1000):
                pipe.echo(n)
            assert await pipe.execute() == [b"%d" % n for n in range(1000)]
        async with client.pipeline() as pipe:
            await pipe.watch("k")
            value = int(await pipe.get("k"))
            pipe.multi()
            pipe.set("k", value + 1)
            assert await pipe.execute() == [True]
            await pipe.watch("k")
            await client.set("k", 9)
            pipe.multi()
            with pytest.raises(kvist.WatchError):
                await pipe.set("k", 10).execute()
        assert await client.get("k") == b"9"

        async def add(pipe: Any) -> None:
            value = int(await pipe.get("k"))
            pipe.multi()
            pipe.set("k", value + 1)

        await asyncio.gather(*(client.transaction(add, "k") for _ in range(5)))
        assert await client.get("k") == b"14"
        script = client.register_script("return ARGV[1]")
        await client.script_flush()
        assert await script(args=["x"]) == b"x"
        async with client.pipeline() as pipe:
            await script(args=["y"], client=pipe)
            assert await pipe.execute() == [b"y"]


@looped
async def test_subscriptions(server: Server) -> None:
    for values in ({}, {"protocol": 2}, {"decode_responses": True}):
        async with of(server, **values) as client:
            async with client.pubsub() as listener:
                handled: list[Any] = []
                await listener.subscribe("a", h=handled.append)
                await listener.psubscribe("p*")
                kinds = [(await listener.get_message(timeout=5))["type"] for _ in range(3)]
                assert kinds == ["subscribe", "subscribe", "psubscribe"]
                for channel in ("a", "px", "h"):
                    await client.publish(channel, "m")
                got = [await listener.get_message(timeout=5) for _ in range(3)]
                assert [message and message["type"] for message in got] == ["message", "pmessage", None]
                assert len(handled) == 1
                assert await listener.get_message(timeout=0.01) is None
                await listener.unsubscribe()
                await listener.punsubscribe()
                assert [
                    (await listener.get_message(timeout=5))["type"] for _ in range(3)
                ] == ["unsubscribe", "unsubscribe", "punsubscribe"]
                assert not listener.subscribed


@looped
async def test_a_lost_subscription(own_server: Server) -> None:
    async with of(own_server) as client, client.pubsub() as listener:
        await listener.subscribe("c")
        await listener.get_message(timeout=5)
        own_server.stop()
        own_server.start()
        messages = listener.listen()
        assert (await anext(messages))["type"] == "subscribe"
        await client.publish("c", "x")
        assert (await anext(messages))["data"] == b"x"


@looped
async def test_locks(server: Server) -> None:
    async with of(server) as client:
        inside = 0

        async def work() -> None:
            nonlocal inside
            async with client.lock("lock", timeout=20, sleep=0.001):
                inside += 1
                await asyncio.sleep(0)
                assert inside == 1
                inside -= 1

        await asyncio.gather(*(work() for _ in range(10)))


@looped
async def test_one_connection(server: Server) -> None:
    async with of(server) as other, of(server, single_connection_client=True) as client:
        number = await client.client_id()
        assert await asyncio.gather(*(client.client_id() for _ in range(5))) == [number] * 5
        waiting = asyncio.create_task(client.blpop("nothing", timeout=0))
        while not any(int(it["id"]) == number and "b" in it["flags"] for it in await other.client_list()):
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert await client.echo("x") == b"x"


@looped
async def test_waiting_for_a_link(server: Server) -> None:
    pool = BlockingConnectionPool(max_connections=2, timeout=PATIENCE, port=server.port)
    client = kvist.aio.Kvist.from_pool(pool)
    assert await asyncio.gather(*(client.blpop("nothing", timeout=0.05) for _ in range(6))) == [None] * 6
    pool.timeout = 0.05
    held = [await pool.get_connection() for _ in range(2)]
    with pytest.raises(kvist.ConnectionError, match="No connection available"):
        await pool.get_connection()
    for link in held:
        await pool.release(link)
    await client.aclose()


def test_several_loops(server: Server) -> None:
    client = of(server)
    for _ in range(3):
        assert asyncio.run(client.echo("x")) == b"x"


@looped
async def test_monitor(server: Server) -> None:
    async with of(server) as client, client.monitor() as monitor:
        await client.set("k", "v")
        async for command in monitor.listen():
            if command["command"] == "SET k v":
                break


@looped
async def test_users(server: Server) -> None:
    async with of(server) as client:
        await client.acl_setuser("bob", enabled=True, passwords=["+pw"], keys=["*"], commands=["+@all"])
        for protocol in (None, 2, 3):
            async with of(server, username="bob", password="pw", protocol=protocol, db=2) as bob:
                assert await bob.acl_whoami() in ("bob", b"bob")
                assert (await bob.client_info())["db"] == 2
            async with of(server, username="bob", password="no", protocol=protocol) as bob:
                with pytest.raises(kvist.AuthenticationError):
                    await bob.ping()
        await client.acl_deluser("bob")
    async with kvist.aio.from_url(f"unix://{server.socket}?db=1") as client:
        assert await client.ping() is True
