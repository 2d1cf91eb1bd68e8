"""The servers of the core's tests, for programs and for redis-py beside this package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

# Fixtures are found by their names here.
from core.conftest import Server, own_server, server, shared_server  # noqa: F401


@pytest.fixture(params=[2, 3])
def protocol(request: Any) -> int:
    """Both protocols."""
    return int(request.param)


@pytest.fixture
def theirs(server: Server) -> Iterator[redis.Redis]:  # noqa: F811
    """redis-py's client of the same server."""
    with redis.Redis(port=server.port) as client:
        yield client
