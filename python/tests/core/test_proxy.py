"""A network that delays, truncates and cuts: a reply is right, or it is an error, never another's."""

from __future__ import annotations

import asyncio
import itertools
import random
import threading
import time
from typing import Any

import pytest

import kvist
import kvist.aio
from kvist.backoff import NoBackoff
from kvist.retry import Retry

from .conftest import PATIENCE, Server, answered
from .fake import Fake, proxy


def script(client: Any) -> None:
    """A few commands whose replies are of several shapes, all of them known."""
    assert client.echo("first") == b"first"
    assert client.hgetall("h") == {b"a": b"1", b"b": b"2"}
    with client.pipeline(transaction=False) as pipe:
        assert pipe.echo("p1").smembers("s").echo("p2").execute() == [b"p1", {b"x", b"y"}, b"p2"]
    with client.pipeline() as pipe:
        assert pipe.echo("t1").get("k").execute() == [b"t1", b"v"]
    assert client.echo("last") == b"last"


def prepare(server: Server) -> None:
    with server.client() as client:
        client.hset("h", mapping={"a": 1, "b": 2})
        client.sadd("s", "x", "y")
        client.set("k", "v")


@pytest.mark.parametrize("protocol", [2, 3])
def test_cut_at_every_byte(server: Server, protocol: int) -> None:
    prepare(server)
    lengths: list[int] = []

    def measure(passed: int, data: bytes) -> Any:
        lengths.append(passed + len(data))
        yield data

    with Fake(proxy(server.port, measure)) as fake:
        with kvist.Kvist(port=fake.port, protocol=protocol, retry=None) as client:
            script(client)
    for cut in range(max(lengths)):
        cuts = itertools.count()

        def spoil(passed: int, data: bytes) -> Any:
            if cut < passed + len(data) and next(cuts) == 0:  # noqa: B023
                yield data[: cut - passed]  # noqa: B023
                yield None
            yield data

        with Fake(proxy(server.port, spoil)) as fake:
            with kvist.Kvist(port=fake.port, protocol=protocol, retry=None) as client:
                with pytest.raises(kvist.ConnectionError):
                    script(client)
                # The next connection is not cut, and has nothing of the last one's.
                script(client)
            retry = Retry(NoBackoff(), 3)
            cuts = itertools.count()
            with kvist.Kvist(port=fake.port, protocol=protocol, retry=retry) as client:
                script(client)


def test_every_byte_by_itself(server: Server) -> None:
    prepare(server)

    def bytewise(_: int, data: bytes) -> Any:
        for byte in data:
            yield bytes([byte])

    with Fake(proxy(server.port, bytewise)) as fake:
        for protocol in (2, 3):
            with kvist.Kvist(port=fake.port, protocol=protocol, retry=None) as client:
                script(client)


def test_delays_beyond_the_timeout(server: Server) -> None:
    """The answer to a question that was given up must not become that to the next."""
    fast = threading.Event()

    def delay(_: int, data: bytes) -> Any:
        fast.wait(PATIENCE)
        yield data

    with Fake(proxy(server.port, delay)) as fake:
        with kvist.Kvist(port=fake.port, retry=None, socket_timeout=0.2) as client:
            for n in range(5):
                fast.set()  # what was held back comes now, too
                word = f"fast {n}".encode()
                assert answered(lambda: client.echo(word)) == word  # noqa: B023
                fast.clear()
                with pytest.raises(kvist.TimeoutError):
                    client.echo(f"slow {n}")
                with pytest.raises(kvist.TimeoutError), client.pipeline() as pipe:
                    pipe.echo("a").echo("b").execute()


def test_threads_behind_a_bad_network(server: Server) -> None:
    rng = random.Random(5)

    def spoil(_: int, data: bytes) -> Any:
        roll = rng.random()
        if roll < 0.03:
            yield data[: len(data) // 2]
            yield None
        if roll < 0.06:
            time.sleep(0.05)
        for at in range(0, len(data), 7):
            yield data[at : at + 7]

    failures: list[BaseException] = []

    def work(number: int, client: Any) -> None:
        right, until = 0, time.monotonic() + PATIENCE
        try:
            for n in itertools.count():
                if n >= 150 and right >= 20:
                    return
                assert n < 150 or time.monotonic() < until, f"{right} answers after {n} questions"
                word = f"{number}:{n}".encode()
                try:
                    assert client.echo(word) == word
                    with client.pipeline(transaction=n % 2 == 0) as pipe:
                        assert pipe.echo(word).echo(b"x").execute() == [word, b"x"]
                    right += 1
                except (kvist.ConnectionError, kvist.TimeoutError):
                    pass
        except BaseException as failure:
            failures.append(failure)

    with Fake(proxy(server.port, spoil)) as fake:
        with kvist.Kvist(port=fake.port, retry=None, socket_timeout=0.03) as client:
            threads = [threading.Thread(target=work, args=(n, client)) for n in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert not failures


def test_tasks_behind_a_bad_network(server: Server) -> None:
    rng = random.Random(6)

    def spoil(_: int, data: bytes) -> Any:
        roll = rng.random()
        if roll < 0.02:
            yield data[: len(data) // 2]
            yield None
        if roll < 0.1:
            time.sleep(0.02)
        for at in range(0, len(data), 11):
            yield data[at : at + 11]

    async def work(number: int, client: Any) -> None:
        right, until = 0, time.monotonic() + PATIENCE
        for n in itertools.count():
            if n >= 60 and right >= 5:
                return
            assert n < 60 or time.monotonic() < until, f"{right} answers after {n} questions"
            word = f"{number}:{n}".encode()
            try:
                async with asyncio.timeout(rng.choice([0.001, 0.01, 1])):
                    assert await client.echo(word) == word
                    async with client.pipeline(transaction=n % 2 == 0) as pipe:
                        assert await pipe.echo(word).echo(b"x").execute() == [word, b"x"]
                    right += 1
            except (kvist.ConnectionError, kvist.TimeoutError, asyncio.TimeoutError):
                pass

    async def main() -> None:
        with Fake(proxy(server.port, spoil)) as fake:
            async with kvist.aio.Kvist(port=fake.port, retry=None, socket_timeout=1) as client:
                await asyncio.gather(*(work(n, client) for n in range(20)))

    asyncio.run(main())
