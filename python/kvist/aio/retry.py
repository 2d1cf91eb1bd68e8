"""Which failures are worth another try, for coroutines."""

from __future__ import annotations

from ..retry import AsyncRetry as Retry

__all__ = ["Retry"]
