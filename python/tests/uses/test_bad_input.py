"""What goes wrong, as a user sees it: redis-py's exception, and never another's reply."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import socket
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import redis
import redis.backoff
import redis.retry

import kvist
import kvist.aio
from core.conftest import PATIENCE, Server, eventually
from core.fake import Fake, answering, proxy, requests
from kvist.aio.retry import Retry as AsyncRetry
from kvist.backoff import NoBackoff
from kvist.retry import Retry

ONCE = {"retry": None, "socket_timeout": 5}


def outcome(act: Callable[[], Any]) -> tuple[str, Any]:
    """What came of it: a value, or an exception's name and text."""
    try:
        return "value", act()
    except Exception as error:
        return type(error).__name__, str(error)


async def aio_outcome(port: int, **values: Any) -> tuple[str, Any]:
    """The same for a client on asyncio."""
    async with kvist.aio.Kvist(port=port, **{**ONCE, **values}) as client:
        try:
            return "value", await client.get("k")
        except Exception as error:
            return type(error).__name__, str(error)


REFUSALS = [
    b"ERR unknown command 'NOPE', with args beginning with: ",
    b"LOADING Redis is loading the dataset in memory",
    b"OOM command not allowed when used memory > 'maxmemory'.",
    b"READONLY You can't write against a read only replica.",
    b"NOSCRIPT No matching script. Please use EVAL.",
    b"EXECABORT Transaction discarded because of previous errors.",
    b"NOAUTH Authentication required.",
    b"WRONGPASS invalid username-password pair or user is disabled.",
    b"NOPERM this user has no permissions to run the 'get' command",
    b"WRONGTYPE Operation against a key holding the wrong kind of value",
    b"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    b"CLUSTERDOWN The cluster is down",
    b"TRYAGAIN Multiple keys request during rehashing of slot",
    b"CROSSSLOT Keys in request don't hash to the same slot",
    b"MOVED 1234 127.0.0.1:7000",
    b"ASK 1234 127.0.0.1:7000",
    b"BUSY Redis is busy running a script.",
    b"ERR max number of clients reached",
    b"ERR invalid password",
    b"ERR value is not an integer or out of range",
    b"lowercase",
    b"",
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda it: it.split(b" ")[0].decode() or "-")
def test_refusals_are_the_exceptions_of_redis_py(refusal: bytes) -> None:
    with Fake(answering(lambda _: b"-" + refusal + b"\r\n")) as fake:
        with redis.Redis(port=fake.port, retry=None, protocol=2) as theirs:
            expected = outcome(lambda: theirs.get("k"))
        with kvist.Kvist(port=fake.port, **ONCE) as ours:
            assert outcome(lambda: ours.get("k")) == expected
            assert outcome(lambda: ours.pipeline(False).get("k").execute())[0] == expected[0]
        assert asyncio.run(aio_outcome(fake.port)) == expected


BROKEN = [
    b"x", b"?\r\n", b"$-5\r\n", b"$abc\r\n", b"*-7\r\n", b":12x\r\n", b"$3\r\nabcd\r\n",
    b"*2\r\n:1\r\n!\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00\x00\x00\x00\r\n", b"$99999999999999999999\r\n",
    b"*1\r\n" * 100_000, b"%1\r\n+a\r\n" * 50_000, b"$536870913\r\n",
]


