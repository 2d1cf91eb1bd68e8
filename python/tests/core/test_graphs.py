"""Graphs as Python has them: through a socket, in the process, and on asyncio."""

from __future__ import annotations

import ast
import asyncio
import inspect
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path as FilePath
from time import time_ns
from typing import Any

import pytest

import kvist
import kvist.aio
from kvist.graph import AsyncGraph, Edge, ExecutionPlan, Graph, Node, Path, QueryResult

from .conftest import Waited


@pytest.fixture
def other(graph: Any) -> Any:
    """The same graph for another user."""
    if isinstance(graph, Waited):
        return kvist.Kvist(**graph.client.get_connection_kwargs()).graph("g")
    return graph.client.graph("g")


def test_entities(graph: Any) -> None:
    made = graph.query(
        "CREATE (a:Person:Poet {name: 'Ada', born: 1815})-[k:KNOWS {since: 1.5}]->(b) RETURN a, k, b"
    )
    assert isinstance(made, QueryResult)
    assert made.header == [[1, "a"], [1, "k"], [1, "b"]] and made.columns == ["a", "k", "b"]
    assert (made.nodes_created, made.relationships_created, made.properties_set) == (2, 1, 3)
    assert made.labels_added == 2 and made.nodes_deleted == 0 and made.run_time_ms > 0
    ((ada, knows, other),) = made
    assert ada == Node(0, labels=["Person", "Poet"], properties={"name": "Ada", "born": 1815})
    assert knows == Edge(0, "KNOWS", 1, 0, properties={"since": 1.5})
    assert (other.id, other.labels, other.properties) == (1, None, {})
    assert str(ada) == '(:Person:Poet{born:1815,name:"Ada"})'
    assert str(knows) == "()-[:KNOWS{since:1.5}]->()"
    ((path,),) = graph.ro_query("MATCH p = (:Poet)-->() RETURN p").result_set
    assert path == Path([ada, other], [knows]) and path.edge_count() == 1
    assert str(path) == "<(0)-[0]->(1)>"
    ((path, listed),) = graph.ro_query("MATCH p = (b)<--(a) RETURN p, [a, {k: b}]")
    assert str(path) == "<(1)<-[0]-(0)>" and path.first_node() == other
    assert listed == [ada, {"k": other}]


def test_what_changes_nothing_has_rows_or_none(graph: Any) -> None:
    assert graph.query("CREATE (:A)").result_set == []
    result = graph.query("MATCH (n:Nobody) RETURN n")
    assert result.result_set == [] and len(result) == 0 and result.header == [[1, "n"]]
    assert graph.query("MATCH (n:A) SET n.x = 1 SET n.x = null").nodes_created == 0
    gone = graph.query("MATCH (n:A) DELETE n")
    assert gone.nodes_deleted == 1
    # A server has many threads, each with the plans of its own; no other test asks for the first.
    assert graph.query(f"RETURN 1 AS {'x' * 20}{time_ns()}").cached_execution is False
    assert any(graph.query("MATCH (n:A) DELETE n").cached_execution for _ in range(200))


SCALARS: list[Any] = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 1.5, -0.25, 1e300, 5e-324, float("inf"),
    float("-inf"), "", "it's", '"', "\\", "a\\\"b\\", "\0", "\n\r\t\b\x7f", "Ünï 🜚", "$x `y`",
    "CYPHER `a`=1 RETURN 1", [], [1, [2, [None]], "x"], {}, {"a b": {"c": [1.5, {"d": "e"}]}},
]


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_parameters_come_back(graph: Any, value: Any) -> None:
    found = graph.query("RETURN $value, [$value], {k: $value}", {"value": value})
    assert found.result_set == [[value, [value], {"k": value}]]
    assert type(found[0][0]) is type(value)


