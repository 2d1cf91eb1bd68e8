"""What goes in comes out: arguments of every type, replies of every shape, beside redis-py.

Both clients are given the same arguments and the same server; what they return must be the same in
value and in type, through commands, pipelines and coroutines, in either protocol, decoded or not.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

import pytest
import redis
import redis.asyncio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import kvist
import kvist.aio
from core.conftest import Server
from core.fake import Fake, requests

FEW = settings(
    max_examples=30, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=40)
ARGUMENT = st.one_of(
    st.binary(max_size=60), TEXT, st.integers(-(2**80), 2**80), st.floats(allow_nan=True),
    st.binary(max_size=20).map(memoryview), st.booleans().map(int),
)
NAMES = TEXT.filter(bool)
ONCE = {"retry": None, "socket_timeout": 5}


def same(ours: Any, theirs: Any) -> bool:
    """Equal in value and in type, NaN being NaN."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return same(list(ours.items()), list(theirs.items()))
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float):
        return struct.pack("d", ours) == struct.pack("d", theirs) or ours != ours != theirs
    return bool(ours == theirs)


@pytest.fixture(params=[(2, False), (2, True), (3, False), (3, True), (None, False)], ids=str)
def pair(server: Server, request: Any) -> Iterator[tuple[Any, Any]]:
    """This package's client and redis-py's, set up in the same way."""
    protocol, decode = request.param
    values = {"port": server.port, "decode_responses": decode,
              **({"protocol": protocol} if protocol else {})}
    with kvist.Kvist(**values) as ours, redis.Redis(**values) as theirs:
        yield ours, theirs


def both(pair: tuple[Any, Any], act: Any) -> None:
    """Does something with each client; the same comes of it."""
    found = []
    for client in pair:
        try:
            found.append(act(client))
        except Exception as error:
            found.append((type(error).__name__, str(error)))
    assert same(found[0], found[1]), found


@FEW
@given(value=ARGUMENT)
def test_arguments(server: Server, value: Any) -> None:
    with kvist.Kvist(port=server.port) as ours, redis.Redis(port=server.port) as theirs:
        theirs.set("theirs", value)
        ours.set("ours", value)
        assert ours.get("ours") == ours.get("theirs")
        with ours.pipeline(transaction=False) as pipe:
            stored = pipe.set("piped", value).get("piped").execute()[1]
        assert stored == ours.get("theirs")

        async def main() -> Any:
            async with kvist.aio.Kvist(port=server.port) as client:
                await client.set("aio", value)
                async with client.pipeline() as pipe:
                    return await pipe.get("aio").echo(value).execute()

        assert asyncio.run(main()) == [stored, stored]


@pytest.mark.parametrize("value", [None, True, [], {}, object(), 1j, ("a",), bytearray(b"x")])
def test_arguments_that_cannot_be_sent(server: Server, value: Any) -> None:
    with kvist.Kvist(port=server.port) as ours, redis.Redis(port=server.port) as theirs:
        if isinstance(value, bytearray):
            assert ours.set("k", value)  # redis-py refuses these
            return
        for client, library in ((theirs, redis), (ours, kvist)):
            with pytest.raises(library.DataError, match="Convert to a bytes, string, int or float"):
                client.set("k", value)
        assert ours.ping()


@settings(FEW, max_examples=4)
@given(names=st.lists(NAMES, min_size=1, max_size=8, unique=True), data=st.data())
def test_shapes(pair: tuple[Any, Any], names: list[str], data: Any) -> None:
    pair[1].flushall()
    scores = data.draw(st.lists(
        st.floats(allow_nan=False), min_size=len(names), max_size=len(names)))
    pair[1].hset("h", mapping=dict(zip(names, scores)))
    pair[1].zadd("z", dict(zip(names, scores)))
    pair[1].sadd("s", *names)
    pair[1].rpush("l", *names, *scores)
    pair[1].xadd("x", {name: name for name in names}, id="1-1")
    pair[1].set("str", names[0])
    for act in (
        lambda c: c.hgetall("h"), lambda c: c.hmget("h", *names, "none"),
        lambda c: sorted(c.hkeys("h"), key=repr), lambda c: c.zrange("z", 0, -1, withscores=True),
        lambda c: c.zscore("z", names[0]), lambda c: c.zmscore("z", [*names, "none"]),
        lambda c: c.smembers("s"), lambda c: c.smismember("s", [*names, "none"]),
        lambda c: c.lrange("l", 0, -1), lambda c: c.xrange("x"), lambda c: c.xread({"x": 0}),
        lambda c: c.get("str"), lambda c: c.mget("str", "none"), lambda c: c.exists("str", "none"),
        lambda c: c.type("str"), lambda c: c.zrank("z", names[-1], withscore=False),
        lambda c: c.incr("l"), lambda c: c.ttl("none"), lambda c: c.set("str", "x", nx=True),
        lambda c: c.object("encoding", "l"), lambda c: c.expire("none", 5),
        lambda c: c.lpos("l", names[0]), lambda c: c.zpopmin("none"),
        lambda c: c.scan(match="s"), lambda c: c.hscan("h"), lambda c: c.zscan("z"),
        lambda c: c.sscan("s"), lambda c: c.geopos("none", "a"), lambda c: c.xinfo_stream("x"),
        lambda c: c.eval("return {1, 'a', false, {2}, 1.9}", 0), lambda c: c.time()[0] > 0,
        lambda c: c.eval("return redis.error_reply('MY own')", 0), lambda c: c.lindex("l", 0),
        lambda c: c.pipeline().hgetall("h").smembers("s").get("str").zrange("z", 0, 0).execute(),
        lambda c: c.pipeline(False).incr("l").get("str").execute(raise_on_error=False)[1],
    ):
        both(pair, act)
        pair[1].persist("h")


