"""What servers say when they are not well, what callers do at the wrong moment, and how much: the
right exception each time, a connection that is good or gone, and memory that is given back.

With ``KVIST_SOAK`` in the environment the slow ones run whole: a value of 512 MB, a million calls.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import subprocess
import sys
from typing import Any

import pytest

import kvist
import kvist.aio
from kvist.backoff import NoBackoff
from kvist.retry import Retry

from .conftest import PATIENCE, Server
from .fake import Fake, answering, proxy
from .test_pool import in_child, resident

SOAK = bool(os.environ.get("KVIST_SOAK"))
LOADING = b"-LOADING Redis is loading the dataset in memory\r\n"


def run(coroutine: Any) -> Any:
    """Runs a coroutine, which must not take for ever."""
    return asyncio.run(asyncio.wait_for(coroutine, 3 * PATIENCE))


def test_loading() -> None:
    """It is a lost connection to those who try again, and an exception of its own to the others."""
    said = itertools.count()

    def answer(words: list[bytes]) -> bytes:
        return LOADING if next(said) % 3 else b"+fine\r\n"

    async def tasks() -> None:
        async with kvist.aio.Kvist(port=fake.port, retry=Retry(NoBackoff(), 3)) as client:
            for _ in range(5):
                assert await client.execute_command("X") == b"fine"
        async with kvist.aio.Kvist(port=fake.port, retry=None) as client:
            next(said)
            with pytest.raises(kvist.BusyLoadingError, match="loading the dataset"):
                for _ in range(2):
                    await client.execute_command("X")

    with Fake(answering(answer)) as fake:
        with kvist.Kvist(port=fake.port, retry=Retry(NoBackoff(), 3)) as client:
            for _ in range(5):
                assert client.execute_command("X") == b"fine"
        with kvist.Kvist(port=fake.port, retry=None) as client:
            with pytest.raises(kvist.BusyLoadingError, match="loading the dataset") as raised:
                for _ in range(2):
                    client.execute_command("X")
            assert isinstance(raised.value, kvist.ConnectionError)
        run(tasks())


@pytest.mark.parametrize(("answer", "kind"), [
    (b"-MOVED 1234 127.0.0.1:7001\r\n", kvist.exceptions.MovedError),
    (b"-ASK 1234 127.0.0.1:7001\r\n", kvist.exceptions.AskError),
    (b"-CLUSTERDOWN The cluster is down\r\n", kvist.exceptions.ClusterDownError),
    (b"-OOM command not allowed when used memory > 'maxmemory'.\r\n", kvist.OutOfMemoryError),
    (b"-READONLY You can't write against a read only replica.\r\n", kvist.ReadOnlyError),
    (b"-NOAUTH Authentication required.\r\n", kvist.AuthenticationError),
    (b"-SOMETHING new\r\n", kvist.ResponseError),
    (b"-\r\n", kvist.ResponseError),
])
def test_refusals(answer: bytes, kind: type[Exception]) -> None:
    """Each is raised as what it is, once, by every door, and the connection stays."""
    asked = itertools.count()

    def talk(words: list[bytes]) -> bytes:
        if words[0] in (b"MULTI", b"EXEC"):
            return b"+OK\r\n" if words[0] == b"MULTI" else b"*2\r\n+OK\r\n" + answer
        if words[0] == b"FINE":
            return b"+fine\r\n"
        next(asked)
        return answer

    async def tasks() -> None:
        async with kvist.aio.Kvist(port=fake.port, retry=None) as client:
            with pytest.raises(kind):
                await client.set("k", 1)
            assert await client.execute_command("FINE") == b"fine"

    with Fake(answering(talk)) as fake:
        with kvist.Kvist(port=fake.port, retry=None) as client:
            for call in (client.ping, lambda: client.set("k", 1), lambda: client.columns("X")):
                before = next(asked)
                with pytest.raises(kind):
                    call()
                assert next(asked) == before + 2, "it was asked once"
            with client.pipeline(transaction=False) as pipe:
                pipe.execute_command("FINE").get("k").execute_command("FINE")
                if issubclass(kind, kvist.ConnectionError):
                    # As redis-py: no result of a command, so the others' are lost with it.
                    with pytest.raises(kind):
                        pipe.execute(raise_on_error=False)
                else:
                    fine, refused, also = pipe.execute(raise_on_error=False)
                    assert (fine, also) == (b"fine", b"fine") and isinstance(refused, kind)
            assert client.execute_command("FINE") == b"fine"
            assert client.connection_pool._counts() == (1, 0)
        accepted = fake.accepted
        run(tasks())
        assert fake.accepted == accepted + 1


def test_out_of_memory(own_server: Server) -> None:
    with own_server.client() as client:
        client.set("k", "v")
        client.config_set("maxmemory", 1)
        with pytest.raises(kvist.OutOfMemoryError):
            client.set("k", "w")
        with pytest.raises(kvist.OutOfMemoryError), client.pipeline() as pipe:
            pipe.get("k").set("k", "w").execute()
        with client.pipeline(transaction=False) as pipe:
            got, refused = pipe.get("k").set("k", "w").execute(raise_on_error=False)
        assert got == b"v" and isinstance(refused, kvist.OutOfMemoryError)
        assert client.get("k") == b"v"
        client.config_set("maxmemory", 0)
        assert client.set("k", "w") is True


def test_deep_nesting_and_garbage_for_tasks() -> None:
    answers: list[bytes] = []

    async def tasks() -> None:
        async with kvist.aio.Kvist(port=fake.port, protocol=2, retry=None) as client:
            for answer in (b"*1\r\n" * 400_000, b"x\r\n", b":x\r\n", b"*1099511627776\r\n", b"$-2\r\n"):
                answers.append(answer)
                # All who wait on the link are told; who comes after has another.
                waiting = [client.execute_command("X") for _ in range(3)]
                results = await asyncio.gather(*waiting, return_exceptions=True)
                assert {type(result) for result in results} == {kvist.InvalidResponse}
                answers.clear()
                assert await client.execute_command("X") == b"fine"
            answers.append(b"*1\r\n" * 500 + b":1\r\n")
            deep = await client.execute_command("X")
            for _ in range(500):
                (deep,) = deep
            assert deep == 1

    with Fake(answering(lambda _: answers[0] if answers else b"+fine\r\n")) as fake:
        run(tasks())


async def tasks_script(client: Any) -> None:
    """A few commands whose replies are of several shapes, all of them known."""
    assert await client.echo("first") == b"first"
    both = await asyncio.gather(client.hgetall("h"), client.echo("second"))
    assert both == [{b"a": b"1"}, b"second"]
    async with client.pipeline() as pipe:
        assert await pipe.echo("t1").get("k").execute() == [b"t1", b"v"]
    assert await client.echo("last") == b"last"


@pytest.mark.parametrize("protocol", [2, 3])
def test_tasks_cut_at_every_byte(server: Server, protocol: int) -> None:
    with server.client() as client:
        client.hset("h", "a", 1)
        client.set("k", "v")
    lengths: list[int] = []

    def measure(passed: int, data: bytes) -> Any:
        lengths.append(passed + len(data))
        yield data

    async def main() -> None:
        with Fake(proxy(server.port, measure)) as fake:
            async with kvist.aio.Kvist(port=fake.port, protocol=protocol, retry=None) as client:
                await tasks_script(client)
        for cut in range(max(lengths)):
            cuts = itertools.count()

            def spoil(passed: int, data: bytes) -> Any:
                if cut < passed + len(data) and next(cuts) == 0:  # noqa: B023
                    yield data[: cut - passed]  # noqa: B023
                    yield None
                for byte in data:
                    yield bytes([byte])

            with Fake(proxy(server.port, spoil)) as fake:
                async with kvist.aio.Kvist(port=fake.port, protocol=protocol, retry=None) as client:
                    with pytest.raises(kvist.ConnectionError):
                        await tasks_script(client)
                    await tasks_script(client)
                cuts = itertools.count()
                retry = Retry(NoBackoff(), 3)
                async with kvist.aio.Kvist(port=fake.port, protocol=protocol, retry=retry) as client:
                    await tasks_script(client)

    run(main())


def test_a_fork_in_the_middle_of_a_pipeline(server: Server) -> None:
    """What was queued before the fork is executed by each side for itself, on connections of its
    own."""
    with server.client() as client:
        client.set("n", 0)
        pipe = client.pipeline()
        pipe.incr("n").echo("x")

        def child() -> None:
            first, word = pipe.execute()
            assert first in (1, 2) and word == b"x"
            assert pipe.incr("n").execute()[0] in (2, 3)

        in_child(child)
        assert pipe.execute() == [3, b"x"]
        assert client.get("n") == b"3"


def test_tasks_after_close(server: Server) -> None:
    async def main() -> None:
        client = kvist.aio.Kvist(port=server.port, retry=None)
        await client.set("k", 1)
        await client.aclose()
        assert await client.get("k") == b"1", "as redis-py: it connects again"
        link = client.connection_pool.shared
        waiting = asyncio.ensure_future(client.execute_command("BLPOP", "nothing", 0))
        while not client.connection_pool._used:
            await asyncio.sleep(0.001)
        while not all(used.pending for used in client.connection_pool._used):
            await asyncio.sleep(0.001)
        await client.aclose()
        with pytest.raises(kvist.ConnectionError):
            await waiting
        assert not link.is_connected
        with pytest.raises(kvist.ConnectionError):
            link._tell("PING")

    run(main())


@pytest.mark.skipif(not SOAK, reason="takes a gigabyte and more: set KVIST_SOAK")
def test_the_largest_value(own_server: Server) -> None:
    value = b"x" * (512 * 1024 * 1024)
    with own_server.client(socket_timeout=120) as client:
        assert client.set("large", value) is True
        assert client.strlen("large") == len(value)
        assert client.get("large") == value
        assert client.columns("GET", "large")[0] == [value]


CALLS = 1_000_000 if SOAK else 20_000


def is_flat(step: Any, calls_a_step: int) -> None:
    """Whether memory stays where it is after the first tenth of the calls."""
    for _ in range(CALLS // 10 // calls_a_step):
        step()
    gc.collect()
    before = resident()
    for _ in range(CALLS // calls_a_step):
        step()
    gc.collect()
    assert resident() - before < 3072, f"KiB more after {CALLS} calls"


def test_memory_stays_flat(server: Server) -> None:
    with server.client() as client:
        client.hset("h", mapping={"a": 1, "b": 2})
        client.sadd("s", 1, 2, 3)
        client.rpush("l", *range(50))

        def step() -> None:
            client.set("k", "v")
            client.hgetall("h")
            client.smembers("s")
            client.columns("LRANGE", "l", 0, -1).to_dict()
            try:
                client.lpush("k", 1)
            except kvist.ResponseError:
                pass
            with client.pipeline() as pipe:
                pipe.get("k").incr("n").lrange("l", 0, -1).execute()

        is_flat(step, 8)


def test_memory_of_tasks_stays_flat(server: Server) -> None:
    async def main() -> None:
        async with kvist.aio.Kvist(port=server.port) as client:
            await client.rpush("l", *range(50))

            async def step() -> None:
                await asyncio.gather(
                    *(client.set(f"k{n}", n) for n in range(40)),
                    *(client.get(f"k{n}") for n in range(40)),
                    *(client.columns("LRANGE", "l", 0, -1) for _ in range(10)),
                )
                given_up = asyncio.ensure_future(client.lrange("l", 0, -1))
                await asyncio.sleep(0)
                given_up.cancel()
                async with client.pipeline() as pipe:
                    await pipe.get("k1").lrange("l", 0, -1).execute()
                await asyncio.gather(given_up, return_exceptions=True)

            for _ in range(max(CALLS // 1000, 10)):
                await step()
            gc.collect()
            before = resident()
            for _ in range(CALLS // 93):
                await step()
            gc.collect()
            assert resident() - before < 3072, f"KiB more after {CALLS} calls"

    asyncio.run(main())


def test_nothing_is_left_of_what_is_made(server: Server) -> None:
    """Memory may hide a leak of a few bytes; a count of the interpreter's blocks does not."""
    with server.client() as client:

        def piped() -> None:
            with client.pipeline() as pipe:
                pipe.incr("n").execute()

        for make in (
            kvist._core.Client, kvist._core.Link, kvist._core.Pipeline, client.pipeline, piped,
            client.connection_pool.make_connection, lambda: client.columns("PING"),
            lambda: kvist.Kvist(connection_pool=client.connection_pool),
        ):
            for _ in range(50):
                make()
            gc.collect()
            before = sys.getallocatedblocks()
            for _ in range(500):
                make()
            gc.collect()
            assert sys.getallocatedblocks() - before < 250, make


