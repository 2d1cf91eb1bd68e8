"""Arguments, replies, options, errors: what every program meets."""

from __future__ import annotations

import enum
import subprocess
import sys
import time
from typing import Any

import pytest

import kvist
from kvist import exceptions
from kvist.backoff import NoBackoff
from kvist.retry import Retry

from .conftest import PATIENCE, Server, eventually


def test_arguments_of_every_type(client: Any) -> None:
    class Colour(enum.IntEnum):
        RED = 1

    cases = [
        (b"\x00\xff", b"\x00\xff"), ("snowman \u2603", "snowman \u2603".encode()), (0, b"0"),
        (-1, b"-1"), (2**63 - 1, b"%d" % (2**63 - 1)), (-(2**63), b"%d" % -(2**63)),
        (2**100, b"%d" % 2**100), (1.5, b"1.5"), (1e300, b"1e+300"), (float("inf"), b"inf"),
        (0.1 + 0.2, b"0.30000000000000004"), (bytearray(b"ba"), b"ba"),
        (memoryview(b"xmvx")[1:3], b"mv"), (memoryview(b"abcdef")[::2], b"ace"),
        (Colour.RED, b"1"), ("", b""), (b"", b""), ("x" * 100_000, b"x" * 100_000),
    ]
    for value, expected in cases:
        assert client.set("k", value) is True
        assert client.get("k") == expected, value
        assert client.get(memoryview(b"k")) == expected
    for value in (None, True, [], {}, object()):
        with pytest.raises(kvist.DataError):
            client.set("k", value)
    assert client.get("k") == b"x" * 100_000, "what is refused is not sent"
    with pytest.raises(kvist.DataError):
        client.execute_command()


def test_commands_in_any_case(client: Any) -> None:
    assert client.execute_command("set", "a", 1) is True
    assert client.execute_command(b"SeT", "a", 1) is True
    assert client.execute_command("config get", "maxmemory") == {"maxmemory": "0"}
    assert client.execute_command("CONFIG", "GET", "maxmemory") is not None


@pytest.mark.parametrize("protocol", [None, 2, 3])
def test_decoding(server: Server, protocol: int | None) -> None:
    with server.client(decode_responses=True, protocol=protocol) as client:
        client.hset("h", mapping={"\u00fc": "\u2603"})
        assert client.hgetall("h") == {"\u00fc": "\u2603"}
        client.sadd("s", "a", "b")
        assert client.smembers("s") == {"a", "b"}
        with server.client() as raw:
            raw.set("bin", b"\xff\xfe")
        with pytest.raises(UnicodeDecodeError):
            client.get("bin")
        # The reply was read to its end, so the connection is as good as before.
        assert client.get("nope") is None
        with pytest.raises(UnicodeDecodeError):
            client.mget("bin", "bin")
        assert client.ping() is True
        assert client.connection_pool._counts() == (1, 0)
        assert isinstance(client.dump("bin"), bytes)
    with server.client(decode_responses=True, encoding_errors="replace") as client:
        assert client.get("bin") == "\ufffd\ufffd"
    with server.client(decode_responses=True, encoding="latin-1") as client:
        assert client.get("bin") == "\xff\xfe"
        client.set("l", "\xe4")
        assert client.strlen("l") == 1
    with server.client(encoding="ascii") as client, pytest.raises(UnicodeEncodeError):
        client.set("k", "\xe4")


def test_raw_replies(server: Server) -> None:
    with server.client(raw=True, decode_responses=True) as client:
        assert client.set("k", 1) == "OK"
        client.hset("h", mapping={"a": 1})
        assert client.hgetall("h") == ["a", "1"]
        client.zadd("z", {"m": 1})
        assert client.execute_command("ZRANGE", "z", 0, -1, "WITHSCORES") == ["m", "1"]
        assert client.zscore("z", "m") == "1" and client.ping() == "PONG"
        client.set("bin", b"\xff\xfe")
        assert client.mget("k", "bin", "nope") == ["1", b"\xff\xfe", None]
        client.sadd("s", "x")
        assert client.smembers("s") == ["x"] and client.exists("s", "nope") == 1
        with client.pipeline(transaction=False) as pipe:
            assert pipe.set("k", 2).get("k").hgetall("h").execute() == ["OK", "2", ["a", "1"]]
    with server.client(raw=True) as client:
        assert client.set("k", 1) == "OK" and client.get("k") == b"1"
    with server.client(raw=True, protocol=3) as client:
        assert client.smembers("s") == {b"x"} and client.hgetall("h") == {b"a": b"1"}


def test_callbacks(client: Any) -> None:
    client.set_response_callback("get", lambda reply, **options: (reply, options))
    assert client.execute_command("GET", "nope", extra=1) == (None, {"extra": 1})
    client.response_callbacks["SMEMBERS"] = len
    client.sadd("s", 1, 2)
    assert client.smembers("s") == 2
    with client.pipeline() as pipe:
        assert pipe.smembers("s").execute() == [2]

    def broken(*_: Any, **__: Any) -> None:
        raise LookupError

    client.set_response_callback("ECHO", broken)
    with pytest.raises(LookupError):
        client.echo("x")
    assert client.ping() and client.connection_pool._counts() == (1, 0)


