"""Projects of a client for threads: see `_async_folio` for asyncio, `_methods` for the methods."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..exceptions import ResponseError
from ._errors import named
from ._methods import Methods, Watched
from ._requests import OPTIONS, Call, Steps


class Folio(Methods):
    """A project of a client: ``client.folio(name)``."""

    def _ask(self, words: Iterable[Any], make: Callable[[Any], Any] | None = None) -> Any:
        try:
            reply = self.client.execute_command(*words, **OPTIONS)
        except ResponseError as error:
            raise named(error) from None
        return reply if make is None else make(reply)

    def _do(self, steps: Steps[Any]) -> Any:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Call):
                    step = steps.send(step.hook(step.event))
                else:
                    step = steps.send(self._ask(step))
        except StopIteration as done:
            return done.value

    def watch_open(self, dis: str, lease: int | None = None) -> Watch:
        """Opens a watch, which ends a minute after it was last asked, or ``lease`` seconds.

        >>> with demo.watch_open("a screen") as watch:  # doctest: +SKIP
        ...     watch.add("s1")
        ...     watch.poll()
        """
        words = [] if lease is None else ["LEASE", lease]
        return Watch(self, self._ask(self._words("FOLIO.WATCH.OPEN", dis, *words)).decode())


class Watch(Watched):
    """A watch: it remembers which of its records change. Leaving a ``with`` closes it."""

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
