"""Sessions of a website and a cache of its pages: Flask-Session and cachelib, given a client."""

import os

from cachelib.redis import RedisCache
from flask import Flask, session
from flask_session.redis import RedisSessionInterface

import kvist

client = kvist.Kvist.from_url(os.environ["KVIST_URL"])

cache = RedisCache(client, key_prefix="c:", default_timeout=60)
assert cache.set("a", {"n": 1}) and cache.get("a") == {"n": 1}
assert cache.add("a", 2) is False and cache.has("a")
assert sorted(cache.set_many({"b": 2, "d": [3]})) == ["b", "d"]
assert cache.get_many("a", "b", "d", "e") == [{"n": 1}, 2, [3], None]
assert cache.get_dict("b", "d") == {"b": 2, "d": [3]}
assert cache.inc("count", 5) == 5 and cache.dec("count") == 4
assert cache.delete("a") and cache.get("a") is None
assert sorted(cache.delete_many("b", "d")) == ["b", "d"]
assert cache.clear() and client.keys("c:*") == []


# Flask-Session takes redis-py's class only, and replaces anything else by a client of localhost.
class Sessions(RedisSessionInterface):
    """Sessions on any client."""

    def __init__(self, app, client):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            super().__init__(app)
        self.client = client


app = Flask(__name__)
app.session_interface = Sessions(app, client)


@app.get("/visit")
def visit():
    session["visits"] = session.get("visits", 0) + 1
    return str(session["visits"])


@app.get("/leave")
def leave():
    session.clear()
    return ""


ada, bob = app.test_client(), app.test_client()
assert [ada.get("/visit").text for _ in range(3)] == ["1", "2", "3"]
assert bob.get("/visit").text == "1"
keys = client.keys("session:*")
assert len(keys) == 2 and all(client.ttl(key) > 0 for key in keys)
ada.get("/leave")
assert ada.get("/visit").text == "1"
