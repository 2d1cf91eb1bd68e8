"""Replies that are kept on this side, and thrown away when the server says that they are stale.

::

    get("k") ── is it kept? ── yes ── has the server said anything since? ── no ── the kept reply
                    │                          │ yes: forget those keys, look again
                    no                         │
                    └─► the tracked connection ┴─► reply, kept unless a client wrote meanwhile

What may be kept is read over one connection, on which the server tracks what was read (``CLIENT
TRACKING``, RESP3): replies and invalidations come in one order, so a kept reply is stale exactly
from when an invalidation of it has come, and before a kept reply is given to a caller, all that has
come is looked at. If the connection is lost nothing is known any more, and everything is forgotten.
While it is in use by another thread, commands go the usual way and are not kept.

What this client itself writes, or reads anew, is forgotten at once.

>>> import kvist
>>> from kvist.cache import CacheConfig
>>> client = kvist.Kvist(cache_config=CacheConfig(max_size=1000))  # doctest: +SKIP
>>> client.get("k") == client.get("k")  # one request  # doctest: +SKIP
True
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from . import _core
from ._keys import keys_of
from .exceptions import ConnectionError, InvalidResponse, RedisError, TimeoutError

__all__ = [
    "CacheConfig", "CacheConfigurationInterface", "CacheEntry", "CacheEntryStatus", "CacheFactory",
    "CacheFactoryInterface", "CacheInterface", "CacheKey", "DefaultCache", "EvictionPolicy",
    "EvictionPolicyInterface", "EvictionPolicyType", "LRUPolicy",
]

# How long the tracked connection may be silent before a kept reply is believed, in seconds.
SILENCE = 10.0
# What changes keys that it does not name.
_EVERYTHING = frozenset(("FLUSHALL", "FLUSHDB", "SWAPDB", "DEBUG", "FUNCTION", "RESET"))
# How long to wait for another thread that uses it.
TURN = 0.001


class CacheEntryStatus(Enum):
    """Whether a reply has come."""

    VALID = "VALID"
    IN_PROGRESS = "IN_PROGRESS"


class EvictionPolicyType(Enum):
    """What an eviction policy goes by."""

    time_based = "time_based"
    frequency_based = "frequency_based"


@dataclass(frozen=True)
class CacheKey:
    """What a reply is kept under: the command, its keys, and everything else that was said."""

    command: str
    redis_keys: tuple[Any, ...]
    redis_args: tuple[Any, ...] = ()


class CacheEntry:
    """A reply that is kept."""

    __slots__ = "cache_key", "cache_value", "connection_ref", "status"

    def __init__(
        self,
        cache_key: CacheKey,
        cache_value: Any,
        status: CacheEntryStatus = CacheEntryStatus.VALID,
        connection_ref: Any = None,
    ) -> None:
        self.cache_key = cache_key
        self.cache_value = cache_value
        self.status = status
        self.connection_ref = connection_ref


class EvictionPolicyInterface(ABC):
    """Which entries go when there are too many."""

    cache: Any

    @property
    @abstractmethod
    def type(self) -> EvictionPolicyType:
        """What it goes by."""

    @abstractmethod
    def evict_next(self) -> CacheKey:
        """Forgets one entry."""

    @abstractmethod
    def evict_many(self, count: int) -> list[CacheKey]:
        """Forgets several."""

    @abstractmethod
    def touch(self, cache_key: CacheKey) -> None:
        """Notes that an entry was used."""


class CacheConfigurationInterface(ABC):
    """What a cache may keep."""

    @abstractmethod
    def get_cache_class(self) -> Any:
        """What keeps it."""

    @abstractmethod
    def get_max_size(self) -> int:
        """How many entries."""

    @abstractmethod
    def get_eviction_policy(self) -> Any:
        """Which go first."""

    @abstractmethod
    def is_exceeds_max_size(self, count: int) -> bool:
        """Whether that many are too many."""

    @abstractmethod
    def is_allowed_to_cache(self, command: str) -> bool:
        """Whether a command's replies may be kept."""


