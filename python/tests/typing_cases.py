"""What type checkers must make of calls; nothing here is run.

A line with ``# error`` must be refused: its ``type: ignore`` would otherwise be reported as needless.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from typing import Any, assert_type

import kvist
import kvist.aio
import kvist.embedded
from kvist._async_commands import AsyncPipelineCommands
from kvist._commands import PipelineCommands
from kvist._composed import AsyncComposed, Composed
from kvist._core import Grid, Ref
from kvist.folio._diffs import Committed, Diff


def of_bytes(client: Composed[bytes]) -> None:
    assert_type(client.get("k"), bytes | None)
    assert_type(client.set("k", 1), bool | None)
    assert_type(client.set("k", 1, get=True), bytes | None)
    assert_type(client.set("k", 1, ex=timedelta(seconds=1), nx=True), bool | None)
    assert_type(client.expire("k", 5), bool)
    assert_type(client.incr("k"), int)
    assert_type(client.mget("a", "b"), list[bytes | None])
    assert_type(client.mset({"a": 1, "b": b"x"}), bool)
    assert_type(client.hgetall("h"), dict[bytes, bytes])
    assert_type(client.hset("h", mapping={"a": 1}), int)
    assert_type(client.hscan("h"), tuple[int, dict[bytes, bytes]])
    assert_type(client.hscan("h", no_values=True), tuple[int, list[bytes]])
    assert_type(client.smembers("s"), set[bytes])
    assert_type(client.lpop("l"), bytes | None)
    assert_type(client.lpop("l", 2), list[bytes] | None)
    assert_type(client.blpop(["a", "b"], 1), tuple[bytes, bytes] | None)
    assert_type(client.zadd("z", {"a": 1.5}), int)
    assert_type(client.zadd("z", {"a": 1.5}, incr=True), float | None)
    assert_type(client.zscore("z", "a"), float | None)
    assert_type(client.zrange("z", 0, -1), list[bytes])
    assert_type(client.zrange("z", 0, -1, withscores=True), list[tuple[bytes, float]])
    assert_type(
        client.zrange("z", 0, -1, withscores=True, score_cast_func=int), list[tuple[bytes, int]]
    )
    assert_type(client.xrange("x"), list[tuple[bytes, dict[bytes, bytes]]])
    assert_type(client.config_get("x"), dict[str, str])
    assert_type(client.lastsave(), datetime)
    assert_type(client["k"], bytes)
    assert_type("k" in client, bool)
    assert_type(client.scan_iter(), Iterator[bytes])
    assert_type(client.hscan_iter("h"), Iterator[tuple[bytes, bytes]])
    assert_type(client.json().arrlen("d"), int | list[int | None] | None)
    assert_type(client.json().set("d", "$", {"a": [1, None]}), bool | None)
    client.get(1.5)  # type: ignore[arg-type]  # pyright: ignore  # error
    client.expire("k")  # type: ignore[call-arg]  # pyright: ignore  # error
    client.hset("h", mappings={})  # type: ignore[call-arg]  # pyright: ignore  # error
    client.nothere()  # type: ignore[attr-defined]  # pyright: ignore  # error


def of_str(client: Composed[str]) -> None:
    assert_type(client.get("k"), str | None)
    assert_type(client.hgetall("h"), dict[str, str])
    assert_type(client.keys(), list[str])
    assert_type(client.dump("k"), bytes | None)


def of_either(client: Composed) -> None:
    assert_type(client.get("k"), bytes | str | None)


async def asynchronous(client: AsyncComposed[str]) -> None:
    assert_type(await client.get("k"), str | None)
    assert_type(await client.set("k", 1, get=True), str | None)
    assert_type(await client.smembers("s"), set[str])
    assert_type(client.scan_iter(), AsyncIterator[str])
    async for key in client.scan_iter():
        assert_type(key, str)
    assert_type(await client.json().get("d"), Any)
    async with client.lock("l", timeout=5):
        pass


def chained(
    pipeline: PipelineCommands[bytes], asynchronous: AsyncPipelineCommands[bytes]
) -> None:
    assert_type(pipeline.set("k", 1).get("k"), PipelineCommands[bytes])
    assert_type(asynchronous.set("k", 1).get("k"), AsyncPipelineCommands[bytes])


def of_clients(decodes: bool) -> None:
    assert_type(kvist.Kvist(), kvist.Kvist[bytes])
    assert_type(kvist.Kvist("host", 1, decode_responses=True), kvist.Kvist[str])
    assert_type(kvist.Redis(decode_responses=True, socket_timeout=1.5), kvist.Kvist[str])
    assert_type(kvist.Redis(decode_responses=decodes), kvist.Kvist[Any])
    assert_type(kvist.Redis(decode_responses=True).get("k"), str | None)
    assert_type(kvist.Redis(decode_responses=True).pipeline(), kvist.Pipeline[str])
    assert_type(kvist.from_url("redis://", decode_responses=True), kvist.Kvist[str])
    assert_type(kvist.Redis.from_url("redis://", decode_responses=True), kvist.Kvist[str])
    assert_type(kvist.aio.Redis(decode_responses=True), kvist.aio.Kvist[str])
    assert_type(kvist.aio.Redis(), kvist.aio.Kvist[bytes])
    assert_type(kvist.aio.from_url("redis://", decode_responses=True), kvist.aio.Kvist[str])
    assert_type(kvist.RedisCluster(decode_responses=True), kvist.RedisCluster[str])
    assert_type(kvist.RedisCluster("host", 1), kvist.RedisCluster[bytes])
    assert_type(kvist.aio.RedisCluster(decode_responses=True), kvist.aio.RedisCluster[str])
    assert_type(kvist.embedded.open(decode_responses=True), kvist.embedded.Kvist[str])
    kvist.Redis(nothere=1)  # type: ignore[call-overload]  # pyright: ignore  # error
    kvist.Redis(port="1")  # type: ignore[call-overload]  # pyright: ignore  # error


async def of_projects(client: kvist.Kvist[bytes], tasks: kvist.aio.Kvist[str]) -> None:
    folio, later = client.folio("p"), tasks.folio("p")
    assert_type(folio.read("site"), dict[str, Any])
    assert_type(folio.read_by_id("a", False), dict[str, Any] | None)
    assert_type(folio.read_all("site"), Grid)
    assert_type(folio.read_all("site")[0], dict[str, Any])
    assert_type(folio.commit(Diff.add({"dis": "x"}), [Diff.remove({"id": "a"})]), list[Committed])
    assert_type(folio.his_read("a"), Grid)
    assert_type(folio.list(), list[str])
    assert_type(await later.read_all("site"), Grid)
    assert_type(await later.read_count("site"), int)
    assert_type(await (await later.watch_open("x")).poll(), list[Ref])
    folio.read_all(5)  # type: ignore[arg-type]  # pyright: ignore  # error


def as_types(
    client: kvist.Redis, strict: kvist.StrictRedis, text: kvist.Redis[str],
    tasks: kvist.aio.Redis, more: kvist.aio.StrictRedis[bytes], cluster: kvist.RedisCluster[str],
) -> None:
    assert_type(client.get("k"), bytes | str | None)
    assert_type(strict.get("k"), bytes | str | None)
    assert_type(text.get("k"), str | None)
    assert_type(cluster.get("k"), str | None)
    assert_type(tasks, kvist.aio.Kvist)
    assert_type(more, kvist.aio.Kvist[bytes])
