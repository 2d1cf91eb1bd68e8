"""Kept replies: never given once an invalidation of them has come, and bounded."""

from __future__ import annotations

import gc
import os
import random
import threading
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from core.conftest import (  # noqa: F401
    PATIENCE,
    Server,
    eventually,
    own_server,
    server,
    shared_server,
)
from core.fake import Fake, requests

import kvist
import kvist.cache
from kvist.cache import (
    CacheConfig,
    CacheEntry,
    CacheEntryStatus,
    CacheFactory,
    CacheInterface,
    CacheKey,
    DefaultCache,
    EvictionPolicy,
    EvictionPolicyType,
    LRUPolicy,
)


@pytest.fixture
def caching(server: Server) -> Iterator[Any]:  # noqa: F811
    """A client that keeps replies."""
    with server.client(cache_config=CacheConfig(), decode_responses=True) as client:
        yield client


@pytest.fixture
def other(server: Server) -> Iterator[Any]:  # noqa: F811
    """A client that does not."""
    with server.client() as client:
        yield client


def calls(client: Any, command: str) -> int:
    """How often the server has run a command."""
    stats = client.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})
    return int(stats["calls"])


def test_one_request_for_many_reads(caching: Any, other: Any) -> None:
    other.set("k", "v")
    before = calls(other, "get")
    assert [caching.get("k") for _ in range(20)] == ["v"] * 20
    assert calls(other, "get") == before + 1
    assert caching.get_cache().size == 1
    assert caching.get("nothere") is None and caching.get("nothere") is None
    assert calls(other, "get") == before + 2
    assert kvist.Kvist().get_cache() is None


def test_what_others_change_is_read_again(caching: Any, other: Any) -> None:
    other.set("k", 1)
    assert caching.get("k") == "1"
    other.set("k", 2)
    eventually(lambda: caching.get("k") == "2")
    other.delete("k")
    eventually(lambda: caching.get("k") is None)
    other.mset({"a": 1, "b": 2})
    assert caching.mget("a", "b") == ["1", "2"]
    other.set("b", 3)
    eventually(lambda: caching.mget("a", "b") == ["1", "3"])
    other.flushall()
    eventually(lambda: caching.mget("a", "b") == [None, None])


def test_what_expires_is_read_again(caching: Any, other: Any) -> None:
    other.set("k", 1, px=50)
    assert caching.get("k") in ("1", None)
    eventually(lambda: caching.get("k") is None)


def test_ones_own_writes_are_seen_at_once(caching: Any) -> None:
    for number in range(200):
        caching.set("k", number)
        assert caching.get("k") == str(number)
        assert caching.incr("k") == number + 1
        assert caching.get("k") == str(number + 1)
        with caching.pipeline() as pipe:
            pipe.set("k", "p").execute()
        assert caching.get("k") == "p"
        caching.eval("redis.call('SET', KEYS[1], ARGV[1])", 1, "k", number)
        assert caching.get("k") == str(number)
    caching.flushall()
    assert caching.get("k") is None


def test_replies_are_ones_own(caching: Any) -> None:
    caching.hset("h", mapping={"a": "1"})
    caching.rpush("l", "x")
    caching.sadd("s", "m")
    caching.hgetall("h")["b"] = "2"
    caching.lrange("l", 0, -1).append("y")
    caching.smembers("s").clear()
    for _ in range(2):
        got = caching.hgetall("h")
        assert got == {"a": "1"}
        got["c"] = "3"
        assert caching.lrange("l", 0, -1) == ["x"] and caching.smembers("s") == {"m"}


def test_arguments_that_differ_are_kept_apart(caching: Any) -> None:
    caching.zadd("z", {"a": 1, "b": 2})
    assert caching.zrange("z", 0, -1) == ["a", "b"]
    assert caching.zrange("z", 0, -1, withscores=True) == [("a", 1.0), ("b", 2.0)]
    assert caching.zrange("z", 0, -1, withscores=True, score_cast_func=int) == [("a", 1), ("b", 2)]
    assert caching.zrange("z", 0, 0) == ["a"]
    assert caching.zrange("z", 0, -1) == ["a", "b"]
    caching.set("t", "text")
    assert caching.getrange("t", 0, 1) == "te"
    with pytest.raises(kvist.ResponseError):
        caching.execute_command("GETRANGE", "t", 0, 1.0)
    with pytest.raises(kvist.ResponseError):
        caching.lrange("t", 0, 1)
    with pytest.raises(kvist.ResponseError):  # errors are not kept
        caching.lrange("t", 0, 1)
    assert caching.get_cache().size == 4


def test_databases_are_kept_apart(caching: Any) -> None:
    caching.set("k", "zero")
    assert caching.get("k") == "zero"
    caching.select(1)
    assert caching.get("k") is None
    caching.set("k", "one")
    assert caching.get("k") == "one"
    caching.select(0)
    assert caching.get("k") == "zero"


