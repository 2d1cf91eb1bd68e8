"""The client of clusters on asyncio: routing, moving slots, pipelines, subscriptions, failures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from core.conftest import eventually
from core.fake import Fake, answering
from core.test_aio import looped

import kvist
import kvist.aio
from kvist.aio.cluster import LoadBalancingStrategy, RedisCluster
from kvist.backoff import ConstantBackoff, NoBackoff
from kvist.exceptions import ClusterDownError, ClusterError, SlotNotCoveredError
from kvist.retry import Retry

from .conftest import Cluster
from .test_cluster import KEYS
from .test_redirects import SLOT, TAG, hostile, slots_reply


def client_of(servers: Cluster, **values: Any) -> RedisCluster[Any]:
    """A client of the cluster."""
    return RedisCluster(host="127.0.0.1", port=servers.nodes[1].port, **values)


@pytest.mark.parametrize("protocol", [2, 3])
@looped
async def test_commands(servers: Cluster, protocol: int) -> None:
    async with client_of(servers, protocol=protocol) as cluster:
        await asyncio.gather(*(cluster.set(f"k{n}", n) for n in range(200)))
        values = await asyncio.gather(*(cluster.get(f"k{n}") for n in range(200)))
        assert values == [b"%d" % n for n in range(200)]
        assert await cluster.dbsize() == 200
        assert len(await cluster.keys()) == 200
        assert len([key async for key in cluster.scan_iter(count=20)]) == 200
        assert await cluster.mset_nonatomic({key: key for key in KEYS}) == [True] * 3
        assert await cluster.mget_nonatomic(*KEYS, "no") == [b"{b}1", b"{c}1", b"{a}1", None]
        assert await cluster.exists(*KEYS, "no") == 3
        assert await cluster.touch(*KEYS) == 3
        assert await cluster.unlink(KEYS[0]) == 1
        assert await cluster.delete(*KEYS) == 2
        assert await cluster.mget([]) == []
        with pytest.raises(kvist.RedisClusterException, match="same key slot"):
            await cluster.mget(KEYS)
        with pytest.raises(kvist.RedisClusterException, match="Missing key"):
            await cluster.execute_command("NOSUCHCOMMAND")
        with pytest.raises(kvist.RedisClusterException):
            await cluster.swapdb(0, 1)
        infos = await cluster.info(target_nodes=RedisCluster.ALL_NODES)
        assert len(infos) == 4
        sha = await cluster.script_load("return KEYS[1]")
        assert await cluster.evalsha(sha, 1, KEYS[2]) == KEYS[2].encode()
        assert await cluster.register_script("return 5")(keys=["a"]) == 5
        assert await cluster.blpop("nothing", timeout=0.01) is None
        async with cluster.lock("a-lock", timeout=10):
            assert await cluster.exists("a-lock")
        assert await cluster.flushall()


@looped
async def test_urls(servers: Cluster) -> None:
    port = servers.nodes[2].port
    url = f"redis+cluster://127.0.0.1:1,127.0.0.1:{port}"
    async with kvist.aio.from_url(url, decode_responses=True) as client:
        await client.set("k", "v")
        assert await client.get("k") == "v"
    client = await kvist.aio.RedisCluster.from_url(f"redis://127.0.0.1:{port}")
    assert len(client.get_nodes()) == 4
    await client.aclose()


@looped
async def test_replicas_answer_reads(servers: Cluster) -> None:
    strategy = LoadBalancingStrategy.ROUND_ROBIN_REPLICAS
    async with client_of(servers, load_balancing_strategy=strategy) as client:
        await client.set(KEYS[0], "v")
        servers.await_replica()
        before = servers.clients[3].info("commandstats").get("cmdstat_get", {"calls": 0})["calls"]
        assert await asyncio.gather(*(client.get(KEYS[0]) for _ in range(20))) == [b"v"] * 20
        after = servers.clients[3].info("commandstats")["cmdstat_get"]["calls"]
        assert after - before == 20


@looped
async def test_a_slot_that_moves(servers: Cluster) -> None:
    async with client_of(servers) as client:
        for name in "1234":
            await client.set(TAG + name, name)
        servers.begin_migration(SLOT, 1, 2)
        try:
            servers.migrate(1, 2, TAG + "1", TAG + "2")
            got = await asyncio.gather(*(client.get(TAG + name) for name in "1234"))
            assert got == [b"1", b"2", b"3", b"4"]
            async with client.pipeline() as pipe:
                for name in "1234":
                    pipe.get(TAG + name)
                assert await pipe.execute() == [b"1", b"2", b"3", b"4"]
            async with client.pipeline(transaction=True) as pipe:
                assert await pipe.incr(TAG + "1").get(TAG + "2").execute() == [2, b"2"]
            loop = asyncio.get_running_loop()
            loop.call_later(
                0.1, lambda: loop.run_in_executor(
                    None, servers.migrate, 1, 2, TAG + "3", TAG + "4"
                )
            )
            assert await client.mget(TAG + "1", TAG + "3") == [b"2", b"3"]
        finally:
            servers.end_migration(SLOT, 2)
        try:
            assert await client.get(TAG + "1") == b"2"
            assert client.get_node_from_key(TAG).port == servers.nodes[2].port
        finally:
            servers.begin_migration(SLOT, 2, 1)
            servers.migrate(2, 1, *(TAG + name for name in "1234"))
            servers.end_migration(SLOT, 1)
            await asyncio.to_thread(eventually, servers.is_well)
        async with client.pipeline(transaction=True) as pipe:
            assert await pipe.get(TAG + "1").execute() == [b"2"]


@looped
async def test_a_replica_takes_over(own_cluster: Cluster) -> None:
    patient = Retry(ConstantBackoff(0.05), 600)
    async with client_of(own_cluster, retry=patient, socket_timeout=5) as client:
        keys = [f"{{b}}{number}" for number in range(20)]
        await asyncio.gather(*(client.set(key, key) for key in keys))
        own_cluster.await_replica()
        async with client.pubsub() as listener:
            await listener.subscribe("{b}news")
            await listener.ssubscribe("{b}news")
            own_cluster.nodes[0].stop()
            got = await asyncio.gather(*(client.get(key) for key in keys))
            assert got == [key.encode() for key in keys]
            async with client.pipeline() as pipe:
                for key in keys:
                    pipe.set(key, "new")
                assert await pipe.execute() == [True] * 20
            for read, publish in (
                (listener.get_message, client.publish),
                (listener.get_sharded_message, client.spublish),
            ):
                message = None
                while message is None:
                    await publish("{b}news", "x")
                    message = await read(ignore_subscribe_messages=True, timeout=0.1)
                assert message["data"] == b"x"


@looped
async def test_pipelines(servers: Cluster) -> None:
    async with client_of(servers) as cluster, cluster.pipeline() as pipe:
        for number in range(200):
            pipe.set(f"k{number}", number).get(f"k{number}")
        assert await pipe.execute() == [
            it for number in range(200) for it in (True, b"%d" % number)
        ]
        pipe.set("a", "x").incr("a")
        with pytest.raises(kvist.ResponseError, match="Command # 2"):
            await pipe.execute()
        results = await pipe.incr("a").get("a").execute(raise_on_error=False)
        assert isinstance(results[0], kvist.ResponseError) and results[1] == b"x"
        script = cluster.register_script("return redis.call('INCR', KEYS[1])")
        for key in ("x", "y", "z"):
            await script([key], client=pipe)
        assert await pipe.execute() == [1, 1, 1]


@looped
async def test_transactions(servers: Cluster) -> None:
    async with client_of(servers) as cluster, cluster.pipeline(transaction=True) as pipe:
        assert await pipe.set("{a}1", 1).incr("{a}1").execute() == [True, 2]
        pipe.set("a", 1).set("b", 1)
        with pytest.raises(kvist.CrossSlotTransactionError):
            await pipe.execute()
        await pipe.watch("{a}1")
        assert await pipe.get("{a}1") == b"2"
        with pytest.raises(kvist.CrossSlotTransactionError):
            await pipe.get("b")
        pipe.multi()
        assert await pipe.set("{a}1", 3).execute() == [True]
        await pipe.watch("{a}1")
        await cluster.set("{a}1", 0)
        pipe.multi()
        with pytest.raises(kvist.WatchError):
            await pipe.set("{a}1", 1).execute()

        async def double(pipe: Any) -> None:
            number = int(await pipe.get("{a}1"))
            if number == 0:
                await cluster.set("{a}1", 21)
            pipe.multi()
            pipe.set("{a}1", number * 2)

        assert await cluster.transaction(double, "{a}1") == [True]
        assert await cluster.get("{a}1") == b"42"


@looped
async def test_subscriptions(servers: Cluster) -> None:
    async with client_of(servers) as cluster, cluster.pubsub() as listener:
        await listener.subscribe("news")
        assert (await listener.get_message(timeout=20))["type"] == "subscribe"
        await cluster.publish("news", "x")
        assert (await listener.get_message(timeout=20))["data"] == b"x"
        names = ["{a}", "{b}", "{c}", "{a}1"]
        await listener.ssubscribe(*names)
        for name in names:
            assert (await listener.get_sharded_message(timeout=20))["type"] == "ssubscribe"
        for name in names:
            await cluster.spublish(name, name.upper())
        heard = [await listener.get_sharded_message(timeout=20) for _ in names]
        assert {it["data"].decode() for it in heard} == {name.upper() for name in names}
        # A slot that moves takes its channels along.
        servers.begin_migration(SLOT, 1, 2)
        servers.end_migration(SLOT, 2)
        try:
            message = None
            while message is None or message["type"] != "smessage":
                try:
                    servers.clients[2].spublish(TAG, "x")
                except kvist.ResponseError:
                    pass
                message = await listener.get_sharded_message(timeout=0.1)
        finally:
            servers.begin_migration(SLOT, 2, 1)
            servers.end_migration(SLOT, 1)
            await asyncio.to_thread(eventually, servers.is_well)
        await listener.sunsubscribe()
        while listener.node_pubsub_mapping and any(
            it.shard_channels for it in listener.node_pubsub_mapping.values()
        ):
            await listener.get_sharded_message(timeout=20)
        assert listener.subscribed
        await listener.unsubscribe("news")
        assert (await listener.get_message(timeout=20))["type"] == "unsubscribe"
        assert not listener.subscribed


@pytest.mark.parametrize("word", [b"MOVED", b"ASK"])
@looped
async def test_loops_end(word: bytes) -> None:
    with hostile(lambda _: b"-%s 1 127.0.0.1:%d\r\n" % (word, there.port)) as first, hostile(
        lambda _: b"-%s 1 127.0.0.1:%d\r\n" % (word, first.port)
    ) as there:
        async with RedisCluster(host="127.0.0.1", port=first.port) as client:
            with pytest.raises(ClusterError, match="TTL exhausted"):
                await client.get("k")
            async with client.pipeline() as pipe:
                with pytest.raises(ClusterError, match="TTL exhausted"):
                    await pipe.get("k").execute()
            async with client.pipeline(transaction=True) as pipe:
                with pytest.raises(ClusterError):
                    await pipe.watch("k")


@looped
async def test_failures() -> None:
    with hostile(lambda _: b"-CLUSTERDOWN Hash slot not served\r\n") as node:
        brief = Retry(NoBackoff(), 3)
        async with RedisCluster(host="127.0.0.1", port=node.port, retry=brief) as client:
            with pytest.raises(ClusterDownError, match="Hash slot not served"):
                await client.get("k")
    with pytest.raises(kvist.RedisClusterException, match="reachable"):
        await RedisCluster(host="127.0.0.1", port=1)

    def partly(words: list[bytes]) -> bytes:
        if words[:2] == [b"CLUSTER", b"SLOTS"]:
            return slots_reply((0, 12000, half.port))
        return b"+OK\r\n"

    with Fake(answering(partly)) as half:
        with pytest.raises(kvist.RedisClusterException, match="12001 of 16384"):
            await RedisCluster(host="127.0.0.1", port=half.port)
        async with RedisCluster(
            host="127.0.0.1", port=half.port, require_full_coverage=False, retry=brief
        ) as client:
            assert await client.get("{b}") == b"OK"
            with pytest.raises(SlotNotCoveredError):
                await client.get("foo")


@looped
async def test_cancelled_commands_spoil_nothing(servers: Cluster) -> None:
    async with client_of(servers) as cluster:
        await asyncio.gather(*(cluster.set(f"k{n}", n) for n in range(50)))
        for turn in range(50):
            tasks = [asyncio.create_task(cluster.get(f"k{n}")) for n in range(50)]
            await asyncio.sleep(0)
            for task in tasks[turn % 5 :: 5]:
                task.cancel()
            got = await asyncio.gather(*tasks, return_exceptions=True)
            for number, value in enumerate(got):
                assert isinstance(value, asyncio.CancelledError) or value == b"%d" % number
