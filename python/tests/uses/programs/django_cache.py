"""Django's own cache, and django-redis, which name the classes they use in their settings."""

import os
import time

import django
from django.conf import settings
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

import kvist

URL = os.environ["KVIST_URL"]


class Client(RedisCacheClient):
    """Django's client of the cache, with another client inside."""

    def __init__(self, servers, **options):
        super().__init__(servers, pool_class=kvist.ConnectionPool, **options)
        self._lib, self._client = kvist, kvist.Kvist


class Cache(RedisCache):
    """Django's cache in Redis, on Kvist's client."""

    def __init__(self, server, params):
        super().__init__(server, params)
        self._class = Client


settings.configure(CACHES={
    "default": {"BACKEND": "__main__.Cache", "LOCATION": URL},
    "other": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": URL,
        "OPTIONS": {
            "CONNECTION_POOL_CLASS": "kvist.ConnectionPool",
            "REDIS_CLIENT_CLASS": "kvist.Kvist",
            "CONNECTION_POOL_KWARGS": {"max_connections": 20},
        },
        "KEY_PREFIX": "dr",
    },
})
django.setup()
from django.core.cache import caches  # noqa: E402  it needs the settings


def everything(cache):
    assert cache.set("a", {"x": [1, 2]}, 60) in (None, True)
    assert cache.get("a") == {"x": [1, 2]}
    assert cache.get("nothing", "default") == "default"
    assert cache.add("a", 1) is False and cache.add("b", 1, 60) is True
    assert cache.incr("b", 4) == 5 and cache.decr("b") == 4
    cache.set_many({"m1": 1, "m2": "two"}, 60)
    assert cache.get_many(["m1", "m2", "m3"]) == {"m1": 1, "m2": "two"}
    assert cache.touch("a", 100) is True and cache.touch("gone", 1) is False
    assert cache.has_key("a") and cache.delete("a") and not cache.has_key("a")
    assert cache.get_or_set("late", lambda: 7, 60) == 7
    cache.set("short", 1, 1)
    until = time.monotonic() + 20
    while cache.get("short") is not None:
        assert time.monotonic() < until
        time.sleep(0.02)
    cache.delete_many(["m1", "m2"])
    assert cache.get_many(["m1", "m2"]) == {}
    try:
        cache.incr("missing")
    except ValueError:
        pass
    else:
        raise AssertionError("incr of what is missing")
    cache.set("v", "one", version=1)
    assert cache.incr_version("v") == 2 and cache.get("v", version=2) == "one"


everything(caches["default"])
assert type(caches["default"]._cache.get_client(write=True)) is kvist.Kvist
other = caches["other"]
everything(other)
assert type(other.client.get_client()) is kvist.Kvist
with other.lock("lock", timeout=10):
    assert not other.lock("lock", timeout=10, blocking=False).acquire()
other.set_many({f"page:{n}": n for n in range(50)})
assert len(list(other.iter_keys("page:*"))) == 50
assert other.delete_pattern("page:*") == 50
assert other.ttl("late") > 0 and other.persist("late") and other.ttl("late") is None
caches["default"].clear()
assert other.get("late") is None
caches.close_all()
