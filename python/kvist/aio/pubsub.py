"""Subscriptions for asyncio, and what the server shows of all its clients."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from .._replies import text
from ..exceptions import ConnectionError, PubSubError, RedisError, TimeoutError
from ..pubsub import Handler, Subscribed, monitored, subscriptions
from ..retry import AsyncRetry


class Messages:
    """A link whose every reply is a message, kept until a task wants it."""

    def __init__(self, link: Any) -> None:
        self.link = link
        self.kept: deque[Any] = deque()
        self.waiter: asyncio.Future[None] | None = None
        link.listening = True
        link.set_push_handler(self.receive)
        link._closed.add_done_callback(lambda _: self.wake())

    def receive(self, message: Any) -> None:
        """Keeps a message."""
        self.kept.append(message)
        self.wake()

    def wake(self) -> None:
        """Has the tasks that wait look again."""
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def next(self, timeout: float | None) -> Any:
        """The next message; ``None`` if there is none within ``timeout`` seconds."""
        deadline = None if timeout is None else self.link.loop.time() + timeout
        while not self.kept:
            if not self.link.is_connected:
                raise ConnectionError("Connection closed by server.")
            self.waiter = waiter = self.link.loop.create_future()
            left = None if deadline is None else deadline - self.link.loop.time()
            if left is not None and left <= 0:
                # What the loop has read but not handed on yet counts as there.
                await asyncio.sleep(0)
                if not self.kept:
                    return None
                break
            await asyncio.wait([waiter], timeout=left)
        return self.kept.popleft()

    def close(self) -> None:
        """Ends the link."""
        self.link.set_push_handler(None)
        self.link.close()


class PubSub(Subscribed):
    """Subscriptions on a connection of their own, which is renewed when it is lost.

    >>> async def main(client):
    ...     async with client.pubsub() as listener:
    ...         await listener.subscribe("news")
    ...         async for message in listener.listen():
    ...             print(message["data"])
    """

    def __init__(
        self,
        connection_pool: Any,
        shard_hint: str | None = None,
        ignore_subscribe_messages: bool = False,
        encoder: Any = None,
        push_handler_func: Any = None,
        event_dispatcher: Any = None,
    ) -> None:
        self.connection_pool = connection_pool
        self.shard_hint = shard_hint
        self.messages: Messages | None = None
        self._lock = asyncio.Lock()
        super().__init__(
            encoder or connection_pool.get_encoder(), ignore_subscribe_messages, push_handler_func
        )

    async def __aenter__(self) -> PubSub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends all subscriptions and closes the connection."""
        messages, self.messages = self.messages, None
        if messages is not None:
            messages.close()
            await self.connection_pool.release(messages.link)
        self.forget()

    close = reset = aclose

    @property
    def connection(self) -> Any:
        """The connection that the messages come over."""
        return None if self.messages is None else self.messages.link

    @property
    def subscribed(self) -> bool:
        """Whether anything is subscribed to."""
        return self.any

    async def connect(self) -> Messages:
        """Connects, and subscribes to what was subscribed to before."""
        async with self._lock:
            messages = self.messages
            if messages is not None and messages.link.is_here:
                return messages
            if messages is not None:
                messages.close()
                await self.connection_pool.release(messages.link)
                self.messages = None
            messages = Messages(await self.connection_pool.get_connection())
            self.messages = messages
            self._subscribe_again(messages)
            return messages

    def _subscribe_again(self, messages: Messages) -> None:
        """Subscribes on a new link to what was subscribed to before."""
        for names, pending, command in (
            (self.channels, self.pending_unsubscribe_channels, "SUBSCRIBE"),
            (self.patterns, self.pending_unsubscribe_patterns, "PSUBSCRIBE"),
            (self.shard_channels, self.pending_unsubscribe_shard_channels, "SSUBSCRIBE"),
        ):
            pending.clear()
            if names:
                messages.link._tell(command, *names)

    async def _persist(self, act: Callable[[], Any]) -> Any:
        retry = self.connection_pool.retry
        again = AsyncRetry(retry._backoff, retry._retries, retry._supported_errors)

        async def failed(_: Exception) -> None:
            if self.messages is not None:
                self.messages.close()

        return await again.call_with_retry(act, failed)

    async def execute_command(self, *args: Any) -> None:
        """Sends a command whose answer comes as a message."""

        async def act() -> None:
            messages = await self.connect()
            messages.link._tell(*args)

        await self._persist(act)

    async def _subscribe(self, command: str, args: Any, named: dict[str, Any]) -> None:
        wanted = subscriptions(args, named)
        await self.execute_command(command, *wanted)
        wanted = self.normalized(wanted)
        names, pending = self.table(command.lower())
        names.update(wanted)
        pending.difference_update(wanted)

    async def _unsubscribe(self, command: str, args: Any) -> None:
        given = subscriptions(args, {})
        names, pending = self.table(command.lower())
        pending.update(self.normalized(given) if given else names)
        await self.execute_command(command, *given)

    async def subscribe(self, *args: Any, **kwargs: Handler) -> None:
        """Subscribes to channels; a keyword is a channel with a function for its messages."""
        await self._subscribe("SUBSCRIBE", args, kwargs)

    async def psubscribe(self, *args: Any, **kwargs: Handler) -> None:
        """Subscribes to patterns of channels."""
        await self._subscribe("PSUBSCRIBE", args, kwargs)

    async def ssubscribe(self, *args: Any, target_node: Any = None, **kwargs: Handler) -> None:
        """Subscribes to shard channels."""
        await self._subscribe("SSUBSCRIBE", args, kwargs)

    async def unsubscribe(self, *args: Any) -> None:
        """Ends subscriptions to channels: to these, or to all."""
        await self._unsubscribe("UNSUBSCRIBE", args)

    async def punsubscribe(self, *args: Any) -> None:
        """Ends subscriptions to patterns: to these, or to all."""
        await self._unsubscribe("PUNSUBSCRIBE", args)

    async def sunsubscribe(self, *args: Any, target_node: Any = None) -> None:
        """Ends subscriptions to shard channels: to these, or to all."""
        await self._unsubscribe("SUNSUBSCRIBE", args)

    async def ping(self, message: Any = None) -> None:
        """Sends a ``PING``, whose answer comes as a message."""
        await self.execute_command("PING", *(() if message is None else (message,)))

    async def parse_response(self, block: bool = True, timeout: float | None = 0) -> Any:
        """The next message as it came; ``None`` if there is none within ``timeout`` seconds."""
        if self.messages is None:
            raise RuntimeError(
                "pubsub connection not set: did you forget to call subscribe() or psubscribe()?"
            )

        async def act() -> Any:
            messages = await self.connect()
            return await messages.next(None if block else timeout)

        response = await self._persist(act)
        if isinstance(response, Exception):
            raise response
        if self.push_handler_func is not None and isinstance(response, list):
            messages = self.messages
            if messages is not None and messages.link.negotiated_protocol == 3:
                response = self.push_handler_func(response)
                if hasattr(response, "__await__"):
                    response = await response
        return response

    async def listen(self) -> AsyncIterator[Any]:
        """Messages as they come, for as long as anything is subscribed to."""
        while self.subscribed:
            message = await self.handle_message(await self.parse_response(block=True))
            if message is not None:
                yield message

    async def get_message(
        self, ignore_subscribe_messages: bool = False, timeout: float | None = 0.0
    ) -> Any:
        """The next message, waited for ``timeout`` seconds; ``None`` waits for ever."""
        response = await self.parse_response(block=timeout is None, timeout=timeout)
        if response is None:
            return None
        return await self.handle_message(response, ignore_subscribe_messages)

    async def handle_message(self, response: Any, ignore_subscribe_messages: bool = False) -> Any:
        """A message as a dict; ``None`` if a handler has taken it, or it is not wanted."""
        if response is None:
            return None
        message = self.message(response)
        self.settle(message)
        if message["type"] in self.PUBLISH_MESSAGE_TYPES:
            handler = self.handler(message)
            if handler is not None:
                answer = handler(message)
                if hasattr(answer, "__await__"):
                    await answer
                return None
        if self.is_noise(message, ignore_subscribe_messages):
            return None
        return message

    async def run(
        self, *, exception_handler: Callable[..., Any] | None = None, poll_timeout: float = 1.0
    ) -> None:
        """Gives messages to their handlers until it is cancelled; all must have one."""
        for what, names in (("Channel", self.channels), ("Pattern", self.patterns)):
            for name, handler in names.items():
                if handler is None:
                    raise PubSubError(f"{what}: '{name}' has no handler registered")
        await self.connect()
        while True:
            try:
                await self.get_message(ignore_subscribe_messages=True, timeout=poll_timeout)
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                if exception_handler is None:
                    raise
                answer = exception_handler(error, self)
                if hasattr(answer, "__await__"):
                    await answer
            await asyncio.sleep(0)


class Monitor:
    """Every command the server serves, as it does; to be used in an ``async with``."""

    def __init__(self, connection_pool: Any) -> None:
        self.connection_pool = connection_pool
        self.messages: Messages | None = None

    async def connect(self) -> None:
        """Begins to listen."""
        self.messages = Messages(await self.connection_pool.get_connection())
        self.messages.link._tell("MONITOR")
        try:
            answer = await self.messages.next(5)
        except TimeoutError:
            answer = None
        if text(answer) != "OK":
            raise RedisError(f"MONITOR failed: {answer}")

    async def __aenter__(self) -> Monitor:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.messages is not None:
            self.messages.close()
            await self.connection_pool.release(self.messages.link)

    async def next_command(self) -> dict[str, Any]:
        """The next command, however long that takes."""
        if self.messages is None:
            await self.connect()
        assert self.messages is not None
        line = await self.messages.next(None)
        return monitored(line if isinstance(line, str) else line.decode("utf-8", "replace"))

    async def listen(self) -> AsyncIterator[dict[str, Any]]:
        """Commands as they come."""
        while True:
            yield await self.next_command()
