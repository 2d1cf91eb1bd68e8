"""Locks that programs on many machines share: redis-py's name for them."""

from __future__ import annotations

from ._lock import Lock
from .exceptions import LockError, LockNotOwnedError

__all__ = ["Lock", "LockError", "LockNotOwnedError"]
