"""The same for asyncio."""

from __future__ import annotations

import asyncio

import pytest
from core.conftest import eventually
from core.fake import Fake, answering
from core.test_aio import looped

import kvist
import kvist.aio
from kvist.aio.sentinel import MasterNotFoundError, Sentinel, SlaveNotFoundError
from kvist.backoff import ConstantBackoff
from kvist.retry import Retry

from .conftest import Watched
from .test_sentinel import PATIENT, sentinel_reply


@looped
async def test_masters_and_replicas_are_found(watched: Watched) -> None:
    async with Sentinel(watched.places) as sentinel:
        assert await sentinel.discover_master("orders") == ("127.0.0.1", watched.master.port)
        slaves = [("127.0.0.1", watched.replica.port)]
        assert await sentinel.discover_slaves("orders") == slaves
        assert await sentinel.discover_replicas("nothere") == []
        with pytest.raises(MasterNotFoundError, match="'nothere'"):
            await sentinel.discover_master("nothere")
    async with Sentinel(watched.places[1:]) as sentinel:
        known = await sentinel.sentinel_master("orders", return_responses=True)
        assert [it["port"] for it in known] == [watched.master.port]


@looped
async def test_clients_of_master_and_replica(watched: Watched) -> None:
    sentinel = Sentinel(watched.places, decode_responses=True)
    async with sentinel.master_for("orders") as master, sentinel.slave_for("orders") as replica:
        assert await master.set("greeting", "hello")
        assert await master.wait(1, 20_000) == 1
        assert await replica.get("greeting") == "hello"
        assert (await replica.role())[0] == "slave"
        with pytest.raises(kvist.ReadOnlyError):
            await replica.set("greeting", "bye")
        # On a link of its own, found the same way.
        assert await master.blpop(["nothing"], timeout=0.01) is None


@looped
async def test_urls_are_routed(watched: Watched) -> None:
    url = f"redis+sentinel://orders@127.0.0.1:{watched.sentinel.port}/3"
    async with kvist.aio.from_url(url, decode_responses=True) as client:
        assert await client.config_get("port") == {"port": str(watched.master.port)}
        assert (await client.client_info())["db"] == 3


@looped
async def test_no_sentinel_answers() -> None:
    once = Retry(ConstantBackoff(0), 1)
    async with Sentinel([("127.0.0.1", 1)]) as sentinel:
        with pytest.raises(MasterNotFoundError, match="Error 111"):
            await sentinel.master_for("orders", retry=once).ping()
        with pytest.raises(SlaveNotFoundError):
            await sentinel.slave_for("orders", retry=once).ping()


@looped
async def test_a_killed_master_is_replaced(own_watched: Watched) -> None:
    sentinel = Sentinel(own_watched.places, retry=PATIENT, socket_timeout=5)
    async with sentinel.master_for("orders") as client:
        await client.set("n", 0)
        assert await client.wait(1, 20_000) == 1
        own_watched.master.stop()
        await asyncio.gather(*(client.incr("n") for _ in range(50)))
        assert int(await client.get("n")) == 50
        assert client.connection_pool.master_address[1] == own_watched.replica.port
    await sentinel.aclose()


@looped
async def test_a_master_that_says_readonly_is_left() -> None:
    places: list[int] = []

    def demoted(words: list[bytes]) -> bytes:
        if words[0] == b"ROLE":
            return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
        places[:] = places[::-1] if places[0] == old.port else places
        return b"-READONLY You can't write against a read only replica.\r\n"

    def promoted(words: list[bytes]) -> bytes:
        return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n" if words[0] == b"ROLE" else b"+OK\r\n"

    told = answering(lambda _: sentinel_reply(places[0]))
    with Fake(answering(demoted)) as old, Fake(answering(promoted)) as new, Fake(told) as watcher:
        places += [old.port, new.port]
        async with Sentinel([("127.0.0.1", watcher.port)], protocol=2) as sentinel:
            async with sentinel.master_for("orders") as client:
                answers = await asyncio.gather(*(client.set(f"k{n}", "v") for n in range(20)))
                assert answers == [True] * 20
                assert client.connection_pool.master_address == ("127.0.0.1", new.port)


@looped
async def test_links_to_the_old_master_are_closed(own_watched: Watched) -> None:
    sentinel = Sentinel(own_watched.places, retry=PATIENT, client_name="follower")
    async with sentinel.master_for("orders") as client:
        await client.set("k", "v")
        assert await client.wait(1, 20_000) == 1
        old = own_watched.master
        await asyncio.to_thread(own_watched.fail_over)
        for _ in range(3000):
            await client.set("k", "w")
            if client.connection_pool.master_address[1] != old.port:
                break
            await asyncio.sleep(0.02)
        assert await client.get("k") == b"w"

        def names() -> list[str]:
            with old.client() as other:
                return [it["name"] for it in other.client_list()]

        await asyncio.to_thread(eventually, lambda: "follower" not in names())
    await sentinel.aclose()
