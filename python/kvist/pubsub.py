"""Subscriptions, and what the server shows of all its clients."""

from __future__ import annotations

import os
import re
import select
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from ._replies import text
from .exceptions import ConnectionError, PubSubError, RedisError, TimeoutError
from .typing import Subscription as Subscription

Handler = Callable[[dict[str, Any]], Any]

PART = 0.1  # seconds a connection is held for the rest of a message
LOOK = 0.5  # seconds until a thread that waits sees that another has closed its connection


def subscriptions(args: tuple[Any, ...], named: dict[str, Any]) -> dict[Any, Any]:
    """Names with their handlers, from the arguments of a ``subscribe``."""
    found: dict[Any, Any] = {}
    for arg in args:
        for name in arg if isinstance(arg, (list, tuple, set)) else (arg,):
            if isinstance(name, Subscription):
                found[name.name] = name.handler
            else:
                found[name] = None
    return {**found, **named}


class Subscribed:
    """What is subscribed to, and what to make of messages, whichever thread reads them."""

    PUBLISH_MESSAGE_TYPES = ("message", "pmessage", "smessage")
    UNSUBSCRIBE_MESSAGE_TYPES = ("unsubscribe", "punsubscribe", "sunsubscribe")
    HEALTH_CHECK_MESSAGE = "kvist-health-check"

    def __init__(
        self, encoder: Any, ignore_subscribe_messages: bool, push_handler_func: Any
    ) -> None:
        self.encoder = encoder
        self.ignore_subscribe_messages = ignore_subscribe_messages
        self.push_handler_func = push_handler_func
        self.forget()

    def forget(self) -> None:
        """Nothing is subscribed to."""
        self.channels: dict[Any, Any] = {}
        self.patterns: dict[Any, Any] = {}
        self.shard_channels: dict[Any, Any] = {}
        self.pending_unsubscribe_channels: set[Any] = set()
        self.pending_unsubscribe_patterns: set[Any] = set()
        self.pending_unsubscribe_shard_channels: set[Any] = set()

    def normalized(self, names: dict[Any, Any]) -> dict[Any, Any]:
        """Names as they come in messages."""
        decode, encode = self.encoder.decode, self.encoder.encode
        return {decode(bytes(encode(name))): handler for name, handler in names.items()}

    def table(self, command: str) -> tuple[dict[Any, Any], set[Any]]:
        """The names a (un)subscribing command is about, and those it is about to lose."""
        if command.startswith("p"):
            return self.patterns, self.pending_unsubscribe_patterns
        if command.startswith("s") and not command.startswith("sub"):
            return self.shard_channels, self.pending_unsubscribe_shard_channels
        return self.channels, self.pending_unsubscribe_channels

    @property
    def any(self) -> bool:
        """Whether anything is subscribed to."""
        return bool(self.channels or self.patterns or self.shard_channels)

    def is_health_check(self, response: Any) -> bool:
        """Whether a message answers one of our own questions."""
        if isinstance(response, list):
            response = response[1] if len(response) == 2 and text(response[0]) == "pong" else None
        return isinstance(response, (bytes, str)) and text(response) == self.HEALTH_CHECK_MESSAGE

    def message(self, response: Any) -> dict[str, Any]:
        """A message as a dict."""
        if isinstance(response, (bytes, str, bool)):
            if text(response) in ("PONG", True):
                response = response[:0] if not isinstance(response, bool) else b""
            return {"type": "pong", "pattern": None, "channel": None, "data": response}
        kind = text(response[0])
        if kind == "pong":
            return {"type": kind, "pattern": None, "channel": None, "data": response[1]}
        if kind == "pmessage":
            _, pattern, channel, data = response
            return {"type": kind, "pattern": pattern, "channel": channel, "data": data}
        return {"type": kind, "pattern": None, "channel": response[1], "data": response[2]}

    def settle(self, message: dict[str, Any]) -> None:
        """Forgets what the server says is not subscribed to any more."""
        kind = message["type"]
        if kind in self.UNSUBSCRIBE_MESSAGE_TYPES:
            names, pending = self.table(kind)
            if message["channel"] in pending:
                pending.discard(message["channel"])
                names.pop(message["channel"], None)

    def handler(self, message: dict[str, Any]) -> Handler | None:
        """The function for a message."""
        kind = message["type"]
        if kind == "pmessage":
            return self.patterns.get(message["pattern"])
        if kind == "smessage":
            return self.shard_channels.get(message["channel"])
        return self.channels.get(message["channel"])

    def is_noise(self, message: dict[str, Any], ignore: bool) -> bool:
        """Whether a message only says that something was (un)subscribed, to who does not care."""
        kind = message["type"]
        if kind in self.PUBLISH_MESSAGE_TYPES or kind == "pong":
            return False
        return ignore or self.ignore_subscribe_messages