LEAVING = """
import itertools, sys, threading
import kvist, kvist.embedded

def get(client):
    client.get("x")

def pipeline(client):
    client.pipeline().get("x").get("y").execute()

def block(client):
    client.blpop("none", 0.01)

def listen(client):
    subscriber = client.pubsub()
    subscriber.subscribe("c")
    for _ in itertools.count():
        subscriber.get_message(timeout=0.001)

def fail(client):
    try:
        kvist.Kvist(port=1, retry=retry).get("x")
    except kvist.ConnectionError:
        pass

port, act = int(sys.argv[1]), globals()[sys.argv[2]]
retry = kvist.retry.Retry(kvist.backoff.ConstantBackoff(0.001), 3)
client = OPEN
started = threading.Semaphore(0)

def loop():
    for turn in itertools.count():
        if turn == 1 or act is listen:
            started.release()
        act(client)

for _ in range(4):
    threading.Thread(target=loop, daemon=True).start()
for _ in range(4):
    started.acquire()
"""


@pytest.mark.parametrize("act", ["get", "pipeline", "block", "listen", "fail"])
@pytest.mark.parametrize("door", ["server", "embedded"])
def test_an_interpreter_that_ends_while_daemons_call(server: Server, door: str, act: str) -> None:
    """It ends, and nothing aborts: a thread that comes back from waiting finds it gone."""
    if door == "embedded" and act == "listen":
        pytest.skip("one of the two is enough")
    opened = "kvist.Kvist(port=port)" if door == "server" else "kvist.embedded.open()"
    program = LEAVING.replace("OPEN", opened)
    for _ in range(5):
        words = [sys.executable, "-c", program, str(server.port), act]
        done = subprocess.run(words, capture_output=True, timeout=3 * PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        # What is embedded is closed first, and says so to threads that go on: a traceback, or as
        # much of one as is printed before the interpreter has gone.
        assert done.stderr == b"" or door == "embedded", done.stderr
        assert not any(word in done.stderr for word in (b"Fatal", b"panicked", b"Aborted"))
