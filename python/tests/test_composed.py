"""What clients offer beyond single commands: iteration, locks, scripts, documents, coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
import redis.asyncio
from kvist import exceptions
from kvist._commands import Commands
from kvist._json import JSON, JSONPipeline
from kvist._lock import Lock
from kvist._scripts import Script
from probe import AsyncProbe, Probe, Recorder
from servers import PROGRAM, Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if PROGRAM is None:
        pytest.skip("redis-server is not installed")
    started = Server()
    yield started
    started.stop()


@pytest.fixture(params=[False, True], ids=["bytes", "str"])
def client(server: Server, request: pytest.FixtureRequest) -> Iterator[Probe]:
    with redis.Redis(unix_socket_path=server.socket, decode_responses=request.param) as plain:
        plain.flushall()
        yield Probe(plain)


def test_iteration_sees_everything_once(client: Probe) -> None:
    client.mset({f"k{n}": n for n in range(1000)})
    seen = list(client.scan_iter(match="k*", count=50))
    assert len(seen) == len(set(seen)) == 1000
    client.hset("h", mapping={f"f{n}": n for n in range(1000)})
    assert len(dict(client.hscan_iter("h", count=50))) == 1000
    client.sadd("s", *range(1000))
    assert len(set(client.sscan_iter("s", count=50))) == 1000
    client.zadd("z", {f"m{n}": n for n in range(1000)})
    assert sum(score for _, score in client.zscan_iter("z", count=50)) == 499500


def test_items(client: Probe) -> None:
    client["k"] = "v"
    assert "k" in client and client["k"] in (b"v", "v")
    del client["k"]
    assert "k" not in client
    with pytest.raises(KeyError):
        client["k"]


def test_scripts_are_loaded_when_the_server_forgets_them(client: Probe) -> None:
    script = client.register_script("return {KEYS[1], ARGV[1]}")
    for _ in range(2):
        client.script_flush()
        assert [str(word) for word in script(keys=["k"], args=[5])] in (["b'k'", "b'5'"], ["k", "5"])
    assert script.sha == Script(client, b"return {KEYS[1], ARGV[1]}").sha


def test_a_script_in_a_pipeline_is_announced_to_it(client: Probe) -> None:
    class Pipeline(Recorder):
        def __init__(self) -> None:
            super().__init__()
            self.scripts: set[Script] = set()

    pipeline = Pipeline()
    script = client.register_script("return 1")
    script(keys=["k"], client=pipeline)
    assert pipeline.scripts == {script}
    assert pipeline.sent[0][0] == ("EVALSHA", script.sha, 1, "k")


def test_locks(client: Probe) -> None:
    lock = client.lock("l", timeout=100)
    assert isinstance(lock, Lock) and not lock.locked()
    assert lock.acquire() and lock.locked() and lock.owned()
    other = client.lock("l", blocking=False)
    assert not other.acquire() and not other.owned()
    assert not client.lock("l", blocking_timeout=0.01, sleep=0.001).acquire()
    assert 99 <= client.ttl("l") <= 100
    assert lock.extend(100) and 199 <= client.ttl("l") <= 200
    assert lock.extend(50, replace_ttl=True) and 49 <= client.ttl("l") <= 50
    assert lock.reacquire() and 99 <= client.ttl("l") <= 100
    lock.release()
    assert not lock.locked()


def test_locks_that_are_lost(client: Probe) -> None:
    lock = client.lock("l", timeout=100)
    for use in (lock.release, lock.reacquire, lambda: lock.extend(1)):
        with pytest.raises(exceptions.LockError):
            use()
    lock.acquire()
    client.set("l", "somebody else")
    for use in (lock.reacquire, lambda: lock.extend(1), lock.release):
        with pytest.raises(exceptions.LockNotOwnedError) as caught:
            use()
        assert caught.value.lock_name == "l"
    endless = client.lock("e")
    endless.acquire()
    for use in (endless.reacquire, lambda: endless.extend(1)):
        with pytest.raises(exceptions.LockError, match="no timeout"):
            use()
    with pytest.raises(exceptions.LockError, match="Unable"), client.lock("e", blocking=False):
        pass
    with client.lock("w", raise_on_release_error=False):
        client.delete("w")
    with pytest.raises(exceptions.LockError), client.lock("w"):
        client.delete("w")


def test_locks_belong_to_threads(client: Probe) -> None:
    private, shared = client.lock("a"), client.lock("b", thread_local=False)
    private.acquire(token="mine")
    shared.acquire()
    owned: list[bool] = []
    thread = threading.Thread(target=lambda: owned.extend([private.owned(), shared.owned()]))
    thread.start()
    thread.join()
    assert owned == [False, True]


def test_only_one_of_many_threads_holds_a_lock(server: Server) -> None:
    plain = redis.Redis(unix_socket_path=server.socket)
    plain.flushall()
    client = Probe(plain)
    total = 0

    def add() -> None:
        nonlocal total
        for _ in range(20):
            with client.lock("l", timeout=20, sleep=0.001):
                before = total
                client.ping()
                total = before + 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == 80
    plain.close()


def test_shutdown_is_the_end_of_the_connection(client: Probe) -> None:
    class Ends(Commands[Any]):
        def execute_command(self, *args: Any, **options: Any) -> Any:
            raise exceptions.ConnectionError("closed")

    from kvist._composed import Composed

    class Ending(Ends, Composed[Any]):
        pass

    assert Ending().shutdown(nosave=True) is None
    with pytest.raises(exceptions.RedisError, match="failed"):
        Recorder().shutdown()
    recorder = Recorder()
    with pytest.raises(exceptions.RedisError):
        recorder.shutdown(save=True, now=True, force=True, abort=True)
    assert recorder.sent[0][0] == ("SHUTDOWN", "SAVE", "NOW", "FORCE", "ABORT")


class Store(Recorder):
    """A client that answers what its callback makes of a reply that was told before."""

    def __init__(self, protocol: int | None, legacy: bool = True, decode: bool = False) -> None:
        super().__init__()
        self.settings = {
            "protocol": protocol,
            "legacy_responses": legacy,
            "decode_responses": decode,
        }
        self.callbacks: dict[str, Any] = {}
        self.reply: Any = None

    def get_connection_kwargs(self) -> dict[str, Any]:
        return self.settings

    def set_response_callback(self, name: str, callback: Any) -> None:
        self.callbacks[name] = callback

    def execute_command(self, *args: Any, **options: Any) -> Any:
        super().execute_command(*args, **options)
        callback = self.callbacks.get(args[0])
        return callback(self.reply, **options) if callback else self.reply


def test_vectors_in_either_protocol() -> None:
    store = Store(None)
    sets = store.vset()
    for two, three, call, want in (
        ([b"1", b"0.5"], [1.0, 0.5], lambda: sets.vemb("v", "e"), [1, 0.5]),
        ([b"a", b"1"], {b"a": 1.0}, lambda: sets.vsim("v", "e", with_scores=True), {b"a": 1.0}),
        (
            [b"a", b'{"x":1}', b"b", None],
            {b"a": b'{"x":1}', b"b": None},
            lambda: sets.vsim("v", "e", with_attribs=True),
            {b"a": {"x": 1}, b"b": None},
        ),
        (
            [b"a", b"1", b'{"x":1}'],
            {b"a": [1.0, b'{"x":1}']},
            lambda: sets.vsim("v", "e", True, True),
            {b"a": {"score": 1.0, "attributes": {"x": 1}}},
        ),
        ([b"a"], [b"a"], lambda: sets.vsim("v", "e"), [b"a"]),
        ([[b"a", b"1"]], [{b"a": 1.0}], lambda: sets.vlinks("v", "e", True), [{b"a": 1.0}]),
        ([b"size", 1], {b"size": 1}, lambda: sets.vinfo("v"), {b"size": 1}),
        (b'{"x":1}', b'{"x":1}', lambda: sets.vgetattr("v", "e"), {"x": 1}),
    ):
        for store.reply in (two, three, None):
            assert call() == (None if store.reply is None else want)
    raw = [b"int8", b"\xff", b"1.5", b"2"]
    for decode, kind in ((False, b"int8"), (True, "int8")):
        store = Store(None, decode=decode)
        store.reply = raw
        want = {"quantization": kind, "raw": b"\xff", "l2": 1.5, "range": 2.0}
        assert store.vset().vemb("v", "e", raw=True) == want
        assert "NEVER_DECODE" in store.sent[-1][1]


def test_documents_are_sent_and_read_as_json(tmp_path: Any) -> None:
    store = Store(None)
    documents = store.json()
    assert isinstance(documents, JSON)
    store.reply = b"OK"
    assert documents.set("d", "$", {"a": [1, None]}) is True
    assert store.sent[-1][0] == ("JSON.SET", "d", "$", '{"a": [1, null]}')
    store.reply = None
    assert documents.set("d", "$", 1, nx=True) is None
    for reply in (b'[{"a":1.5}]', '[{"a":1.5}]'):
        store.reply = reply
        assert documents.get("d", "$") == [{"a": 1.5}]
    store.reply = [b"[1]", None]
    assert documents.mget(["a", "b"], "$") == [[1], None]
    store.reply = [2]
    assert documents.numincrby("d", ".a", 1) == 2
    assert documents.numincrby("d", "$.a", 1) == [2]
    file = tmp_path / "one.json"
    file.write_text('{"x": 1}')
    (tmp_path / "two.txt").write_text("{")
    store.reply = b"OK"
    assert documents.set_file("d", "$", str(file)) is True
    taken = documents.set_path("$", str(tmp_path))
    assert sorted(taken.values()) == [False, True]
    old = Store(2)
    documents = old.json()
    old.reply = b"3"
    assert documents.numincrby("d", ".a", 1) == 3
    old.reply = [b"a", b"null"]
    assert documents.objkeys("d") == ["a", None]
    new = Store(2, legacy=False)
    documents = new.json()
    new.reply = b"3"
    assert documents.numincrby("d", ".a", 1) == [3]


def test_documents_in_a_pipeline() -> None:
    class Client(Recorder):
        def pipeline(self, transaction: bool, shard_hint: Any) -> Any:
            assert transaction
            return self

        def execute(self, raise_on_error: bool) -> list[Any]:
            return [args for args, _ in self.sent]

    pipeline = Client().json().pipeline()
    assert isinstance(pipeline, JSONPipeline)
    replies = pipeline.set("d", "$", 1).get("d").execute()
    assert replies == [("JSON.SET", "d", "$", "1"), ("JSON.GET", "d", ".")]


def test_coroutines(server: Server) -> None:
    async def all_of_it() -> None:
        plain = redis.asyncio.Redis(unix_socket_path=server.socket)
        client = AsyncProbe(plain)
        await client.flushall()
        assert await client.set("k", "v") is True
        assert await client.get("k") == b"v"
        await client.mset({f"k{n}": n for n in range(100)})
        assert len([key async for key in client.scan_iter(match="k*", count=7)]) == 101
        await client.hset("h", mapping={"a": 1})
        assert [pair async for pair in client.hscan_iter("h")] == [(b"a", b"1")]
        await client.sadd("s", "m")
        assert [member async for member in client.sscan_iter("s")] == [b"m"]
        await client.zadd("z", {"m": 1.5})
        assert [pair async for pair in client.zscan_iter("z")] == [(b"m", 1.5)]
        assert await client.bitfield("b").set("u8", 0, 7).get("u8", 0).execute() == [0, 7]
        script = client.register_script("return ARGV[1]")
        await client.script_flush()
        assert await script(args=["x"]) == b"x"
        async with client.lock("l", timeout=10) as lock:
            assert await lock.locked() and await lock.owned()
            assert await lock.extend(10) and await lock.reacquire()
            assert not await client.lock("l", blocking=False).acquire()
            assert not await client.lock("l", blocking_timeout=0.01, sleep=0.001).acquire()
        with pytest.raises(exceptions.LockError):
            await lock.release()
        lock = client.lock("l", timeout=10)
        await lock.acquire()
        await client.delete("l")
        with pytest.raises(exceptions.LockNotOwnedError):
            await lock.release()
        with pytest.raises(exceptions.DataError):
            await client.shutdown(save=True, nosave=True)
        await plain.aclose()

    asyncio.run(all_of_it())


def test_filters_beside_redis_py() -> None:
    """Replies as servers with the module send them, through both sets of callbacks."""

    class Other(redis.Redis):
        reply: Any = None

        def execute_command(self, *args: Any, **options: Any) -> Any:
            callback = self.response_callbacks.get(args[0].upper())
            options.pop("NEVER_DECODE", None)
            return callback(self.reply, **options) if callback else self.reply

    info = {b"Capacity": 1, b"Size": 2, b"Number of filters": 3, b"Number of items inserted": 4}
    info |= {b"Expansion rate": 5}
    flat = [item for pair in info.items() for item in pair]
    for protocol in (None, 2, 3):
        for legacy in (True, False):
            settings: dict[str, Any] = {} if protocol is None else {"protocol": protocol}
            theirs = Other(legacy_responses=legacy, **settings)
            ours = Store(protocol, legacy)
            calls: list[tuple[Any, Any]] = [
                (b"OK", lambda c: c.bf().create("k", 0.1, 5)),
                (b"OK", lambda c: c.tdigest().create("k")),
                ([1, 0], lambda c: c.bf().madd("k", "a", "b")),
                ([None, b"out"], lambda c: c.topk().add("k", "a")),
                ([b"a", b"12", b"1.5"], lambda c: c.topk().list("k")),
                ([b"1.5", b"nan"] if protocol == 2 else [1.5], lambda c: c.tdigest().cdf("k", 1)),
                (b"1.5" if protocol == 2 else 1.5, lambda c: c.tdigest().max("k")),
                (flat if protocol == 2 else info, lambda c: c.bf().info("k")),
            ]
            for reply, call in calls:
                theirs.reply = ours.reply = reply
                want, got = call(theirs), call(ours)
                if hasattr(want, "capacity"):
                    assert (got.capacity, got["filterNum"]) == (want.capacity, want["filterNum"])
                    assert got.get("nothing") is None and "expansionRate=5" in repr(got)
                else:
                    assert want == got