def test_a_lost_connection_is_a_lost_cache(own_server: Server) -> None:  # noqa: F811
    with own_server.client(cache_config=CacheConfig()) as caching, own_server.client() as other:
        other.set("k", 1)
        assert caching.get("k") == b"1"
        for _ in range(3):
            other.client_kill_filter(_type="normal", skipme=True)
            other.set("k", 2)
            # The connection has ended, and that is noticed before anything is believed.
            eventually(lambda: caching.get("k") == b"2")
            other.set("k", 1)
            eventually(lambda: caching.get("k") == b"1")
        assert caching.get_cache().size == 1
        own_server.stop()
        own_server.start()
        assert caching.get("k") is None


def test_a_server_that_was_started_anew_is_tracked(own_server: Server) -> None:  # noqa: F811
    with own_server.client(cache_config=CacheConfig()) as caching:
        caching.set("k", 1)
        assert caching.get("k") == b"1"
        own_server.stop()
        own_server.start()
        with own_server.client() as other:
            other.set("k", 2)
            assert caching.get("k") == b"2"
            before = calls(other, "get")
            assert [caching.get("k") for _ in range(5)] == [b"2"] * 5
            # The first may have gone the usual way.
            assert calls(other, "get") <= before + 1
            other.set("k", 3)
            eventually(lambda: caching.get("k") == b"3")


def test_closing(caching: Any, other: Any) -> None:
    caching.set("k", "v")
    assert caching.get("k") == "v"
    caching.close()
    assert caching.get_cache().size == 0
    assert caching.get("k") == "v"


def test_a_fork(caching: Any, other: Any) -> None:
    other.set("k", "before")
    assert caching.get("k") == "before"
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            other.set("k", "child")
            status = 0 if caching.get("k") == "child" else 2
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    eventually(lambda: caching.get("k") == "child")


def tracked(answer: Any) -> Any:
    """A server that speaks RESP3 and lets a test say when which bytes come."""

    def talk(connection: Any) -> None:
        for words in requests(connection):
            if words[0] == b"HELLO":
                connection.sendall(b"%1\r\n$5\r\nproto\r\n:3\r\n")
            elif words[0] == b"CLIENT":
                connection.sendall(b"+OK\r\n")
            else:
                answer(connection, words)

    return Fake(talk)


STALE = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"


def test_an_invalidation_that_has_come_is_never_overlooked() -> None:
    """Whatever pieces it comes in: before a kept reply is given, it is looked at."""
    count = 0

    def answer(connection: Any, words: list[bytes]) -> None:
        nonlocal count
        if words[0] == b"PING":
            connection.sendall(b"+PONG\r\n")
            return
        count += 1
        reply = b":%d\r\n" % count + STALE
        cut = count % (len(reply) + 1)
        connection.sendall(reply[:cut])
        connection.sendall(reply[cut:])

    with tracked(answer) as server, kvist.Kvist(  # noqa: F811
        port=server.port, cache_config=CacheConfig()
    ) as client:
        for number in range(1, 300):
            assert client.get("k") == number
            client._caching._doubt()  # everything has come once PING is answered


def test_an_invalidation_before_the_reply() -> None:
    """It is about an older read, and keeps nothing from being kept."""

    def answer(connection: Any, words: list[bytes]) -> None:
        connection.sendall(STALE + b"$1\r\nv\r\n")

    with tracked(answer) as server, kvist.Kvist(  # noqa: F811
        port=server.port, cache_config=CacheConfig()
    ) as client:
        assert client.get("k") == b"v"
        assert client.get_cache().size == 1
        assert client.get("k") == b"v"


def test_a_write_of_ones_own_while_the_key_is_read() -> None:
    """The reply may be older than the write, so it is not kept."""
    reading, written = threading.Event(), threading.Event()

    def answer(connection: Any, words: list[bytes]) -> None:
        if words[0] == b"SET":
            connection.sendall(b"+OK\r\n")
            return
        if words[0] == b"GET":
            reading.set()
            written.wait(20)
        connection.sendall(b"$3\r\nold\r\n")

    with tracked(answer) as server, kvist.Kvist(  # noqa: F811
        port=server.port, cache_config=CacheConfig()
    ) as client:
        reader = threading.Thread(target=client.get, args=("k",))
        reader.start()
        assert reading.wait(20)
        client.set("k", "new")
        written.set()
        reader.join(20)
        assert client.get_cache().size == 0


def test_a_silent_connection_is_tried(caching: Any, monkeypatch: Any, other: Any) -> None:
    monkeypatch.setattr(kvist.cache, "SILENCE", 0.0)
    other.set("k", "v")
    before = calls(other, "ping")
    assert [caching.get("k") for _ in range(5)] == ["v"] * 5
    assert calls(other, "ping") >= before + 4