def test_set_with_get(client: Any) -> None:
    assert client.set("k", "OK", get=True) is None
    assert client.set("k", "2", get=True) == b"OK"
    assert client.set("k", 1, nx=True) is None
    with client.pipeline() as pipe:
        assert pipe.set("k", 3, get=True).set("k", 4).set("k", 5, nx=True).execute() == [
            b"2", True, None,
        ]


def test_errors_are_redis_pys() -> None:
    redis = pytest.importorskip("redis")
    from redis import exceptions as theirs

    for name, kind in vars(theirs).items():
        if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == theirs.__name__:
            ours = getattr(exceptions, name)
            assert [base.__name__ for base in ours.__mro__] == [base.__name__ for base in kind.__mro__]
    parse = redis._parsers.base.BaseParser.parse_error
    for text in (
        "ERR x", "ERR max number of clients reached", "ERR invalid password", "OOM x", "WRONGPASS x",
        "ERR wrong number of arguments for 'auth' command", "EXECABORT x", "LOADING x", "x",
        "NOSCRIPT x", "READONLY x", "NOAUTH x", "NOPERM x", "ASK 1 h:2", "TRYAGAIN x",
        "MOVED 1 ::1:2", "CLUSTERDOWN x", "CROSSSLOT x", "MASTERDOWN x", "WRONGTYPE x y", "",
        "ERR problem with LDAP service", "ERR Client sent AUTH, but no password is set", "ERR",
        "ERR Error unloading module: no such module with that name", "ERR no such fieldset",
    ):
        from .fake import Fake, answering

        with Fake(answering(lambda _: b"-" + text.encode() + b"\r\n")) as fake:  # noqa: B023
            with kvist.Kvist(port=fake.port, protocol=2, retry=None) as client:
                with pytest.raises(exceptions.RedisError) as caught:
                    client.get("k")
        expected = parse(text)
        got = caught.value
        assert type(got).__name__ == type(expected).__name__, text
        assert str(got) == str(expected)
        assert got.status_code == expected.status_code
        if isinstance(got, exceptions.AskError):
            assert (got.slot_id, got.node_addr) == (expected.slot_id, expected.node_addr)


def test_an_error_leaves_the_connection(client: Any) -> None:
    client.set("k", "x")
    for _ in range(3):
        with pytest.raises(kvist.ResponseError, match="WRONGTYPE"):
            client.lpush("k", 1)
        assert client.get("k") == b"x"
    assert client.connection_pool._counts() == (1, 0)


def test_urls(server: Server) -> None:
    for url in (
        f"redis://127.0.0.1:{server.port}/3",
        f"redis://127.0.0.1:{server.port}?db=3&socket_timeout=2.5",
        f"unix://{server.socket}?db=3",
    ):
        with kvist.from_url(url, decode_responses=True) as client:
            assert client.set("where", "here") is True
            assert client.client_info()["db"] == 3
    with kvist.Kvist(unix_socket_path=server.socket, db=3) as client:
        assert client.get("where") == b"here"
    for url in ("http://x", "redis+nothing://x", "x"):
        with pytest.raises(ValueError):
            kvist.from_url(url)
    with pytest.raises(TypeError):
        kvist.from_url("redis://localhost?colour=red").ping()


def test_users_and_names(server: Server) -> None:
    with server.client() as client:
        client.acl_setuser("alice", enabled=True, passwords=["+p@ss word"], keys=["*"], commands=["+@all"])
        try:
            for protocol in (2, 3, None):
                with server.client(
                    username="alice", password="p@ss word", protocol=protocol, client_name="me"
                ) as alice:
                    assert alice.acl_whoami() in ("alice", b"alice")
                    assert alice.client_getname() in ("me", b"me")
                with server.client(username="alice", password="no", protocol=protocol) as nobody:
                    with pytest.raises(kvist.AuthenticationError):
                        nobody.ping()
            with kvist.from_url(f"redis://alice:p%40ss%20word@127.0.0.1:{server.port}") as alice:
                assert alice.acl_whoami() == "alice"

            class Provider(kvist.CredentialProvider):
                asked = 0

                def get_credentials(self) -> tuple[str, str]:
                    self.asked += 1
                    return "alice", "p@ss word"

            provider = Provider()
            with server.client(credential_provider=provider) as alice:
                assert alice.acl_whoami() == "alice" and provider.asked == 1
                alice.connection_pool.disconnect()
                assert alice.acl_whoami() == "alice" and provider.asked == 2
        finally:
            client.acl_deluser("alice")


def test_select_is_for_all_connections(server: Server) -> None:
    with server.client() as client:
        client.set("k", 0)
        first, second = (client.connection_pool.get_connection() for _ in range(2))
        client.connection_pool.release(first)
        client.connection_pool.release(second)
        assert client.select(5) is True
        for _ in range(4):
            held = client.connection_pool.get_connection()
            assert client.get("k") is None
            client.connection_pool.release(held)
        client.select(0)
        assert client.get("k") == b"0"


