"""Replies as columns: the same values as objects would have, in whatever pieces they come; what is no
table; and memory that is given back."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

import kvist
import kvist.aio

from .conftest import PATIENCE, Server, answered
from .fake import Fake, answering, proxy, requests

ROWS = """local rows = {}
for n = 1, tonumber(ARGV[1]) do
  rows[n] = {n, 'name ' .. n, n * 2, 'x'}
  if n % 3 == 0 then rows[n][3] = false end
end
return rows"""


def expected(count: int) -> list[tuple[Any, ...]]:
    return [
        (n, f"name {n}", None if n % 3 == 0 else n * 2, "x") for n in range(1, count + 1)
    ]


@pytest.mark.parametrize("protocol", [2, 3])
def test_rows(server: Server, protocol: int) -> None:
    with server.client(protocol=protocol, decode_responses=True) as client:
        for count in (1, 10, 5000):
            table = client.columns("EVAL", ROWS, 0, count, names=("id", "name", "twice", "x"))
            assert isinstance(table, kvist.Columns)
            assert len(table) == count and table.shape == (count, 4)
            assert table.names == ["id", "name", "twice", "x"]
            assert table.types == {
                "id": "int64", "name": "large_string", "twice": "int64", "x": "large_string",
            }
            assert table.to_rows() == expected(count)
            assert table["name"] == table[1] == table[-3] == [row[1] for row in expected(count)]
            assert list(table.to_dict()) == table.names
            # The connection is as good as before.
            assert client.echo("x") == "x"
    with server.client(protocol=protocol) as client:
        table = client.columns("EVAL", ROWS, 0, 2, types={1: str})
        assert table.to_rows()[0] == (1, "name 1", 2, b"x")
        assert table.names == ["column_0", "column_1", "column_2", "column_3"]
        with pytest.raises(KeyError):
            table["nope"]
        for index in (4, -5):
            with pytest.raises(IndexError):
                table[index]
        assert client.connection_pool._counts() == (1, 0)


@pytest.mark.parametrize("protocol", [2, 3])
def test_flat_replies(server: Server, protocol: int) -> None:
    with server.client(protocol=protocol) as client:
        client.rpush("l", *range(100))
        client.hset("h", mapping={"a": 1, "b": 2.5})
        client.zadd("z", {"m": 1.5, "n": 2})
        client.sadd("s", "x")
        assert client.columns("LRANGE", "l", 0, -1, types=[int])[0] == list(range(100))
        assert client.columns("LRANGE", "l", 0, 1)[0] == [b"0", b"1"]
        pairs = client.columns("HGETALL", "h", names=("key", "value"), types={"value": float})
        assert pairs.to_dict() == {"key": [b"a", b"b"], "value": [1.0, 2.5]}
        scores = client.columns(
            "ZRANGE", "z", 0, -1, "WITHSCORES", names=("who", "score"), types=(str, float)
        )
        assert scores.to_rows() == [("m", 1.5), ("n", 2.0)]
        assert client.columns("SMEMBERS", "s").to_rows() == [(b"x",)]
        assert client.columns("MGET", "nope", "nope").types == {"column_0": "null"}
        assert client.columns("GET", "nope", names=["it"], types=[int]).types == {"it": "int64"}
        assert client.columns("STRLEN", "nope").to_rows() == [(0,)]
        assert len(client.columns("LRANGE", "nope", 0, -1)) == 0
        client.xadd("x", {"f": "v"}, id="1-1")
        client.xadd("x", {"f": "w", "g": "u"}, id="2-1")
        entries = client.columns("XRANGE", "x", "-", "+", names=("id", "fields"))
        assert entries.to_rows() == [(b"1-1", [b"f", b"v"]), (b"2-1", [b"f", b"w", b"g", b"u"])]


def test_what_is_no_table(server: Server) -> None:
    with server.client(decode_responses=True) as client:
        client.set("text", b"\xff")
        client.rpush("l", 1, 2, 3)
        for words, values, text in (
            (("LRANGE", "l", 0, -1), {"names": ("a", "b")}, "3 values do not make rows of 2"),
            (("EVAL", "return {{1}, {1, 2}}", 0), {}, "row 1 has more than 1 values"),
            (("EVAL", "return {1, 'x'}", 0), {}, "the text 'x' in row 1 of column 'column_0'"),
            (("EVAL", "return {{{{1}}}}", 0), {}, "a list in a list"),
            (("SCAN", 0), {}, "item 1 is a list where those before are values"),
            (("GET", "text"), {}, "no text"),
            (("GET", "text"), {"types": {"b": int}}, "a type for 'b', which is no column"),
            (("ECHO", "x"), {"types": [int]}, "the text 'x'"),
        ):
            with pytest.raises(kvist.DataError, match=text):
                client.columns(*words, **values)
            assert client.echo("x") == "x"
        with pytest.raises(kvist.ResponseError, match="WRONGTYPE"):
            client.columns("HGETALL", "text")
        with pytest.raises(kvist.ResponseError, match="inside"):
            client.columns("EVAL", "return {{1}, {redis.error_reply('inside')}}", 0)
        for types in ("int", [dict], {"a": "int"}, 5):
            with pytest.raises(TypeError):
                client.columns("GET", "text", types=types)
        with pytest.raises(kvist.DataError), client.pipeline() as pipe:
            pipe.execute_command("GET", "text", columns=kvist._core.Wanted())
        assert client.connection_pool._counts() == (1, 0)


def test_arrow(server: Server) -> None:
    arrow = pytest.importorskip("pyarrow")
    with server.client(decode_responses=True) as client:
        table = client.columns("EVAL", ROWS, 0, 1000, names=("id", "name", "twice", "x"))
        client.xadd("x", {"f": "v"}, id="1-1")
        entries = client.columns("XRANGE", "x", "-", "+", names=("id", "fields"))
        empty = client.columns("LRANGE", "nope", 0, -1, names=["a"], types=[float])
        none = client.columns("LRANGE", "nope", 0, -1)
        nulls = client.columns("MGET", "nope", "nope")
    taken = arrow.table(table)
    taken.validate(full=True)
    assert taken.schema.names == table.names
    assert {field.name: str(field.type) for field in taken.schema} == table.types
    assert taken.to_pydict() == table.to_dict()
    assert taken["twice"].null_count == 333
    assert arrow.record_batch(table).equals(taken.combine_chunks().to_batches()[0])
    assert arrow.schema(table) == taken.schema
    assert table.to_arrow().equals(taken)
    # The memory is the table's own: taking it twice does not make it twice.
    address = [arrow.table(table)["id"].chunk(0).buffers()[1].address for _ in range(2)]
    assert address[0] == address[1]
    one = taken["name"]
    del table, taken
    gc.collect()
    assert one[999].as_py() == "name 1000"
    lists = arrow.table(entries)
    lists.validate(full=True)
    assert lists.to_pydict() == {"id": ["1-1"], "fields": [["f", "v"]]}
    assert arrow.table(empty).schema.field("a").type == arrow.float64()
    assert arrow.table(none).shape == (0, 0)
    assert arrow.table(nulls)["column_0"].null_count == 2


def test_data_frames(server: Server) -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    with server.client(decode_responses=True) as client:
        table = client.columns("EVAL", ROWS, 0, 100, names=("id", "name", "twice", "x"))
    assert table.to_polars().rows() == expected(100)
    assert polars.DataFrame(table)["id"].sum() == 5050
    frame = table.to_pandas()
    assert list(frame["name"]) == [row[1] for row in expected(100)]


def test_in_pieces(server: Server) -> None:
    def bytewise(_: int, data: bytes) -> Any:
        for at in range(0, len(data), 3):
            yield data[at : at + 3]

    with Fake(proxy(server.port, bytewise)) as fake:
        with kvist.Kvist(port=fake.port, retry=None, decode_responses=True) as client:
            assert client.columns("EVAL", ROWS, 0, 40).to_rows() == expected(40)
            assert client.echo("x") == "x"


def test_cut_at_every_byte() -> None:
    answer = b"*2\r\n*2\r\n:1\r\n$1\r\na\r\n*2\r\n:2\r\n$-1\r\n"
    cut = [0]

    def talk(connection: Any) -> None:
        for words in requests(connection):
            if words[0] == b"ROWS":
                connection.sendall(answer[: cut[0]])
                if cut[0] < len(answer):
                    return
            else:
                connection.sendall(b"+OK\r\n")

    async def tasks() -> None:
        async with kvist.aio.Kvist(port=fake.port, protocol=2, retry=None) as client:
            for at in range(len(answer)):
                cut[0] = at
                with pytest.raises(kvist.ConnectionError):
                    await client.columns("ROWS")
                assert await client.execute_command("OTHER") == b"OK"
            cut[0] = len(answer)
            rows, other = await asyncio.gather(
                client.columns("ROWS"), client.execute_command("OTHER")
            )
            assert (rows.to_rows(), other) == ([(1, b"a"), (2, None)], b"OK")

    with Fake(talk) as fake:
        with kvist.Kvist(port=fake.port, protocol=2, retry=None) as client:
            for at in range(len(answer)):
                cut[0] = at
                with pytest.raises(kvist.ConnectionError):
                    client.columns("ROWS")
                assert client.execute_command("OTHER") == b"OK"
            cut[0] = len(answer)
            assert client.columns("ROWS").to_rows() == [(1, b"a"), (2, None)]
        asyncio.run(asyncio.wait_for(tasks(), PATIENCE))


def test_messages_and_garbage() -> None:
    answer = [b""]
    with Fake(answering(lambda _: answer[0])) as fake:
        with kvist.Kvist(port=fake.port, protocol=2, retry=None) as client:
            heard: list[Any] = []
            with client.client() as single:
                single.connection.set_push_handler(heard.append)
                answer[0] = b">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n>1\r\n+x\r\n*1\r\n:5\r\n"
                assert single.columns("X").to_rows() == [(5,)]
            assert heard == [[b"invalidate", [b"k"]], [b"x"]]
            for garbage in (b"x\r\n", b"*1\r\n$x\r\n", b"*1\r\n" * 100_000, b"$9999999999999\r\n"):
                answer[0] = garbage
                with pytest.raises(kvist.InvalidResponse):
                    client.columns("X")
                answer[0] = b":1\r\n"
                assert client.columns("X").to_rows() == [(1,)]


def test_a_late_table_is_dropped() -> None:
    late = threading.Event()

    def talk(connection: Any) -> None:
        for words in requests(connection):
            if words[0] == b"ROWS":
                connection.sendall(b"*2\r\n:1\r\n")
                late.wait(PATIENCE)
            connection.sendall(b":2\r\n")

    with Fake(talk) as fake:
        with kvist.Kvist(
            port=fake.port, protocol=2, retry=None, socket_timeout=0.1, lib_name=None,
            lib_version=None,
        ) as client:
            with pytest.raises(kvist.TimeoutError):
                client.columns("ROWS")
            late.set()
            assert answered(lambda: client.execute_command("OTHER")) == 2
            assert fake.accepted > 1, "the late rows come over a connection that is not used again"


def test_threads(server: Server) -> None:
    results: list[int] = []
    with server.client(socket_timeout=PATIENCE) as client:

        def work() -> None:
            for count in (100, 1000, 3000):
                results.append(len(client.columns("EVAL", ROWS, 0, count)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == sorted([100, 1000, 3000] * 4)


def test_asyncio(server: Server) -> None:
    async def main() -> None:
        async with kvist.aio.Kvist(port=server.port, decode_responses=True) as client:
            tables = await asyncio.gather(
                *(client.columns("EVAL", ROWS, 0, count) for count in (1, 10, 3000)),
                *(client.echo(str(n)) for n in range(5)),
                client.columns("LRANGE", "nope", 0, -1),
            )
            assert [table.to_rows() for table in tables[:3]] == [
                expected(count) for count in (1, 10, 3000)
            ]
            assert tables[3:8] == [str(n) for n in range(5)] and len(tables[8]) == 0
            with pytest.raises(kvist.DataError):
                await client.columns("SCAN", 0)
            # One that is given up is read and thrown away.
            task = asyncio.ensure_future(client.columns("EVAL", ROWS, 0, 3000))
            await asyncio.sleep(0)
            task.cancel()
            assert await client.echo("next") == "next"

    asyncio.run(asyncio.wait_for(main(), 3 * PATIENCE))


def test_shown(server: Server) -> None:
    with server.client(decode_responses=True) as client:
        client.rpush("l", "<b>", *range(20))
        table = client.columns("LRANGE", "l", 0, -1, names=["a&b"])
    assert repr(table) == "<Columns: 21 rows of (a&b: large_string)>"
    html = table._repr_html_()
    assert "<th>a&amp;b: large_string</th>" in html and "<td>&lt;b&gt;</td>" in html
    assert html.count("<tr>") == 11 and "21 rows" in html
