"""How filters, sketches and digests are made: what their ``info`` answers."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any, ClassVar

from ._replies import text


class Info:
    """Fields of a reply as attributes, and by their names in brackets."""

    # Attributes by the names that the server gives them.
    fields: ClassVar[dict[str, str]] = {}

    def __init__(self, reply: Any) -> None:
        pairs = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2])
        values = {text(name): value for name, value in pairs}
        for name, attribute in self.fields.items():
            setattr(self, attribute, values.get(name))

    def __getitem__(self, item: str) -> Any:
        return getattr(self, item)

    def get(self, item: str) -> Any:
        """An attribute, or nothing."""
        return getattr(self, item, None)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields.values())
        return f"{type(self).__name__}({shown})"


class BFInfo(Info):
    """How a Bloom filter is made."""

    capacity: Any
    size: Any
    filterNum: Any
    insertedNum: Any
    expansionRate: Any
    fields = {
        "Capacity": "capacity",
        "Size": "size",
        "Number of filters": "filterNum",
        "Number of items inserted": "insertedNum",
        "Expansion rate": "expansionRate",
    }


class CFInfo(Info):
    """How a cuckoo filter is made."""

    size: Any
    bucketNum: Any
    filterNum: Any
    insertedNum: Any
    deletedNum: Any
    bucketSize: Any
    expansionRate: Any
    maxIteration: Any
    fields = {
        "Size": "size",
        "Number of buckets": "bucketNum",
        "Number of filters": "filterNum",
        "Number of items inserted": "insertedNum",
        "Number of items deleted": "deletedNum",
        "Bucket size": "bucketSize",
        "Expansion rate": "expansionRate",
        "Max iterations": "maxIteration",
    }


class CMSInfo(Info):
    """How a count-min sketch is made."""

    width: Any
    depth: Any
    count: Any
    fields = {"width": "width", "depth": "depth", "count": "count"}


class TopKInfo(Info):
    """How a list of the most frequent items is made."""

    k: Any
    width: Any
    depth: Any
    decay: Any
    fields = {"k": "k", "width": "width", "depth": "depth", "decay": "decay"}


class TDigestInfo(Info):
    """How a t-digest is made."""

    compression: Any
    capacity: Any
    merged_nodes: Any
    unmerged_nodes: Any
    merged_weight: Any
    unmerged_weight: Any
    total_compressions: Any
    memory_usage: Any
    fields = {
        "Compression": "compression",
        "Capacity": "capacity",
        "Merged nodes": "merged_nodes",
        "Unmerged nodes": "unmerged_nodes",
        "Merged weight": "merged_weight",
        "Unmerged weight": "unmerged_weight",
        "Total compressions": "total_compressions",
        "Memory usage": "memory_usage",
    }
