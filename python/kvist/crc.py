"""Slots of keys, at redis-py's place for them."""

from __future__ import annotations

from typing import Any

from ._core import slot

REDIS_CLUSTER_HASH_SLOTS = 16384

__all__ = ["REDIS_CLUSTER_HASH_SLOTS", "key_slot"]


def key_slot(key: Any, bucket: int = REDIS_CLUSTER_HASH_SLOTS) -> int:
    """The slot of a key: that of what stands in its braces, if something does.

    >>> key_slot(b"{user:1}.name") == key_slot("user:1")
    True
    """
    return slot(key) % bucket
