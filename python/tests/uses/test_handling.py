"""Everything around the commands: exceptions that travel, classes that are extended, pools."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
import threading
import time
from typing import Any

import pytest
import redis
import redis.backoff
import redis.exceptions
import redis.retry

import kvist
import kvist.aio
import kvist.backoff
import kvist.retry
from core.conftest import Server, eventually
from core.fake import Fake, answering
from kvist import exceptions


def kinds() -> list[type[Exception]]:
    """Every exception of the package."""
    found = vars(exceptions).values()
    return [it for it in found if inspect.isclass(it) and issubclass(it, Exception)]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_exceptions_travel(kind: type[Exception]) -> None:
    """Between processes, as workers send them; with what redis-py's carry along."""
    args = ("1 127.0.0.1:7000",) if issubclass(kind, exceptions.AskError) else ("text",)
    if issubclass(kind, exceptions.LockError):
        args = ("text", "lock")  # type: ignore[assignment]
    error = kind(*args)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error)
        assert vars(again) == vars(error)
    theirs = getattr(redis.exceptions, kind.__name__, None)
    # redis-py has no engine of its own.
    if kind in (exceptions.DirectoryInUseError, exceptions.EngineClosedError):
        return
    assert theirs is not None
    names = [it.__name__ for it in theirs.__mro__ if it.__name__ not in ("Generic", "object")]
    assert [it.__name__ for it in kind.__mro__ if it is not object] == names
    assert str(theirs(*args)) == str(error)


def test_a_client_of_ones_own(server: Server) -> None:
    class Client(kvist.Kvist[Any]):
        """Counts, and puts a prefix before keys."""

        def __init__(self, *args: Any, prefix: str = "app:", **values: Any) -> None:
            super().__init__(*args, **values)
            self.prefix, self.calls = prefix, 0

        def execute_command(self, *args: Any, **options: Any) -> Any:
            self.calls += 1
            if args[0] in ("SET", "GET"):
                args = (args[0], self.prefix + args[1], *args[2:])
            return super().execute_command(*args, **options)

        def latest(self) -> Any:
            """A command of one's own."""
            return self.get("latest")

    with Client(port=server.port, decode_responses=True) as client, server.client() as plain:
        client.set("latest", "v")
        assert client.latest() == "v"
        assert client.calls == 2
        assert plain.get("app:latest") == b"v"
        assert repr(client).startswith(f"<{__name__}.Client(<kvist.connection.ConnectionPool(")
    with Client.from_url(f"redis://127.0.0.1:{server.port}", decode_responses=True) as client:
        assert type(client) is Client
        assert client.latest() == "v"
        with client.client() as one:
            assert type(one) is Client


def test_connections_and_pools_of_ones_own(server: Server) -> None:
    made: list[Any] = []

    class Connection(kvist.Connection):
        def __init__(self, tag: str = "", **values: Any) -> None:
            super().__init__(**values)
            self.tag = tag
            made.append(self)

        def on_connect(self) -> None:
            super().on_connect()
            self.send_command("CLIENT", "SETNAME", f"tag-{self.tag}")
            assert self.read_response() in (b"OK", "OK")

        def connect(self) -> None:
            if not self.is_connected:
                super().connect()

    class Pool(kvist.ConnectionPool):
        borrowed = 0

        def get_connection(self, *args: Any, **values: Any) -> Any:
            self.borrowed += 1
            return super().get_connection(*args, **values)

    pool = Pool(
        connection_class=Connection, port=server.port, tag="x",
        redis_connect_func=lambda connection: connection.on_connect(),
    )
    assert pool.connection_kwargs["tag"] == "x"
    with kvist.Kvist(connection_pool=pool) as client:
        assert client.client_getname() == "tag-x"
        assert type(made[0]) is Connection
        connection = pool.get_connection()
        assert pool.borrowed == 1
        assert connection.tag == "x" and pool.owns_connection(connection)
        pool.release(connection)
    pool.disconnect()


