"""What type checkers must make of calls; nothing here is run.

A line with ``# error`` must be refused: its ``type: ignore`` would otherwise be reported as needless.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from typing import Any, assert_type

from kvist._async_commands import AsyncPipelineCommands
from kvist._commands import PipelineCommands
from kvist._composed import AsyncComposed, Composed


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