class PubSub(Subscribed):
    """Subscriptions on a connection of their own, which is renewed when it is lost.

    >>> listener = client.pubsub()  # doctest: +SKIP
    >>> listener.subscribe("news", alarms=print)  # doctest: +SKIP
    >>> for message in listener.listen():  # doctest: +SKIP
    ...     print(message["data"])

    ``push_handler_func`` is given every message as it came, in RESP3 where it is told from replies;
    what it returns takes the message's place, and nothing if that is ``None``.
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
        self.connection: Any = None
        self.subscribed_event = threading.Event()
        self._guard = threading.RLock()
        self._process = os.getpid()
        self.health_check_response_counter = 0
        super().__init__(
            encoder or connection_pool.get_encoder(), ignore_subscribe_messages, push_handler_func
        )

    def __enter__(self) -> PubSub:
        return self

    def __exit__(self, *_: object) -> None:
        self.reset()

    def __del__(self) -> None:
        try:
            self.reset()
        except Exception:  # noqa: S110 - the interpreter may be going away
            pass

    @property
    def _lock(self) -> Any:
        # A thread of the parent may have held the lock when this process was forked.
        if self._process != os.getpid():
            self._guard = threading.RLock()
            self._process = os.getpid()
        return self._guard

    def reset(self) -> None:
        """Ends all subscriptions and closes the connection."""
        with self._lock:
            connection, self.connection = self.connection, None
            if connection is not None:
                connection.deregister_connect_callback(self.on_connect)
                connection.disconnect()
                self.connection_pool.release(connection)
            self.forget()
        self.health_check_response_counter = 0
        self.subscribed_event.clear()

    def close(self) -> None:
        """The same as :meth:`reset`."""
        self.reset()

    @property
    def subscribed(self) -> bool:
        """Whether anything is subscribed to."""
        return self.subscribed_event.is_set()

    def on_connect(self, connection: Any) -> None:
        """Subscribes again on a new connection."""
        self.health_check_response_counter = 0
        for names, pending, command in (
            (self.channels, self.pending_unsubscribe_channels, "SUBSCRIBE"),
            (self.patterns, self.pending_unsubscribe_patterns, "PSUBSCRIBE"),
            (self.shard_channels, self.pending_unsubscribe_shard_channels, "SSUBSCRIBE"),
        ):
            pending.clear()
            if names:
                connection.send_command(command, *names, check_health=False)

    def _execute(self, command: Callable[[], Any]) -> Any:
        """Does something with the connection, again over a new one if that was lost."""
        connection = self.connection

        def renew(error: Exception) -> None:
            with self._lock:
                if self.connection is not connection:
                    raise error  # closed by another thread
                connection.disconnect()
                connection.connect()

        return connection.retry.call_with_retry(command, renew)

    def execute_command(self, *args: Any) -> Any:
        """Sends a command whose answer comes as a message."""
        with self._lock:
            if self.connection is None:
                self.connection = self.connection_pool.get_connection()
                self.connection.register_connect_callback(self.on_connect)
            connection = self.connection
            return self._execute(lambda: connection.send_command(*args, check_health=False))

    def _subscribe(self, command: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        wanted = subscriptions(args, named)
        answer = self.execute_command(command, *wanted)
        # Only now, so that a connection that was lost meanwhile does not subscribe twice.
        wanted = self.normalized(wanted)
        names, pending = self.table(command.lower())
        names.update(wanted)
        pending.difference_update(wanted)
        if not self.subscribed:
            self.subscribed_event.set()
            self.health_check_response_counter = 0
        return answer

    def _unsubscribe(self, command: str, args: tuple[Any, ...]) -> Any:
        given = subscriptions(args, {})
        names, pending = self.table(command.lower())
        pending.update(self.normalized(given) if given else names)
        return self.execute_command(command, *given)

    def subscribe(self, *args: Any, **kwargs: Handler) -> Any:
        """Subscribes to channels; a keyword is a channel with a function for its messages."""
        return self._subscribe("SUBSCRIBE", args, kwargs)

    def psubscribe(self, *args: Any, **kwargs: Handler) -> Any:
        """Subscribes to patterns of channels."""
        return self._subscribe("PSUBSCRIBE", args, kwargs)

    def ssubscribe(self, *args: Any, target_node: Any = None, **kwargs: Handler) -> Any:
        """Subscribes to shard channels."""
        return self._subscribe("SSUBSCRIBE", args, kwargs)

    def unsubscribe(self, *args: Any) -> Any:
        """Ends subscriptions to channels: to these, or to all."""
        return self._unsubscribe("UNSUBSCRIBE", args)

    def punsubscribe(self, *args: Any) -> Any:
        """Ends subscriptions to patterns: to these, or to all."""
        return self._unsubscribe("PUNSUBSCRIBE", args)

    def sunsubscribe(self, *args: Any, target_node: Any = None) -> Any:
        """Ends subscriptions to shard channels: to these, or to all."""
        return self._unsubscribe("SUNSUBSCRIBE", args)

    def ping(self, message: Any = None) -> Any:
        """Sends a ``PING``, whose answer comes as a message."""
        return self.execute_command("PING", *(() if message is None else (message,)))

    def check_health(self) -> None:
        """Sends a ``PING`` if nothing was heard for the connection's health check interval."""
        with self._lock:
            self._check_health()

    def _check_health(self) -> None:
        connection = self.connection
        if connection is None:
            raise RuntimeError(
                "pubsub connection not set: did you forget to call subscribe() or psubscribe()?"
            )
        interval = connection.health_check_interval
        now = time.monotonic()
        if interval and now > getattr(connection, "next_health_check", 0):
            if getattr(connection, "next_health_check", 0):
                connection.send_command("PING", self.HEALTH_CHECK_MESSAGE, check_health=False)
                self.health_check_response_counter += 1
            connection.next_health_check = now + interval

    def parse_response(self, block: bool = True, timeout: float | None = 0) -> Any:
        """The next message as it came; ``None`` if there is none within ``timeout`` seconds."""
        self.check_health()
        connection = self.connection

        until = None if block or timeout is None else time.monotonic() + timeout
        response = self._execute(lambda: self._next(connection, until))
        if response is not None and self.is_health_check(response):
            self.health_check_response_counter -= 1
            return None
        if self.push_handler_func is not None and isinstance(response, list):
            with self._lock:
                is_push = connection.negotiated_protocol == 3
            if is_push:
                return self.push_handler_func(response)
        return response

    def _next(self, connection: Any, until: float | None) -> Any:
        """The next message, or ``None`` at a moment of the clock.

        Another thread may subscribe meanwhile, so the connection is held only to look at it and
        not to wait for it.
        """
        while True:
            with self._lock:
                if not connection.is_connected:
                    if self.connection is not connection:
                        raise ConnectionError("The subscriptions were closed.")
                    connection.connect()
                if connection.can_read(timeout=0):
                    try:
                        return connection.read_response(
                            disconnect_on_error=False, push_request=True, timeout=PART
                        )
                    except TimeoutError:
                        pass  # a part has come; the rest will
                left = LOOK if until is None else min(LOOK, until - time.monotonic())
                if left <= 0:
                    return None
                fileno = connection.fileno() if connection.has_socket else None
                if fileno is None:
                    connection.can_read(timeout=min(left, PART))
            if fileno is None:
                time.sleep(0.001)  # a thread that waits for the lock gets it
                continue
            poll = select.poll()
            poll.register(fileno, select.POLLIN)
            poll.poll(left * 1000)

    def listen(self) -> Iterator[Any]:
        """Messages as they come, for as long as anything is subscribed to."""
        while self.subscribed:
            message = self.handle_message(self.parse_response(block=True))
            if message is not None:
                yield message

    def get_message(
        self, ignore_subscribe_messages: bool = False, timeout: float | None = 0.0
    ) -> Any:
        """The next message, waited for ``timeout`` seconds; ``None`` waits for ever."""
        if not self.subscribed:
            began = time.monotonic()
            if not self.subscribed_event.wait(timeout):
                return None
            if timeout is not None:
                timeout = max(0.0, timeout - (time.monotonic() - began))
        response = self.parse_response(block=timeout is None, timeout=timeout)
        if response is None:
            return None
        return self.handle_message(response, ignore_subscribe_messages)

    get_sharded_message = get_message

    def handle_message(self, response: Any, ignore_subscribe_messages: bool = False) -> Any:
        """A message as a dict; ``None`` if a handler has taken it, or it is not wanted."""
        if response is None:
            return None
        message = self.message(response)
        self.settle(message)
        if not self.any and message["type"] in self.UNSUBSCRIBE_MESSAGE_TYPES:
            self.subscribed_event.clear()
        if message["type"] in self.PUBLISH_MESSAGE_TYPES:
            handler = self.handler(message)
            if handler is not None:
                handler(message)
                return None
        if self.is_noise(message, ignore_subscribe_messages):
            return None
        return message

    def run_in_thread(
        self,
        sleep_time: float = 0.0,
        daemon: bool = False,
        exception_handler: Callable[..., Any] | None = None,
        pubsub: Any = None,
        sharded_pubsub: bool = False,
    ) -> PubSubWorkerThread:
        """Starts a thread that gives messages to their handlers; all must have one."""
        for what, names in (
            ("Channel", self.channels),
            ("Pattern", self.patterns),
            ("Shard Channel", self.shard_channels),
        ):
            for name, handler in names.items():
                if handler is None:
                    raise PubSubError(f"{what}: '{name}' has no handler registered")
        thread = PubSubWorkerThread(
            self if pubsub is None else pubsub, sleep_time, daemon, exception_handler
        )
        thread.start()
        return thread


