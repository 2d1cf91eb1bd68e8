"""Masters and replicas found through a real Sentinel, and followed through failovers."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest
from core.conftest import eventually
from core.fake import Fake, answering

import kvist
from kvist.backoff import ConstantBackoff
from kvist.retry import Retry
from kvist.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelConnectionPool,
    SlaveNotFoundError,
)

from .conftest import Watched

# Patient enough for a failover, which takes a Sentinel seconds.
PATIENT = Retry(ConstantBackoff(0.05), 400)


def test_masters_and_replicas_are_found(watched: Watched) -> None:
    with Sentinel(watched.places) as sentinel:
        assert sentinel.discover_master("orders") == ("127.0.0.1", watched.master.port)
        assert sentinel.discover_slaves("orders") == [("127.0.0.1", watched.replica.port)]
        assert sentinel.discover_replicas("orders") == [("127.0.0.1", watched.replica.port)]
        # The one that answered is asked first now.
        assert sentinel.sentinels[0].get_connection_kwargs()["port"] == watched.sentinel.port
        assert str(watched.sentinel.port) in repr(sentinel)
        assert sentinel.discover_slaves("nothere") == []
        with pytest.raises(MasterNotFoundError, match="'nothere'"):
            sentinel.discover_master("nothere")
    with Sentinel(watched.places, force_master_ip="10.1.1.1") as sentinel:
        assert sentinel.discover_master("orders") == ("10.1.1.1", watched.master.port)
    with Sentinel(watched.places, min_other_sentinels=1) as sentinel:
        with pytest.raises(MasterNotFoundError):
            sentinel.discover_master("orders")


def test_commands_go_to_sentinels(watched: Watched) -> None:
    with Sentinel(watched.places[1:]) as sentinel:
        known = sentinel.sentinel_master("orders", return_responses=True)
        assert [it["port"] for it in known] == [watched.master.port]
        address = sentinel.sentinel_get_master_addr_by_name("orders", return_responses=True)
        assert address == [(b"127.0.0.1", watched.master.port)]


def test_no_sentinel_answers() -> None:
    sentinel = Sentinel([("127.0.0.1", 1)])
    with pytest.raises(MasterNotFoundError, match="Error 111"):
        sentinel.discover_master("orders")
    client = sentinel.master_for("orders", retry=Retry(ConstantBackoff(0), 1))
    with pytest.raises(MasterNotFoundError):
        client.ping()
    client = sentinel.slave_for("orders", retry=Retry(ConstantBackoff(0), 1))
    with pytest.raises(SlaveNotFoundError):
        client.ping()


def test_clients_of_master_and_replica(watched: Watched) -> None:
    sentinel = Sentinel(watched.places, decode_responses=True)
    with sentinel.master_for("orders") as master, sentinel.slave_for("orders") as replica:
        assert master.set("greeting", "hello")
        assert master.wait(1, 20_000) == 1
        assert replica.get("greeting") == "hello"
        assert replica.role()[0] == "slave"
        with pytest.raises(kvist.ReadOnlyError):
            replica.set("greeting", "bye")
        assert "orders(master)" in repr(master)
        assert master.connection_pool.master_address == ("127.0.0.1", watched.master.port)
        connection = master.connection_pool.get_connection()
        assert f"port={watched.master.port}" in repr(connection)
        assert master.connection_pool.owns_connection(connection)
        master.connection_pool.release(connection)
        with master.pipeline() as pipe:
            assert pipe.get("greeting").incr("n").execute()[0] == "hello"


@pytest.mark.parametrize("form", [
    "redis+sentinel://{nobody},127.0.0.1:{port}/orders/3",
    "redis+sentinel://orders@{nobody},127.0.0.1:{port}/3",
    "redis-sentinel://{nobody},127.0.0.1:{port}/3?service_name=orders",
])
def test_urls_are_routed(watched: Watched, form: str) -> None:
    nobody = ":".join(map(str, watched.places[0]))
    url = form.format(nobody=nobody, port=watched.sentinel.port)
    with kvist.from_url(url, decode_responses=True) as client:
        assert client.config_get("port") == {"port": str(watched.master.port)}
        assert client.client_info()["db"] == 3
    with kvist.from_url(f"{url}{'&' if '?' in url else '?'}role=replica") as client:
        assert client.role()[0] == b"slave"


def test_a_failover_is_followed(own_watched: Watched) -> None:
    sentinel = Sentinel(own_watched.places, retry=PATIENT, socket_timeout=5)
    with sentinel.master_for("orders") as client:
        client.set("before", 1)
        assert client.wait(1, 20_000) == 1
        old = own_watched.master.port
        own_watched.fail_over()

        # Until Sentinel has told the old master that it is none, it takes writes, which are lost.
        def set_on_the_new_one() -> bool:
            assert client.set("after", 2)
            return bool(client.connection_pool.master_address != ("127.0.0.1", old))

        eventually(set_on_the_new_one, 60)
        assert client.mget("before", "after") == [b"1", b"2"]
        assert client.role()[0] == b"master"


def test_a_killed_master_is_replaced(own_watched: Watched) -> None:
    sentinel = Sentinel(own_watched.places, retry=PATIENT, socket_timeout=5)
    failures: list[BaseException] = []
    with sentinel.master_for("orders") as client:
        client.set("n", 0)
        assert client.wait(1, 20_000) == 1
        own_watched.master.stop()

        def write() -> None:
            try:
                for _ in range(20):
                    client.incr("n")
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not failures
        assert int(client.get("n")) == 80
        assert client.connection_pool.master_address[1] == own_watched.replica.port


def sentinel_reply(port: int) -> bytes:
    """What a Sentinel says about one good master."""
    words = [b"name", b"orders", b"ip", b"127.0.0.1", b"port", b"%d" % port, b"flags", b"master",
             b"num-other-sentinels", b"0"]
    return b"*1\r\n*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def test_a_master_that_says_readonly_is_left() -> None:
    places: list[int] = []

    def demoted(words: list[bytes]) -> bytes:
        if words[0] == b"ROLE":
            return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
        places.reverse()  # the Sentinel knows by now
        return b"-READONLY You can't write against a read only replica.\r\n"

    def promoted(words: list[bytes]) -> bytes:
        return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n" if words[0] == b"ROLE" else b"+OK\r\n"

    told = answering(lambda _: sentinel_reply(places[0]))
    with Fake(answering(demoted)) as old, Fake(answering(promoted)) as new, Fake(told) as watcher:
        places += [old.port, new.port]
        sentinel = Sentinel([("127.0.0.1", watcher.port)], protocol=2)
        with sentinel.master_for("orders") as client:
            assert client.set("k", "v")
            assert client.connection_pool.master_address == ("127.0.0.1", new.port)
            places.reverse()
            client.connection_pool.reset()
            with client.pipeline(transaction=False) as pipe:
                assert pipe.set("k", "v").execute() == [True]


def test_a_server_that_is_no_master_is_not_believed() -> None:
    roles = iter([b"slave", b"slave", b"master"])

    def answer(words: list[bytes]) -> bytes:
        if words[0] != b"ROLE":
            return b"+OK\r\n"
        role = next(roles)
        return b"*1\r\n$%d\r\n%s\r\n" % (len(role), role)

    with Fake(answering(answer)) as server:
        with Fake(answering(lambda _: sentinel_reply(server.port))) as watcher:
            sentinel = Sentinel([("127.0.0.1", watcher.port)], protocol=2)
            client = sentinel.master_for("orders", retry=Retry(ConstantBackoff(0), 1))
            with pytest.raises(kvist.ConnectionError, match="is a slave"):
                client.set("k", "v")
            assert client.set("k", "v")
            client.close()


def test_a_server_that_will_not_tell_its_role_is() -> None:
    def answer(words: list[bytes]) -> bytes:
        return b"-NOPERM this user has no permissions\r\n" if words[0] == b"ROLE" else b"+OK\r\n"

    with Fake(answering(answer)) as server:
        with Fake(answering(lambda _: sentinel_reply(server.port))) as watcher:
            sentinel = Sentinel([("127.0.0.1", watcher.port)], protocol=2)
            with sentinel.master_for("orders") as client:
                assert client.set("k", "v")


def test_an_unused_pool_closes_its_connections(watched: Watched) -> None:
    sentinel: Any = Sentinel(watched.places)
    client = sentinel.master_for("orders", client_name="forgotten")
    assert client.ping()
    pool = client.connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    del client, pool
    gc.collect()
    with watched.master.client() as other:
        eventually(lambda: "forgotten" not in [it["name"] for it in other.client_list()])
