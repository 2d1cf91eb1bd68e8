"""Locks that programs on many machines share, held in a key.

A client that holds a lock knows a token that no other knows; the key holds it. Releasing,
extending and renewing are scripts, because between looking at the token and acting on it the lock
might expire and be another's. A lock with a timeout protects from holders that die, at the price
that a holder that is slow may lose it: :meth:`Lock.release` then says so.
"""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace, TracebackType
from typing import Any, Literal

from ._scripts import AsyncScript, Script
from .exceptions import LockError, LockNotOwnedError
from .typing import Number

_OWNED = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\n"
_RELEASE = _OWNED + "redis.call('DEL', KEYS[1])\nreturn 1\n"
_REACQUIRE = _OWNED + "redis.call('PEXPIRE', KEYS[1], ARGV[2])\nreturn 1\n"
_EXTEND = (
    _OWNED
    + """local left = redis.call('PTTL', KEYS[1])
if left < 0 then return 0 end
local time = tonumber(ARGV[2])
if ARGV[3] == '0' then time = time + left end
redis.call('PEXPIRE', KEYS[1], time)
return 1
"""
)


class _Locking:
    """What locks of both kinds of clients have in common."""

    # One client's scripts do for all locks of a class: each call says which client it is for.
    lua_release: Any = None
    lua_extend: Any = None
    lua_reacquire: Any = None
    _script: type[Script] = Script

    def __init__(
        self,
        redis: Any,
        name: str | bytes | memoryview,
        timeout: Number | None = None,
        sleep: Number = 0.1,
        blocking: bool = True,
        blocking_timeout: Number | None = None,
        thread_local: bool = True,
        raise_on_release_error: bool = True,
    ) -> None:
        self.redis = redis
        self.name = name
        self.timeout = timeout
        self.sleep = sleep
        self.blocking = blocking
        self.blocking_timeout = blocking_timeout
        self.thread_local = bool(thread_local)
        self.raise_on_release_error = raise_on_release_error
        self.local: Any = threading.local() if self.thread_local else SimpleNamespace()
        self.local.token = None
        self.register_scripts()

    def register_scripts(self) -> None:
        """Prepares the scripts of this class of locks."""
        cls = type(self)
        if cls.lua_release is None:
            cls.lua_release = cls._script(self.redis, _RELEASE)
            cls.lua_extend = cls._script(self.redis, _EXTEND)
            cls.lua_reacquire = cls._script(self.redis, _REACQUIRE)

    def _error(self, message: str, kind: type[LockError] = LockError) -> LockError:
        name = self.name
        name = name if isinstance(name, str) else bytes(name).decode(errors="replace")
        return kind(message, lock_name=name)

    def _token(self) -> Any:
        # A thread that has not used this lock yet has no attribute.
        return getattr(self.local, "token", None)

    def _held(self, what: str) -> Any:
        """The token of a lock that may be extended."""
        token = self._token()
        if token is None:
            raise self._error(f"Cannot {what} an unlocked lock")
        if self.timeout is None:
            raise self._error(f"Cannot {what} a lock with no timeout")
        return token

    def _milliseconds(self) -> int | None:
        return int(self.timeout * 1000) if self.timeout else None

    @staticmethod
    def _fresh(token: str | bytes | None) -> bytes:
        if token is None:
            return os.urandom(16).hex().encode()
        return token.encode() if isinstance(token, str) else token

    @staticmethod
    def _same(stored: Any, token: Any) -> bool:
        stored = stored.encode() if isinstance(stored, str) else stored
        return token is not None and stored == token

    def _warn(self) -> None:
        import logging

        logging.getLogger(__name__).warning("A lock was not released by its context manager: it was not owned.")


