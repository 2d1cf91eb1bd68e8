"""What can go wrong: redis-py's names, in redis-py's tree.

::

    RedisError
    ├── ConnectionError          no connection could be made, or it broke
    │   ├── AuthenticationError
    │   ├── AuthorizationError
    │   ├── BusyLoadingError     the server still reads its files
    │   ├── MaxConnectionsError  the pool has no connection left
    │   ├── EngineClosedError    the engine in this process was closed
    │   └── ExternalAuthProviderError
    ├── TimeoutError             no answer came in time
    ├── InvalidResponse          what came is no answer
    ├── ResponseError            the server refused
    │   ├── AskError ── MovedError
    │   ├── ClusterDownError ── MasterDownError
    │   └── NoScriptError, OutOfMemoryError, ExecAbortError, ReadOnlyError, …
    ├── DataError                arguments that cannot be sent
    ├── PubSubError, WatchError
    ├── LockError ── LockNotOwnedError
    └── ClusterError
    RedisClusterException, ChildDeadlockedError
"""

from __future__ import annotations

from enum import Enum
from typing import Any


class ExceptionType(Enum):
    """Where an error comes from."""

    NETWORK = "network"
    TLS = "tls"
    AUTH = "auth"
    SERVER = "server"


class RedisError(Exception):
    """Anything that a server or a client reports."""

    error_type = ExceptionType.SERVER

    def __init__(self, *args: Any, status_code: str | None = None) -> None:
        super().__init__(*args)
        # The first word of an error reply, if that chose the class.
        self.status_code = status_code

    def __repr__(self) -> str:
        return f"{self.error_type.value}:{type(self).__name__}"


class ConnectionError(RedisError):
    """The server cannot be reached, or the connection has ended."""

    error_type = ExceptionType.NETWORK


class TimeoutError(RedisError):
    """The server did not answer in time. What it did is not known."""

    error_type = ExceptionType.NETWORK


class AuthenticationError(ConnectionError):
    """The user or the password is wrong or missing."""

    error_type = ExceptionType.AUTH


class AuthorizationError(ConnectionError):
    """The user may not connect."""

    error_type = ExceptionType.AUTH


class BusyLoadingError(ConnectionError):
    """The server is still reading its files."""


class InvalidResponse(RedisError):
    """What came is no reply. The connection is closed."""


class ResponseError(RedisError):
    """The server answered with an error."""


class DataError(RedisError):
    """Arguments that make no command."""


class PubSubError(RedisError):
    """Subscriptions were used in a way that makes no sense."""


class WatchError(RedisError):
    """A watched key was changed, or the connection that watched it was lost."""


class NoScriptError(ResponseError):
    """The server does not know a script by this digest."""


class OutOfMemoryError(ResponseError):
    """The server is full, and its policy frees nothing, or nothing that would help."""


class ExecAbortError(ResponseError):
    """A transaction was given up because the server refused one of its commands."""


class ReadOnlyError(ResponseError):
    """The server is a replica."""


class NoPermissionError(ResponseError):
    """The user may not do this."""

    error_type = ExceptionType.AUTH


class ModuleError(ResponseError):
    """A module could not be loaded or unloaded."""


class NoSuchFieldsetError(ResponseError):
    """A field set that this connection has not prepared."""


class LockError(RedisError, ValueError):
    """A lock could not be acquired or released."""

    def __init__(self, message: str | None = None, lock_name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.lock_name = lock_name


class LockNotOwnedError(LockError):
    """A lock that another client holds by now."""


class ChildDeadlockedError(Exception):
    """A child process waits for something its parent holds."""


class AuthenticationWrongNumberOfArgsError(ResponseError):
    """``AUTH`` had a number of arguments that this server does not know."""

    error_type = ExceptionType.AUTH


class RedisClusterException(Exception):
    """Something about a cluster that no server reported."""

    error_type = ExceptionType.SERVER

    def __repr__(self) -> str:
        return f"{self.error_type.value}:{type(self).__name__}"


class ClusterError(RedisError):
    """A command was redirected too often."""


class ClusterDownError(ClusterError, ResponseError):
    """No node of the cluster serves the key's slot."""

    def __init__(self, resp: str, status_code: str | None = None) -> None:
        super().__init__(resp, status_code=status_code)
        self.message = resp


class AskError(ResponseError):
    """The key may have moved: ask another node, this once, after ``ASKING``."""

    def __init__(self, resp: str, status_code: str | None = None) -> None:
        super().__init__(resp, status_code=status_code)
        self.message = resp
        slot, _, address = resp.partition(" ")
        host, _, port = address.rpartition(":")
        self.slot_id = int(slot)
        self.node_addr = self.host, self.port = host, int(port)


class TryAgainError(ResponseError):
    """Some of the keys are on another node while the slot moves."""


class ClusterCrossSlotError(ResponseError):
    """The keys of a command belong to different slots."""

    message = "Keys in request don't hash to the same slot"


class MovedError(AskError):
    """The slot belongs to another node, which is to be asked from now on."""


class MasterDownError(ClusterDownError):
    """A replica has lost its primary and does not serve stale data."""


class SlotNotCoveredError(RedisClusterException):
    """No node is known for a slot."""


class MaxConnectionsError(ConnectionError):
    """The pool has as many connections as it may, and all are in use."""


class CrossSlotTransactionError(RedisClusterException):
    """The keys of a transaction belong to different slots."""


class InvalidPipelineStack(RedisClusterException):
    """A pipeline got a number of replies that cannot be."""


class ExternalAuthProviderError(ConnectionError):
    """The service that a server asks about users failed."""


class IncorrectPolicyType(Exception):
    """An unknown policy."""


class DirectoryInUseError(RedisError):
    """The data directory is open already, in this process or another."""


class EngineClosedError(ConnectionError):
    """The engine in this process was closed, or is that of the process this one was forked from."""


# What trying again does not help against.
FINAL = AuthenticationError, AuthorizationError, MaxConnectionsError, EngineClosedError


def of_reply(name: str, message: str, word: str) -> RedisError:
    """The exception for an error reply that was classed as ``name``."""
    kind = globals()[name]
    if kind is ResponseError and word != "ERR":
        return ResponseError(message)
    try:
        return kind(message, status_code=word)  # type: ignore[no-any-return]
    except ValueError:  # a redirection to nowhere
        return ResponseError(f"{word} {message}")


def annotate(error: Exception, number: int, words: tuple[bytes, ...]) -> None:
    """Says in an error's text which command of a pipeline it is about, once."""
    if getattr(error, "_annotated", False):
        return
    command = " ".join(word.decode("utf-8", "replace") for word in words)
    import textwrap

    command = textwrap.shorten(command, width=100, placeholder="...")
    reason = error.args[0] if error.args else ""
    text = f"Command # {number} ({command}) of pipeline caused error: {reason}"
    error.args = (text, *error.args[1:])
    error._annotated = True  # type: ignore[attr-defined]
