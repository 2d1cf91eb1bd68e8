"""Commands of a real cluster: every key to its node, and what concerns all nodes to all."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from core.conftest import eventually

import kvist
from kvist._routing import FIRST_KEY
from kvist.cluster import ClusterNode, LoadBalancingStrategy, RedisCluster, key_slot

from .conftest import Cluster

# Keys of the first, second and third node.
KEYS = ["{b}1", "{c}1", "{a}1"]


def test_slots_are_those_of_the_server(cluster: RedisCluster[Any], servers: Cluster) -> None:
    for key in ("", "a", "{", "{}", "{}a", "a{b}c", "a{b}{c}", "{{a}}", "é", "x" * 1000, "{a", "}{"):
        assert cluster.keyslot(key) == servers.clients[0].execute_command("CLUSTER KEYSLOT", key)
        assert cluster.keyslot(key.encode()) == key_slot(key.encode()) == cluster.keyslot(key)
    assert cluster.keyslot(5) == cluster.keyslot("5")
    assert cluster.keyslot(bytearray(b"a")) == cluster.keyslot(memoryview(b"a"))
    assert "SORT" not in FIRST_KEY and "GET" in FIRST_KEY


def test_the_nodes(cluster: RedisCluster[Any], servers: Cluster) -> None:
    ports = [node.port for node in servers.nodes]
    assert sorted(node.port for node in cluster.get_primaries()) == sorted(ports[:3])
    assert [node.port for node in cluster.get_replicas()] == ports[3:]
    assert len(cluster.get_nodes()) == 4
    assert [cluster.get_node_from_key(key).port for key in KEYS] == ports[:3]
    assert cluster.get_node_from_key(KEYS[0], replica=True).port == ports[3]
    assert cluster.get_node_from_key(KEYS[1], replica=True) is None
    node = cluster.get_node("localhost", ports[0])
    assert node == ClusterNode("127.0.0.1", ports[0]) and node is not None
    assert cluster.get_node(node_name=node.name) is node
    assert cluster.set_default_node(node) and cluster.get_default_node() is node
    assert not cluster.set_default_node(ClusterNode("nowhere", 1))
    cluster.replace_default_node()
    assert cluster.get_default_node() != node
    assert node.name in repr(cluster)


def test_keys_find_their_nodes(cluster: RedisCluster[Any], servers: Cluster) -> None:
    for key in KEYS:
        assert cluster.set(key, key)
    assert [cluster.get(key) for key in KEYS] == [key.encode() for key in KEYS]
    assert [client.dbsize() for client in servers.clients[:3]] == [1, 1, 1]
    for number in range(100):
        cluster.hset(f"h{number}", mapping={"n": number})
    assert cluster.hgetall("h42") == {b"n": b"42"}
    assert cluster.dbsize() == 103
    assert cluster["{a}1"] == b"{a}1" and "{b}1" in cluster
    assert cluster.object("ENCODING", "h1") in (b"ziplist", b"listpack")
    assert cluster.eval("return redis.call('GET', KEYS[1])", 1, "{c}1") == b"{c}1"
    assert cluster.eval("return 7", 0) == 7
    assert cluster.xadd("s", {"f": "v"}) and cluster.xread({"s": 0})
    assert cluster.expire("h1", 100) and cluster.persist("h1") and not cluster.persist("h1")
    with pytest.raises(kvist.ResponseError, match="WRONGTYPE"):
        cluster.lpush("h1", "x")
    assert cluster.register_script("return ARGV[1]")(keys=["q"], args=["v"]) == b"v"
    with cluster.lock("a-lock", timeout=10):
        assert cluster.exists("a-lock")


def test_several_keys(cluster: RedisCluster[Any]) -> None:
    assert cluster.mset_nonatomic({key: key for key in KEYS}) == [True] * 3
    got = cluster.mget_nonatomic(KEYS[0], "nothere", *KEYS[1:], KEYS[0])
    assert got == [b"{b}1", None, b"{c}1", b"{a}1", b"{b}1"]
    assert cluster.mset({"{x}1": 1, "{x}2": 2}) and cluster.mget("{x}1", "{x}2") == [b"1", b"2"]
    with pytest.raises(kvist.RedisClusterException, match="same key slot"):
        cluster.mget(KEYS)
    assert cluster.exists(*KEYS, "nothere") == 3
    assert cluster.touch(*KEYS) == 3
    assert cluster.unlink(KEYS[0], "nothere") == 1
    assert cluster.delete(*KEYS) == 2
    assert cluster.mget_nonatomic([]) == []
    assert cluster.delete() == 0


def test_commands_about_all_nodes(cluster: RedisCluster[Any], servers: Cluster) -> None:
    names = {f"k{number}" for number in range(50)}
    for name in names:
        cluster.set(name, 1)
    assert {key.decode() for key in cluster.keys()} == names
    assert {key.decode() for key in cluster.scan_iter("k*", count=7)} == names
    assert sorted(key.decode() for key in cluster.scan_iter()) == sorted(names)
    cursors, page = cluster.scan(count=1000)
    assert cursors == {node.name: 0 for node in cluster.get_primaries()} and len(page) == 50
    assert cluster.dbsize() == 50
    assert cluster.randomkey() is not None
    assert cluster.ping() and cluster.ping(target_nodes=cluster.ALL_NODES)
    infos = cluster.info(target_nodes=RedisCluster.PRIMARIES)
    assert {info["tcp_port"] for info in infos.values()} == {it.port for it in servers.nodes[:3]}
    assert cluster.info()["redis_mode"] == "cluster"
    assert cluster.execute_command("ROLE", target_nodes=RedisCluster.REPLICAS)[0] == b"slave"
    node = cluster.get_node("127.0.0.1", servers.nodes[2].port)
    assert cluster.config_get("port", target_nodes=node) == {"port": str(servers.nodes[2].port)}
    both = {n.name: n for n in cluster.get_primaries()[:2]}
    assert len(cluster.config_get("port", target_nodes=both)) == 2
    assert len(cluster.client_list(target_nodes=list(both.values()))) == 2
    sha = cluster.script_load("return 1")
    assert cluster.script_exists(sha, "0" * 40) == [True, False]
    assert [cluster.evalsha(sha, 1, key) for key in KEYS] == [1, 1, 1]
    assert cluster.script_flush()
    assert cluster.function_load("#!lua name=l\nredis.register_function('f', function() return 5 end)")
    assert cluster.fcall("f", 1, KEYS[2]) == 5 and cluster.fcall("f", 0) == 5
    assert cluster.function_delete("l")
    assert cluster.flushall() and cluster.dbsize() == 0


def test_what_a_cluster_has_not(cluster: RedisCluster[Any]) -> None:
    for refused in (cluster.slaveof, cluster.replicaof, cluster.swapdb):
        with pytest.raises(kvist.RedisClusterException, match="not supported"):
            refused(0, 1)
    with pytest.raises(kvist.RedisClusterException, match="Missing key"):
        cluster.execute_command("NOSUCHCOMMAND")
    with pytest.raises(TypeError, match="target_nodes"):
        cluster.ping(target_nodes=5)
    with pytest.raises(TypeError, match="nobody"):
        cluster.ping(target_nodes="nobody")
    for wrong in ({"db": 1}, {"retry_": 1}):
        with pytest.raises((kvist.RedisClusterException, TypeError)):
            RedisCluster(host="127.0.0.1", port=1, **wrong)
    with pytest.raises(kvist.RedisClusterException, match="at least one node"):
        RedisCluster()
    with pytest.raises(kvist.RedisClusterException, match="shard_hint"):
        cluster.pipeline(shard_hint="x")
    with pytest.raises(kvist.RedisClusterException, match="reachable"):
        RedisCluster(host="127.0.0.1", port=1)


def test_a_server_that_is_no_cluster() -> None:
    from core.conftest import Server

    server = Server("redis")
    try:
        with pytest.raises(kvist.RedisClusterException, match="cluster support disabled"):
            RedisCluster(host="127.0.0.1", port=server.port)
    finally:
        server.remove()


def test_what_the_cluster_says_of_itself(cluster: RedisCluster[Any], servers: Cluster) -> None:
    slots = cluster.cluster_slots()
    first = ("127.0.0.1", servers.nodes[0].port)
    assert slots[0, 5460] == {"primary": first, "replicas": [("127.0.0.1", servers.nodes[3].port)]}
    shards = cluster.cluster_shards()
    assert sorted(shard["slots"] for shard in shards)[0] == [(0, 5460)]
    assert cluster.cluster_info()["cluster_state"] == "ok"
    assert len(cluster.cluster_nodes()) == 4
    assert cluster.cluster_keyslot("a") == 15495
    cluster.set("a", 1)
    assert cluster.cluster_countkeysinslot(15495) == 1
    assert cluster.cluster_get_keys_in_slot(15495, 5) in (["a"], [b"a"])
    node = cluster.get_node("127.0.0.1", servers.nodes[1].port)
    assert cluster.cluster_myid(node).decode() == servers.nodes[1].id


def test_urls(servers: Cluster) -> None:
    port = servers.nodes[2].port
    for url in (
        f"redis+cluster://127.0.0.1:1,127.0.0.1:{port}", f"redis-cluster://localhost:{port}/0",
    ):
        with kvist.from_url(url, decode_responses=True) as client:
            assert isinstance(client, kvist.RedisCluster)
            client.set("k", "v")
            assert client.get("k") == "v"
    with RedisCluster.from_url(f"redis://127.0.0.1:{port}?protocol=3") as client:
        assert len(client.get_nodes()) == 4
    for url in (f"redis://127.0.0.1:{port}/1", "unix:///tmp/s"):
        with pytest.raises(kvist.RedisClusterException):
            RedisCluster.from_url(url)


@pytest.mark.parametrize("strategy", [None, *LoadBalancingStrategy])
def test_replicas_answer_reads(servers: Cluster, strategy: Any) -> None:
    chosen = {"load_balancing_strategy": strategy} if strategy else {"read_from_replicas": True}
    with servers.client(**chosen) as client:
        client.set(KEYS[0], "v")
        primary, replica = servers.clients[0], servers.clients[3]
        servers.await_replica()

        def reads() -> list[int]:
            stats = [it.info("commandstats") for it in (primary, replica)]
            return [it.get("cmdstat_get", {"calls": 0})["calls"] for it in stats]

        before = reads()
        assert {client.get(KEYS[0]) for _ in range(40)} == {b"v"}
        here, there = (now - then for now, then in zip(reads(), before))
        assert there > 0
        assert here + there == 40
        if strategy in (
            LoadBalancingStrategy.ROUND_ROBIN_REPLICAS, LoadBalancingStrategy.RANDOM_REPLICA,
        ):
            assert here == 0


def test_addresses_are_remapped(servers: Cluster) -> None:
    asked = []

    def remap(address: tuple[str, int]) -> tuple[str, int]:
        asked.append(address)
        return ("localhost", address[1])

    with servers.client(address_remap=remap) as client:
        assert client.set("k", "v")
        assert ("127.0.0.1", servers.nodes[0].port) in asked


def test_many_threads(cluster: RedisCluster[Any]) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(50):
                key = f"{number}:{turn}"
                assert cluster.set(key, key)
                assert cluster.get(key) == key.encode()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert cluster.dbsize() == 400


def test_a_monitor(cluster: RedisCluster[Any], servers: Cluster) -> None:
    node = cluster.get_node_from_key("k")
    with cluster.monitor(node) as monitor:
        cluster.set("k", "v")
        commands = iter(monitor.listen())
        assert any(next(commands)["command"] == "SET k v" for _ in range(50))


def test_closing(servers: Cluster) -> None:
    client = servers.client(client_name="closing")
    client.set("k", "v")
    client.close()

    def names() -> set[str]:
        return {it["name"] for server in servers.clients for it in server.client_list()}

    eventually(lambda: "closing" not in names())
    # It makes new connections if it is used again.
    assert client.get("k") == b"v"
    client.close()


def test_no_method_of_ours_hides_a_command() -> None:
    """But those that do the same for a cluster."""
    from kvist._cluster_pipeline import ClusterPipeline, Queue
    from kvist._commands import Commands
    from kvist._routing import Routed
    from kvist.aio.cluster import RedisCluster as AsyncCluster

    own = {"delete", "exists", "touch", "unlink", "slaveof", "replicaof", "swapdb", "reset"}
    commands = {name for name in vars(Commands) if not name.startswith("_")} - own
    for kind in (RedisCluster, AsyncCluster, Routed, ClusterPipeline, Queue):
        assert not commands.intersection(vars(kind)) - {"execute_command"}
