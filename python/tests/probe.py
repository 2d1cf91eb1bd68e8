"""The methods on redis-py's transport, so that they can be judged without a client of their own.

A :class:`Probe` sends what its methods say over a connection of redis-py and makes shapes of the
replies with this package's callbacks; redis-py's own methods with its own callbacks, on the same
kind of connection, say what is right.
"""

from __future__ import annotations

from typing import Any

import redis

from kvist import exceptions
from kvist._composed import AsyncComposed, Composed
from kvist._replies import callbacks


def translated(error: redis.RedisError) -> Exception:
    """This package's exception of the same name, or the nearest one that it has."""
    for kind in type(error).__mro__:
        ours = getattr(exceptions, kind.__name__, None)
        if ours is not None:
            return ours(*error.args)
    return error


class Probe(Composed):
    """A client with this package's methods and callbacks and redis-py's connections."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.settings = client.get_connection_kwargs()
        client.response_callbacks.clear()
        chosen = callbacks(self.settings.get("protocol"), self.settings.get("legacy_responses", True))
        client.response_callbacks.update(chosen)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        try:
            return self.client.execute_command(*args, **options)
        except redis.RedisError as error:
            raise translated(error) from error

    def get_connection_kwargs(self) -> dict[str, Any]:
        return self.settings

    def set_response_callback(self, name: str, callback: Any) -> None:
        self.client.response_callbacks[name] = callback


class AsyncProbe(AsyncComposed):
    """The same for coroutines."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self.client = client
        client.response_callbacks.clear()
        client.response_callbacks.update(callbacks(None))

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        try:
            return await self.client.execute_command(*args, **options)
        except redis.RedisError as error:
            raise translated(error) from error

    def get_connection_kwargs(self) -> dict[str, Any]:
        return self.client.get_connection_kwargs()

    def set_response_callback(self, name: str, callback: Any) -> None:
        self.client.response_callbacks[name] = callback


class Recorder(Composed):
    """A client that only notes what it is asked to send."""

    def __init__(self) -> None:
        self.sent: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self.sent.append((args, options))

    def set_response_callback(self, name: str, callback: Any) -> None:
        pass


class RedisRecorder(redis.Redis):
    """redis-py's client that only notes what it is asked to send."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self.sent.append((args, options))
