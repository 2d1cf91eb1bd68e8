"""Projects of a client for asyncio: the methods of `_methods`, as coroutines."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import isawaitable
from typing import Any

from ..exceptions import ResponseError
from ._errors import named
from ._methods import Methods, Watched
from ._requests import OPTIONS, Call, Steps


class AsyncFolio(Methods):
    """A project of a client whose methods are coroutines: `Folio`, for asyncio. Its hooks may be
    coroutines, too.
    """

    async def _ask(self, words: Iterable[Any], make: Callable[[Any], Any] | None = None) -> Any:
        try:
            reply = await self.client.execute_command(*words, **OPTIONS)
        except ResponseError as error:
            raise named(error) from None
        return reply if make is None else make(reply)

    async def _do(self, steps: Steps[Any]) -> Any:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Call):
                    done = step.hook(step.event)
                    step = steps.send(await done if isawaitable(done) else done)
                else:
                    step = steps.send(await self._ask(step))
        except StopIteration as done:
            return done.value

    async def watch_open(self, dis: str, lease: int | None = None) -> AsyncWatch:
        """Opens a watch, which ends a minute after it was last asked, or ``lease`` seconds."""
        words = [] if lease is None else ["LEASE", lease]
        reply = await self._ask(self._words("FOLIO.WATCH.OPEN", dis, *words))
        return AsyncWatch(self, reply.decode())


class AsyncWatch(Watched):
    """A watch whose methods are coroutines. Leaving an ``async with`` closes it."""

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
