"""Which failures are worth another try, and how many."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterable
from time import sleep
from typing import Any, TypeVar

from .backoff import AbstractBackoff
from .exceptions import FINAL, ConnectionError, TimeoutError

T = TypeVar("T")


class Retry:
    """Tries again after failures: at most ``retries`` times, for ever if that is negative.

    >>> from kvist.backoff import NoBackoff
    >>> attempts = iter([ConnectionError(), ConnectionError(), None])
    >>> def once():
    ...     failure = next(attempts)
    ...     if failure:
    ...         raise failure
    ...     return "done"
    >>> Retry(NoBackoff(), 2).call_with_retry(once, lambda error: None)
    'done'
    """

    def __init__(
        self,
        backoff: AbstractBackoff,
        retries: int,
        supported_errors: tuple[type[Exception], ...] = (
            ConnectionError,
            TimeoutError,
            socket.timeout,
        ),
    ) -> None:
        self._backoff = backoff
        self._retries = retries
        self._supported_errors = supported_errors

    def __hash__(self) -> int:
        return hash((self._backoff, self._retries, frozenset(self._supported_errors)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Retry):
            return NotImplemented
        return (
            self._backoff == other._backoff
            and self._retries == other._retries
            and set(self._supported_errors) == set(other._supported_errors)
        )

    def update_supported_errors(self, specified_errors: Iterable[type[Exception]]) -> None:
        """Adds classes of errors that are worth another try."""
        self._supported_errors = tuple(set(self._supported_errors) | set(specified_errors))

    def get_retries(self) -> int:
        """How many tries follow the first."""
        return self._retries

    def update_retries(self, value: int) -> None:
        """Changes how many tries follow the first."""
        self._retries = value

    def is_worth(self, error: Exception) -> bool:
        """Whether to try again after an error. A wrong password stays wrong, and a full pool full,
        unless just their classes are among the supported ones."""
        return isinstance(error, self._supported_errors) and (
            not isinstance(error, FINAL) or type(error) in self._supported_errors
        )

    def call_with_retry(
        self,
        do: Callable[[], T],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        """What ``do`` returns, once it does; ``fail`` is told of each failure before."""
        self._backoff.reset()
        failures = 0
        while True:
            try:
                return do()
            except Exception as error:
                if not self.is_worth(error) or (is_retryable and not is_retryable(error)):
                    raise
                failures += 1
                fail(error, failures) if with_failure_count else fail(error)
                if 0 <= self._retries < failures:
                    raise
                wait = self._backoff.compute(failures)
            if wait > 0:
                sleep(wait)


def has_own_ways(retry: object) -> bool:
    """Whether a ``Retry`` is of a class that decides for itself what is tried again, or how. One for
    coroutines, given to a client that is none, is taken for the plain one."""
    kind = type(retry)
    return (
        getattr(kind, "is_worth", None) is not Retry.is_worth
        or getattr(kind, "call_with_retry", None)
        not in (Retry.call_with_retry, AsyncRetry.call_with_retry)
    )


class AsyncRetry(Retry):
    """The same for coroutines."""

    async def call_with_retry(  # type: ignore[override]
        self,
        do: Callable[[], Awaitable[T]],
        fail: Callable[..., Awaitable[Any]],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        """What ``do`` returns, once it does; ``fail`` is told of each failure before."""
        from asyncio import sleep

        self._backoff.reset()
        failures = 0
        while True:
            try:
                return await do()
            except Exception as error:
                if not self.is_worth(error) or (is_retryable and not is_retryable(error)):
                    raise
                failures += 1
                await (fail(error, failures) if with_failure_count else fail(error))
                if 0 <= self._retries < failures:
                    raise
                wait = self._backoff.compute(failures)
            if wait > 0:
                await sleep(wait)