class Lock(_Locking):
    """A lock; also a context manager that raises :class:`LockError` if it cannot be acquired.

    ``timeout`` is how many seconds it may be held, ``blocking_timeout`` how many :meth:`acquire`
    tries, ``sleep`` how many it waits in between. ``thread_local`` says that only the thread that
    acquired it can release it.
    """

    def __enter__(self) -> Lock:
        if self.acquire():
            return self
        raise self._error("Unable to acquire lock within the time specified")

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.release()
        except LockError:
            if self.raise_on_release_error:
                raise
            self._warn()

    def acquire(
        self,
        sleep: Number | None = None,
        blocking: bool | None = None,
        blocking_timeout: Number | None = None,
        token: str | bytes | None = None,
    ) -> bool:
        """Acquires the lock; whether it could."""
        sleep = self.sleep if sleep is None else sleep
        blocking = self.blocking if blocking is None else blocking
        limit = self.blocking_timeout if blocking_timeout is None else blocking_timeout
        fresh = self._fresh(token)
        until = None if limit is None else time.monotonic() + limit
        while not self.do_acquire(fresh):
            if not blocking or (until is not None and time.monotonic() + sleep > until):
                return False
            time.sleep(sleep)
        self.local.token = fresh
        return True

    def do_acquire(self, token: bytes) -> bool:
        """Tries once."""
        return bool(self.redis.set(self.name, token, nx=True, px=self._milliseconds()))

    def locked(self) -> bool:
        """Whether any client holds the lock."""
        return self.redis.get(self.name) is not None

    def owned(self) -> bool:
        """Whether this object holds the lock."""
        return self._same(self.redis.get(self.name), self._token())

    def release(self) -> None:
        """Releases the lock."""
        token = self._token()
        if token is None:
            raise self._error("Cannot release a lock that's not owned or is already unlocked.")
        self.local.token = None
        self.do_release(token)

    def do_release(self, expected_token: bytes) -> None:
        """Releases the lock if it is held with this token."""
        if not self.lua_release(keys=[self.name], args=[expected_token], client=self.redis):
            raise self._error("Cannot release a lock that's no longer owned", LockNotOwnedError)

    def extend(self, additional_time: Number, replace_ttl: bool = False) -> Literal[True]:
        """Adds seconds to the time that is left, or sets the time anew."""
        args = [self._held("extend"), int(additional_time * 1000), "1" if replace_ttl else "0"]
        if not self.lua_extend(keys=[self.name], args=args, client=self.redis):
            raise self._error("Cannot extend a lock that's no longer owned", LockNotOwnedError)
        return True

    def reacquire(self) -> Literal[True]:
        """Sets the time that is left to the timeout again."""
        args = [self._held("reacquire"), self._milliseconds()]
        if not self.lua_reacquire(keys=[self.name], args=args, client=self.redis):
            raise self._error("Cannot reacquire a lock that's no longer owned", LockNotOwnedError)
        return True


class AsyncLock(_Locking):
    """The same lock for a client whose methods are coroutines."""

    _script = AsyncScript

    async def __aenter__(self) -> AsyncLock:
        if await self.acquire():
            return self
        raise self._error("Unable to acquire lock within the time specified")

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self.release()
        except LockError:
            if self.raise_on_release_error:
                raise
            self._warn()

    async def acquire(
        self,
        sleep: Number | None = None,
        blocking: bool | None = None,
        blocking_timeout: Number | None = None,
        token: str | bytes | None = None,
    ) -> bool:
        """Acquires the lock; whether it could."""
        import asyncio  # who waits here has it, and plain clients need not

        sleep = self.sleep if sleep is None else sleep
        blocking = self.blocking if blocking is None else blocking
        limit = self.blocking_timeout if blocking_timeout is None else blocking_timeout
        fresh = self._fresh(token)
        until = None if limit is None else time.monotonic() + limit
        while not await self.do_acquire(fresh):
            if not blocking or (until is not None and time.monotonic() + sleep > until):
                return False
            await asyncio.sleep(sleep)
        self.local.token = fresh
        return True

    async def do_acquire(self, token: bytes) -> bool:
        """Tries once."""
        return bool(await self.redis.set(self.name, token, nx=True, px=self._milliseconds()))

    async def locked(self) -> bool:
        """Whether any client holds the lock."""
        return await self.redis.get(self.name) is not None

    async def owned(self) -> bool:
        """Whether this object holds the lock."""
        return self._same(await self.redis.get(self.name), self._token())

    async def release(self) -> None:
        """Releases the lock."""
        token = self._token()
        if token is None:
            raise self._error("Cannot release a lock that's not owned or is already unlocked.")
        self.local.token = None
        await self.do_release(token)

    async def do_release(self, expected_token: bytes) -> None:
        """Releases the lock if it is held with this token."""
        if not await self.lua_release(keys=[self.name], args=[expected_token], client=self.redis):
            raise self._error("Cannot release a lock that's no longer owned", LockNotOwnedError)

    async def extend(self, additional_time: Number, replace_ttl: bool = False) -> Literal[True]:
        """Adds seconds to the time that is left, or sets the time anew."""
        args = [self._held("extend"), int(additional_time * 1000), "1" if replace_ttl else "0"]
        if not await self.lua_extend(keys=[self.name], args=args, client=self.redis):
            raise self._error("Cannot extend a lock that's no longer owned", LockNotOwnedError)
        return True

    async def reacquire(self) -> Literal[True]:
        """Sets the time that is left to the timeout again."""
        args = [self._held("reacquire"), self._milliseconds()]
        if not await self.lua_reacquire(keys=[self.name], args=args, client=self.redis):
            raise self._error("Cannot reacquire a lock that's no longer owned", LockNotOwnedError)
        return True
