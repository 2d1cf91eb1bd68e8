"""Pipelines over all nodes, and transactions on one."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from core.fake import Fake, answering

import kvist
from kvist.cluster import RedisCluster

from .conftest import Cluster
from .test_redirects import slots_reply


def test_commands_for_all_nodes(cluster: RedisCluster[Any]) -> None:
    with cluster.pipeline() as pipe:
        for number in range(300):
            pipe.set(f"k{number}", number)
        assert len(pipe) == 300
        assert pipe.execute() == [True] * 300
        assert len(pipe) == 0
        for number in range(300):
            pipe.get(f"k{number}").ttl(f"k{number}")
        assert pipe.execute() == [
            it for number in range(300) for it in (b"%d" % number, -1)
        ]
        assert pipe.execute() == []
        pipe.hset("h", mapping={"a": 1}).hgetall("h").smembers("nothere").mget([]).mget("{a}1")
        assert pipe.execute() == [1, {b"a": b"1"}, set(), [], [None]]
        assert pipe.ping().execute() == [True]
        assert cluster.mget([]) == []
        node = cluster.get_primaries()[0]
        assert len(pipe.execute_command("DBSIZE", target_nodes=node).execute()) == 1


def test_all_are_sent_before_any_is_waited_for() -> None:
    """Each node answers only when the other has been asked: one after the other would hang."""
    both = threading.Barrier(2, timeout=20)
    ports: list[int] = []

    def answer(words: list[bytes]) -> bytes:
        if words[:2] == [b"CLUSTER", b"SLOTS"]:
            return slots_reply((0, 8000, ports[0]), (8001, 16383, ports[1]))
        if words[0] == b"GET":
            both.wait()
        return b"+OK\r\n"

    with Fake(answering(answer)) as one, Fake(answering(answer)) as other:
        ports += [one.port, other.port]
        with RedisCluster(host="127.0.0.1", port=one.port) as client:
            with client.pipeline() as pipe:
                assert pipe.get("{b}").get("{a}").execute() == [b"OK", b"OK"]


def test_errors(cluster: RedisCluster[Any]) -> None:
    with cluster.pipeline() as pipe:
        pipe.set("a", "x").incr("a").set("b", 2)
        with pytest.raises(kvist.ResponseError, match=r"Command # 2 \(INCRBY a 1\) of pipeline"):
            pipe.execute()
        assert cluster.get("b") == b"2"
        results = pipe.incr("a").get("b").execute(raise_on_error=False)
        assert isinstance(results[0], kvist.ResponseError) and results[1] == b"2"
        with pytest.raises(kvist.RedisClusterException, match="same key slot"):
            pipe.mget("a", "b")
        with pytest.raises(kvist.RedisClusterException, match="Missing key"):
            pipe.execute_command("NOSUCHCOMMAND")
        with pytest.raises(kvist.DataError):
            pipe.set("a", object()).execute()  # type: ignore[arg-type]
        with pytest.raises(kvist.RedisClusterException):
            pipe.watch("a")
        with pytest.raises(kvist.RedisClusterException):
            pipe.multi()


def test_what_was_answered_is_not_sent_again() -> None:
    """A connection that breaks in the middle: what was answered before is done."""
    seen: list[bytes] = []

    def answer(words: list[bytes]) -> bytes:
        if words[:2] == [b"CLUSTER", b"SLOTS"]:
            return slots_reply((0, 16383, node.port))
        seen.append(words[1])
        if words[1] == b"k2" and seen.count(b"k2") == 1:
            raise OSError("gone")
        return b":%d\r\n" % len(seen)

    with Fake(answering(answer)) as node:
        with RedisCluster(host="127.0.0.1", port=node.port) as client:
            with client.pipeline() as pipe:
                assert pipe.incr("k1").incr("k2").incr("k3").execute() == [1, 3, 4]
        assert seen == [b"k1", b"k2", b"k2", b"k3"]


def test_transactions(cluster: RedisCluster[Any]) -> None:
    with cluster.pipeline(transaction=True) as pipe:
        assert pipe.set("{a}1", 1).incr("{a}1").get("{a}1").execute() == [True, 2, b"2"]
        pipe.set("a", 1).set("b", 1)
        with pytest.raises(kvist.CrossSlotTransactionError):
            pipe.execute()
        with pytest.raises(kvist.RedisClusterException, match="needs a key"):
            pipe.ping().execute()
        with pytest.raises(kvist.ResponseError):
            pipe.execute_command("SET", "{a}1").execute()
        assert pipe.get("{a}1").execute() == [b"2"]


def test_watching(cluster: RedisCluster[Any]) -> None:
    cluster.set("{a}n", 5)
    with cluster.pipeline(transaction=True) as pipe:
        pipe.watch("{a}n", "{a}m")
        value = int(pipe.get("{a}n"))
        with pytest.raises(kvist.CrossSlotTransactionError):
            pipe.get("b")
        with pytest.raises(kvist.CrossSlotTransactionError):
            pipe.watch("b")
        pipe.multi()
        with pytest.raises(kvist.RedisError, match="WATCH after a MULTI"):
            pipe.watch("{a}n")
        pipe.set("{a}n", value + 1).get("{a}n")
        assert len(pipe) == 2
        assert pipe.execute() == [True, b"6"]
        pipe.watch("{a}n")
        cluster.set("{a}n", 0)
        pipe.multi()
        with pytest.raises(kvist.WatchError):
            pipe.set("{a}n", 1).execute()
        pipe.watch("{a}n")
        assert pipe.unwatch()
        with pytest.raises(kvist.CrossSlotTransactionError):
            pipe.watch("a", "b")

    def double(pipe: Any) -> None:
        number = int(pipe.get("{a}n"))
        if number == 0:
            cluster.set("{a}n", 21)
        pipe.multi()
        pipe.set("{a}n", number * 2)

    assert cluster.transaction(double, "{a}n") == [True]
    assert cluster.get("{a}n") == b"42"


def test_scripts_in_pipelines(cluster: RedisCluster[Any]) -> None:
    script = cluster.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    with cluster.pipeline() as pipe:
        for key in ("a", "b", "c"):
            script([key], [5], client=pipe)
        assert pipe.execute() == [5, 5, 5]


def test_long_pipelines(cluster: RedisCluster[Any]) -> None:
    value = "x" * 10_000
    with cluster.pipeline() as pipe:
        for number in range(2000):
            pipe.set(f"k{number}", value).get(f"k{number}")
        assert pipe.execute() == [it for _ in range(2000) for it in (True, value.encode())]


def test_connections_come_back(servers: Cluster) -> None:
    with servers.client(max_connections=1) as client:
        for _ in range(20):
            with client.pipeline() as pipe:
                pipe.set("a", 1).set("b", 1).set("c", 1)
                pipe.execute()
            with client.pipeline(transaction=True) as pipe:
                pipe.watch("a")
            assert client.get("a") == b"1"
