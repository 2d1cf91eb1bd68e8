"""Subscriptions: messages, handlers, threads, lost connections."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import kvist
import kvist.aio

from .conftest import PATIENCE, Server, answered, eventually

redis = pytest.importorskip("redis")


def all_of(listener: Any, count: int) -> list[Any]:
    """The next messages."""
    return [eventually(lambda: listener.get_message(timeout=1)) for _ in range(count)]


@pytest.mark.parametrize("values", [{}, {"protocol": 2}, {"decode_responses": True}])
def test_like_redis_py(server: Server, values: dict[str, Any]) -> None:
    seen = []
    for library in (redis, kvist):
        client = library.Redis(port=server.port, **values)
        listener = client.pubsub()
        listener.subscribe("a", "b")
        listener.psubscribe("p*")
        got = all_of(listener, 3)
        client.publish("a", "1")
        client.publish("px", b"\xc3\xa4")
        got += all_of(listener, 2)
        if not values.get("decode_responses"):  # redis-py takes the text for a message
            listener.ping("hello")
            got += all_of(listener, 1)
        got.append(listener.get_message(timeout=0.01))
        listener.unsubscribe("a")
        listener.unsubscribe()
        listener.punsubscribe()
        got += all_of(listener, 3)
        got.append(listener.subscribed)
        listener.subscribe(c=got.append)
        got += all_of(listener, 1)
        client.publish("c", "handled")
        eventually(lambda: listener.get_message(timeout=1) or got[-1]["type"] == "message")
        listener.close()
        client.close()
        seen.append(got)
    assert seen[0] == seen[1]


def test_listen(server: Server) -> None:
    with server.client(decode_responses=True) as client:
        with client.pubsub(ignore_subscribe_messages=True) as listener:
            listener.subscribe("c")
            eventually(lambda: client.publish("c", "1"))
            client.publish("c", "2")
            messages = listener.listen()
            assert next(messages)["data"] == "1"
            assert next(messages)["data"] == "2"


def test_in_a_thread(server: Server) -> None:
    with server.client() as client:
        heard: list[Any] = []
        listener = client.pubsub()
        listener.subscribe(c=heard.append)
        with pytest.raises(kvist.PubSubError):
            silent = client.pubsub()
            silent.subscribe("x")
            silent.run_in_thread()
        thread = listener.run_in_thread(sleep_time=0.01)
        eventually(lambda: client.publish("c", "x"))
        eventually(lambda: heard)
        thread.stop()
        thread.join(20)
        assert not thread.is_alive() and heard[0]["data"] == b"x"


def test_a_lost_connection(own_server: Server) -> None:
    with own_server.client() as client, client.pubsub(ignore_subscribe_messages=True) as listener:
        listener.subscribe("c")
        listener.psubscribe("p*")
        listener.get_message(timeout=1)
        own_server.stop()
        own_server.start()
        listener.get_message(timeout=0.1)
        eventually(lambda: client.publish("c", "after") or listener.get_message(timeout=0.1) and None)
        client.publish("px", "too")
        data = set()
        eventually(lambda: data.add((listener.get_message(timeout=1) or {}).get("data"))
                   or {b"after", b"too"} <= data)


def test_waiting_for_a_subscription(server: Server) -> None:
    with server.client() as client, client.pubsub() as listener:
        assert listener.get_message(timeout=0.01) is None
        threading.Timer(0.05, listener.subscribe, ("late",)).start()
        assert eventually(lambda: listener.get_message(timeout=1))["channel"] == b"late"


def test_longer_than_the_timeout(server: Server) -> None:
    with (
        server.client() as publisher,
        server.client(socket_timeout=0.5, retry=None) as client,
        client.pubsub() as listener,
    ):
        answered(lambda: listener.subscribe("c"))
        assert all_of(listener, 1)[0]["type"] == "subscribe"
        threading.Timer(1, publisher.publish, ("c", "x")).start()
        message = listener.get_message(timeout=None)
        while message["type"] == "subscribe":  # again, where the first was not answered in time
            message = listener.get_message(timeout=None)
        assert message["data"] == b"x"


def test_health_checks(server: Server) -> None:
    with (
        server.client() as other,
        server.client(health_check_interval=0.05) as client,
        client.pubsub() as listener,
    ):
        listener.subscribe("c")
        all_of(listener, 1)
        before = other.info("commandstats").get("cmdstat_ping", {}).get("calls", 0)
        for _ in range(5):
            assert listener.get_message(timeout=0.06) is None
        assert other.info("commandstats")["cmdstat_ping"]["calls"] > before
        other.publish("c", "x")
        assert all_of(listener, 1)[0]["data"] == b"x"


def test_a_handler_of_pushes(server: Server) -> None:
    """It is given each message as it came, where messages are told from replies."""
    for protocol in (2, 3):
        with server.client(protocol=protocol) as client:
            came: list[Any] = []

            def keep(message: Any) -> Any:
                came.append(message)
                return None if message[0] == b"message" else message

            with client.pubsub(push_handler_func=keep) as listener:
                listener.subscribe("c")
                assert listener.get_message(timeout=PATIENCE)["type"] == "subscribe"
                client.publish("c", "x")
                if protocol == 2:
                    assert listener.get_message(timeout=PATIENCE)["data"] == b"x"
                    assert came == []
                    continue
                eventually(lambda: listener.get_message(timeout=0.01) is None and len(came) == 2)
                assert came == [[b"subscribe", b"c", 1], [b"message", b"c", b"x"]]
                listener.ping()
                assert listener.get_message(timeout=PATIENCE)["type"] == "pong"
                assert len(came) == 2


def test_a_handler_of_pushes_on_asyncio(server: Server) -> None:
    """The same; it may be a coroutine."""

    async def main() -> None:
        for is_awaited in (False, True):
            async with kvist.aio.Kvist(port=server.port, protocol=3) as client:
                came: list[Any] = []

                def keep(message: Any) -> Any:
                    came.append(message)
                    return message

                async def keep_later(message: Any) -> Any:
                    return keep(message)

                handler = keep_later if is_awaited else keep
                async with client.pubsub(push_handler_func=handler) as listener:
                    await listener.subscribe("c")
                    message = await listener.get_message(timeout=PATIENCE)
                    assert message["type"] == "subscribe"
                    await client.publish("c", "x")
                    assert (await listener.get_message(timeout=PATIENCE))["data"] == b"x"
                assert came == [[b"subscribe", b"c", 1], [b"message", b"c", b"x"]]

    asyncio.run(asyncio.wait_for(main(), 3 * PATIENCE))
