"""Slots that move, nodes that go, and servers that send clients in circles."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from core.conftest import eventually
from core.fake import Fake, answering

import kvist
from kvist.backoff import ConstantBackoff, NoBackoff
from kvist.cluster import ClusterNode, RedisCluster
from kvist.exceptions import ClusterDownError, ClusterError, SlotNotCoveredError
from kvist.retry import Retry

from .conftest import Cluster, free_port

# Of the second node.
TAG = "{c}"
SLOT = 7365


def test_a_slot_that_moves(servers: Cluster) -> None:
    with servers.client() as client:
        assert client.keyslot(TAG) == SLOT
        for name in ("1", "2", "3", "4"):
            client.set(TAG + name, name)
        servers.begin_migration(SLOT, 1, 2)
        try:
            servers.migrate(1, 2, TAG + "1", TAG + "2")
            # What has gone is asked for there, what has not, here; what is new is made there.
            assert [client.get(TAG + name) for name in "1234"] == [b"1", b"2", b"3", b"4"]
            assert client.set(TAG + "5", "5") and client.get(TAG + "5") == b"5"
            assert client.incr(TAG + "1") == 2
            assert client.mget(TAG + "1", TAG + "2") == [b"2", b"2"]
            assert client.blpop(TAG + "list", timeout=0.05) is None
            with client.pipeline() as pipe:
                for name in "1234":
                    pipe.get(TAG + name)
                assert pipe.execute() == [b"2", b"2", b"3", b"4"]
            with client.pipeline(transaction=True) as pipe:
                pipe.set(TAG + "1", "x").get(TAG + "1").get(TAG + "2")
                assert pipe.execute() == [True, b"x", b"2"]
            # Nothing was remembered of all that.
            assert client.get_node_from_key(TAG).port == servers.nodes[1].port

            # Some of the keys are here and some there until they have all gone.
            later = threading.Timer(0.1, servers.migrate, (1, 2, TAG + "3", TAG + "4"))
            later.start()
            assert client.mget(TAG + "1", TAG + "3") == [b"x", b"3"]
            later.join()
        finally:
            servers.end_migration(SLOT, 2)
        try:
            assert client.get(TAG + "1") == b"x"
            assert client.get_node_from_key(TAG).port == servers.nodes[2].port
            with client.pipeline() as pipe:
                assert pipe.get(TAG + "1").get("{a}nothere").execute() == [b"x", None]
        finally:
            servers.begin_migration(SLOT, 2, 1)
            servers.migrate(2, 1, *(TAG + name for name in "12345"))
            servers.end_migration(SLOT, 1)
            eventually(servers.is_well)
        with client.pipeline(transaction=True) as pipe:
            assert pipe.get(TAG + "1").execute() == [b"x"]
        with client.pipeline() as pipe:
            assert pipe.get(TAG + "1").get(TAG + "2").execute() == [b"x", b"2"]


def test_what_is_watched_moves(servers: Cluster) -> None:
    with servers.client() as client:
        client.set(TAG + "1", 1)
        with client.pipeline(transaction=True) as pipe:
            pipe.watch(TAG + "1")
            servers.begin_migration(SLOT, 1, 2)
            try:
                servers.migrate(1, 2, TAG + "1")
                with pytest.raises(kvist.WatchError, match="rebalancing"):
                    pipe.get(TAG + "1")
            finally:
                for server in servers.clients[1:3]:
                    server.execute_command("CLUSTER SETSLOT", SLOT, "STABLE")


def test_a_replica_takes_over(own_cluster: Cluster) -> None:
    patient = Retry(ConstantBackoff(0.05), 600)
    with own_cluster.client(retry=patient, socket_timeout=5) as client:
        keys = [f"{{b}}{number}" for number in range(20)]
        for key in keys:
            client.set(key, key)
        own_cluster.await_replica()
        listener = client.pubsub(node=None)
        listener.subscribe("{b}news")
        listener.ssubscribe("{b}news")
        own_cluster.nodes[0].stop()
        failures: list[BaseException] = []

        def work() -> None:
            try:
                for key in keys:
                    assert client.get(key) == key.encode()
                    client.set(key, "new")
                    assert client.get("{c}other") is None
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not failures
        with client.pipeline() as pipe:
            for key in keys:
                pipe.get(key)
            assert pipe.execute() == [b"new"] * 20
        assert client.get_node_from_key("{b}").port == own_cluster.nodes[3].port

        # Subscriptions followed.
        def heard(read: Any, publish: Any) -> bool:
            publish()
            message = read(ignore_subscribe_messages=True, timeout=0.1)
            return message is not None and message["type"] in ("message", "smessage")

        eventually(lambda: heard(
            listener.get_message, lambda: client.publish("{b}news", "x")
        ))
        eventually(lambda: heard(
            listener.get_sharded_message, lambda: client.spublish("{b}news", "x")
        ))
        listener.close()


def test_a_node_without_a_replacement(own_cluster: Cluster) -> None:
    brief = Retry(ConstantBackoff(0.01), 3)
    with own_cluster.client(retry=brief, require_full_coverage=False) as client:
        client.set("{c}", 1)
        client.set("{a}", 1)
        own_cluster.nodes[1].stop()
        with pytest.raises((kvist.ConnectionError, ClusterDownError, SlotNotCoveredError)):
            client.get("{c}")
        with client.pipeline() as pipe:
            results = pipe.set("{c}", 1).execute(raise_on_error=False)
            assert isinstance(results[0], Exception)
            with pytest.raises((kvist.ConnectionError, ClusterDownError, SlotNotCoveredError)):
                pipe.set("{c}", 1).execute()


def slots_reply(*owners: tuple[int, int, int]) -> bytes:
    """What a node says of ranges of slots and ports."""
    ranges = [
        b"*3\r\n:%d\r\n:%d\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n" % owner for owner in owners
    ]
    return b"*%d\r\n" % len(ranges) + b"".join(ranges)


def hostile(answer: Any) -> Any:
    """A node that has all slots, as it says, and answers everything else as told."""

    def reply(words: list[bytes]) -> bytes:
        if words[:2] == [b"CLUSTER", b"SLOTS"]:
            return slots_reply((0, 16383, server.port))
        return answer(words)  # type: ignore[no-any-return]

    server = Fake(answering(reply))
    return server


@pytest.mark.parametrize("word", [b"MOVED", b"ASK"])
def test_loops_end(word: bytes) -> None:
    counts = {"here": 0, "there": 0}

    def here(_: list[bytes]) -> bytes:
        counts["here"] += 1
        return b"-%s 1 127.0.0.1:%d\r\n" % (word, there.port)

    def back(_: list[bytes]) -> bytes:
        counts["there"] += 1
        return b"-%s 1 127.0.0.1:%d\r\n" % (word, first.port)

    with hostile(here) as first, hostile(back) as there:
        with RedisCluster(host="127.0.0.1", port=first.port) as client:
            with pytest.raises(ClusterError, match="TTL exhausted"):
                client.get("k")
            assert sum(counts.values()) < 100
            with client.pipeline() as pipe:
                with pytest.raises(ClusterError, match="TTL exhausted"):
                    pipe.get("k").get("k2").execute()
            with client.pipeline(transaction=True) as pipe:
                with pytest.raises((ClusterError, kvist.ResponseError)):
                    pipe.get("k").execute()
            with client.pipeline(transaction=True) as pipe:
                with pytest.raises(ClusterError):
                    pipe.watch("k")


def test_a_node_that_sends_to_itself() -> None:
    with hostile(lambda _: b"-MOVED 1 :%d\r\n" % server.port) as server:
        with RedisCluster(host="127.0.0.1", port=server.port) as client:
            with pytest.raises(ClusterError):
                client.get("k")


def test_tryagain_does_not_go_on_for_ever() -> None:
    with hostile(lambda _: b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n") as node:
        with RedisCluster(host="127.0.0.1", port=node.port) as client:
            with pytest.raises(ClusterError):
                client.mget("{a}1", "{a}2")


def test_a_cluster_that_stays_down() -> None:
    asked = []

    def down(words: list[bytes]) -> bytes:
        asked.append(words)
        return b"-CLUSTERDOWN Hash slot not served\r\n"

    with hostile(down) as node:
        brief = Retry(NoBackoff(), 3)
        with RedisCluster(host="127.0.0.1", port=node.port, retry=brief) as client:
            with pytest.raises(ClusterDownError, match="Hash slot not served"):
                client.get("k")
            assert len(asked) == 4


@pytest.mark.parametrize("error", [
    b"-MOVED\r\n", b"-MOVED 1\r\n", b"-MOVED x y:z\r\n", b"-ASK 1 host\r\n", b"-MOVED 99999 a:b\r\n",
])
def test_redirections_to_nowhere(error: bytes) -> None:
    with hostile(lambda _: error) as node:
        with RedisCluster(host="127.0.0.1", port=node.port) as client:
            with pytest.raises(kvist.ResponseError):
                client.get("k")


@pytest.mark.parametrize("reply", [
    b"*0\r\n", b":5\r\n", b"+OK\r\n", b"$-1\r\n", b"*1\r\n:5\r\n", b"*1\r\n*2\r\n:0\r\n:1\r\n",
    b"*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
    b"*1\r\n*3\r\n:5\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
    b"*1\r\n*3\r\n:-5\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
    b"*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n$1\r\nx\r\n",
    b"*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\na\r\n",
    b"-ERR This instance has cluster support disabled\r\n",
])
def test_maps_that_make_no_sense(reply: bytes) -> None:
    with Fake(answering(lambda _: reply)) as node:
        with pytest.raises(kvist.RedisClusterException):
            RedisCluster(host="127.0.0.1", port=node.port)


def test_not_all_slots() -> None:
    def answer(words: list[bytes]) -> bytes:
        if words[:2] == [b"CLUSTER", b"SLOTS"]:
            return slots_reply((0, 12000, node.port))
        return b"+OK\r\n"

    with Fake(answering(answer)) as node:
        with pytest.raises(kvist.RedisClusterException, match="12001 of 16384"):
            RedisCluster(host="127.0.0.1", port=node.port)
        values: Any = {"require_full_coverage": False, "retry": Retry(NoBackoff(), 2)}
        with RedisCluster(host="127.0.0.1", port=node.port, **values) as client:
            assert client.get("{b}") == b"OK"
            with pytest.raises(SlotNotCoveredError):
                client.get("foo")  # slot 12182
            with pytest.raises(SlotNotCoveredError):
                client.get_node_from_key("foo")
            with client.pipeline() as pipe:
                results = pipe.get("{b}").get("foo").execute(raise_on_error=False)
                assert results[0] == b"OK" and isinstance(results[1], SlotNotCoveredError)


def test_any_of_the_startup_nodes_will_do(servers: Cluster) -> None:
    nodes = [ClusterNode("127.0.0.1", free_port()), ClusterNode("127.0.0.1", servers.nodes[0].port)]
    with RedisCluster(startup_nodes=nodes) as client:
        assert len(client.get_nodes()) == 4


def test_a_wrong_password_is_final() -> None:
    asked: list[bytes] = []

    def answer(words: list[bytes]) -> bytes:
        asked.append(words[0].upper())
        return b"-WRONGPASS invalid username-password pair\r\n"

    with Fake(answering(answer)) as node:
        with pytest.raises(kvist.AuthenticationError):
            RedisCluster(host="127.0.0.1", port=node.port, password="x", protocol=2)
    assert asked == [b"AUTH"]


def test_a_reply_that_never_comes() -> None:
    def silent(words: list[bytes]) -> bytes:
        return b"" if words[0] == b"GET" else b"+OK\r\n"

    with hostile(silent) as node:
        values: Any = {"socket_timeout": 0.1, "retry": Retry(NoBackoff(), 1)}
        with RedisCluster(host="127.0.0.1", port=node.port, **values) as client:
            with pytest.raises(kvist.TimeoutError):
                client.get("k")
            assert client.set("k", "v")  # not the reply to GET
