"""Scripts and options of commands, at redis-py's place for them."""

from __future__ import annotations

from .._scripts import AsyncScript, Script
from ..typing import DataPersistOptions, HashDataPersistOptions

__all__ = ["AsyncScript", "DataPersistOptions", "HashDataPersistOptions", "Script"]