def test_retries_and_waits_of_ones_own() -> None:
    waits: list[int] = []

    class Backoff(kvist.backoff.AbstractBackoff):
        def compute(self, failures: int) -> float:
            waits.append(failures)
            return 0

    answers = [b"-LOADING wait\r\n", b"-LOADING wait\r\n", b":1\r\n", *[b"-LOADING wait\r\n"] * 6]
    with Fake(answering(lambda _: answers.pop(0))) as fake:
        with kvist.Kvist(port=fake.port, retry=kvist.retry.Retry(Backoff(), 5)) as client:
            assert client.incr("n") == 1
            assert waits == [1, 2]
            with pytest.raises(kvist.BusyLoadingError):
                client.incr("n")
            assert waits == [1, 2, 1, 2, 3, 4, 5]
            assert not answers

    # Which errors are worth another try can be said in the constructor, too.
    answers = [b"-READONLY no\r\n", b":1\r\n"]
    with Fake(answering(lambda _: answers.pop(0))) as fake:
        with kvist.Kvist(port=fake.port, retry=kvist.retry.Retry(Backoff(), 1),
                         retry_on_error=[kvist.ReadOnlyError]) as client:
            assert client.incr("n") == 1


@pytest.mark.parametrize("name", [
    "NoBackoff", "ConstantBackoff", "ExponentialBackoff", "FullJitterBackoff", "EqualJitterBackoff",
    "DecorrelatedJitterBackoff", "ExponentialWithJitterBackoff",
])
def test_backoffs(name: str) -> None:
    kind, theirs = getattr(kvist.backoff, name), getattr(redis.backoff, name)
    values = {"NoBackoff": (), "ConstantBackoff": (0.5,)}.get(name, (1, 0.1))
    args = values if name == "ConstantBackoff" else tuple(reversed(values))
    ours, other = kind(*args), theirs(*args)
    for failures in range(1, 12):
        if "Jitter" in name:
            assert 0 <= ours.compute(failures) <= max(args) * 1.01
        else:
            assert ours.compute(failures) == other.compute(failures)
    assert ours == kind(*args) and hash(ours) == hash(kind(*args))


def test_credentials(server: Server) -> None:
    asked: list[int] = []

    class Provider(kvist.CredentialProvider):
        """A password that changes."""

        password = "first"

        def get_credentials(self) -> Any:
            asked.append(1)
            return "ada", self.password

    provider = Provider()
    with server.client() as admin:
        rights = {"enabled": True, "keys": ["*"], "categories": ["+@all"]}
        admin.acl_setuser("ada", passwords=["+first"], **rights)
        try:
            with server.client(credential_provider=provider) as client:
                assert client.acl_whoami() == "ada"
                assert len(asked) == 1
                provider.password = "second"
                client.connection_pool.disconnect()
                with pytest.raises(kvist.AuthenticationError):
                    client.ping()
                admin.acl_setuser("ada", enabled=True, passwords=["+second"])
                assert client.acl_whoami() == "ada"

                async def main() -> None:
                    async with kvist.aio.Kvist(
                        port=server.port, credential_provider=provider
                    ) as aio:
                        assert await aio.acl_whoami() == "ada"

                asyncio.run(main())
        finally:
            admin.acl_deluser("ada")
    fixed = kvist.UsernamePasswordCredentialProvider("ada", "x")
    theirs = redis.UsernamePasswordCredentialProvider("ada", "x")
    for library, given in ((kvist, fixed), (redis, theirs)):
        with pytest.raises(library.DataError):
            client = library.Redis(port=server.port, password="p", credential_provider=given)
            client.ping()


URLS = [
    "redis://localhost", "redis://localhost:7000/3", "redis://:p%40ss@h:1/2", "redis://ada:x@h",
    "rediss://h:1/0?ssl_cert_reqs=none", "unix:///tmp/s?db=2", "unix://ada:x@/tmp/s",
    "redis://h?socket_timeout=1.5&max_connections=7&health_check_interval=9",
    "redis://h?client_name=me", "redis://[::1]:7000", "redis://h/?db=5",
    "redis://h?retry_on_timeout=True&socket_keepalive=no&protocol=2",
]