def test_times(graph: Any) -> None:
    east = timezone(timedelta(hours=2))
    given = {
        "naive": datetime(2020, 2, 29, 3, 4, 5), "aware": datetime(2020, 2, 29, 1, tzinfo=east),
        "day": date(1, 1, 1), "last": date(9999, 12, 31), "time": time(23, 59, 59),
        "zoned": time(3, tzinfo=east), "long": timedelta(days=400, seconds=7),
        "back": timedelta(days=-1, seconds=3),
    }
    utc = timezone.utc
    expected = [
        datetime(2020, 2, 29, 3, 4, 5, tzinfo=utc), datetime(2020, 2, 28, 23, tzinfo=utc),
        date(1, 1, 1), date(9999, 12, 31), time(23, 59, 59), time(3, tzinfo=east),
        timedelta(days=400, seconds=7), timedelta(days=-1, seconds=3),
    ]
    wanted = ", ".join(f"${name}" for name in given)
    assert graph.query(f"RETURN {wanted}", given).result_set == [expected]
    exact = datetime(2020, 1, 2, 3, 4, 5, 678901)
    text, same = graph.query("RETURN toString($t), $t", {"t": exact}).result_set[0]
    assert text == "2020-01-02T03:04:05.678901" and same == exact.replace(tzinfo=utc)
    ((named,),) = graph.query(
        "RETURN datetime({year: 2024, month: 7, hour: 12, timezone: 'Europe/Stockholm'})"
    )
    assert named.isoformat() == "2024-07-01T12:00:00+02:00" and named.tzinfo.key == "Europe/Stockholm"
    ((months,),) = graph.query("RETURN duration('P1M1DT0.000001S')")
    assert months == timedelta(days=32, microseconds=1)
    for late in ("localdatetime('+12000-01-01T00:00')", "date('-0001-01-01')"):
        result = graph.query(f"RETURN {late}")
        with pytest.raises(kvist.DataError, match="no year"):
            _ = result.result_set
    # The connection is as good as before.
    assert graph.query("RETURN 1").result_set == [[1]]


def test_points_and_vectors(graph: Any) -> None:
    found = graph.query("RETURN point({latitude: 32.5, longitude: -1.25}), vecf32([1, 2.5])")
    assert found.result_set == [[{"latitude": 32.5, "longitude": -1.25}, [1.0, 2.5]]]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (Decimal("1.5"), TypeError), (b"bytes", TypeError), ({1, 2}, TypeError),
        (object(), TypeError), (Node(1), TypeError), (1 << 63, OverflowError),
        ({1: 2}, TypeError), ({"": 1}, ValueError), ({"a`b": 1}, ValueError),
    ],
    ids=repr,
)
def test_what_is_no_value_is_refused(graph: Any, value: Any, error: type[Exception]) -> None:
    for given in (value, [value], {"k": value}):
        with pytest.raises(error):
            graph.query("RETURN $x", {"x": given})
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        graph.query("RETURN $x", {"x": deep})
    for bad in ([1], "x", {"a`": 1}, {"": 1}):
        with pytest.raises((TypeError, ValueError)):
            graph.query("RETURN 1", bad)


def test_errors(graph: Any) -> None:
    with pytest.raises(kvist.ResponseError):
        graph.query("RETRUN 1")
    with pytest.raises(kvist.ResponseError, match="empty key"):
        graph.ro_query("RETURN 1")
    graph.query("CREATE (:A {x: 'no number'})")
    with pytest.raises(kvist.ResponseError):
        graph.ro_query("CREATE (:B)")
    with pytest.raises(kvist.ResponseError):
        graph.query("MATCH (a:A) RETURN a.x / 2")
    with pytest.raises(kvist.ResponseError):
        graph.query("UNWIND range(1, 100000000) AS x RETURN sum(x)", timeout=1)
    for bad in (-1, 1.5, True, "5"):
        with pytest.raises(kvist.DataError):
            graph.query("RETURN 1", timeout=bad)
    assert graph.query("MATCH (n) RETURN count(n)", timeout=60_000).result_set == [[1]]


def test_names_that_are_new(graph: Any, other: Any) -> None:
    graph.query("CREATE (:A {x: 1})")
    assert graph.query("MATCH (n) RETURN n").result_set == [[Node(0, labels="A", properties={"x": 1})]]
    other.query("MATCH (n) SET n:B, n.y = 2 CREATE (n)-[:T {z: 3}]->(n)")
    ((node, edge),) = graph.ro_query("MATCH (n)-[e]->() RETURN n, e")
    assert node.labels == ["A", "B"] and node.properties == {"x": 1, "y": 2}
    assert edge == Edge(0, "T", 0, 0, properties={"z": 3})


def test_a_graph_that_takes_the_place_of_another(graph: Any, other: Any) -> None:
    graph.query("CREATE (:A {x: 1})-[:T]->(:B {y: 2})")
    assert len(graph.query("MATCH (n) RETURN n")) == 2
    # As many names, with the same numbers.
    other.delete()
    other.query("CREATE (:C {v: 1})-[:U]->(:D {w: 2})")
    ((node, edge),) = graph.query("MATCH (n:C)-[e]->() RETURN n, e")
    assert node.labels == ["C"] and node.properties == {"v": 1} and edge.relation == "U"
    other.delete()
    # One with a statement that also writes runs once.
    made = graph.query("CREATE (n:E {u: 1}) RETURN n")
    assert made.nodes_created == 1 and made[0][0].labels == ["E"]
    assert graph.query("MATCH (n) RETURN count(n)").result_set == [[1]]