class CacheInterface(ABC):
    """A place for replies."""

    @property
    @abstractmethod
    def collection(self) -> OrderedDict[CacheKey, CacheEntry]:
        """The entries, those that go first in front."""

    @property
    @abstractmethod
    def config(self) -> CacheConfigurationInterface:
        """What may be kept."""

    @property
    @abstractmethod
    def eviction_policy(self) -> EvictionPolicyInterface:
        """Which entries go when there are too many."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many entries there are."""

    @abstractmethod
    def get(self, key: CacheKey) -> CacheEntry | None:
        """An entry, which counts as used."""

    @abstractmethod
    def set(self, entry: CacheEntry) -> bool:
        """Keeps an entry; whether it was."""

    @abstractmethod
    def delete_by_cache_keys(self, cache_keys: list[CacheKey]) -> list[bool]:
        """Forgets entries; which of them there were."""

    @abstractmethod
    def delete_by_redis_keys(self, redis_keys: list[Any]) -> list[bool]:
        """Forgets what was read of these keys of the server."""

    @abstractmethod
    def flush(self) -> int:
        """Forgets everything; how many entries that were."""

    @abstractmethod
    def is_cachable(self, key: CacheKey) -> bool:
        """Whether an entry may be kept."""


class LRUPolicy(EvictionPolicyInterface):
    """What was not used for longest goes first."""

    def __init__(self) -> None:
        self.cache: Any = None

    @property
    def type(self) -> EvictionPolicyType:
        """What it goes by."""
        return EvictionPolicyType.time_based

    def _entries(self) -> OrderedDict[CacheKey, CacheEntry]:
        if self.cache is None or not isinstance(self.cache, CacheInterface):
            raise ValueError("Eviction policy should be associated with valid cache.")
        return self.cache.collection

    def evict_next(self) -> CacheKey:
        """Forgets one entry."""
        key = next(iter(self._entries()))
        self.cache.delete_by_cache_keys([key])
        return key

    def evict_many(self, count: int) -> list[CacheKey]:
        """Forgets several."""
        if count > len(self._entries()):
            raise ValueError("Evictions count is above cache size")
        return [self.evict_next() for _ in range(count)]

    def touch(self, cache_key: CacheKey) -> None:
        """Notes that an entry was used."""
        entries = self._entries()
        if cache_key not in entries:
            raise ValueError("Given entry does not belong to the cache")
        entries.move_to_end(cache_key)


class EvictionPolicy(Enum):
    """The policies there are."""

    LRU = LRUPolicy


def _kind(value: object) -> type[object]:
    return type(value)


def weight(value: Any) -> int:
    """About how many bytes a reply takes.

    >>> weight(b"x" * 1000) > 1000, weight([b"x" * 1000] * 3) > 3000
    (True, True)
    """
    kind = _kind(value)
    total = sys.getsizeof(value)
    if kind is dict:
        total += sum(weight(key) + weight(item) for key, item in value.items())
    elif kind in (list, tuple, set, frozenset):
        total += sum(weight(item) for item in value)
    return total


def own(value: Any) -> Any:
    """A copy that may be changed without changing the original.

    >>> kept = {"a": [1]}
    >>> own(kept)["a"].append(2)
    >>> kept
    {'a': [1]}
    """
    kind = _kind(value)
    if kind is dict:
        return {key: own(item) for key, item in value.items()}
    if kind is list:
        return [own(item) for item in value]
    if kind is tuple:
        return tuple(own(item) for item in value)
    return set(value) if kind is set else value