@pytest.mark.parametrize("url", URLS)
def test_urls(url: str) -> None:
    ours, theirs = kvist.ConnectionPool.from_url(url), redis.ConnectionPool.from_url(url)
    added = {"maint_notifications_config", "event_dispatcher", "himport_registry",
             "maint_notifications_pool_handler", "orig_host_address", "orig_socket_timeout",
             "orig_socket_connect_timeout", "oss_cluster_maint_notifications_handler"}
    expected = {k: v for k, v in theirs.connection_kwargs.items() if k not in added}
    assert ours.connection_kwargs == expected
    assert ours.max_connections == theirs.max_connections or "max_connections" not in url
    assert ours.connection_class.__name__ == theirs.connection_class.__name__
    assert kvist.aio.ConnectionPool.from_url(url).connection_kwargs == expected


def test_a_url_says_what_replies_are(server: Server) -> None:
    """redis-py takes any text for true."""
    for text, kind in (("yes", str), ("True", str), ("no", bytes), ("0", bytes)):
        url = f"redis://127.0.0.1:{server.port}?decode_responses={text}"
        with kvist.from_url(url) as client:
            client.set("k", "v")
            assert type(client.get("k")) is kind


@pytest.mark.parametrize("url", ["http://h", "localhost:6379", "redis:/h", "redis://h?db=x", ""])
def test_urls_that_are_none(url: str) -> None:
    errors = []
    for library in (kvist, redis, kvist.aio):
        with pytest.raises(ValueError) as caught:
            library.ConnectionPool.from_url(url)
        errors.append(str(caught.value).split("(")[0])
    assert len(set(errors)) == 1


def test_limits(server: Server) -> None:
    pool = kvist.ConnectionPool(port=server.port, max_connections=2)
    held = [pool.get_connection() for _ in range(2)]
    with pytest.raises(kvist.MaxConnectionsError, match="Too many connections"):
        kvist.Kvist(connection_pool=pool, retry=None).ping()
    pool.release(held.pop())
    assert kvist.Kvist(connection_pool=pool).ping()
    pool.disconnect()

    class Counting(kvist.BlockingConnectionPool):
        refusals = 0

        def _exhausted(self) -> None:
            try:
                super()._exhausted()
            except kvist.ConnectionError:
                self.refusals += 1
                raise

    pool = Counting(port=server.port, max_connections=1, timeout=0.1)
    connection = pool.get_connection()
    began = time.monotonic()
    with pytest.raises(kvist.ConnectionError, match="No connection available"):
        kvist.Kvist(connection_pool=pool, retry=None).ping()
    assert 0.1 <= time.monotonic() - began
    assert pool.refusals == 1, "waiting for a connection is not tried again"
    threading.Timer(0.05, pool.release, (connection,)).start()
    pool.timeout = 20
    assert kvist.Kvist(connection_pool=pool).ping()
    pool.disconnect()


def test_many_threads_few_connections(server: Server) -> None:
    pool = kvist.BlockingConnectionPool(port=server.port, max_connections=3, timeout=20)
    client: kvist.Kvist[Any] = kvist.Kvist(connection_pool=pool)
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for m in range(50):
                with client.pipeline() as pipe:
                    assert pipe.echo(f"{n}{m}").incr("n").execute()[0] == f"{n}{m}".encode()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    assert client.get("n") == b"600"
    assert sum(count for count, _ in pool.get_connection_count()) <= 3
    pool.disconnect()


def test_one_connection_keeps_its_state(server: Server) -> None:
    with server.client(single_connection_client=True) as client:
        client.client_setname("me")
        number = client.client_id()
        for _ in range(5):
            assert client.client_id() == number
        assert client.client_getname() == "me"
        client.select(3)
        client.set("k", "v")
    with server.client(db=3) as other:
        assert other.get("k") == b"v"


