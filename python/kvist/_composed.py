"""What clients offer beyond single commands: iteration, items, locks, scripts, documents.

``Composed`` and ``AsyncComposed`` are what a client derives from. They need ``execute_command`` of
it, and for ``json()`` also ``set_response_callback`` and ``get_connection_kwargs``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

from ._async_commands import AsyncCommands
from ._bitfield import BitFieldOperation
from ._commands import Commands
from ._lock import AsyncLock, Lock
from ._scripts import AsyncScript, Script
from .exceptions import ConnectionError, DataError, RedisError
from .typing import EncodableT, KeyT, Number, PatternT, S, ScoreCastT, ScriptTextT

if TYPE_CHECKING:
    from json import JSONDecoder, JSONEncoder

    from ._filters import (
        AsyncBFBloom,
        AsyncCFBloom,
        AsyncCMSBloom,
        AsyncTDigestBloom,
        AsyncTOPKBloom,
        BFBloom,
        CFBloom,
        CMSBloom,
        TDigestBloom,
        TOPKBloom,
    )
    from ._json import JSON, AsyncJSON
    from ._vectors import AsyncVectorSet, VectorSet
    from .folio import AsyncFolio, Folio
    from .graph import AsyncGraph, Graph


def _shutdown_words(save: bool, nosave: bool, now: bool, force: bool, abort: bool) -> list[str]:
    if save and nosave:
        raise DataError("save and nosave exclude each other")
    words = {"SAVE": save, "NOSAVE": nosave, "NOW": now, "FORCE": force, "ABORT": abort}
    return [word for word, wanted in words.items() if wanted]


class Composed(Commands[S]):
    """What a client offers beyond single commands."""

    __slots__ = ()

    def __getitem__(self, name: KeyT) -> S:
        """The string at a key; ``KeyError`` if there is none."""
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name: KeyT, value: EncodableT) -> None:
        self.set(name, value)

    def __delitem__(self, name: KeyT) -> None:
        self.delete(name)

    def __contains__(self, name: KeyT) -> bool:
        return bool(self.exists(name))

    def scan_iter(
        self,
        match: PatternT | None = None,
        count: int | None = None,
        _type: str | None = None,
        **kwargs: Any,
    ) -> Iterator[S]:
        """The names of keys, page by page: a key that stays is shown at least once.

        >>> for key in client.scan_iter("user:*"):  # doctest: +SKIP
        ...     client.expire(key, 3600)
        """
        cursor = -1
        while cursor != 0:
            cursor, page = self.scan(max(cursor, 0), match, count, _type, **kwargs)
            yield from page

    def sscan_iter(
        self, name: KeyT, match: PatternT | None = None, count: int | None = None
    ) -> Iterator[S]:
        """The members of a set, page by page."""
        cursor = -1
        while cursor != 0:
            cursor, page = self.sscan(name, max(cursor, 0), match, count)
            yield from page

    @overload
    def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        no_values: Literal[False] | None = None,
    ) -> Iterator[tuple[S, S]]: ...
    @overload
    def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        *,
        no_values: Literal[True],
    ) -> Iterator[S]: ...
    def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        no_values: bool | None = None,
    ) -> Iterator[Any]:
        """The fields of a hash with their values, or alone, page by page."""
        cursor = -1
        while cursor != 0:
            page: Any
            cursor, page = self.hscan(name, max(cursor, 0), match, count, no_values)
            yield from page if no_values else page.items()

    def zscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        score_cast_func: ScoreCastT = float,
    ) -> Iterator[tuple[S, float]]:
        """The members of a sorted set with their scores, page by page."""
        cursor = -1
        while cursor != 0:
            cursor, page = self.zscan(name, max(cursor, 0), match, count, score_cast_func)
            yield from page

    def shutdown(
        self,
        save: bool = False,
        nosave: bool = False,
        now: bool = False,
        force: bool = False,
        abort: bool = False,
        **kwargs: Any,
    ) -> None:
        """Ends the server, with a snapshot before or without one.

        A server that ends answers by closing the connection; one that answers did not end.
        """
        words = _shutdown_words(save, nosave, now, force, abort)
        try:
            self.execute_command("SHUTDOWN", *words, **kwargs)
        except ConnectionError:
            return
        raise RedisError("SHUTDOWN seems to have failed.")

    def bitfield(self, key: KeyT, default_overflow: str | None = None) -> BitFieldOperation:
        """Operations on integers of any width within a string, to be chained and executed.

        >>> client.bitfield("k").set("u8", 0, 200).incrby("u8", 0, 1).execute()  # doctest: +SKIP
        [0, 201]
        """
        return BitFieldOperation(self, key, default_overflow)

    def register_script(self, script: ScriptTextT) -> Script:
        """A script as an object that can be called with keys and arguments."""
        return Script(self, script)

    def lock(
        self,
        name: KeyT,
        timeout: Number | None = None,
        sleep: Number = 0.1,
        blocking: bool = True,
        blocking_timeout: Number | None = None,
        lock_class: type[Any] | None = None,
        thread_local: bool = True,
        raise_on_release_error: bool = True,
    ) -> Any:
        """A lock that programs on many machines share; see ``kvist.lock``."""
        return (lock_class or Lock)(
            self,
            name,
            timeout=timeout,
            sleep=sleep,
            blocking=blocking,
            blocking_timeout=blocking_timeout,
            thread_local=thread_local,
            raise_on_release_error=raise_on_release_error,
        )

    def json(
        self, encoder: JSONEncoder | None = None, decoder: JSONDecoder | None = None
    ) -> JSON[S]:
        """The commands of JSON documents."""
        from ._json import DECODER, ENCODER, JSON

        return JSON(self, decoder=decoder or DECODER, encoder=encoder or ENCODER)

    def graph(self, name: str | bytes) -> Graph[S]:
        """The property graph of a key; see ``kvist.graph``."""
        from .graph import Graph

        return Graph(self, name)

    def folio(self, name: str | bytes) -> Folio:
        """The project of records of a key; see ``kvist.folio``."""
        from .folio import Folio

        return Folio(self, name)

    def vset(self) -> VectorSet[S]:
        """The commands of vector sets, which Redis 8 has."""
        from ._vectors import VectorSet

        return VectorSet(self)

    def bf(self) -> BFBloom[S]:
        """The commands of Bloom filters, which Redis 8 has."""
        from ._filters import BFBloom

        return BFBloom(self)

    def cf(self) -> CFBloom[S]:
        """The commands of cuckoo filters, which Redis 8 has."""
        from ._filters import CFBloom

        return CFBloom(self)

    def cms(self) -> CMSBloom[S]:
        """The commands of count-min sketches, which Redis 8 has."""
        from ._filters import CMSBloom

        return CMSBloom(self)

    def topk(self) -> TOPKBloom[S]:
        """The commands of lists of the most frequent items, which Redis 8 has."""
        from ._filters import TOPKBloom

        return TOPKBloom(self)

    def tdigest(self) -> TDigestBloom[S]:
        """The commands of t-digests, which Redis 8 has."""
        from ._filters import TDigestBloom

        return TDigestBloom(self)


class AsyncComposed(AsyncCommands[S]):
    """The same for a client whose methods are coroutines."""

    __slots__ = ()

    async def scan_iter(
        self,
        match: PatternT | None = None,
        count: int | None = None,
        _type: str | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[S]:
        """The names of keys, page by page: a key that stays is shown at least once."""
        cursor = -1
        while cursor != 0:
            cursor, page = await self.scan(max(cursor, 0), match, count, _type, **kwargs)
            for key in page:
                yield key

    async def sscan_iter(
        self, name: KeyT, match: PatternT | None = None, count: int | None = None
    ) -> AsyncIterator[S]:
        """The members of a set, page by page."""
        cursor = -1
        while cursor != 0:
            cursor, page = await self.sscan(name, max(cursor, 0), match, count)
            for member in page:
                yield member

    @overload
    def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        no_values: Literal[False] | None = None,
    ) -> AsyncIterator[tuple[S, S]]: ...
    @overload
    def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        *,
        no_values: Literal[True],
    ) -> AsyncIterator[S]: ...
    async def hscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        no_values: bool | None = None,
    ) -> AsyncIterator[Any]:
        """The fields of a hash with their values, or alone, page by page."""
        cursor = -1
        while cursor != 0:
            page: Any
            cursor, page = await self.hscan(name, max(cursor, 0), match, count, no_values)
            for item in page if no_values else page.items():
                yield item

    async def zscan_iter(
        self,
        name: KeyT,
        match: PatternT | None = None,
        count: int | None = None,
        score_cast_func: ScoreCastT = float,
    ) -> AsyncIterator[tuple[S, float]]:
        """The members of a sorted set with their scores, page by page."""
        cursor = -1
        while cursor != 0:
            cursor, page = await self.zscan(name, max(cursor, 0), match, count, score_cast_func)
            for pair in page:
                yield pair

    async def shutdown(
        self,
        save: bool = False,
        nosave: bool = False,
        now: bool = False,
        force: bool = False,
        abort: bool = False,
        **kwargs: Any,
    ) -> None:
        """Ends the server, with a snapshot before or without one."""
        words = _shutdown_words(save, nosave, now, force, abort)
        try:
            await self.execute_command("SHUTDOWN", *words, **kwargs)
        except ConnectionError:
            return
        raise RedisError("SHUTDOWN seems to have failed.")

    def bitfield(self, key: KeyT, default_overflow: str | None = None) -> BitFieldOperation:
        """Operations on integers within a string; ``await`` their ``execute()``."""
        return BitFieldOperation(self, key, default_overflow)

    def register_script(self, script: ScriptTextT) -> AsyncScript:
        """A script as an object whose calls can be awaited."""
        return AsyncScript(self, script)

    def lock(
        self,
        name: KeyT,
        timeout: Number | None = None,
        sleep: Number = 0.1,
        blocking: bool = True,
        blocking_timeout: Number | None = None,
        lock_class: type[Any] | None = None,
        thread_local: bool = True,
        raise_on_release_error: bool = True,
    ) -> Any:
        """A lock that programs on many machines share; an asynchronous context manager."""
        return (lock_class or AsyncLock)(
            self,
            name,
            timeout=timeout,
            sleep=sleep,
            blocking=blocking,
            blocking_timeout=blocking_timeout,
            thread_local=thread_local,
            raise_on_release_error=raise_on_release_error,
        )

    def json(
        self, encoder: JSONEncoder | None = None, decoder: JSONDecoder | None = None
    ) -> AsyncJSON[S]:
        """The commands of JSON documents."""
        from ._json import DECODER, ENCODER, AsyncJSON

        return AsyncJSON(self, decoder=decoder or DECODER, encoder=encoder or ENCODER)

    def graph(self, name: str | bytes) -> AsyncGraph[S]:
        """The property graph of a key; see ``kvist.graph``."""
        from .graph import AsyncGraph

        return AsyncGraph(self, name)

    def folio(self, name: str | bytes) -> AsyncFolio:
        """The project of records of a key; see ``kvist.folio``."""
        from .folio import AsyncFolio

        return AsyncFolio(self, name)

    def vset(self) -> AsyncVectorSet[S]:
        """The commands of vector sets, which Redis 8 has."""
        from ._vectors import AsyncVectorSet

        return AsyncVectorSet(self)

    def bf(self) -> AsyncBFBloom[S]:
        """The commands of Bloom filters, which Redis 8 has."""
        from ._filters import AsyncBFBloom

        return AsyncBFBloom(self)

    def cf(self) -> AsyncCFBloom[S]:
        """The commands of cuckoo filters, which Redis 8 has."""
        from ._filters import AsyncCFBloom

        return AsyncCFBloom(self)

    def cms(self) -> AsyncCMSBloom[S]:
        """The commands of count-min sketches, which Redis 8 has."""
        from ._filters import AsyncCMSBloom

        return AsyncCMSBloom(self)

    def topk(self) -> AsyncTOPKBloom[S]:
        """The commands of lists of the most frequent items, which Redis 8 has."""
        from ._filters import AsyncTOPKBloom

        return AsyncTOPKBloom(self)

    def tdigest(self) -> AsyncTDigestBloom[S]:
        """The commands of t-digests, which Redis 8 has."""
        from ._filters import AsyncTDigestBloom

        return AsyncTDigestBloom(self)