@pytest.mark.parametrize("answer", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_reply(answer: bytes) -> None:
    """Nothing is made of it, and the next question gets its own answer on a new connection."""
    for then in ("silent", "closed"):
        asked: set[bytes] = set()  # each key is answered badly once, whichever thread is asked then

        def talk(connection: socket.socket) -> None:
            for words in requests(connection):
                if words[0] == b"HELLO":
                    connection.sendall(b"-ERR unknown command\r\n")
                elif words[0] == b"CLIENT":
                    connection.sendall(b"+OK\r\n")
                elif words[1] not in asked:  # noqa: B023
                    asked.add(words[1])  # noqa: B023
                    connection.sendall(answer)
                    if then == "closed":  # noqa: B023
                        return
                else:
                    connection.sendall(b"$5\r\nright\r\n")

        failures = (kvist.InvalidResponse, kvist.ConnectionError, kvist.TimeoutError)
        with Fake(talk) as fake:
            with kvist.Kvist(port=fake.port, retry=None, socket_timeout=1) as client:
                with pytest.raises(failures):
                    client.get("one")
                assert [client.get("one") for _ in range(3)] == [b"right"] * 3
                with pytest.raises(failures), client.pipeline(transaction=False) as pipe:
                    pipe.get("two").get("two").execute()
                assert client.get("two") == b"right"

            async def main() -> None:
                port = fake.port  # noqa: B023
                async with kvist.aio.Kvist(port=port, retry=None, socket_timeout=1) as client:
                    with pytest.raises(failures):
                        await client.get("three")
                    assert [await client.get("three") for _ in range(3)] == [b"right"] * 3

            asyncio.run(main())


def test_a_reply_without_a_request() -> None:
    """One request, two replies: the second answers none."""

    def answer(words: list[bytes]) -> bytes:
        right = b"$%d\r\n%s\r\n" % (len(words[-1]), words[-1])
        return right + b"$5\r\nwrong\r\n"

    with Fake(answering(answer)) as fake:
        with kvist.Kvist(port=fake.port, **ONCE) as client:
            for n in range(20):
                assert client.echo(f"{n}") == f"{n}".encode()

        async def main() -> None:
            async with kvist.aio.Kvist(port=fake.port, **ONCE) as client:
                for n in range(20):
                    try:
                        assert await client.echo(f"{n}") == f"{n}".encode()
                    except (kvist.ConnectionError, kvist.InvalidResponse):
                        pass

        asyncio.run(main())


def test_a_late_reply_without_a_request() -> None:
    """The same where the second comes by itself, before the next request."""

    def talk(connection: socket.socket) -> None:
        for words in requests(connection):
            if words[0] == b"ECHO":
                connection.sendall(b"$%d\r\n%s\r\n" % (len(words[-1]), words[-1]))
                threading.Event().wait(0.05)
                connection.sendall(b"$5\r\nwrong\r\n")
            else:
                connection.sendall(b"+OK\r\n")

    with Fake(talk) as fake:
        for library in (redis, kvist):
            with library.Redis(port=fake.port, protocol=2, **ONCE) as client:
                assert client.echo("a") == b"a"
                threading.Event().wait(0.2)
                assert client.echo("b") == b"b", library


def test_a_server_that_accepts_and_says_nothing() -> None:
    with Fake(lambda connection: connection.recv(1 << 20) and connection.recv(1)) as fake:
        for library in (redis, kvist):
            client = library.Redis(
                port=fake.port, socket_timeout=0.1, socket_connect_timeout=100, retry=None
            )
            began = time.monotonic()
            with client, pytest.raises(library.TimeoutError):
                client.ping()
            assert time.monotonic() - began < 50, library
        began = time.monotonic()
        values = {"socket_timeout": 0.1, "socket_connect_timeout": 100}
        assert asyncio.run(aio_outcome(fake.port, **values))[0] == "TimeoutError"
        assert time.monotonic() - began < 50


def test_a_late_reply_while_keys_are_watched() -> None:
    """Nothing is executed on the strength of it, and a client that watched must begin again."""

    def talk(connection: socket.socket) -> None:
        for words in requests(connection):
            connection.sendall(b"+OK\r\n")
            if words[0] == b"WATCH":
                threading.Event().wait(0.05)
                connection.sendall(b"$5\r\nwrong\r\n")

    with Fake(talk) as fake, kvist.Kvist(port=fake.port, protocol=2, **ONCE) as client:
        with client.pipeline() as pipe:
            pipe.watch("k")
            threading.Event().wait(0.2)
            with pytest.raises((kvist.ConnectionError, kvist.WatchError)):
                pipe.get("k")


def test_a_retry_with_ways_of_its_own() -> None:
    """A class based on ``Retry`` decides, for whatever is executed and as in redis-py."""
    for library, base, none in (
        (redis, redis.retry.Retry, redis.backoff.NoBackoff),
        (kvist, Retry, NoBackoff),
    ):
        calls: list[str] = []

        class Own(base):  # type: ignore[misc, valid-type]
            def __deepcopy__(self, _: Any) -> Any:
                return self

            def call_with_retry(self, do: Any, fail: Any, *args: Any, **values: Any) -> Any:
                calls.append("called")  # noqa: B023
                return super().call_with_retry(do, fail, *args, **values)

        turns = itertools.count()

        def talk(connection: socket.socket) -> None:
            for words in requests(connection):
                if words[0] == b"GET" and next(turns) % 2 == 0:  # noqa: B023
                    return
                connection.sendall(b"$1\r\nv\r\n" if words[0] == b"GET" else b"+OK\r\n")

        with Fake(talk) as fake:
            values = {"port": fake.port, "protocol": 2, "retry": Own(none(), 1)}
            with library.Redis(**values) as client:
                assert client.get("k") == b"v"
                assert calls, library
                calls.clear()
                assert client.pipeline(transaction=False).get("k").execute() == [b"v"]
                assert calls, library
                client.get("k")  # a connection is there now
                with client.pipeline() as pipe:
                    calls.clear()
                    pipe.watch("k")
                    assert calls, library
            with library.Redis(single_connection_client=True, **values) as client:
                calls.clear()
                assert client.get("k") == b"v"
                assert calls, library


def test_a_retry_that_says_what_is_worth_it() -> None:
    class Own(Retry):
        def is_worth(self, error: Exception) -> bool:
            return isinstance(error, kvist.ResponseError)

    class AsyncOwn(AsyncRetry):
        calls = 0

        async def call_with_retry(self, do: Any, fail: Any, **values: Any) -> Any:
            type(self).calls += 1
            return await super().call_with_retry(do, fail, **values)

        is_worth = Own.is_worth

    turns = itertools.count(1)

    def answer(words: list[bytes]) -> bytes:
        if words[0] != b"GET":
            return b"+OK\r\n"
        return b"$1\r\nv\r\n" if next(turns) % 3 == 0 else b"-ERR busy\r\n"

    with Fake(answering(answer)) as fake:
        for single in (False, True):
            values = {"protocol": 2, "single_connection_client": single}
            with kvist.Kvist(port=fake.port, retry=Own(NoBackoff(), 2), **values) as client:
                assert client.get("k") == b"v"
        chosen = AsyncOwn(NoBackoff(), 2)
        assert asyncio.run(aio_outcome(fake.port, protocol=2, retry=chosen)) == ("value", b"v")
        assert AsyncOwn.calls
        with kvist.Kvist(port=fake.port, protocol=2, retry=Own(NoBackoff(), 1)) as client:
            with pytest.raises(kvist.ResponseError):
                client.get("k")
    # What is not worth it to this one is not tried again, though to others it is.
    turns = itertools.count()

    def hang_up(connection: socket.socket) -> None:
        for words in requests(connection):
            if words[0] == b"GET":
                next(turns)
                return
            connection.sendall(b"+OK\r\n")

    with Fake(hang_up) as fake:
        with kvist.Kvist(port=fake.port, protocol=2, retry=Own(NoBackoff(), 5)) as client:
            with pytest.raises(kvist.ConnectionError):
                client.get("k")
    assert next(turns) == 1


def test_a_connection_that_two_threads_use(server: Server) -> None:
    """The second is told what is wrong, and the first gets its reply."""
    with server.client() as client:
        connection = client.connection_pool.get_connection()
        name = f"two-{uuid.uuid4()}"
        replies: list[Any] = []

        def wait() -> None:
            connection.send_command("BLPOP", name, 0)
            replies.append(connection.read_response(timeout=20))

        waiting = threading.Thread(target=wait)
        waiting.start()
        try:
            eventually(lambda: client.info("clients")["blocked_clients"])
            for act in (
                lambda: connection.send_command("PING"),
                lambda: connection.read_response(),
                lambda: connection.can_read(),
                lambda: connection.is_connected,
                lambda: connection.disconnect(),
                lambda: client.connection_pool.release(connection),
            ):
                with pytest.raises(RuntimeError, match="each thread needs a connection of its own"):
                    act()
        finally:
            client.rpush(name, "v")
            waiting.join(20)
        assert replies == [[name.encode(), b"v"]]
        client.connection_pool.release(connection)


def test_by_hand_replies_may_be_read_late(server: Server) -> None:
    """Two requests before a read get their own replies, and so does a subscriber."""
    with server.client(protocol=2, health_check_interval=0) as client:
        connection = client.connection_pool.get_connection()
        for n in range(2):
            connection.send_command("ECHO", n)
            eventually(lambda: connection.can_read(timeout=0.1))
        assert [connection.read_response() for _ in range(2)] == [b"0", b"1"]
        connection.send_command("SUBSCRIBE", "late")
        assert connection.read_response()[0] == b"subscribe"
        client.publish("late", "m")
        eventually(lambda: connection.can_read(timeout=0.1))
        connection.send_command("UNSUBSCRIBE", "late")
        assert [connection.read_response()[0] for _ in range(2)] == [b"message", b"unsubscribe"]
        connection.disconnect()
        client.connection_pool.release(connection)


def test_loading_is_waited_for() -> None:
    """The default tries again, as redis-py's does; who wants no other try gets the exception."""
    for library in (redis, kvist):
        turns = itertools.count()

        def answer(_: list[bytes]) -> bytes:
            busy = b"-LOADING Redis is loading the dataset in memory\r\n"
            return busy if next(turns) < 3 else b"$1\r\nv\r\n"  # noqa: B023

        with Fake(answering(answer)) as fake, library.Redis(port=fake.port, protocol=2) as client:
            assert client.get("k") == b"v"
    with Fake(answering(lambda _: b"-LOADING wait\r\n")) as fake:
        with kvist.Kvist(port=fake.port, retry=Retry(NoBackoff(), 2)) as client:
            with pytest.raises(kvist.BusyLoadingError):
                client.get("k")


def test_no_server_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with redis.Redis(port=port, retry=None) as theirs, kvist.Kvist(port=port, retry=None) as ours:
        name, text = outcome(theirs.ping)
        assert outcome(ours.ping)[0] == name == "ConnectionError"
        assert "Error 111 connecting to" in text
        assert "Error 111 connecting to" in outcome(ours.ping)[1]
    assert asyncio.run(aio_outcome(port))[0] == "ConnectionError"
    client = kvist.Kvist(host="no-such-host.invalid", retry=None)
    with pytest.raises(kvist.ConnectionError):
        client.ping()


def test_the_server_dies_in_every_state(own_server: Server) -> None:
    """Idle, in a pipeline, while watching, while blocked, while subscribed; and comes back."""
    server = own_server
    with server.client(retry=None, socket_timeout=20) as client:
        client.set("k", 1)
        news = client.pubsub()
        news.subscribe("c")
        assert news.get_message(timeout=20)["type"] == "subscribe"
        watcher = client.pipeline()
        watcher.watch("k")
        watcher.multi()
        watcher.incr("k")
        blocked: list[Any] = []

        def block() -> None:
            blocked.append(outcome(lambda: client.blpop("none", timeout=20)))

        thread = threading.Thread(target=block)
        thread.start()
        eventually(lambda: server.client().info("clients")["blocked_clients"] == 1)
        server.stop()
        thread.join(20)
        assert blocked[0][0] == "ConnectionError"
        filled = client.pipeline().get("k")
        for act in (client.ping, filled.execute, lambda: news.get_message(timeout=5)):
            with pytest.raises(kvist.ConnectionError):
                act()
        with pytest.raises((kvist.WatchError, kvist.ConnectionError)):
            watcher.execute()
        server.start()
        assert client.get("k") is None
        assert client.pipeline().set("k", 2).get("k").execute() == [True, b"2"]


def test_out_of_memory(own_server: Server) -> None:
    with own_server.client() as client, redis.Redis(port=own_server.port) as theirs:
        client.config_set("maxmemory", 1)
        expected = outcome(lambda: theirs.set("k", "v"))
        assert outcome(lambda: client.set("k", "v")) == expected
        assert expected[0] == "OutOfMemoryError"
        with client.pipeline() as ours, theirs.pipeline() as pipe:
            act = ours.set("k", "v").get("k").execute
            assert outcome(act) == outcome(pipe.set("k", "v").get("k").execute)
        with pytest.raises(kvist.ResponseError):  # it is one
            client.set("k", "v")


def test_a_fork_with_a_pipeline_half_full(server: Server) -> None:
    """Parent and child both execute it, over connections of their own."""
    with server.client() as client:
        pipe = client.pipeline()
        pipe.rpush("who", "parent-or-child").incr("n")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                replies = pipe.execute()
                os.write(writer, repr([replies, client.echo("child")]).encode())
            except BaseException as error:
                os.write(writer, repr(error).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        said = os.read(reader, 4096).decode()
        os.close(reader)
        assert said == repr([[1, 1], b"child"])
        assert pipe.execute() == [2, 2]
        assert client.echo("parent") == b"parent"


def test_a_fork_while_watching(server: Server) -> None:
    """What the parent watches the child does not: it is told, and harms nothing."""
    with server.client() as client:
        client.set("k", 1)
        pipe = client.pipeline()
        pipe.watch("k")
        pipe.multi()
        pipe.incr("k")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.write(writer, outcome(pipe.execute)[0].encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        assert os.read(reader, 100).decode() in ("WatchError", "ConnectionError")
        os.close(reader)
        assert pipe.execute() == [2]


def test_use_after_close(server: Server) -> None:
    """As with redis-py, a closed client connects again."""
    for library in (redis, kvist):
        client = library.Redis(port=server.port)
        client.set("k", "v")
        pipe, news = client.pipeline(), client.pubsub()
        news.subscribe("c")
        client.close()
        client.close()
        assert client.get("k") == b"v"
        assert pipe.get("k").execute() == [b"v"]
        news.close()
        with pytest.raises(RuntimeError, match="did you forget to call subscribe"):
            news.parse_response()
        assert news.get_message() is None
        client.close()

    async def main() -> None:
        client = kvist.aio.Kvist(port=server.port)
        await client.set("k", "v")
        await client.aclose()
        await client.aclose()
        assert await client.get("k") == b"v"
        await client.aclose()

    asyncio.run(main())


def test_cancelled_in_every_place(server: Server) -> None:
    """Tasks cancelled at random: a task that gets a reply gets its own."""
    rng = random.Random(11)

    async def ask(client: Any, n: int) -> None:
        word = f"{n}".encode()
        kind = n % 5
        if kind == 0:
            assert await client.echo(word) == word
        elif kind == 1:
            async with client.pipeline(transaction=n % 2 == 0) as pipe:
                assert await pipe.echo(word).echo(b"x").execute() == [word, b"x"]
        elif kind == 2:
            assert await client.blpop(f"none{n}", timeout=0) == 0  # never: it is cancelled
        elif kind == 3:
            async with client.lock(f"lock{uuid.uuid4()}", timeout=5):
                assert await client.echo(word) == word
        else:
            async with client.pipeline() as pipe:
                await pipe.watch("k")
                assert await pipe.echo(word) == word
                pipe.multi()
                assert await pipe.echo(word).execute() == [word]

    async def main() -> None:
        async with kvist.aio.Kvist(port=server.port) as client:
            for _ in range(10):
                tasks = [asyncio.ensure_future(ask(client, n)) for n in range(50)]
                for task in tasks:
                    await asyncio.sleep(rng.choice([0, 0, 0.0005]))
                    rng.choice(tasks).cancel()
                    if task.get_name().endswith("7"):
                        task.cancel()
                for n, task in enumerate(tasks):
                    if n % 5 == 2:
                        task.cancel()
                found = await asyncio.gather(*tasks, return_exceptions=True)
                wrong = [it for it in found if isinstance(it, Exception)]
                assert not wrong, wrong
            assert await client.echo("end") == b"end"

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(3))
def test_a_network_that_mixes_up_what_it_carries(server: Server, seed: int) -> None:
    """Pieces of a reply in another order, twice, or not at all. No client can tell replies of
    the same form apart that come in another order, so what is asked for here has a form of its own:
    a value whose end says what its beginning is."""
    rng = random.Random(seed)
    spoiling = threading.Event()

    def spoil(_: int, data: bytes) -> Any:
        pieces = [data[at : at + 16] for at in range(0, len(data), 16)]
        if spoiling.is_set() and rng.random() < 0.3:
            roll = rng.randrange(3)
            at = rng.randrange(len(pieces))
            if roll == 0:
                rng.shuffle(pieces)
            elif roll == 1:
                pieces.insert(at, pieces[at])
            else:
                del pieces[at]
        yield from pieces

    lost = (kvist.ConnectionError, kvist.TimeoutError, kvist.InvalidResponse, kvist.ResponseError)
    right, until = 0, time.monotonic() + PATIENCE
    with Fake(proxy(server.port, spoil)) as fake:
        with kvist.Kvist(port=fake.port, retry=None, socket_timeout=0.1) as client:
            for n in itertools.count():
                if n >= 60 and right > 10:
                    break
                assert n < 60 or time.monotonic() < until, f"{right} answers after {n} questions"
                # Its length is of one reply only: what is left over of another does not fit.
                word = (f"{n}:" + "ab" * (20 + n)).encode()
                spoiling.clear() if n % 10 == 9 else spoiling.set()
                try:
                    found = client.echo(word)
                except lost:
                    continue
                assert len(found) == len(word)
                assert n % 10 != 9 or found == word
                right += found == word


def test_a_slow_reply_and_many_threads(server: Server) -> None:
    """Timeouts in some threads take nothing from the others."""
    rng = random.Random(3)

    def spoil(_: int, data: bytes) -> Any:
        if rng.random() < 0.05:
            threading.Event().wait(0.2)
        yield data

    failures: list[BaseException] = []

    def work(number: int, client: Any) -> None:
        right, until = 0, time.monotonic() + PATIENCE
        for n in itertools.count():
            if failures or (n >= 80 and right >= 20):
                return
            word = f"{number}.{n}".encode()
            try:
                assert n < 80 or time.monotonic() < until, f"{right} answers after {n} questions"
                assert client.echo(word) == word
                right += 1
            except kvist.TimeoutError:
                pass
            except BaseException as error:
                failures.append(error)

    with Fake(proxy(server.port, spoil)) as fake:
        with kvist.Kvist(port=fake.port, retry=None, socket_timeout=0.1) as client:
            threads = [threading.Thread(target=work, args=(n, client)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert not failures, failures[0]