def test_health_checks_find_a_dead_connection(own_server: Server) -> None:
    server = own_server
    with server.client(health_check_interval=0.01, retry=None) as client:
        client.set("k", "v")
        with server.client() as admin:
            admin.client_kill_filter(_type="normal", skipme=True)
        time.sleep(1.1)  # what was used a second ago is not looked at
        assert client.ping()


def test_reprs_say_where_and_no_secrets(server: Server) -> None:
    who = {"username": "ada", "password": "secret", "client_name": "me"}
    client = kvist.Kvist(host="h", port=1, db=2, **who)
    for thing in (client, client.connection_pool, client.connection_pool.make_connection(),
                  kvist.aio.Kvist(host="h", port=1, password="secret")):
        assert "secret" not in repr(thing)
        assert "host=h" in repr(thing) and "port=1" in repr(thing)
    assert "host=h,port=1,db=2" in repr(client)


def test_unix_sockets(server: Server) -> None:
    with kvist.Kvist(unix_socket_path=server.socket) as client:
        client.set("k", "v")
        assert type(client.connection_pool.make_connection()) is kvist.UnixDomainSocketConnection
    with kvist.from_url(f"unix://{server.socket}?db=0") as client:
        assert client.get("k") == b"v"

    async def main() -> None:
        async with kvist.aio.Kvist(unix_socket_path=server.socket) as client:
            assert await client.get("k") == b"v"

    asyncio.run(main())


def test_what_the_server_knows_of_us(server: Server) -> None:
    with server.client(client_name="me", lib_name="lib", lib_version="1.2") as client:
        assert client.client_getname() == "me"
        info = client.client_info()
        if "lib-name" in info:
            assert (info["lib-name"], info["lib-ver"]) == ("lib", "1.2")
    driver = kvist.DriverInfo().add_upstream_driver("app", "1.0")
    assert driver.formatted_name == "kvist-py(app_v1.0)"
    with server.client(driver_info=driver) as client:
        assert client.ping()
    for bad in (("App", "1"), ("app", "1 2"), ("app", "(1)"), ("", "1"), ("app", "")):
        with pytest.raises(ValueError):
            kvist.DriverInfo().add_upstream_driver(*bad)


def test_subscribing_while_another_thread_listens(server: Server) -> None:
    """What RQ's workers do when they end."""
    with server.client() as client:
        news = client.pubsub()
        seen: list[Any] = []
        news.subscribe(a=seen.append)
        thread = news.run_in_thread(sleep_time=60, daemon=True)
        try:
            for name in ("b", "c", "d"):
                news.subscribe(**{name: seen.append})
                eventually(lambda: client.publish(name, "x"))  # noqa: B023
            eventually(lambda: {it["channel"] for it in seen} == {b"b", b"c", b"d"})
            news.unsubscribe("b")
            eventually(lambda: client.publish("b", "x") == 0)
        finally:
            thread.stop()
            news.unsubscribe()
            thread.join(20)
        assert not thread.is_alive()


def test_closing_while_another_thread_listens(server: Server) -> None:
    with server.client() as client:
        news = client.pubsub()
        news.subscribe("a")
        ended: list[Any] = []

        def listen() -> None:
            try:
                for message in news.listen():
                    ended.append(message["type"])
            except kvist.ConnectionError as error:
                ended.append(type(error).__name__)

        thread = threading.Thread(target=listen)
        thread.start()
        eventually(lambda: ended == ["subscribe"])
        news.close()
        thread.join(20)
        assert not thread.is_alive()
        assert ended[0] == "subscribe" and ended[1:] in ([], ["ConnectionError"])


def test_redis_pys_own_retry_is_taken(server: Server) -> None:
    """A program that is moved over step by step."""
    retry = redis.retry.Retry(redis.backoff.ExponentialBackoff(cap=0.1, base=0.01), 3)
    with server.client(retry=retry) as client:
        assert client.set("k", "v")