class DefaultCache(CacheInterface):
    """Entries in memory, bounded in number and in bytes. Threads may share it."""

    def __init__(self, cache_config: CacheConfigurationInterface) -> None:
        self._cache: OrderedDict[CacheKey, CacheEntry] = OrderedDict()
        self._readers: dict[bytes, set[CacheKey]] = {}
        self._weights: dict[CacheKey, int] = {}
        self._cache_config = cache_config
        self._eviction_policy: EvictionPolicyInterface = cache_config.get_eviction_policy().value()
        self._eviction_policy.cache = weakref.proxy(self)
        self._lock = threading.RLock()
        #: About how many bytes the entries take.
        self.bytes = 0

    @property
    def collection(self) -> OrderedDict[CacheKey, CacheEntry]:
        """The entries, those that go first in front."""
        return self._cache

    @property
    def config(self) -> CacheConfigurationInterface:
        """What may be kept."""
        return self._cache_config

    @property
    def eviction_policy(self) -> EvictionPolicyInterface:
        """Which entries go when there are too many."""
        return self._eviction_policy

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self._cache)

    def get(self, key: CacheKey) -> CacheEntry | None:
        """An entry, which counts as used."""
        with self._lock:
            entry = self._cache.get(key)
            if entry is not None:
                self._eviction_policy.touch(key)
            return entry

    def set(self, entry: CacheEntry) -> bool:
        """Keeps an entry, and forgets others if there are too many; whether it was kept."""
        key = entry.cache_key
        if not self.is_cachable(key):
            return False
        size = weight(entry.cache_value) + weight(key.redis_args)
        most: int | None = getattr(self._cache_config, "max_bytes", None)
        with self._lock:
            self._forget(key)
            if most is not None and size > most:
                return False
            self._cache[key] = entry
            self._weights[key] = size
            self.bytes += size
            for name in key.redis_keys:
                self._readers.setdefault(_name(name), set()).add(key)
            self._eviction_policy.touch(key)
            while self._cache and (
                self._cache_config.is_exceeds_max_size(len(self._cache))
                or (most is not None and self.bytes > most)
            ):
                self._eviction_policy.evict_next()
            return key in self._cache

    def _forget(self, key: CacheKey) -> bool:
        if self._cache.pop(key, None) is None:
            return False
        self.bytes -= self._weights.pop(key, 0)
        for name in map(_name, key.redis_keys):
            readers = self._readers.get(name)
            if readers is not None:
                readers.discard(key)
                if not readers:
                    del self._readers[name]
        return True

    def delete_by_cache_keys(self, cache_keys: list[CacheKey]) -> list[bool]:
        """Forgets entries; which of them there were."""
        with self._lock:
            return [self._forget(key) for key in cache_keys]

    def delete_by_redis_keys(self, redis_keys: Iterable[Any]) -> list[bool]:
        """Forgets what was read of these keys of the server."""
        with self._lock:
            found = [
                key
                for name in map(_name, redis_keys)
                for key in tuple(self._readers.get(name, ()))
            ]
            return [self._forget(key) for key in found]

    def flush(self) -> int:
        """Forgets everything; how many entries that were."""
        with self._lock:
            count = len(self._cache)
            self._cache.clear()
            self._readers.clear()
            self._weights.clear()
            self.bytes = 0
            return count

    def is_cachable(self, key: CacheKey) -> bool:
        """Whether an entry may be kept."""
        return self._cache_config.is_allowed_to_cache(key.command)


def _name(key: Any) -> bytes:
    return key.encode("utf-8", "surrogateescape") if isinstance(key, str) else bytes(key)


_ALLOWED = (
    "BITCOUNT BITFIELD_RO BITPOS EXISTS GEODIST GEOHASH GEOPOS GEORADIUSBYMEMBER_RO GEORADIUS_RO "
    "GEOSEARCH GET GETBIT GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET HSTRLEN HVALS JSON.ARRINDEX "
    "JSON.ARRLEN JSON.GET JSON.MGET JSON.OBJKEYS JSON.OBJLEN JSON.RESP JSON.STRLEN JSON.TYPE LCS "
    "LINDEX LLEN LPOS LRANGE MGET SCARD SDIFF SINTER SINTERCARD SISMEMBER SMEMBERS SMISMEMBER SORT_RO "
    "STRLEN SUBSTR SUNION TYPE XLEN XPENDING XRANGE XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER ZINTERCARD "
    "ZLEXCOUNT ZMSCORE ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX "
    "ZREVRANGEBYSCORE ZREVRANK ZSCORE ZUNION"
)


class CacheConfig(CacheConfigurationInterface):
    """At most ``max_size`` replies, of together about ``max_bytes`` bytes.

    Kept are replies of commands that only read keys they name; a subclass may say otherwise.

    >>> config = CacheConfig(max_size=2)
    >>> config.is_allowed_to_cache("GET"), config.is_allowed_to_cache("RANDOMKEY")
    (True, False)
    """

    DEFAULT_CACHE_CLASS: Any = DefaultCache
    DEFAULT_EVICTION_POLICY = EvictionPolicy.LRU
    DEFAULT_MAX_SIZE = 10000
    DEFAULT_ALLOW_LIST = frozenset(_ALLOWED.split())

    def __init__(
        self,
        max_size: int = DEFAULT_MAX_SIZE,
        cache_class: Any = DEFAULT_CACHE_CLASS,
        eviction_policy: EvictionPolicy = DEFAULT_EVICTION_POLICY,
        max_bytes: int | None = 64 << 20,
    ) -> None:
        self._cache_class = cache_class
        self._max_size = max_size
        self._eviction_policy = eviction_policy
        self.max_bytes = max_bytes

    def get_cache_class(self) -> Any:
        """What keeps the replies."""
        return self._cache_class

    def get_max_size(self) -> int:
        """How many replies."""
        return self._max_size

    def get_eviction_policy(self) -> EvictionPolicy:
        """Which go first."""
        return self._eviction_policy

    def is_exceeds_max_size(self, count: int) -> bool:
        """Whether that many are too many."""
        return count > self._max_size

    def is_allowed_to_cache(self, command: str) -> bool:
        """Whether a command's replies may be kept."""
        return command in self.DEFAULT_ALLOW_LIST


