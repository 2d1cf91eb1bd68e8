"""What pipelines have besides commands: families of commands, scripts, operations on bits.

Each is the client's, given the pipeline for a client: what it executes is queued.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._scripts import AsyncScript, Script

if TYPE_CHECKING:
    from json import JSONDecoder, JSONEncoder


class Pipelined:
    """The families; those of a coroutine's pipeline queue their commands in the same way."""

    connection_pool: Any
    response_callbacks: Any
    _script: type[Script] = Script

    def json(self, encoder: JSONEncoder | None = None, decoder: JSONDecoder | None = None) -> Any:
        """The commands of JSON documents."""
        from ._json import DECODER, ENCODER, JSON

        return JSON(self, decoder=decoder or DECODER, encoder=encoder or ENCODER)

    def vset(self) -> Any:
        """The commands of vector sets, which Redis 8 has."""
        from ._vectors import VectorSet

        return VectorSet(self)

    def bf(self) -> Any:
        """The commands of Bloom filters, which Redis 8 has."""
        from ._filters import BFBloom

        return BFBloom(self)

    def cf(self) -> Any:
        """The commands of cuckoo filters, which Redis 8 has."""
        from ._filters import CFBloom

        return CFBloom(self)

    def cms(self) -> Any:
        """The commands of count-min sketches, which Redis 8 has."""
        from ._filters import CMSBloom

        return CMSBloom(self)

    def topk(self) -> Any:
        """The commands of lists of the most frequent items, which Redis 8 has."""
        from ._filters import TOPKBloom

        return TOPKBloom(self)

    def tdigest(self) -> Any:
        """The commands of t-digests, which Redis 8 has."""
        from ._filters import TDigestBloom

        return TDigestBloom(self)

    def bitfield(self, key: Any, default_overflow: str | None = None) -> Any:
        """Operations on integers within a string, queued by their ``execute()``."""
        from ._bitfield import BitFieldOperation

        return BitFieldOperation(self, key, default_overflow)

    def register_script(self, script: Any) -> Any:
        """A script as an object whose calls are queued."""
        return self._script(self, script)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Any:
        """Another pipeline on the same pool: programs pass one on where a client is wanted."""
        kind: Any = type(self)
        return kind(self.connection_pool, self.response_callbacks, transaction, shard_hint)

    def get_retry(self) -> Any:
        """What is tried again, and how often."""
        return self.connection_pool.retry


class AsyncPipelined(Pipelined):
    """The same for coroutines."""

    _script = AsyncScript
