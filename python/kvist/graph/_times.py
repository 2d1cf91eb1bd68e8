"""Times of a graph as Python's: what they are made of comes from the native part.

Python's have microseconds: what is finer is cut off here, and is whole in columns.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

from ..exceptions import DataError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MIDNIGHT = datetime(1970, 1, 1)
FIRST_DAY = date(1970, 1, 1)
# The seconds of a day.
DAY = 86_400


def day(days: int) -> date:
    """A day, by those since 1970-01-01."""
    try:
        return FIRST_DAY + timedelta(days=days)
    except OverflowError:
        raise DataError(f"Python has no year for {days} days after 1970") from None


def time_of_day(nanos: int, offset: int | None) -> time:
    """A time, by the nanoseconds since midnight, and seconds east of Greenwich."""
    at = (MIDNIGHT + timedelta(microseconds=nanos // 1000)).time()
    return at if offset is None else at.replace(tzinfo=fixed(offset))


def date_time(seconds: int, nanos: int, offset: int, zone: str | None) -> datetime:
    """An instant, by the seconds since 1970, in a zone with a name or at an offset."""
    try:
        at = EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
        return at.astimezone(named(zone, offset)) if zone or offset else at
    except OverflowError:
        raise DataError(f"Python has no year for {seconds} seconds after 1970") from None


def span(days: int, seconds: int, nanos: int) -> timedelta:
    """A duration."""
    try:
        return timedelta(days=days, seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise DataError(f"{days} days and {seconds} seconds are too long for a timedelta") from None


@lru_cache(256)
def fixed(offset: int) -> timezone:
    """The zone of an offset."""
    return timezone(timedelta(seconds=offset)) if offset else timezone.utc


@lru_cache(256)
def named(zone: str | None, offset: int) -> tzinfo:
    """The zone of a name; where this machine does not know it, of the offset."""
    if zone is None:
        return fixed(offset)
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return fixed(offset)
