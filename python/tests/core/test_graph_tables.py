"""Results of graphs as columns, tables of other packages, raw replies, and graphs of networkx."""

from __future__ import annotations

import sys
from datetime import date, datetime, timezone
from typing import Any

import pytest

import kvist
from kvist.graph import Edge, Node
from kvist.graph._results import Names, QueryResult

from .conftest import Waited


SCALARS = (
    "UNWIND range(0, 2999) AS x RETURN x, x / 2.0 AS half, 'n' + toString(x % 5) AS name, "
    "'t' + toString(x) AS text, x % 2 = 0 AS even, CASE WHEN x % 3 = 0 THEN x END AS some"
)


def expected(x: int) -> list[Any]:
    return [x, x / 2, f"n{x % 5}", f"t{x}", x % 2 == 0, x if x % 3 == 0 else None]


def test_rows_are_made_when_they_are_looked_at(graph: Any) -> None:
    result = graph.query(SCALARS)
    assert len(result) == 3000 and result.columns[:2] == ["x", "half"]
    rows = iter(result)
    assert next(rows) == expected(0) and result._rows is None
    assert list(result) == [expected(x) for x in range(3000)]
    assert result.column("name")[:6] == ["n0", "n1", "n2", "n3", "n4", "n0"]
    assert result.column(-1) == [expected(x)[-1] for x in range(3000)]
    assert result[17] == expected(17) and result.result_set is result.result_set
    with pytest.raises(ValueError, match="nothing"):
        result.column("nothing")
    with pytest.raises(IndexError):
        result.column(6)