def test_plans(graph: Any) -> None:
    graph.query("UNWIND range(1, 3) AS x CREATE (:A {x: x})")
    statement = "MATCH (a:A) WHERE a.x > $least RETURN a.x"
    plan = graph.explain(statement, {"least": 1})
    assert isinstance(plan, ExecutionPlan)
    assert plan.structured_plan.name == plan.plan[0].strip().split(" | ")[0]
    assert [line.strip() for line in str(plan).splitlines()] == [line.strip() for line in plan.plan]
    assert plan == graph.explain(statement, {"least": 2}) and plan != graph.explain("RETURN 1")
    (scan,) = plan.collect_operations("Node By Label Scan")
    assert scan.args == "(a:A)" and plan.collect_operations("Nothing") == []
    with pytest.raises(ValueError, match="explained"):
        _ = scan.records_produced
    profiled = graph.profile(statement, {"least": 1})
    assert profiled.structured_plan.records_produced == 2
    assert profiled.structured_plan.execution_time >= 0
    (scan,) = profiled.collect_operations("Node By Label Scan")
    assert scan.records_produced == 3


def test_indexes_and_constraints(graph: Any) -> None:
    graph.query("CREATE (:P {`first name`: 'a', n: 1})-[:R {w: 1}]->(:P {`first name`: 'b', n: 2})")
    assert graph.create_node_range_index("P", "first name").indices_created == 1
    assert graph.create_edge_range_index("R", "w").indices_created == 1
    listed = graph.list_indices()
    shown = listed.columns.index("label"), listed.columns.index("properties")
    found = sorted((row[shown[0]], row[shown[1]]) for row in listed)
    assert found == [("P", ["first name"]), ("R", ["w"])]
    assert graph.create_node_unique_constraint("P", "first name") == "PENDING"
    assert graph.create_node_unique_constraint("P", "n") == "PENDING"
    assert graph.create_edge_mandatory_constraint("R", "w") == "PENDING"
    kinds = sorted((it["type"], it["label"], it["properties"]) for it in graph.list_constraints())
    assert kinds == [
        ("MANDATORY", "R", ["w"]), ("UNIQUE", "P", ["first name"]), ("UNIQUE", "P", ["n"]),
    ]
    with pytest.raises(kvist.ResponseError):
        graph.query("CREATE (:P {n: 1})")
    assert graph.drop_node_unique_constraint("P", "n") == "OK"
    assert graph.drop_edge_mandatory_constraint("R", "w") == "OK"
    assert graph.drop_edge_range_index("R", "w").indices_deleted == 1
    with pytest.raises(kvist.ResponseError):
        graph.drop_edge_range_index("R", "w")
    for bad in ("", "a`b"):
        with pytest.raises(ValueError, match="no name"):
            graph.create_node_range_index("P", bad)


def test_copy_procedures_and_delete(graph: Any) -> None:
    graph.query("CREATE (:A)-[:T]->(:B)")
    assert graph.call_procedure("db.labels").result_set == [["A"], ["B"]]
    assert graph.call_procedure("db.labels", emit=["label"], args=[]).columns == ["label"]
    copied = graph.copy("h")
    assert isinstance(copied, (Graph, AsyncGraph)) and copied.name == "h"
    with pytest.raises(kvist.ResponseError):
        graph.copy("h")
    assert graph.delete() is True
    with pytest.raises(kvist.ResponseError):
        graph.delete()


def test_rows_that_come_in_pieces(graph: Any) -> None:
    statement = (
        "UNWIND range(1, 20000) AS x RETURN x, x / 4.0, x % 3 = 0, 'ü' + toString(x), "
        "CASE WHEN x % 7 = 0 THEN null ELSE x END, CASE WHEN x % 5 = 0 THEN [x, 'y'] END"
    )
    expected = [
        [
            x, x / 4, x % 3 == 0, f"ü{x}", None if x % 7 == 0 else x,
            [x, "y"] if x % 5 == 0 else None,
        ]
        for x in range(1, 20_001)
    ]
    assert graph.query(statement).result_set == expected
    few = graph.query(statement.replace("20000", "4")).result_set
    assert few == expected[:4] and [type(row) for row in few] == [list] * 4


def test_the_plain_commands_are_as_they_were(kvist_server: Server) -> None:
    with kvist_server.client(decode_responses=True) as client:
        client.flushall()
        client.graph("g").query("CREATE (:A {x: 1})")
        _, rows, _ = client.graph_query("g", "MATCH (n) RETURN n.x, n", compact=True)
        assert rows == [[[3, 1], [8, [0, [0], [[0, 3, 1]]]]]]


