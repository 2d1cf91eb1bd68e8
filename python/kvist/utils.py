"""What redis-py keeps under this name and programs use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .client import Kvist, Pipeline

HIREDIS_AVAILABLE = False  # replies are parsed by the native part
SSL_AVAILABLE = True  # and so is TLS

from_url = Kvist.from_url


@contextmanager
def pipeline(redis_obj: Kvist[Any]) -> Iterator[Pipeline[Any]]:
    """A pipeline that is executed at the end of its ``with``."""
    with redis_obj.pipeline() as pipe:
        yield pipe
        pipe.execute()


def str_if_bytes(value: str | bytes) -> str:
    """Text, whatever of it is not text replaced."""
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
