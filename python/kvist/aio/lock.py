"""Locks for coroutines: redis-py's name for them."""

from __future__ import annotations

from .._lock import AsyncLock as Lock
from ..exceptions import LockError, LockNotOwnedError

__all__ = ["Lock", "LockError", "LockNotOwnedError"]
