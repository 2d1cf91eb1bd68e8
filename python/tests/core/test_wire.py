"""Replies from the wire: the same objects as redis-py makes, whatever the pieces; and no harm from
bytes that are no replies."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kvist

from .fake import Fake, requests


class Teller:
    """A server whose next answer is chosen, and the pieces it is sent in."""

    def __init__(self) -> None:
        self.answer = b""
        self.pieces = 1
        self.fake = Fake(self.talk)
        self.ours = kvist.Kvist(port=self.fake.port, protocol=3, retry=None, socket_timeout=5)

    def talk(self, connection: socket.socket) -> None:
        """Greets, and then says what it is to say."""
        for words in requests(connection):
            if words[0] == b"HELLO":
                connection.sendall(b"%1\r\n$5\r\nproto\r\n:3\r\n")
            elif words[0] == b"CLIENT":
                connection.sendall(b"+OK\r\n")
            elif self.pieces == 1:
                connection.sendall(self.answer)
            else:
                for byte in self.answer:
                    connection.sendall(bytes([byte]))


@pytest.fixture(scope="module")
def teller() -> Any:
    teller = Teller()
    with teller.fake:
        yield teller


def encode(value: Any) -> bytes:
    """A value as RESP3."""
    match value:
        case None:
            return b"_\r\n"
        case bool():
            return b"#t\r\n" if value else b"#f\r\n"
        case int():
            mark = b":" if -(2**63) <= value < 2**63 else b"("
            return mark + b"%d\r\n" % value
        case float():
            return b",%s\r\n" % repr(value).encode()
        case bytes():
            return b"$%d\r\n%s\r\n" % (len(value), value)
        case str():
            return b"+%s\r\n" % value.encode()
        case list():
            return b"*%d\r\n" % len(value) + b"".join(map(encode, value))
        case dict():
            pairs = b"".join(encode(key) + encode(item) for key, item in value.items())
            return b"%%%d\r\n" % len(value) + pairs
        case set():
            return b"~%d\r\n" % len(value) + b"".join(map(encode, value))
    raise AssertionError(value)


def seen(value: Any) -> Any:
    """A value as a client gives it out."""
    match value:
        case str():
            return value.encode()
        case list() | set():
            return [seen(item) for item in value]
        case dict():
            return {seen(key): seen(item) for key, item in value.items()}
    return value


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.binary(max_size=300)
    | st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)
)
replies = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5)
    | st.dictionaries(st.binary(max_size=8) | st.integers(), inner, max_size=5)
    | st.lists(inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(reply=replies, bytewise=st.booleans())
def test_round_trip(teller: Teller, reply: Any, bytewise: bool) -> None:
    teller.answer = encode(reply)
    teller.pieces = 2 if bytewise and len(teller.answer) < 200 else 1
    assert teller.ours.execute_command("X") == seen(reply)


def test_special_values(teller: Teller) -> None:
    teller.pieces = 1
    for answer, expected in (
        (b"=8\r\ntxt:text\r\n", b"text"), (b",inf\r\n", float("inf")), (b"*-1\r\n", None),
        (b"$-1\r\n", None), (b"*0\r\n", []), (b"%0\r\n", {}), (b"~2\r\n:1\r\n:2\r\n", [1, 2]),
        (b"|1\r\n+a\r\n:1\r\n:5\r\n", 5), (b"(-12345678901234567890123\r\n", -12345678901234567890123),
        (b"%1\r\n*1\r\n:1\r\n%1\r\n+k\r\n:2\r\n", {(1,): {b"k": 2}}),
        (b"%1\r\n%1\r\n:1\r\n*1\r\n:2\r\n:3\r\n", {((1, (2,)),): 3}),
        (b">2\r\n+invalidate\r\n_\r\n:7\r\n", 7),
    ):
        teller.answer = answer
        assert teller.ours.execute_command("X") == expected, answer
    teller.answer = b",nan\r\n"
    nan = teller.ours.execute_command("X")
    assert nan != nan
    teller.answer = b"*2\r\n-WRONGTYPE no\r\n!5\r\nERR x\r\n"
    inner = teller.ours.execute_command("X")
    assert [type(error) for error in inner] == [kvist.ResponseError] * 2
    teller.answer = b"!11\r\nNOSCRIPT no\r\n"
    with pytest.raises(kvist.exceptions.NoScriptError):
        teller.ours.execute_command("X")


@pytest.mark.parametrize("answer", [
    b"x\r\n", b"\r\n", b"$x\r\n", b"$-2\r\n", b"*-2\r\n", b":x\r\n", b"#x\r\n", b"$3\r\nabcde\r\n",
    b"*1\r\n" * 100_000, b"*1099511627776\r\n", b"%9223372036854775807\r\n",
    b"$9999999999999\r\n", b"|1\r\n" * 100_000, b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(range(256)),
])
def test_garbage(teller: Teller, answer: bytes) -> None:
    teller.pieces = 1
    teller.answer = answer
    before = teller.fake.accepted
    with pytest.raises(kvist.InvalidResponse):
        teller.ours.execute_command("X")
    teller.answer = b"+fine\r\n"
    assert teller.ours.execute_command("X") == b"fine"
    assert teller.fake.accepted == before + 1, "over a new connection"


@settings(max_examples=300, deadline=None)
@given(answer=st.binary(min_size=1, max_size=60))
def test_any_bytes(teller: Teller, answer: bytes) -> None:
    def talk_once() -> None:
        with kvist.Kvist(port=fake.port, protocol=2, retry=None, socket_timeout=5, lib_name=None,
                         lib_version=None) as client:
            try:
                client.execute_command("X")
            except (kvist.RedisError, UnicodeDecodeError):
                pass

    def talk(connection: socket.socket) -> None:
        next(requests(connection))
        connection.sendall(answer)

    with Fake(talk) as fake:
        talk_once()


def test_large_values(server: Any) -> None:
    with server.client(socket_timeout=60) as client:
        value = bytes(range(256)) * (64 * 4096)  # 64 MiB
        assert client.set("large", value) is True
        assert client.get("large") == value
        with client.pipeline(transaction=False) as pipe:
            for _ in range(5):
                pipe.get("large")
            assert pipe.execute() == [value] * 5
        # Much both ways: a client that only writes until all is written would wait for ever.
        value = b"x" * 100_000
        with client.pipeline(transaction=False) as pipe:
            for _ in range(500):
                pipe.echo(value)
            assert pipe.execute() == [value] * 500
        client.delete("large")
