"""Threads, forks, limits, signals: connections are used by one at a time, and never in doubt."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import traceback
from typing import Any

import pytest

import kvist
import kvist.aio
import kvist.connection
from kvist.connection import BlockingConnectionPool, Connection, ConnectionPool

from .conftest import Server


def in_threads(count: int, work: Any) -> None:
    """Runs a function in many threads; raises what any of them raised."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def in_child(work: Any) -> None:
    """Runs a function in a forked process; fails if it fails there, or hangs."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(20)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_threads(server: Server) -> None:
    with server.client() as client:

        def work(number: int) -> None:
            for n in range(200):
                word = b"%d:%d" % (number, n)
                assert client.echo(word) == word
                client.incr("count")
                if n % 20 == 0:
                    with client.pipeline() as pipe:
                        assert pipe.echo(word).incr("count").execute()[0] == word

        in_threads(8, work)
        assert client.get("count") == b"%d" % (8 * 210)
        assert client.connection_pool._counts()[1] == 0


def test_one_connection_for_threads(server: Server) -> None:
    with server.client(single_connection_client=True) as client:

        def work(number: int) -> None:
            for n in range(100):
                assert client.echo(f"{number}:{n}") == f"{number}:{n}".encode()

        in_threads(4, work)


def test_limit(server: Server) -> None:
    with server.client(max_connections=2) as client:
        pool = client.connection_pool
        held = [pool.get_connection(), pool.get_connection()]
        with pytest.raises(kvist.MaxConnectionsError):
            client.get("k")
        pool.release(held.pop())
        assert client.get("k") is None
        pool.release(held.pop())
        assert pool._counts() == (2, 0)


def test_a_failed_connection_does_not_count(own_server: Server) -> None:
    own_server.stop()
    with own_server.client(max_connections=1, retry=None) as client:
        for _ in range(5):
            with pytest.raises(kvist.ConnectionError):
                client.get("k")
        own_server.start()
        assert client.get("k") is None


def test_waiting_for_a_connection(server: Server) -> None:
    with BlockingConnectionPool(max_connections=2, timeout=10, port=server.port) as pool:
        client: Any = kvist.Kvist(connection_pool=pool)

        def work(number: int) -> None:
            for n in range(50):
                assert client.echo(f"{number}:{n}") == f"{number}:{n}".encode()

        in_threads(8, work)
    with BlockingConnectionPool(max_connections=1, timeout=0.05, port=server.port) as pool:
        held = pool.get_connection()
        with pytest.raises(kvist.ConnectionError, match="No connection available"):
            pool.get_connection()
        threading.Timer(0.05, pool.release, (held,)).start()
        pool.timeout = 10
        pool.release(pool.get_connection())


def test_pool_by_hand(server: Server) -> None:
    class Named(Connection):
        made = 0

        def connect(self) -> None:
            super().connect()
            Named.made += 1

    with ConnectionPool(connection_class=Named, port=server.port, db=1) as pool:
        client: Any = kvist.Kvist(connection_pool=pool)
        assert client.set("k", 1) is True and Named.made >= 1
        assert kvist.Kvist.from_pool(pool).get("k") == b"1"


def test_disconnect_while_in_use(server: Server) -> None:
    with server.client() as client:
        held = client.connection_pool.get_connection()
        client.connection_pool.disconnect()
        client.connection_pool.release(held)
        assert not held.is_connected
        assert client.ping() is True
        assert client.connection_pool._counts() == (1, 0)


def test_fork(server: Server) -> None:
    with server.client() as client:
        client.set("k", "parent")
        subscriber = client.pubsub()
        subscriber.subscribe("c")
        held = client.pipeline()
        held.watch("k")
        held.multi()
        held.set("k", "held")
        ours = client.client_id()

        def child() -> None:
            for _ in range(20):
                assert client.get("k") == b"parent"
            assert client.client_id() != ours
            with client.pipeline() as pipe:
                assert pipe.echo("a").echo("b").execute() == [b"a", b"b"]
            with pytest.raises(kvist.WatchError):
                held.execute()
            assert client.get("k") == b"parent"
            client.close()

        for _ in range(3):
            in_child(child)
        assert client.client_id() == ours, "the child has left the parent's connection alone"
        assert held.execute() == [True]
        subscriber.close()


def test_fork_amid_threads(server: Server) -> None:
    """Others are in the middle of their commands, their connections and the pool's lock while one
    forks."""
    with server.client() as client:
        done = threading.Event()
        failures: list[BaseException] = []

        def work(number: int) -> None:
            n = 0
            try:
                while not done.is_set():
                    n += 1
                    word = b"%d:%d" % (number, n)
                    assert client.echo(word) == word
                    with client.pipeline() as pipe:
                        assert pipe.echo(word).echo(b"x").execute() == [word, b"x"]
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            for n in range(20):
                word = b"child %d" % n

                def child() -> None:
                    for _ in range(5):
                        assert client.echo(word) == word  # noqa: B023

                in_child(child)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert not failures


class Alarm(Exception):
    """What the handler of the alarm raises."""


def test_signals(server: Server) -> None:
    """Ctrl-C, or any handler that raises, ends a wait at once; what was waited for is not the reply to
    anything else."""

    def ring(*_: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with server.client(retry=None, socket_timeout=30) as client:
            for n in range(3):
                client.rpush("later", "x") if n == 2 else None
                began = time.monotonic()
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                with pytest.raises(Alarm):
                    while True:
                        client.blpop("nothing", timeout=0)
                assert time.monotonic() - began < 10
                assert client.echo(f"after {n}") == f"after {n}".encode()
            # A handler that does not raise interrupts nothing.
            rung: list[int] = []
            signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
            signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
            assert client.blpop("nothing", timeout=0.5) is None
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def resident() -> int:
    """The memory of this process, in KiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_memory_is_given_back(server: Server) -> None:
    with server.client() as client:
        client.hset("h", mapping={f"f{n}": n for n in range(100)})
        client.sadd("s", *range(100))
        client.set("str", "x")

        def work(rounds: int) -> None:
            for n in range(rounds):
                client.set("k", n)
                client.get("k")
                client.hgetall("h")
                client.smembers("s")
                with client.pipeline() as pipe:
                    pipe.set("k", n).hgetall("h").get("k").execute()
                try:
                    client.lpush("str", 1)
                except kvist.ResponseError:
                    pass
                if n % 100 == 0:
                    client.connection_pool.disconnect()
            gc.collect()

        work(500)
        before = resident()
        work(3000)
        assert resident() - before < 2048, "KiB more after 18,000 commands"


def test_what_a_url_stands_for() -> None:
    """Arguments, and a class where it is not the usual one: a dict, as redis-py has it."""
    for module in (kvist.connection, kvist.aio.connection):
        for url, values, name in (
            ("redis://", {}, None),
            ("redis://h/x", {"host": "h"}, None),
            ("redis://u:p%40ss@h:7/2", {"username": "u", "password": "p@ss", "host": "h",
                                        "port": 7, "db": 2}, None),
            ("rediss://h", {"host": "h"}, "SSLConnection"),
            ("unix:///a/b?db=3", {"path": "/a/b", "db": 3}, "UnixDomainSocketConnection"),
        ):
            kind = {} if name is None else {"connection_class": getattr(module, name)}
            assert module.parse_url(url) == {**values, **kind}
