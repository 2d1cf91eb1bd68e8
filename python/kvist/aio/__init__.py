"""The client for asyncio.

Import it by name (``import kvist.aio``), or use it as ``kvist.aio`` or, as redis-py has it,
``kvist.asyncio``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..backoff import default_backoff
from ..exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    BusyLoadingError,
    ChildDeadlockedError,
    ConnectionError,
    DataError,
    InvalidResponse,
    OutOfMemoryError,
    PubSubError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,
    WatchError,
)
from ..typing import Subscription
from .client import Kvist, Pipeline, Redis, StrictRedis, from_url
from .connection import (
    BlockingConnectionPool,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from .pubsub import Monitor, PubSub

if TYPE_CHECKING:
    from . import cluster, sentinel
    from .cluster import KvistCluster, RedisCluster
    from .sentinel import Sentinel

__all__ = [
    "AuthenticationError", "AuthenticationWrongNumberOfArgsError", "BlockingConnectionPool",
    "BusyLoadingError", "ChildDeadlockedError", "Connection", "ConnectionError",
    "ConnectionPool", "DataError", "InvalidResponse", "Kvist", "KvistCluster", "Monitor",
    "OutOfMemoryError", "Pipeline", "PubSub", "PubSubError", "ReadOnlyError", "Redis",
    "RedisCluster", "RedisError", "ResponseError", "SSLConnection", "Sentinel", "StrictRedis",
    "Subscription", "TimeoutError", "UnixDomainSocketConnection", "WatchError", "cluster", "default_backoff",
    "from_url", "sentinel",
]

SENTINEL_NAMES = frozenset((
    "SentinelConnectionPool", "SentinelManagedConnection", "SentinelManagedSSLConnection",
))


def __getattr__(name: str) -> Any:
    # Who has one server need not import what others need.
    if name in ("KvistCluster", "RedisCluster", "cluster"):
        module: Any = import_module(".cluster", __name__)
    elif name in ("Sentinel", "sentinel") or name in SENTINEL_NAMES:
        module = import_module(".sentinel", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return module if name.islower() else getattr(module, name)