def test_tables_of_arrow(graph: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = graph.query(SCALARS).to_arrow()
    assert table.num_rows == 3000 and table.schema.names[-1] == "some"
    assert [str(kind) for kind in table.schema.types] == [
        "int64", "double", "large_string", "large_string", "bool", "int64",
    ]
    assert [list(row.values()) for row in table.slice(0, 30).to_pylist()] == [
        expected(x) for x in range(30)
    ]
    assert pyarrow.table(graph.query(SCALARS)).equals(table)
    columns = graph.query(SCALARS).to_columns()
    assert isinstance(columns, kvist.Columns) and columns.shape == (3000, 6)


def test_entities_and_times_as_arrow(graph: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    graph.query("CREATE (:A:B {name: 'é', at: date('2024-02-29')})-[:T {w: 1}]->(:C)")
    table = graph.query("MATCH (a)-[e]->(b) RETURN a, e, b, [a.name, null], {k: a.at}").to_arrow()
    node = {"id": 0, "labels": ["A", "B"], "properties": '{"name":"é","at":"2024-02-29"}'}
    edge = {"id": 0, "type": "T", "source": 0, "target": 1, "properties": '{"w":1}'}
    other = {"id": 1, "labels": ["C"], "properties": "{}"}
    (row,) = table.to_pylist()
    assert list(row.values()) == [node, edge, other, ["é", None], '{"k":"2024-02-29"}']
    table = graph.query(
        "RETURN date('2024-02-29') AS d, localdatetime('2024-02-29T01:02:03.000000004') AS l, "
        "datetime('2024-02-29T01:00:00.000000001+02:00') AS z, localtime('01:00:00.000000009') "
        "AS t, duration('P1DT0.000000001S') AS s, duration('P1M') AS m, "
        "localdatetime('+12000-01-01T00:00') AS far, time('01:00+01:00') AS zoned"
    ).to_arrow()
    assert [str(kind) for kind in table.schema.types] == [
        "date32[day]", "timestamp[ns]", "timestamp[ns, tz=UTC]", "time64[ns]", "duration[ns]",
        "large_string", "large_string", "large_string",
    ]
    assert table["l"].cast(pyarrow.int64())[0].as_py() % 1_000_000_000 == 4
    assert table["z"].cast(pyarrow.int64())[0].as_py() == 1_709_161_200_000_000_001
    assert table["s"].cast(pyarrow.int64())[0].as_py() == 86_400_000_000_001
    assert [table[name][0].as_py() for name in ("m", "far", "zoned")] == [
        "P1M", "+12000-01-01T00:00", "01:00+01:00",
    ]


def test_what_has_no_rows(graph: Any) -> None:
    pytest.importorskip("pyarrow")
    assert graph.query("CREATE (:A)").to_arrow().num_rows == 0
    empty = graph.query("MATCH (n:Nobody) RETURN n.x AS x").to_arrow()
    assert (empty.num_rows, empty.schema.names) == (0, ["x"])
    assert len(graph.query("CREATE (:A)").to_columns()) == 0


def test_pandas_and_polars(graph: Any) -> None:
    result = graph.query(SCALARS)
    for name in ("pandas", "polars"):
        try:
            __import__(name)
        except ImportError:
            with pytest.raises(ImportError, match=f"needs the package {name}"):
                getattr(result, f"to_{name}")()
            continue
        frame = getattr(result, f"to_{name}")()
        assert frame.shape == (3000, 6) and list(frame["name"][:2]) == ["n0", "n1"]


@pytest.mark.parametrize("name", ["pyarrow", "pandas", "polars", "networkx"])
def test_packages_that_are_not_there(
    graph: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = graph.query("CREATE (n:A) RETURN id(n)")
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"{name}, which is not installed"):
        if name == "networkx":
            graph.to_networkx()
        else:
            getattr(result, {"pyarrow": "to_arrow"}.get(name, f"to_{name}"))()
    assert result.result_set == [[0]]


def test_raw_replies(graph: Any) -> None:
    graph.query("CREATE (:A {x: 1})")
    header, rows, lines = graph.query("MATCH (n) RETURN n.x, n", raw=True)
    assert rows == [[[3, 1], [8, [0, [0], [[0, 3, 1]]]]]]
    assert [kind for kind, _ in header] == [1, 1] and len(lines) == 2
    assert graph.ro_query("RETURN $x", {"x": 7}, 1000, raw=True)[1] == [[[3, 7]]]


def test_a_server_that_knows_no_columns() -> None:
    """Its replies are compact, and are read as before."""
    names = Names()
    names.take(["A"], ["T"], ["x"])
    lines = [b"Cached execution: 0"]
    node = [8, [0, [0], [[0, 3, 1]]]]
    result = QueryResult(names, [[[1, b"n"], [1, b"m"]], (([*node],), [1, 2]), lines])
    assert result.columns == ["n", "m"]
    compact = QueryResult(names, [[[1, b"n"]], ((node, ), (node, )), lines])
    assert compact.result_set == [[Node(0, labels="A", properties={"x": 1})]] * 2
    assert compact.column("n") == [row[0] for row in compact]
    pytest.importorskip("pyarrow")
    table = compact.to_arrow()
    assert table.to_pylist()[0] == {"n": {"id": 0, "labels": ["A"], "properties": '{"x": 1}'}}
    mixed = QueryResult(names, [[[1, b"n"]], [[1], ["x"], [None]], lines]).to_arrow()
    assert mixed["n"].to_pylist() == ["1", '"x"', None]
    with pytest.raises(kvist.DataError, match="columns"):
        compact.to_columns()


@pytest.mark.parametrize(
    "parts", [[b"", b""], [b"\x02\x00", bytes(20)], [b"\x02\0\1\0\0\0\0\0\0\0\0", bytes(20)]], ids=repr
)
def test_columns_that_cannot_be_read(parts: list[bytes]) -> None:
    with pytest.raises(kvist.exceptions.InvalidResponse):
        QueryResult(Names(), [[b"x"], *parts, [b"Cached execution: 0"]])


def test_parts_that_come_in_pieces() -> None:
    column = bytes([2, 0]) + (2).to_bytes(8, "little") + b"abcdefgh" + b"ABCDEFGH"
    reply = [[b"x"], [column[:12], column[12:20].decode(), column[20:]], bytes(20), []]
    expected = [int.from_bytes(text, "little") for text in (b"abcdefgh", b"ABCDEFGH")]
    assert QueryResult(Names(), reply).column("x") == expected


def test_networkx(graph: Any) -> None:
    networkx = pytest.importorskip("networkx")
    given = networkx.DiGraph()
    given.add_node("ada", labels=["Person", "Poet"], born=1815, gone=None)
    given.add_node("bob", labels="Person")
    given.add_node("zoë")
    given.add_edge("ada", "bob", type="KNOWS", since=1840)
    given.add_edge("bob", "zoë", weight=0.5)
    assert graph.from_networkx(given, label="Thing", key="name") == (3, 2)
    assert graph.query("MATCH (n:Poet) RETURN n.name, n.born, n.gone").result_set == [
        ["ada", 1815, None]
    ]
    assert graph.query("MATCH ()-[e]->() RETURN type(e) ORDER BY type(e)").result_set == [
        ["EDGE"], ["KNOWS"]
    ]
    back = graph.to_networkx(key="name")
    assert back.nodes["ada"] == {"labels": ["Person", "Poet"], "name": "ada", "born": 1815}
    assert back.nodes["zoë"]["labels"] == ["Thing"]
    edges = sorted((a, b, dict(of)) for a, b, of in back.edges(data=True))
    assert edges == [
        ("ada", "bob", {"type": "KNOWS", "since": 1840}),
        ("bob", "zoë", {"type": "EDGE", "weight": 0.5}),
    ]
    some = graph.to_networkx("MATCH p = (:Poet)-->() RETURN p")
    assert (some.number_of_nodes(), some.number_of_edges()) == (2, 1)
    many = networkx.path_graph(2500)
    other = graph.client.graph("other") if not isinstance(graph, Waited) else graph
    if other is not graph:
        assert other.from_networkx(many, relation="NEXT") == (2500, 2499)
        assert other.query("MATCH (:`a`)-->() RETURN 1").result_set == []
        assert other.query("MATCH ()-[e:NEXT]->() RETURN count(e)").result_set == [[2499]]
    with pytest.raises(kvist.DataError, match="choose another name"):
        graph.query("CREATE (:A {labels: 1, name: 'x'})")
        graph.to_networkx()
    with pytest.raises(kvist.DataError, match="no property"):
        graph.to_networkx(key="nothing")
    for wrong in ("", "a`b"):
        with pytest.raises(ValueError, match="no name"):
            graph.from_networkx(given, label=wrong or [""])


def test_many_objects_share_nothing_that_changes(graph: Any) -> None:
    graph.query("CREATE (:A {l: [1]})-[:T]->(:A)")
    (first, second), (third, _) = graph.query(
        "MATCH (a)-[e]->() UNWIND [1, 2] AS x RETURN a, e"
    ).result_set
    assert first == third and first is not third
    first.properties["l"].append(2)
    assert third.properties["l"] == [1] and isinstance(second, Edge)
    at = datetime(2024, 2, 29, 1, tzinfo=timezone.utc)
    ((found, day),) = graph.query("RETURN $at, date($at)", {"at": at})
    assert found == at and day == date(2024, 2, 29)


def test_times_of_compact_replies_are_whole_seconds() -> None:
    """FalkorDB sends no columns: days and times count from a day before 1970 there."""
    noon, leap, before = 1_709_208_000, date(2024, 2, 29), -2_208_951_570
    reply: list[Any] = [
        [[1, "t"], [1, "d"], [1, "c"], [1, "s"]],
        [[[13, noon], [14, noon - 43_200], [15, before], [16, -90]]],
        [],
    ]
    # Some cells have their types, as the reader leaves them.
    reply[1] = tuple(tuple(row) for row in reply[1])
    ((at, day, clock, span),) = QueryResult(Names(), reply).result_set
    assert at == datetime(2024, 2, 29, 12, tzinfo=timezone.utc) and day == leap
    assert (clock.isoformat(), span.total_seconds()) == ("10:20:30", -90)
    with pytest.raises(kvist.DataError, match="no year"):
        QueryResult(Names(), [[[1, "t"]], ((([13, 10**12]),),), []])
