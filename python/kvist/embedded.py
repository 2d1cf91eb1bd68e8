"""The engine inside this process: every method of a client, the durability of a server, no socket.

>>> from kvist import embedded
>>> db = embedded.open(decode_responses=True)   # in memory; a directory keeps what it is told
>>> db.set("greeting", "hello")
True
>>> db.get("greeting")
'hello'
>>> db.close()

A directory is open in one process at a time, and ``kvist serve --dir`` can go on with it afterwards.
Any number of threads may use a client. A process that was forked from this one must open an engine of
its own: there every call raises :class:`EngineClosedError`, a :class:`kvist.ConnectionError`, as do
calls after ``close``.
"""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast, overload

from . import _core
from .client import Kvist as Client
from .connection import AbstractConnection, ConnectionPool
from .exceptions import DataError, DirectoryInUseError, EngineClosedError
from .typing import S

__all__ = ["DirectoryInUseError", "EngineClosedError", "Kvist", "open"]

K = TypeVar("K", bound="Kvist[Any]")

# Connections are sessions here, and cost what they hold: there is no point in a limit.
SESSIONS = 1 << 30
OPEN: weakref.WeakSet[_core.Engine] = weakref.WeakSet()


class Session(AbstractConnection):
    """What a connection is to a server: pipelines, subscriptions and transactions have one each."""

    kind = "unix"
    has_socket = False

    def __init__(self, engine: _core.Engine, **values: Any) -> None:
        self._engine = engine
        values.setdefault("socket_timeout", None)
        super().__init__(**values)

    def repr_pieces(self) -> list[tuple[str, Any]]:
        """What to show of a session."""
        return [("db", self.db)]

    def _open(self, credentials: Sequence[str] | None = None, greet: bool = True) -> None:
        self._attach(self._engine, self.protocol or 3, self.db)
        if greet and self.client_name:
            self.send_command("CLIENT", "SETNAME", self.client_name, check_health=False)
            self.read_response()


class Kvist(Client[S]):
    """A client of an engine in this process; :func:`open` makes them."""

    def __init__(
        self,
        engine: _core.Engine,
        *,
        db: int = 0,
        decode_responses: bool = False,
        encoding: str = "utf-8",
        encoding_errors: str = "strict",
        protocol: int | None = None,
        legacy_responses: bool = True,
        raw: bool = False,
        client_name: str | None = None,
        single_connection_client: bool = False,
        directory: str | None = None,
    ) -> None:
        values: dict[str, Any] = {
            "db": db, "decode_responses": decode_responses, "encoding": encoding,
            "encoding_errors": encoding_errors, "legacy_responses": legacy_responses, "raw": raw,
            "protocol": 2 if raw and protocol is None else protocol, "client_name": client_name,
            "retry": None,
        }
        self.engine = engine
        self.directory = directory
        self._values = values
        pool = ConnectionPool(Session, SESSIONS, engine=engine, **values)
        super().__init__(
            connection_pool=pool, single_connection_client=single_connection_client
        )
        self.auto_close_connection_pool = True
        self._owns = False
        given = {name: value for name, value in values.items() if value is not None}
        self._embed(engine, given)

    def __repr__(self) -> str:
        where = "closed" if self.engine.closed else self.directory or "in memory"
        return f"<{type(self).__module__}.{type(self).__name__}({where})>"

    def close(self) -> None:
        """Ends the client's sessions; the one that :func:`open` returned closes the engine: what is
        not durable yet is made so, and the directory is let go. A script that has written is waited
        for until ``busy-reply-threshold``, five seconds at most, and then undone.
        """
        try:
            super().close()
        finally:
            if getattr(self, "_owns", False):
                self.engine.close()

    def client(self: K) -> K:
        """A client of the same engine that uses one session for everything."""
        values = {name: value for name, value in self._values.items() if name != "retry"}
        return type(self)(
            self.engine, single_connection_client=True, directory=self.directory, **values
        )

    @property
    def closed(self) -> bool:
        """Whether the engine has been closed."""
        return self.engine.closed

    @property
    def recovered(self) -> str:
        """What was found in the directory when it was opened."""
        return self.engine.recovered


@overload
def open(
    directory: str | os.PathLike[str] | None = None, *, decode_responses: Literal[True],
    config_file: str | os.PathLike[str] | None = None, encoding: str = "utf-8",
    encoding_errors: str = "strict", protocol: int | None = None, legacy_responses: bool = True,
    raw: bool = False, db: int = 0, client_name: str | None = None, **settings: Any,
) -> Kvist[str]: ...


@overload
def open(
    directory: str | os.PathLike[str] | None = None, *, decode_responses: Literal[False] = False,
    config_file: str | os.PathLike[str] | None = None, encoding: str = "utf-8",
    encoding_errors: str = "strict", protocol: int | None = None, legacy_responses: bool = True,
    raw: bool = False, db: int = 0, client_name: str | None = None, **settings: Any,
) -> Kvist[bytes]: ...


def open(
    directory: str | os.PathLike[str] | None = None,
    *,
    config_file: str | os.PathLike[str] | None = None,
    decode_responses: bool = False,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
    protocol: int | None = None,
    legacy_responses: bool = True,
    raw: bool = False,
    db: int = 0,
    client_name: str | None = None,
    **settings: Any,
) -> Kvist[Any]:
    """Opens the dataset in a directory, made if missing, or without one a dataset in memory.

    Further arguments are directives of ``kvist.conf``, with underscores for hyphens::

        open("data", appendfsync="always", maxmemory="64mb", save=[(3600, 1)])

    Raises :class:`DirectoryInUseError` if the directory is open already, here or elsewhere.
    """
    pairs = [(name.replace("_", "-"), directive(value)) for name, value in settings.items()]
    path = None if directory is None else os.fspath(directory)
    file = None if config_file is None else os.fspath(config_file)
    engine = _core.Engine.open(path, file, pairs)
    OPEN.add(engine)
    try:
        client: Kvist[Any] = Kvist(
            engine, db=db, decode_responses=decode_responses, encoding=encoding,
            encoding_errors=encoding_errors, protocol=protocol, legacy_responses=legacy_responses,
            raw=raw, client_name=client_name, directory=path,
        )
    except BaseException:
        engine.close()
        raise
    client._owns = True
    return client


def directive(value: Any) -> str:
    """The value of a directive as the configuration file has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return " ".join(directive(part) for part in cast("Sequence[Any]", value))
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(cast("os.PathLike[str]", value)))
    raise DataError(f"a setting cannot be {value!r}")


def _close_all() -> None:
    failure: BaseException | None = None
    for engine in list(OPEN):
        try:
            engine.close()
        except Exception as error:  # the others are closed all the same
            failure = failure or error
    if failure is not None:
        raise failure


# Before the interpreter takes modules apart; daemon threads that wait are refused then.
atexit.register(_close_all)
