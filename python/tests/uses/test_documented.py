"""What redis-py's documentation shows, in words of our own, with this package in its place."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import kvist as redis
from core.conftest import Server, answered, eventually
from kvist import asyncio as aioredis
from kvist.asyncio.retry import Retry as AsyncRetry
from kvist.backoff import ExponentialBackoff, NoBackoff
from kvist.exceptions import BusyLoadingError, ConnectionError, TimeoutError
from kvist.retry import Retry


@pytest.fixture
def r(server: Server) -> Any:
    """The client of the examples."""
    with redis.Redis(host="localhost", port=server.port, decode_responses=True) as client:
        yield client


def test_connecting(server: Server) -> None:
    port = server.port
    assert redis.Redis(host="localhost", port=port).ping()
    assert redis.StrictRedis(port=port).ping()
    url = f"redis://localhost:{port}?decode_responses=True&health_check_interval=2"
    assert redis.from_url(url).ping()
    pool = redis.ConnectionPool(host="localhost", port=port, db=0)
    one, two = redis.Redis(connection_pool=pool), redis.Redis(connection_pool=pool)
    one.set("k", "v")
    assert two.get("k") == b"v"
    one.close()  # the pool is not the client's own
    assert two.get("k") == b"v"
    pool.close()
    owner = redis.Redis.from_pool(redis.ConnectionPool(port=port))
    assert owner.ping()
    owner.close()
    provider = redis.UsernamePasswordCredentialProvider("default", "any")
    assert redis.Redis(port=port, credential_provider=provider).ping()
    assert redis.Redis(unix_socket_path=server.socket).ping()


def test_strings_and_keys(r: Any) -> None:
    assert r.set("full_name", "john doe") is True
    assert r.exists("full_name") == 1 and r.get("full_name") == "john doe"
    assert r.set("full_name", "again", nx=True) is None
    assert r.set("full_name", "new", get=True) == "john doe"
    assert r.setex("important", 100, "soon gone") is True and 0 < r.ttl("important") <= 100
    assert r.mset({"emp:1": "a", "emp:2": "b"})
    assert r.mget("emp:1", "emp:2", "none") == ["a", "b", None]
    assert r.incr("n") == 1 and r.incrby("n", 10) == 11 and r.decr("n") == 10
    assert r.incrbyfloat("f", 1.5) == 1.5
    assert r.expire("n", 60) and not r.expire("none", 60) and r.persist("n")
    assert r.append("full_name", "!") == 4 and r.getrange("full_name", 0, 1) == "ne"
    assert r.rename("full_name", "name") and r.type("name") == "string"
    assert r.delete("name", "none") == 1
    assert r.getdel("emp:1") == "a" and r.get("emp:1") is None


def test_lists_sets_hashes_and_sorted_sets(r: Any) -> None:
    assert r.rpush("l", 1, 2, 3) == 3 and r.lpush("l", 0) == 4
    assert r.lrange("l", 0, -1) == ["0", "1", "2", "3"] and r.lpop("l") == "0"
    assert r.blpop(["none", "l"], timeout=1) == ("l", "1") and r.brpop("none", timeout=0.05) is None
    assert r.lmove("l", "m", "LEFT", "RIGHT") == "2" and r.linsert("m", "before", "2", "1") == 2
    assert r.sadd("s", "a", "b") == 2 and r.smembers("s") == {"a", "b"}
    assert r.sismember("s", "a") and r.sinter("s", "none") == set() and r.srem("s", "a") == 1
    assert r.hset("h", "f", 1) == 1 and r.hset("h", mapping={"g": 2, "i": 3}) == 2
    assert r.hgetall("h") == {"f": "1", "g": "2", "i": "3"}
    assert r.hmget("h", "f", "none") == ["1", None]
    assert r.hincrby("h", "f", 5) == 6 and r.hdel("h", "g") == 1 and r.hexists("h", "i")
    assert r.zadd("z", {"a": 1, "b": 2.5}) == 2 and r.zscore("z", "b") == 2.5
    assert r.zrange("z", 0, -1, desc=True, withscores=True) == [("b", 2.5), ("a", 1.0)]
    assert r.zadd("z", {"a": 5}, incr=True) == 6.0 and r.zrank("z", "a") == 1
    assert r.zrangebyscore("z", 0, 3) == ["b"] and r.zpopmin("z") == [("b", 2.5)]


def test_iteration(r: Any) -> None:
    with r.pipeline(transaction=False) as pipe:
        for n in range(500):
            pipe.set(f"key:{n}", n)
            pipe.hset("h", f"f{n}", n).zadd("z", {f"m{n}": n}).sadd("s", n)
        pipe.execute()
    assert len(set(r.scan_iter(match="key:*", count=50))) == 500
    assert dict(r.hscan_iter("h")) == {f"f{n}": str(n) for n in range(500)}
    assert dict(r.zscan_iter("z")) == {f"m{n}": float(n) for n in range(500)}
    assert set(r.sscan_iter("s")) == {str(n) for n in range(500)}


def test_pipelines(r: Any) -> None:
    pipe = r.pipeline()
    assert pipe.set("a", "a value") is pipe
    pipe.set("b", "b value").get("a")
    assert len(pipe) == 3 and pipe.execute() == [True, True, "a value"] and len(pipe) == 0
    assert pipe.execute() == [] and bool(pipe)
    said = r"Command # 2 \(LPUSH a x\) of pipeline caused error"
    with pytest.raises(redis.ResponseError, match=said):
        r.pipeline().set("c", 1).lpush("a", "x").set("d", 1).execute()
    assert r.mget("c", "d") == ["1", "1"]
    replies = r.pipeline().set("c", 2).lpush("a", "x").execute(raise_on_error=False)
    assert replies[0] is True and isinstance(replies[1], redis.ResponseError)


def test_watching(server: Server, r: Any) -> None:
    """Counting without INCR, while another client interferes once."""
    r.set("OUR-SEQUENCE-KEY", 1)
    tries = 0
    with r.pipeline() as pipe:
        while True:
            try:
                pipe.watch("OUR-SEQUENCE-KEY")
                current = int(pipe.get("OUR-SEQUENCE-KEY"))
                if not tries:
                    with server.client() as other:
                        other.set("OUR-SEQUENCE-KEY", 10)
                tries += 1
                pipe.multi()
                pipe.set("OUR-SEQUENCE-KEY", current + 1)
                pipe.execute()
                break
            except redis.WatchError:
                continue
    assert (tries, r.get("OUR-SEQUENCE-KEY")) == (2, "11")

    def client_side_incr(pipe: Any) -> None:
        value = int(pipe.get("OUR-SEQUENCE-KEY"))
        pipe.multi()
        pipe.set("OUR-SEQUENCE-KEY", value + 1)

    assert r.transaction(client_side_incr, "OUR-SEQUENCE-KEY") == [True]
    assert r.get("OUR-SEQUENCE-KEY") == "12"


def test_subscriptions(r: Any) -> None:
    p = r.pubsub()
    p.subscribe("my-first-channel", "my-second-channel")
    p.psubscribe("my-*")
    messages = [p.get_message(timeout=20) for _ in range(3)]
    assert [(it["type"], it["data"]) for it in messages] == [
        ("subscribe", 1), ("subscribe", 2), ("psubscribe", 3)]
    assert r.publish("my-first-channel", "some data") == 2
    found = [p.get_message(timeout=20) for _ in range(2)]
    assert {(it["type"], it["channel"], it["data"]) for it in found} == {
        ("message", "my-first-channel", "some data"), ("pmessage", "my-first-channel", "some data")}
    p.unsubscribe()
    p.punsubscribe()
    seen: list[Any] = []
    with r.pubsub(ignore_subscribe_messages=True) as q:
        q.subscribe(**{"my-channel": lambda message: seen.append(message["data"])})
        thread = q.run_in_thread(sleep_time=0.01)
        eventually(lambda: r.publish("my-channel", "hello"))
        eventually(lambda: "hello" in seen)
        thread.stop()
        thread.join()
    assert r.pubsub_numsub("my-channel") == [("my-channel", 0)]
    p.close()


def test_streams(r: Any) -> None:
    for n in range(10):
        assert r.xadd("skey", {"ts": n, "v": "x"}, id=f"{n + 1}-0") == f"{n + 1}-0"
    assert r.xlen("skey") == 10
    assert r.xread(count=2, streams={"skey": 0}) == [
        ["skey", [("1-0", {"ts": "0", "v": "x"}), ("2-0", {"ts": "1", "v": "x"})]]]
    assert r.xread(block=10, streams={"skey": "$"}) in ([], {}, None)
    assert [it[0] for it in r.xrange("skey", "9-0", "+")] == ["9-0", "10-0"]
    assert r.xgroup_create("skey", "grp1", id=0)
    taken = r.xreadgroup("grp1", "c", {"skey": ">"}, count=3)
    ids = [it[0] for it in taken[0][1]]
    assert r.xack("skey", "grp1", *ids[:2]) == 2
    assert r.xpending("skey", "grp1")["pending"] == 1
    assert r.xpending_range("skey", "grp1", "-", "+", 10)[0]["message_id"] == "3-0"
    assert r.xclaim("skey", "grp1", "d", 0, ["3-0"]) == [("3-0", {"ts": "2", "v": "x"})]
    assert r.xinfo_groups("skey")[0]["name"] == "grp1"
    assert r.xtrim("skey", 5, approximate=False) == 5


def test_scripts_and_locks(r: Any) -> None:
    lua = "local value = redis.call('GET', KEYS[1]) value = tonumber(value) return value * ARGV[1]"
    multiply = r.register_script(lua)
    r.set("foo", 2)
    assert multiply(keys=["foo"], args=[5]) == 10
    r.script_flush()
    assert multiply(keys=["foo"], args=[5]) == 10
    pipe = r.pipeline()
    pipe.set("foo", 5)
    multiply(keys=["foo"], args=[5], client=pipe)
    assert pipe.execute() == [True, 25]
    with r.lock("my-lock", timeout=10) as lock:
        assert lock.locked() and not r.lock("my-lock").acquire(blocking=False)
        assert lock.extend(10) and lock.reacquire()
    assert not r.lock("my-lock").locked()
    counted: list[int] = []

    def count() -> None:
        for _ in range(20):
            with r.lock("counter", timeout=20, sleep=0.001):
                counted.append(len(counted))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == list(range(80))


def test_retrying(server: Server) -> None:
    errors = [BusyLoadingError, ConnectionError, TimeoutError]
    with server.client(retry=Retry(ExponentialBackoff(), 3), retry_on_error=errors) as client:
        assert client.ping() and client.get_retry().get_retries() == 3
        client.set_retry(Retry(NoBackoff(), 1))
        assert client.get_retry().get_retries() == 1
    with server.client(socket_timeout=0.2, retry=None) as client:
        assert answered(client.ping)
        with server.client() as admin:
            admin.client_pause(100_000, all=False)
            with pytest.raises(TimeoutError):
                client.set("k", "v")
            admin.client_unpause()
        assert answered(lambda: client.set("k", "v"))


def test_on_asyncio(server: Server) -> None:
    async def reader(channel: Any) -> list[Any]:
        seen = []
        async for message in channel.listen():
            if message["type"] in ("message", "pmessage"):
                seen.append(message["data"])
                if message["data"] == "STOP":
                    return seen
        return seen

    async def main() -> None:
        client = aioredis.Redis(port=server.port, decode_responses=True,
                                retry=AsyncRetry(ExponentialBackoff(), 3))
        assert await client.ping()
        async with client.pipeline(transaction=True) as pipe:
            assert await pipe.set("key1", "v1").set("key2", "v2").execute() == [True, True]
        async with client.pubsub() as pubsub:
            await pubsub.subscribe("channel:1", "channel:2")
            await pubsub.psubscribe("channel:*")
            task = asyncio.create_task(reader(pubsub))
            while await client.publish("channel:1", "Hello") < 2:
                await asyncio.sleep(0.01)
            await client.publish("channel:2", "STOP")
            assert (await asyncio.wait_for(task, 20))[-1] == "STOP"
        assert {key async for key in client.scan_iter("key*")} == {"key1", "key2"}
        async with client.lock("lock", timeout=5):
            assert await client.exists("lock")
        script = client.register_script("return ARGV[1]")
        assert await script(args=["x"]) == "x"

        async def move(pipe: Any) -> None:
            value = await pipe.get("key1")
            pipe.multi()
            pipe.set("key2", value)

        assert await client.transaction(move, "key1") == [True]
        assert await client.get("key2") == "v1"
        await client.aclose()
        pool = aioredis.ConnectionPool.from_url(f"redis://localhost:{server.port}")
        shared = aioredis.Redis.from_pool(pool)
        assert await shared.ping()
        await shared.aclose()

    asyncio.run(main())