class PubSubWorkerThread(threading.Thread):
    """Gives messages to their handlers until it is stopped."""

    def __init__(
        self,
        pubsub: PubSub,
        sleep_time: float,
        daemon: bool = False,
        exception_handler: Callable[..., Any] | None = None,
        sharded_pubsub: bool = False,
    ) -> None:
        super().__init__(daemon=daemon)
        self.pubsub = pubsub
        self.sleep_time = sleep_time
        self.exception_handler = exception_handler
        self._running = threading.Event()
        self._running.set()

    def run(self) -> None:
        """What the thread does."""
        while self._running.is_set():
            try:
                self.pubsub.get_message(ignore_subscribe_messages=True, timeout=self.sleep_time)
            except BaseException as error:
                if self.exception_handler is None:
                    raise
                self.exception_handler(error, self.pubsub, self)
        self.pubsub.close()

    def stop(self) -> None:
        """Ends the thread at its next look, and then the subscriptions."""
        self._running.clear()


LINE = re.compile(r"\[(\d+) (.*?)\] (.*)", re.DOTALL)
WORD = re.compile(r'"(.*?)(?<!\\)"', re.DOTALL)


def monitored(line: str) -> dict[str, Any]:
    """What a line of ``MONITOR`` says."""
    moment, _, rest = line.partition(" ")
    match = LINE.match(rest)
    if match is None:
        raise RedisError(f"MONITOR sent {line!r}")
    db, client, words = match.groups()
    if client == "lua":
        address, port, kind = "lua", "", "lua"
    elif client.startswith("unix"):
        address, port, kind = "unix", client[5:], "unix"
    elif not client:
        address, port, kind = "", "", "unknown"
    else:
        address, _, port = client.rpartition(":")
        kind = "tcp"
    return {
        "time": float(moment),
        "db": int(db),
        "client_address": address,
        "client_port": port,
        "client_type": kind,
        "command": " ".join(WORD.findall(words)).replace('\\"', '"'),
    }


class Monitor:
    """Every command the server serves, as it does; to be used in a ``with``."""

    def __init__(self, connection_pool: Any) -> None:
        self.connection_pool = connection_pool
        self.connection = connection_pool.get_connection()

    def __enter__(self) -> Monitor:
        self.connection.send_command("MONITOR")
        if text(self.connection.read_response()) != "OK":
            raise RedisError("MONITOR failed")
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.disconnect()
        self.connection_pool.release(self.connection)

    def next_command(self) -> dict[str, Any] | None:
        """The next command, however long that takes."""
        try:
            line = self.connection.read_response(timeout=None)
        except ConnectionError:
            self.connection.disconnect()
            raise
        if isinstance(line, bytes):
            line = self.connection.encoder.decode(line, force=True)
        return monitored(line)

    def listen(self) -> Iterator[dict[str, Any] | None]:
        """Commands as they come."""
        while True:
            yield self.next_command()
