"""A website on asyncio with a client of its own, and aiocache; ``redis`` stands for kvist there."""

import asyncio
import contextlib
import os
from urllib.parse import urlparse

from aiocache import Cache, cached
from aiocache.lock import OptimisticLock, OptimisticLockError, RedLock
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

import kvist.aio

URL = os.environ["KVIST_URL"]
PORT = urlparse(URL).port


@contextlib.asynccontextmanager
async def lifespan(app):
    async with kvist.aio.Kvist.from_url(URL, decode_responses=True) as client:
        app.state.client = client
        yield


async def visit(request):
    client = request.app.state.client
    async with client.pipeline() as pipe:
        count, _ = await pipe.incr("visits").expire("visits", 60).execute()
    return JSONResponse({"visits": count})


async def feed(socket):
    await socket.accept()
    async with socket.app.state.client.pubsub() as news:
        await news.subscribe("news")
        async for message in news.listen():
            # Only once the server says so is it sure that nothing is missed.
            await socket.send_text("ready" if message["type"] == "subscribe" else message["data"])
            if message["type"] == "message":
                break
    await socket.close()


async def publish(request):
    await request.app.state.client.publish("news", request.path_params["text"])
    return JSONResponse({})


app = Starlette(lifespan=lifespan, routes=[
    Route("/", visit), Route("/publish/{text}", publish), WebSocketRoute("/feed", feed),
])
with TestClient(app) as browser:
    assert [browser.get("/").json()["visits"] for _ in range(3)] == [1, 2, 3]
    with browser.websocket_connect("/feed") as socket:
        assert socket.receive_text() == "ready"
        browser.get("/publish/hello")
        assert socket.receive_text() == "hello"


async def caching():
    async with Cache(Cache.REDIS, endpoint="127.0.0.1", port=PORT, namespace="ns") as cache:
        assert type(cache.client) is kvist.aio.Kvist
        assert await cache.set("k", "v", ttl=60) and await cache.get("k") == "v"
        assert await cache.multi_set([("a", "1"), ("b", "2")], ttl=60)
        assert await cache.multi_get(["a", "b", "c"]) == ["1", "2", None]
        assert await cache.increment("n", 3) == 3
        assert await cache.exists("k") and await cache.delete("k") == 1
        assert await cache.expire("a", 100)
        try:
            await cache.add("a", "again")
        except ValueError:
            pass
        else:
            raise AssertionError("added twice")
        try:
            async with OptimisticLock(cache, "a") as lock:
                await cache.set("a", "changed")
                await lock.cas("mine")
        except OptimisticLockError:
            pass
        else:
            raise AssertionError("a value that was changed was replaced")
        async with RedLock(cache, "job", 5):
            pass
        calls = []

        @cached(cache=Cache.REDIS, endpoint="127.0.0.1", port=PORT, key="slow", ttl=60)
        async def slow():
            calls.append(1)
            return "result"

        assert [await slow() for _ in range(3)] == ["result"] * 3 and len(calls) == 1
        await cache.clear(namespace="ns")


asyncio.run(caching())
