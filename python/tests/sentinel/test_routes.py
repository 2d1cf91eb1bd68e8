"""URLs that name several servers."""

from __future__ import annotations

from typing import Any

import pytest

from kvist._routes import Route, kind_of, parse


def route(url: str) -> tuple[Any, ...]:
    found: Route = parse(url)
    return found.hosts, found.service, found.values


@pytest.mark.parametrize(("url", "expected"), [
    ("redis+sentinel://a", ([("a", 26379)], "mymaster", {})),
    ("redis-sentinel://a:1,b", ([("a", 1), ("b", 26379)], "mymaster", {})),
    ("redis+sentinel://a/orders", ([("a", 26379)], "orders", {})),
    ("redis+sentinel://a/5", ([("a", 26379)], "mymaster", {"db": 5})),
    ("redis+sentinel://a/orders/5?db=7", ([("a", 26379)], "orders", {"db": 7})),
    ("redis+sentinel://u:p@a/or%2Fders", (
        [("a", 26379)], "or/ders", {"username": "u", "password": "p"},
    )),
    ("redis+sentinel://:p%40%3A@a", ([("a", 26379)], "mymaster", {"password": "p@:"})),
    ("redis+sentinel://orders@a:1,b:2/0", ([("a", 1), ("b", 2)], "orders", {"db": 0})),
    ("redis+sentinel://u:p@orders@a", (
        [("a", 26379)], "orders", {"username": "u", "password": "p"},
    )),
    ("redis+sentinel://[::1]:7,[fe80::2]", (
        [("::1", 7), ("fe80::2", 26379)], "mymaster", {},
    )),
    ("rediss+sentinel://a?socket_timeout=0.5", (
        [("a", 26379)], "mymaster", {"ssl": True, "socket_timeout": 0.5},
    )),
    ("redis+cluster://u:p@a,b:7", (
        [("a", 6379), ("b", 7)], None, {"username": "u", "password": "p"},
    )),
    ("rediss-cluster://a/0", ([("a", 6379)], None, {"ssl": True})),
])
def test_forms(url: str, expected: tuple[Any, ...]) -> None:
    assert route(url) == expected


def test_sentinels_have_credentials_of_their_own() -> None:
    found = parse("redis+sentinel://u:p@a?sentinel_username=x&sentinel_password=y%26&role=replica")
    assert found.sentinel_values == {"username": "x", "password": "y&"}
    assert found.values == {"username": "u", "password": "p"}
    assert found.replica


@pytest.mark.parametrize("url", [
    "redis+sentinel://a:x", "redis+sentinel://a:0", "redis+sentinel://a:65536",
    "redis+sentinel://::1", "redis+sentinel://[::1", "redis+sentinel://a/orders/x",
    "redis+sentinel://a/orders/1/2", "redis+cluster://a/3", "redis+cluster://a/x",
    "redis+sentinel://a?role=queen", "redis+sentinel://a?socket_timeout=soon", "redis://a",
])
def test_what_makes_no_sense(url: str) -> None:
    with pytest.raises(ValueError):
        parse(url)


def test_kinds() -> None:
    urls = ["redis+sentinel://a", "rediss-cluster://a", "redis://a", "unix+cluster://a", "a", ""]
    assert [kind_of(url) for url in urls] == ["sentinel", "cluster", None, None, None, None]