def test_what_stains_a_connection(server: Server) -> None:
    with server.client() as client:
        client.execute_command("MULTI")
        assert client.ping() is True, "the MULTI was on a connection nobody has any more"
        assert client.set("k", 1) is True


def test_blocking_longer_than_the_timeout(server: Server) -> None:
    # The answer may come so much later than the time that the server is given.
    with server.client(socket_timeout=1, retry=None) as client:
        began = time.monotonic()
        assert client.blpop("nothing", timeout=1.5) is None
        assert 1.4 < time.monotonic() - began
        assert client.xread({"stream": "$"}, block=1200) in ([], {})
        client.rpush("l", "x")
        assert client.blpop("l", timeout=0) == (b"l", b"x")


def test_one_connection(server: Server) -> None:
    with server.client(single_connection_client=True) as client:
        number = client.client_id()
        assert all(client.client_id() == number for _ in range(3))
        client.execute_command("MULTI")
        client.execute_command("SET", "k", 1)
        assert client.execute_command("EXEC") == [b"OK"]
    with server.client() as pooled, pooled.client() as one:
        assert one.client_id() != pooled.client_id()


def test_retry(own_server: Server) -> None:
    own_server.stop()
    waits: list[int] = []

    class Counting(NoBackoff):
        def compute(self, failures: int) -> float:
            waits.append(failures)
            return 0

    with own_server.client(retry=Retry(Counting(), 3)) as client:
        with pytest.raises(kvist.ConnectionError, match="Error 111 connecting to localhost"):
            client.get("k")
        assert waits == [1, 2, 3]
        own_server.start()
        assert client.get("k") is None
    with own_server.client(retry=Retry(NoBackoff(), 2), retry_on_error=[kvist.ResponseError]) as client:
        before = client.info("commandstats").get("cmdstat_lpush", {}).get("calls", 0)
        client.set("k", 1)
        with pytest.raises(kvist.ResponseError):
            client.lpush("k", 1)
        after = client.info("commandstats")["cmdstat_lpush"]
        assert after["calls"] - before == 3


def test_restart(own_server: Server) -> None:
    with own_server.client() as client:
        client.set("k", 1)
        held = [client.connection_pool.get_connection() for _ in range(5)]
        for connection in held:
            client.connection_pool.release(connection)
        own_server.stop()
        own_server.start()
        for _ in range(10):
            assert client.get("k") is None
        with client.pipeline() as pipe:
            assert pipe.set("k", 1).get("k").execute() == [True, b"1"]


def test_use_after_close(server: Server) -> None:
    client = server.client()
    client.set("k", 1)
    client.close()
    assert client.get("k") == b"1", "as redis-py: it connects again"
    client.close()
    connection = client.connection_pool.get_connection()
    connection.disconnect()
    with pytest.raises(kvist.ConnectionError):
        connection.read_response()
    client.close()


def test_connection_by_hand(client: Any) -> None:
    pool = client.connection_pool
    connection = pool.get_connection()
    connection.send_command("SET", "k", 1)
    assert connection.read_response() == b"OK"
    connection.send_command("GET", "k")
    assert connection.can_read(timeout=5)
    assert client.parse_response(connection, "GET") == b"1"
    assert not connection.can_read(timeout=0.01)
    connection.send_packed_command(connection.pack_commands([("GET", "k"), ("INCR", "k")]))
    assert [connection.read_response(), connection.read_response()] == [b"1", 2]
    assert connection.is_clean and connection.fileno() > 0
    connection.send_command("GET", "k")
    pool.release(connection)  # with a reply due
    assert not connection.is_connected
    assert client.echo("x") == b"x"


def test_health_checks(server: Server) -> None:
    def pings(client: Any) -> int:
        return int(client.info("commandstats").get("cmdstat_ping", {}).get("calls", 0))

    with (
        server.client() as watcher,
        server.client(health_check_interval=3 * PATIENCE) as calm,
        server.client(health_check_interval=0.05) as anxious,
    ):
        before = pings(watcher)
        calm.get("k")
        calm.get("k")
        assert pings(watcher) == before
        anxious.get("k")
        before = pings(watcher)
        time.sleep(0.1)  # longer than the interval
        anxious.get("k")
        assert pings(watcher) == before + 1


def test_monitor(server: Server) -> None:
    with server.client() as client, client.monitor() as monitor:
        client.set("k", 'a "b"')
        seen = [monitor.next_command()["command"]]
        eventually(lambda: seen[-1] == 'SET k a "b"' or seen.append(monitor.next_command()["command"]))


def test_repr_shows_no_secrets() -> None:
    client: Any = kvist.Kvist(password="hunter2", username="bob")
    shown = repr(client) + repr(client.connection_pool) + repr(client.connection_pool.make_connection())
    assert "hunter2" not in shown and "localhost" in shown


def test_what_is_imported() -> None:
    """Importing the package takes a few hundredths of a second because it leaves alone what takes
    long and few need."""
    code = (
        "import sys; before = set(sys.modules); import kvist; new = set(sys.modules) - before; "
        "print(*{'asyncio', 'ssl', 'random', 'urllib.parse', 'textwrap', 'json', 'pyarrow'} & new)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
