"""Limits of rates, as limits and slowapi have them; run with ``redis`` standing for kvist."""

import asyncio
import os

import redis
from limits import parse, storage, strategies
from limits.aio import storage as aio_storage
from limits.aio import strategies as aio_strategies
from slowapi import Limiter
from slowapi.errors import RateLimitExceeded
from slowapi.util import get_remote_address
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

URL = os.environ["KVIST_URL"]
assert redis.Redis.__module__ == "kvist.client", redis

store = storage.storage_from_string(URL)
assert store.check()
for strategy in ("FixedWindowRateLimiter", "MovingWindowRateLimiter",
                 "SlidingWindowCounterRateLimiter"):
    limiter = getattr(strategies, strategy)(store)
    item = parse("3/hour")
    assert [limiter.hit(item, strategy) for _ in range(5)] == [True] * 3 + [False] * 2, strategy
    assert limiter.get_window_stats(item, strategy).remaining == 0
    limiter.clear(item, strategy)
    assert limiter.hit(item, strategy)


async def main():
    store = aio_storage.RedisStorage(f"async+{URL}", implementation="redispy")
    limiter = aio_strategies.MovingWindowRateLimiter(store)
    item = parse("5/hour")
    hits = await asyncio.gather(*(limiter.hit(item, "tasks") for _ in range(20)))
    assert hits.count(True) == 5, hits


asyncio.run(main())

limiter = Limiter(key_func=get_remote_address, storage_uri=URL)


@limiter.limit("2/hour")
async def page(request: Request):
    return PlainTextResponse("here")


async def refused(request, error):
    return PlainTextResponse("too many", status_code=429)


app = Starlette(routes=[Route("/", page)], exception_handlers={RateLimitExceeded: refused})
app.state.limiter = limiter
with TestClient(app) as browser:
    assert [browser.get("/").status_code for _ in range(4)] == [200, 200, 429, 429]
