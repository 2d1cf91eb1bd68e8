"""Replies from bytes that the caller has received."""

from __future__ import annotations

import gc

import pytest

import kvist

REPLY = b"*3\r\n*2\r\n:1\r\n$3\r\nAda\r\n*2\r\n:2\r\n$-1\r\n*2\r\n:3\r\n$2\r\n\xc3\xa9\r\n"
ROWS = [[1, b"Ada"], [2, None], [3, "é".encode()]]


def test_bytes_in_any_pieces() -> None:
    for size in (1, 2, 3, 7, len(REPLY)):
        reader = kvist.Reader()
        found = []
        for at in range(0, 2 * len(REPLY), size):
            reader.feed((REPLY * 2)[at : at + size])
            while (reply := reader.gets()) is not None:
                found.append(reply)
        assert found == [ROWS, ROWS]
        assert not reader.has_data()


def test_text_and_what_is_none() -> None:
    reader = kvist.Reader(encoding="utf-8", not_enough_data=...)
    assert reader.gets() is ...
    reader.feed(b"$-1\r\n" + REPLY + b"%1\r\n+a\r\n,1.5\r\n")
    assert reader.gets() is None
    assert reader.gets() == [[1, "Ada"], [2, None], [3, "é"]]
    assert reader.gets() == {"a": 1.5}
    assert reader.gets() is ...


def test_errors_are_returned_and_garbage_is_raised() -> None:
    reader = kvist.Reader()
    reader.feed(b"-ERR no\r\n*2\r\n:1\r\n-WRONGTYPE x\r\n$3\r\n\xff\xfe\xfd\r\n?what\r\n")
    error = reader.gets()
    assert type(error) is kvist.ResponseError and str(error) == "no"
    one, other = reader.gets()
    assert one == 1 and isinstance(other, kvist.ResponseError)
    assert reader.gets() == b"\xff\xfe\xfd"
    with pytest.raises(kvist.InvalidResponse):
        reader.gets()


def test_text_that_cannot_be_decoded_spoils_one_reply() -> None:
    reader = kvist.Reader(encoding="utf-8")
    reader.feed(b"*2\r\n$1\r\n\xff\r\n")
    assert reader.gets() is None
    reader.feed(b":1\r\n:2\r\n")
    with pytest.raises(UnicodeDecodeError):
        reader.gets()
    assert reader.gets() == 2


def test_columns() -> None:
    reader = kvist.Reader(encoding="utf-8")
    reader.feed(REPLY[:20])
    assert reader.columns(names=["id", "name"]) is None
    with pytest.raises(kvist.DataError, match="as columns"):
        reader.gets()
    reader.feed(REPLY[20:] + b"+next\r\n")
    table = reader.columns()
    assert table.to_dict() == {"id": [1, 2, 3], "name": ["Ada", None, "é"]}
    assert reader.gets() == "next"
    reader.feed(b"*1\r\n")
    assert reader.gets() is None
    with pytest.raises(kvist.DataError, match="as objects"):
        reader.columns()
    reader.feed(b":1\r\n*2\r\n*1\r\n:1\r\n*2\r\n:1\r\n:2\r\n")
    assert reader.gets() == [1]
    with pytest.raises(kvist.DataError, match="no table"):
        reader.columns()


def test_nothing_is_collected_while_a_large_reply_is_made() -> None:
    large = b"*5000\r\n" + b"*1\r\n$3\r\nabc\r\n" * 5000
    seen = 0

    def note(_: str, __: object) -> None:
        nonlocal seen
        seen += 1

    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        gc.collect()
        gc.callbacks.append(note)
        try:
            for part in (large, large[:40_000]):
                reader = kvist.Reader()
                reader.feed(part)
                before = seen
                found = reader.gets()
                # Nothing that could be garbage is made before this is looked at.
                during = seen - before
                assert (found is None) is (part is not large)
                assert during == 0 and gc.isenabled() is enabled
        finally:
            gc.callbacks.remove(note)
            gc.enable()