def test_nothing_else_than_resp3(server: Server) -> None:  # noqa: F811
    with pytest.raises(kvist.RedisError, match="RESP version 3"):
        server.client(protocol=2, cache_config=CacheConfig())
    with pytest.raises(kvist.RedisError, match="RESP version 3"):
        server.client(raw=True, cache_config=CacheConfig())
    with pytest.raises(ValueError, match="CacheInterface"):
        server.client(cache={})
    url = f"redis://127.0.0.1:{server.port}"
    with kvist.from_url(url, cache_config=CacheConfig(), protocol=3) as client:
        client.set("k", "v")
        assert client.get("k") == client.get("k") == b"v"
        assert client.get_cache().size == 1
    cache = DefaultCache(CacheConfig(max_size=5))
    with server.client(cache=cache) as client:
        client.get("k")
        assert client.get_cache() is cache and cache.size == 1


def test_many_threads_never_see_what_is_stale(server: Server) -> None:  # noqa: F811
    """A counter only grows: no reader may get less than it, or a reader it knows of, has read."""
    failures: list[Any] = []
    # It goes on for two seconds, and until each reader has often read another value than before.
    began = time.monotonic()
    changes = [0, 0, 0]

    def goes_on() -> bool:
        passed = time.monotonic() - began
        return not failures and (passed < 2 or (min(changes) < 20 and passed < PATIENCE))

    with server.client(cache_config=CacheConfig()) as caching, server.client() as other:
        other.set("n", 0)
        caching.set("m", 0)

        def read(reader: int) -> None:
            try:
                seen = mine = 0
                while goes_on():
                    value = int(caching.get("n") or 0)
                    if value < seen:
                        failures.append((value, seen))
                    changes[reader] += value != seen
                    seen = value
                    value = int(caching.get("m") or 0)
                    if value < mine:
                        failures.append(("own", value, mine))
                    mine = value
                    if random.random() < 0.05:
                        mine = caching.incr("m")
                        if int(caching.get("m") or 0) < mine:
                            failures.append(("own write", mine))
            except BaseException as failure:
                failures.append(failure)

        def write() -> None:
            while goes_on():
                other.incr("n")
                time.sleep(random.random() / 500)

        threads = [threading.Thread(target=read, args=(reader,)) for reader in range(3)]
        threads.append(threading.Thread(target=write))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * PATIENCE)
        assert not failures
        assert min(changes) >= 20, f"so often a reader has seen a new value: {changes}"
        assert caching.get_cache().size <= 2


def test_memory_is_bounded(server: Server) -> None:  # noqa: F811
    config = CacheConfig(max_size=1000, max_bytes=1 << 20)
    with server.client(cache_config=config) as caching, server.client() as other:
        with other.pipeline(transaction=False) as pipe:
            for number in range(5000):
                pipe.set(f"k{number}", "x" * 2000)
            pipe.set("large", "x" * (2 << 20)).execute()
        for number in range(500):
            caching.get(f"k{number}")
        gc.collect()
        tracemalloc.start()
        for number in range(5000):
            caching.get(f"k{number}")
        grown, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        cache = caching.get_cache()
        assert cache.bytes <= 1 << 20 and cache.size <= 1000
        assert grown < 3 << 20
        assert cache.size == len(cache._readers) == len(cache._weights)
        size = cache.size
        assert len(caching.get("large")) == 2 << 20  # larger than all that may be kept
        assert cache.size == size
    config = CacheConfig(max_size=10, max_bytes=None)
    with server.client(cache_config=config) as caching:
        for number in range(100):
            caching.get(f"k{number}")
        assert caching.get_cache().size == 10


def test_the_least_used_goes_first() -> None:
    cache: CacheInterface = CacheFactory(CacheConfig(max_size=2)).get_cache()
    keys = [CacheKey("GET", (name,), (name,)) for name in (b"a", b"b", b"c")]
    for key in keys[:2]:
        assert cache.set(CacheEntry(key, b"v", CacheEntryStatus.VALID))
    assert cache.get(keys[0]) is not None
    assert cache.set(CacheEntry(keys[2], b"v"))
    assert [cache.get(key) is not None for key in keys] == [True, False, True]
    assert cache.delete_by_cache_keys([keys[0], keys[1]]) == [True, False]
    assert cache.delete_by_redis_keys(["c"]) == [True] and cache.size == 0
    assert not cache.set(CacheEntry(CacheKey("SET", (b"a",)), b"v"))
    assert cache.eviction_policy.type == EvictionPolicyType.time_based
    for key in keys[:2]:
        cache.set(CacheEntry(key, b"v"))
    assert cache.eviction_policy.evict_many(2) == keys[:2]
    with pytest.raises(ValueError, match="above"):
        cache.eviction_policy.evict_many(1)
    with pytest.raises(ValueError, match="does not belong"):
        cache.eviction_policy.touch(keys[0])
    with pytest.raises(ValueError, match="valid cache"):
        LRUPolicy().evict_next()
    cache.set(CacheEntry(keys[0], b"v"))
    assert cache.flush() == 1 and cache.config.get_max_size() == 2
    assert EvictionPolicy.LRU.value is LRUPolicy


def test_clients_that_keep_nothing_pay_nothing(server: Server) -> None:  # noqa: F811
    with server.client() as client:
        assert "execute_command" not in vars(client)
