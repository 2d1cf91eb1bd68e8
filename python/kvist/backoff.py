"""How long to wait between failures: redis-py's classes."""

from __future__ import annotations

from abc import ABC, abstractmethod

DEFAULT_CAP = 0.512
DEFAULT_BASE = 0.008


def _uniform(least: float, most: float) -> float:
    """A number between two, by chance."""
    import random  # not before a thread waits: it takes long to import

    return random.uniform(least, most)


class AbstractBackoff(ABC):
    """Says how long to wait after a number of failures in a row."""

    def reset(self) -> None:
        """Forgets what it may remember: a new operation begins."""

    @abstractmethod
    def compute(self, failures: int) -> float:
        """The seconds to wait."""


class ConstantBackoff(AbstractBackoff):
    """Always the same time."""

    def __init__(self, backoff: float) -> None:
        self._backoff = backoff

    def __hash__(self) -> int:
        return hash((self._backoff,))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstantBackoff):
            return NotImplemented
        return self._backoff == other._backoff

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        return self._backoff


class NoBackoff(ConstantBackoff):
    """No time at all."""

    def __init__(self) -> None:
        super().__init__(0)


class _Growing(AbstractBackoff):
    """Twice as long after each failure, up to a cap."""

    def __init__(self, cap: float = DEFAULT_CAP, base: float = DEFAULT_BASE) -> None:
        self._cap = cap
        self._base = base

    def __hash__(self) -> int:
        return hash((self._base, self._cap))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self._base, self._cap) == (other._base, other._cap)

    def _bound(self, failures: int) -> float:
        # Capped before the power is taken, which for many failures is no float any more.
        bound: float = min(self._cap, self._base * 2 ** min(failures, 64))
        return bound


class ExponentialBackoff(_Growing):
    """Exactly as long as that is."""

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        return self._bound(failures)


class FullJitterBackoff(_Growing):
    """Anything below that."""

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        return _uniform(0, self._bound(failures))


class EqualJitterBackoff(_Growing):
    """Half of that, and anything below the other half."""

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        half = self._bound(failures) / 2
        return half + _uniform(0, half)


class DecorrelatedJitterBackoff(_Growing):
    """Anything between the base and three times the wait before."""

    def __init__(self, cap: float = DEFAULT_CAP, base: float = DEFAULT_BASE) -> None:
        super().__init__(cap, base)
        self._previous_backoff = 0.0

    def reset(self) -> None:
        """Forgets the wait before."""
        self._previous_backoff = 0.0

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        most = max(self._base, self._previous_backoff * 3)
        self._previous_backoff = min(self._cap, _uniform(self._base, most))
        return self._previous_backoff


class ExponentialWithJitterBackoff(_Growing):
    """A random share of what doubles, capped afterwards: the default of clients."""

    def compute(self, failures: int) -> float:
        """The seconds to wait."""
        wait: float = min(self._cap, _uniform(0, 1) * self._base * 2 ** min(failures, 64))
        return wait


def default_backoff() -> AbstractBackoff:
    """What redis-py takes where nothing is said."""
    return EqualJitterBackoff()