class CacheFactoryInterface(ABC):
    """Makes caches."""

    @abstractmethod
    def get_cache(self) -> CacheInterface:
        """A cache."""


class CacheFactory(CacheFactoryInterface):
    """Makes caches of a configuration."""

    def __init__(self, cache_config: CacheConfigurationInterface | None = None) -> None:
        self._config = cache_config or CacheConfig()

    def get_cache(self) -> CacheInterface:
        """A cache."""
        cache: CacheInterface = self._config.get_cache_class()(cache_config=self._config)
        return cache


def _plain(client: Any) -> Callable[..., Any]:
    """How a client executes commands where nothing stands before that."""
    found: Callable[..., Any] = getattr(_kind(client), "execute_command")  # noqa: B009
    return found


class Caching:
    """Stands before a client's ``execute_command``."""

    def __init__(self, client: Any, cache: CacheInterface) -> None:
        self.cache = cache
        self._client = weakref.ref(client)
        self._encode = client.get_encoder().encode
        pool = client.connection_pool
        self._db = 0
        self._turn = threading.RLock()  # who has it may use the connection
        self._connection = pool.make_connection()
        self._connection.set_push_handler(self._pushed)
        self._connection.register_connect_callback(self._connected)
        self._caller = _core.Client()
        self.bind(client)
        self._caller._hold(self._connection, self._turn)
        self._heard = 0.0
        self._unsure = False
        # The keys that are being read, and whether one of them was written meanwhile.
        self._reading: frozenset[bytes] = frozenset()
        self._spoiled = False
        self._state = threading.Lock()

    def bind(self, client: Any) -> None:
        """Takes the client's callbacks, after they have been replaced."""
        self._caller._bind(client.connection_pool, client.response_callbacks, None)

    def close(self) -> None:
        """Forgets everything and closes the connection; it is made anew if it is needed again."""
        with self._turn:
            self._lost()

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Answers from what is kept, or has the command sent."""
        client = self._client()
        if client is None:
            raise RuntimeError("the client is gone")
        plain = _plain(client)
        key = self._key(args, options)
        if key is None:
            try:
                return plain(client, *args, **options)
            finally:
                self._sent(args)
        if not self._turn.acquire(timeout=TURN):
            return self._plainly(client, key, args, options)
        try:
            if self._look():
                entry = self.cache.get(key)
                if entry is not None and entry.status == CacheEntryStatus.VALID:
                    return own(entry.cache_value)
            return self._read(key, args, options)
        except (ConnectionError, TimeoutError, InvalidResponse):
            self._lost()
        finally:
            self._turn.release()
        return self._plainly(client, key, args, options)

    def _plainly(
        self, client: Any, key: CacheKey, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Reads the usual way what may be newer than what is kept."""
        value = _plain(client)(client, *args, **options)
        self._forget_own(key.redis_keys)
        return value

    def _key(self, args: tuple[Any, ...], options: dict[str, Any]) -> CacheKey | None:
        name = args[0]
        if "columns" in options:
            return None  # those are made of the bytes of a reply, once
        if not isinstance(name, str) or not self.cache.config.is_allowed_to_cache(name):
            return None
        # Numbers that are equal need not be written alike.
        if not all(type(word) in (str, bytes, int) for word in args[1:]):
            return None
        try:
            keys = tuple(bytes(self._encode(key)) for key in keys_of(args))
            extra = tuple(it for it in options.items() if it[0] != "keys")
            key = CacheKey(name, keys, (*args[1:], *extra))
            hash(key)
        except TypeError:
            return None
        return key if keys else None

    def _read(self, key: CacheKey, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        with self._state:
            self._reading, self._spoiled = frozenset(key.redis_keys), False
        try:
            value = self._caller.execute_command(*args, **options)
            self._heard = time.monotonic()
            with self._state:
                if not self._spoiled:
                    self.cache.set(CacheEntry(key, own(value), CacheEntryStatus.VALID))
            return value
        finally:
            with self._state:
                self._reading = frozenset()

    def _look(self) -> bool:
        """Takes in what the server has said; whether what is kept can be believed."""
        connection = self._connection
        if not connection.is_connected:
            self._lost()
            return False
        self._listen()
        if self._unsure or time.monotonic() - self._heard > SILENCE:
            self._unsure = False
            self._caller.execute_command("PING")  # its answer comes behind all that is owed
            self._heard = time.monotonic()
            self._listen()
        return bool(connection.is_connected)

    def _listen(self) -> None:
        """Reads what has come; where only a part of a message has, the rest is waited for."""
        connection = self._connection
        while connection.can_read(timeout=0):
            self._pushed(connection.read_response(push_request=True))
            self._heard = time.monotonic()

    def _pushed(self, push: Any) -> None:
        """A message out of band: keys that are stale, or all of them."""
        if _kind(push) is not list or not push or push[0] not in (b"invalidate", "invalidate"):
            return
        if push[1] is None:
            self._forget(None)
        else:
            self._forget([bytes(self._encode(key)) for key in push[1]])

    def _forget(self, keys: list[bytes] | None) -> None:
        with self._state:
            if keys is None:
                self.cache.flush()
            else:
                self.cache.delete_by_redis_keys(keys)

    def _sent(self, args: Sequence[Any]) -> None:
        """A command went the usual way. It may have changed its keys, or have read what is newer
        than what is kept: neither may be followed by anything older."""
        name = str(args[0]).upper()
        if name == "SELECT":
            self._select(args)
            return
        if name in _EVERYTHING:
            self._lost_sight()
        keys = keys_of(args)
        if keys:
            self._forget_own(bytes(self._encode(key)) for key in keys)
        if name.startswith(("EVAL", "FCALL")) or not keys:
            self._doubt()  # it may have changed more than it named

    def sent(self, commands: Iterable[Sequence[bytes]] | None) -> None:
        """A pipeline was executed, of these commands; ``None`` if that is not known."""
        if commands is None:
            self._lost_sight()
            return
        for words in commands:
            self._sent([words[0].decode("latin-1"), *words[1:]])

    def _forget_own(self, names: Iterable[bytes]) -> None:
        names = list(names)
        with self._state:
            self._spoiled = self._spoiled or not self._reading.isdisjoint(names)
            self.cache.delete_by_redis_keys(names)

    def _doubt(self) -> None:
        """Something may have changed and it is not known what: the server is given the occasion
        to tell before anything that is kept is believed."""
        with self._state:
            self._spoiled = True
        self._unsure = True

    def _lost_sight(self) -> None:
        with self._state:
            self._spoiled = True
            self.cache.flush()

    def _select(self, args: Sequence[Any]) -> None:
        with self._turn:
            self._lost()
            try:
                self._db = int(args[1])
            except (IndexError, ValueError):
                pass  # the server has said so too

    def _lost(self) -> None:
        self._connection.disconnect()
        self._lost_sight()

    def _connected(self, connection: Any) -> None:
        """What was read over another connection is tracked no more."""
        with self._state:
            self.cache.flush()
        if connection.negotiated_protocol != 3:
            raise RedisError("Client caching is only supported with RESP version 3")
        words: list[tuple[Any, ...]] = [("CLIENT", "TRACKING", "ON")]
        if self._db:
            words.append(("SELECT", self._db))
        for request in words:
            connection.send_command(*request, check_health=False)
            connection.read_response()
        self._heard = time.monotonic()


def attach(client: Any) -> Caching | None:
    """Has a client keep replies, if its connections' arguments say so."""
    values = client.connection_pool.connection_kwargs
    cache, config = values.get("cache"), values.get("cache_config")
    if cache is None and config is None:
        return None
    if values.get("protocol") not in (None, 3, "3"):
        raise RedisError("Client caching is only supported with RESP version 3")
    if cache is None:
        cache = CacheFactory(config).get_cache()
    if not isinstance(cache, CacheInterface):
        raise ValueError("cache must implement CacheInterface")
    return Caching(client, cache)