@pytest.mark.parametrize("form", ["CYPHER", "CSV"])
def test_a_graph_goes_out_and_in_as_text(kvist_server: Server, form: str) -> None:
    with kvist_server.client(decode_responses=True) as client:
        client.flushall()
        client.graph("g").query("CREATE (:A {x: 1, t: 'a \"b\"'})-[:R {y: 2}]->(:B)")
        cursor, seen = None, 0
        while cursor != 0:
            reply = client.graph_export("g", format=form, cursor=cursor, count=1)
            cursor, pieces = int(reply[0]), reply[1]
            parts = [pieces] if form == "CYPHER" and pieces else pieces
            for part in parts:
                client.graph_import("h", form, *part)
                seen += 1
        if form == "CSV":
            client.graph_import("h", form, "END")
        assert seen > 1
        rows = "MATCH (a:A)-[r:R]->(b:B) RETURN a.x, a.t, r.y"
        assert client.graph("h").query(rows).result_set == [[1, 'a "b"', 2]]


@pytest.mark.parametrize("form", ["CYPHER", "CSV"])
def test_graphs_are_exported_and_imported(kvist_server: Server, form: Any) -> None:
    with kvist_server.client() as client:
        client.flushall()
        g, h, empty = (client.graph(name) for name in ("g", "h", "empty"))
        g.query("UNWIND range(1, 300) AS x CREATE (:A {x: x, t: 'a \"b\"'})-[:R {y: 2.5}]->(:B)")
        g.query("CREATE INDEX FOR (a:A) ON (a.x)")
        pieces = g.export(format=form, count=100)
        first = next(pieces)
        assert isinstance(first, str) if form == "CYPHER" else first[0] == "NODES"
        # All of it is as it was when the first part was asked for.
        g.query("CREATE (:Late)")
        assert h.import_([first, *pieces]) == (600, 300)
        rows = "MATCH (a:A)-[r:R]->(b:B) RETURN a.x, a.t, r.y ORDER BY a.x"
        expected = [[x, 'a "b"', 2.5] for x in range(1, 301)]
        assert h.ro_query(rows).result_set == expected
        assert len(h.list_indices()) == 1
        assert h.ro_query("MATCH (n:Late) RETURN n").result_set == []
        assert h.ro_query("MATCH (n:_import) RETURN n").result_set == []
        # An empty graph has no pieces.
        empty.query("MATCH (n) RETURN n")
        assert list(empty.export(format=form)) == []
        assert client.graph("other").import_(empty.export(format=form)) == (0, 0)
        assert client.exists("other") == 1
        for wrong in (b"CREATE ()", ("EDGES", "a", "b"), ("NODES", "a")):
            with pytest.raises(kvist.DataError):
                h.import_([wrong])
        with pytest.raises(kvist.ResponseError, match="statement 2"):
            h.import_(["CREATE (:C);", "nonsense;"])
        assert h.ro_query("MATCH (n:C) RETURN n").result_set == []
        with pytest.raises(kvist.ResponseError):
            next(client.graph("nowhere").export(format=form))


def test_graphs_go_from_one_to_another_on_asyncio(kvist_server: Server) -> None:
    async def work() -> None:
        async with kvist.aio.Kvist(port=kvist_server.port) as client:
            await client.flushall()
            g, h = client.graph("g"), client.graph("h")
            await g.query("UNWIND range(1, 30) AS x CREATE (:A {x: x})-[:R]->(:B)")
            for form in ("CYPHER", "CSV"):
                assert await h.import_(g.export(format=form, count=7)) == (60, 30)
            pieces = [piece async for piece in g.export()]
            assert await h.import_(pieces) == (60, 30)
            assert (await h.ro_query("MATCH (n:A) RETURN count(n)")).result_set == [[90]]

    asyncio.run(work())


@pytest.mark.parametrize("graphs", [Graph, AsyncGraph])
def test_the_stubs_of_graphs_are_their_methods(graphs: type) -> None:
    (shown,) = (
        node
        for node in ast.parse(FilePath(inspect.getfile(graphs) + "i").read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    stubs: dict[str, list[str]] = {}
    for method in shown.body:
        assert isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
        # What is iterated is no coroutine, and all else on asyncio is one.
        is_async = graphs is AsyncGraph and method.name != "export"
        assert isinstance(method, ast.AsyncFunctionDef) == is_async, method.name
        args = method.args
        each = [*args.args, *([args.vararg] if args.vararg else []), *args.kwonlyargs]
        stubs[method.name] = [arg.arg for arg in each]
    methods = {
        name: list(inspect.signature(method).parameters)
        for name, method in inspect.getmembers(graphs, inspect.isfunction)
        if not name.startswith("_")
    }
    assert stubs == methods