@settings(FEW, max_examples=10)
@given(word=st.text(alphabet="äöüßéñabc ", min_size=1), bad=st.binary(min_size=1, max_size=8))
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16-le"])
@pytest.mark.parametrize("errors", ["strict", "replace", "ignore"])
def test_encodings(server: Server, encoding: str, errors: str, word: str, bad: bytes) -> None:
    values = {"port": server.port, "encoding": encoding, "encoding_errors": errors,
              "decode_responses": True, "protocol": 2}
    with kvist.Kvist(**values) as ours, redis.Redis(**values) as theirs:  # type: ignore[arg-type]
        # redis-py reads even `OK` in the encoding, so what SET returns is not compared.
        both((ours, theirs), lambda c: (c.set("k", word), c.get("k"))[1])
        both((ours, theirs), lambda c: (c.set("k", bad), c.get("k"))[1])
        both((ours, theirs), lambda c: (c.hset("h", word, word), c.hgetall("h"), c.delete("h")))
        both((ours, theirs), lambda c: c.pipeline().set("k", word).get("k").execute()[1])
        assert ours.ping()


def resp3() -> st.SearchStrategy[bytes]:
    """Replies as a server might write them in RESP3."""
    simple = st.one_of(
        st.binary(max_size=30).map(lambda b: b"$%d\r\n%s\r\n" % (len(b), b)),
        st.integers(-(2**63), 2**63 - 1).map(lambda n: b":%d\r\n" % n),
        st.integers().map(lambda n: b"(%d\r\n" % n),
        st.sampled_from([b"_\r\n", b"#t\r\n", b"#f\r\n", b"+OK\r\n", b"+\r\n"]),
        st.sampled_from(["1.5", "inf", "-inf", "0", "1e300", "-0.0"]).map(
            lambda number: f",{number}\r\n".encode()),
        st.text("abc ", max_size=9).map(lambda t: b"=%d\r\ntxt:%s\r\n" % (len(t) + 4, t.encode())),
    )

    def deeper(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
        flat = st.binary(max_size=9).map(lambda b: b"$%d\r\n%s\r\n" % (len(b), b))
        return st.one_of(
            st.lists(inner, max_size=5).map(lambda it: b"*%d\r\n" % len(it) + b"".join(it)),
            st.lists(flat, max_size=5, unique=True).map(
                lambda it: b"~%d\r\n" % len(it) + b"".join(it)),
            st.lists(st.tuples(flat, inner), max_size=4, unique_by=lambda kv: kv[0]).map(
                lambda it: b"%%%d\r\n" % len(it) + b"".join(k + v for k, v in it)),
        )

    return st.recursive(simple, deeper, max_leaves=12)


class Teller:
    """Answers ``CUSTOM`` with what it was given, in RESP3, to clients of both libraries."""

    def __init__(self) -> None:
        self.reply = b""
        self.fake = Fake(self.talk)
        values: dict[str, Any] = {"port": self.fake.port, "protocol": 3, **ONCE}
        self.pairs = {
            decode: [it.Redis(decode_responses=decode, **values) for it in (kvist, redis)]
            for decode in (False, True)
        }

    def talk(self, connection: Any) -> None:
        """Greets as a server of RESP3 does."""
        for words in requests(connection):
            if words[0] == b"HELLO":
                connection.sendall(b"%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n")
            else:
                connection.sendall(self.reply if words[0] == b"CUSTOM" else b"+OK\r\n")


@pytest.fixture(scope="module")
def teller() -> Iterator[Teller]:
    """One for all examples."""
    found = Teller()
    with found.fake:
        yield found
        for pair in found.pairs.values():
            for client in pair:
                client.close()


@settings(FEW, max_examples=200)
@given(reply=resp3(), decode=st.booleans())
def test_replies_of_resp3(teller: Teller, reply: bytes, decode: bool) -> None:
    """Any reply is read as redis-py reads it."""
    teller.reply = reply
    found = []
    for client in teller.pairs[decode]:
        try:
            found.append(client.execute_command("CUSTOM"))
        except UnicodeError:
            client.connection_pool.disconnect()
            found.append("not text")
    assert same(found[0], found[1]), found


def test_coroutines_return_the_same(server: Server) -> None:
    async def main() -> None:
        for protocol in (2, 3):
            values = {"port": server.port, "protocol": protocol, "decode_responses": True}
            async with kvist.aio.Kvist(**values) as ours:  # type: ignore[arg-type]
                async with redis.asyncio.Redis(**values) as theirs:  # type: ignore[arg-type]
                    await ours.flushall()
                    await ours.hset("h", mapping={"a": 1})
                    await ours.zadd("z", {"a": 1.5})
                    await ours.xadd("x", {"f": "v"}, id="1-1")
                    for act in (
                        lambda c: c.hgetall("h"), lambda c: c.zrange("z", 0, -1, withscores=True),
                        lambda c: c.xrange("x"), lambda c: c.xread({"x": 0}), lambda c: c.info(),
                        lambda c: c.client_list(), lambda c: c.config_get("max*"),
                        lambda c: c.command_count(), lambda c: c.blpop("none", 0.01),
                    ):
                        one, other = await act(ours), await act(theirs)
                        assert type(one) is type(other)
                        if not isinstance(one, (dict, list)) or len(str(one)) < 300:
                            assert same(one, other)

    asyncio.run(main())
