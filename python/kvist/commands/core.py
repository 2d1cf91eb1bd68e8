"""Scripts, at redis-py's place for them."""

from __future__ import annotations

from .._scripts import AsyncScript, Script

__all__ = ["AsyncScript", "Script"]
