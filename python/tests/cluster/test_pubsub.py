"""Subscriptions in a cluster, of channels and of shard channels."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from core.conftest import eventually

import kvist
from kvist.cluster import ClusterNode, RedisCluster

from .conftest import Cluster
from .test_redirects import SLOT, TAG


def read(get: Any, kind: str) -> Any:
    """The next message of a kind."""
    while True:
        message = get(timeout=20)
        assert message is not None
        if message["type"] == kind:
            return message


def test_channels(cluster: RedisCluster[Any]) -> None:
    with cluster.pubsub() as listener:
        assert listener.get_pubsub_node() is None
        listener.subscribe("news")
        listener.psubscribe("al*")
        assert listener.get_pubsub_node() == cluster.get_node_from_key("news")
        read(listener.get_message, "psubscribe")
        # Wherever it is published.
        for node in cluster.get_primaries():
            cluster.execute_command("PUBLISH", "news", node.name, target_nodes=node)
        heard = {read(listener.get_message, "message")["data"] for _ in range(3)}
        assert heard == {node.name.encode() for node in cluster.get_primaries()}
        cluster.publish("alarm", "now")
        assert read(listener.get_message, "pmessage")["channel"] == b"alarm"
        listener.unsubscribe()
        listener.punsubscribe()
        read(listener.get_message, "punsubscribe")
        assert not listener.subscribed


def test_a_node_of_ones_choice(cluster: RedisCluster[Any], servers: Cluster) -> None:
    port = servers.nodes[3].port
    with cluster.pubsub(host="127.0.0.1", port=port) as listener:
        assert listener.get_pubsub_node().port == port
        listener.subscribe("news")
        read(listener.get_message, "subscribe")
        assert servers.clients[3].pubsub_channels() == [b"news"]
    with cluster.pubsub(node=cluster.get_default_node()) as listener:
        assert listener.get_redis_connection() is not None
    with pytest.raises(kvist.RedisClusterException, match="doesn't exist"):
        cluster.pubsub(node=ClusterNode("127.0.0.1", 1))
    with pytest.raises(kvist.DataError):
        cluster.pubsub(host="127.0.0.1")


def test_shard_channels(cluster: RedisCluster[Any], servers: Cluster) -> None:
    names = ["{a}", "{b}", "{c}", "{a}1", "plain"]
    with cluster.pubsub() as listener:
        listener.ssubscribe(*names)
        for _ in names:
            read(listener.get_sharded_message, "ssubscribe")
        for name in names:
            assert cluster.spublish(name, name.upper()) == 1
        heard = {
            message["channel"].decode(): message["data"].decode()
            for message in (read(listener.get_sharded_message, "smessage") for _ in names)
        }
        assert heard == {name: name.upper() for name in names}
        shown = cluster.pubsub_shardchannels(target_nodes=RedisCluster.PRIMARIES)
        assert {name.decode() for name in shown} == set(names)
        listener.sunsubscribe("{a}")
        assert read(listener.get_sharded_message, "sunsubscribe")["channel"] == b"{a}"
        assert listener.subscribed
        listener.sunsubscribe()
        for _ in names[1:]:
            read(listener.get_sharded_message, "sunsubscribe")
        assert not listener.subscribed
        assert listener.get_sharded_message() is None


def test_shard_channels_follow_their_slots(cluster: RedisCluster[Any], servers: Cluster) -> None:
    with cluster.pubsub() as listener:
        listener.ssubscribe(TAG, "{a}")
        read(listener.get_sharded_message, "ssubscribe")
        servers.begin_migration(SLOT, 1, 2)
        servers.end_migration(SLOT, 2)
        try:
            def heard() -> bool:
                try:
                    servers.clients[2].spublish(TAG, "x")
                except kvist.ResponseError:
                    return False
                message = listener.get_sharded_message(timeout=0.1)
                return message is not None and message["type"] == "smessage"

            eventually(heard)
        finally:
            servers.begin_migration(SLOT, 2, 1)
            servers.end_migration(SLOT, 1)
            eventually(servers.is_well)


def test_handlers_in_threads(cluster: RedisCluster[Any]) -> None:
    heard: list[Any] = []
    done = threading.Event()

    def hear(message: Any) -> None:
        heard.append(message["data"])
        done.set()

    listener = cluster.pubsub()
    listener.ssubscribe(orders=hear)
    thread = listener.run_in_thread(sleep_time=0.05, daemon=True, sharded_pubsub=True)

    def published() -> bool:
        cluster.spublish("orders", "one")
        return done.wait(0.1)

    eventually(published)
    thread.stop()
    thread.join(20)
    assert set(heard) == {b"one"}
