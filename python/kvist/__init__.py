"""A client of Kvist, Redis, Valkey and everything else that speaks their protocol.

The names are redis-py's, so that ``import kvist as redis`` runs code that was written for it.

>>> import kvist
>>> with kvist.Kvist(host="localhost", decode_responses=True) as client:  # doctest: +SKIP
...     client.set("greeting", "hello")
...     client.get("greeting")
True
'hello'

``kvist.aio`` is the same for asyncio.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import Columns, Reader, __version__
from ._lock import Lock
from .backoff import default_backoff
from .client import Kvist, Pipeline
from .connection import (
    BlockingConnectionPool,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from .credentials import CredentialProvider, UsernamePasswordCredentialProvider
from .driver_info import DriverInfo
from .exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    BusyLoadingError,
    ChildDeadlockedError,
    ConnectionError,
    CrossSlotTransactionError,
    DataError,
    InvalidPipelineStack,
    InvalidResponse,
    MaxConnectionsError,
    OutOfMemoryError,
    PubSubError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
    WatchError,
)
from .typing import Subscription

if TYPE_CHECKING:
    from . import aio, asyncio, cache, cluster, graph, lock, sentinel, telemetry, utils
    from .cluster import KvistCluster, RedisCluster
    from .sentinel import Sentinel

VERSION = tuple(int(part) for part in __version__.split(".") if part.isdecimal())

Redis = Kvist
StrictRedis = Kvist
from_url = Kvist.from_url

__all__ = [
    "AuthenticationError", "AuthenticationWrongNumberOfArgsError", "BlockingConnectionPool",
    "BusyLoadingError", "ChildDeadlockedError", "Columns", "Connection", "ConnectionError",
    "ConnectionPool", "CredentialProvider", "CrossSlotTransactionError", "DataError",
    "DriverInfo", "InvalidPipelineStack", "InvalidResponse", "Kvist", "KvistCluster",
    "Lock", "MaxConnectionsError", "OutOfMemoryError", "Pipeline", "PubSubError", "ReadOnlyError",
    "Reader",
    "Redis", "RedisCluster", "RedisClusterException", "RedisError", "ResponseError",
    "SSLConnection", "Sentinel", "StrictRedis", "Subscription", "TimeoutError",
    "UnixDomainSocketConnection", "UsernamePasswordCredentialProvider", "WatchError", "aio",
    "asyncio", "cache", "cluster", "default_backoff", "from_url", "graph", "sentinel", "telemetry",
]

SENTINEL_NAMES = frozenset((
    "Sentinel", "SentinelConnectionPool", "SentinelManagedConnection",
    "SentinelManagedSSLConnection",
))


def __getattr__(name: str) -> Any:
    # What most programs do not need is imported when it is asked for; asyncio takes longer than
    # everything else together.
    if name in (
        "aio", "asyncio", "cache", "cluster", "graph", "lock", "sentinel", "telemetry", "utils",
    ):
        return importlib.import_module(f".{name}", __name__)
    if name in ("KvistCluster", "RedisCluster"):
        return getattr(importlib.import_module(".cluster", __name__), name)
    if name in SENTINEL_NAMES:
        return getattr(importlib.import_module(".sentinel", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
