"""Histories, and records and histories as tables of other packages."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from kvist.exceptions import DataError
from kvist.folio import NA, Diff, Grid, HisConfigError, HisWriteError, Marker, Number, Ref, Remove

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2024, 7, 1, tzinfo=BERLIN)
MINUTE = timedelta(minutes=1)


def point(project: Any, id: str = "t", **tags: Any) -> None:
    point = {"point": Marker(), "his": Marker(), "tz": "Berlin", "kind": "Number", "unit": "kW"}
    given = {name: value for name, value in {**point, **tags}.items() if value is not None}
    project(project.folio.commit(Diff.add(given, id)))


def kilowatts(count: int) -> list[tuple[datetime, Any]]:
    return [(START + MINUTE * n, Number(n / 2, "kW")) for n in range(count)]


def test_samples_come_back(project: Any) -> None:
    folio = project.folio
    point(project)
    items = [*kilowatts(3), (START + MINUTE * 3, NA())]
    written = project(folio.his_write("t", reversed(items)))
    assert (written.count, written.start, written.end) == (4, items[0][0], items[-1][0])
    grid = project(folio.his_read("t"))
    assert [(row["ts"], row["val"]) for row in grid] == items and grid.meta == {"id": Ref("t")}
    assert grid[0]["ts"].tzinfo is BERLIN
    day = project(folio.his_read_by_id(Ref("t"), date(2024, 7, 1)))
    assert day == grid and len(project(folio.his_read("t", date(2024, 7, 2)))) == 0
    assert len(project(folio.his_read("t", (START + MINUTE, None)))) == 3
    assert len(project(folio.his_read("t", (START, START + MINUTE)))) == 1
    assert len(project(folio.his_read("t", (START, START + MINUTE), around=True))) == 3
    assert len(project(folio.his_read("t", limit=2))) == 2
    assert len(project(folio.his_read("t", clip_future=True))) == 4
    rec = project(folio.read_by_id("t"))
    assert rec["hisSize"] == 4 and rec["hisStart"] == START
    project(folio.his_write_by_id("t", [{"ts": START, "val": Remove()}]))
    assert project(folio.his_clear("t", (None, START + MINUTE * 2))) == 1
    assert project(folio.his_clear("t")) == 2
    project(folio.his_write("t", grid))
    assert project(folio.his_read("t")) == grid
    assert project(folio.his_write("t", [(START, Number(9, "kW"))], clear_all=True)).count == 1
    project(folio.his_write("t", kilowatts(5), clear=(START, START + MINUTE)))
    assert project(folio.his_read("t")).column("val")[0] == Number(0, "kW")
    assert project(folio.his_write("t", [])).count == 0


def test_samples_of_every_kind(project: Any) -> None:
    folio = project.folio
    point(project, "b", kind="Bool", unit=None)
    point(project, "s", kind="Str", unit=None)
    for id, values in (("b", [True, False, NA()]), ("s", ["on", "off", NA()])):
        project(folio.his_write(id, [(START + MINUTE * n, value) for n, value in enumerate(values)]))
        assert project(folio.his_read(id)).column("val") == values
    with pytest.raises(HisWriteError):
        project(folio.his_write("b", kilowatts(1)))
    project(folio.commit(Diff.add({"dis": "no point"}, "x")))
    with pytest.raises(HisConfigError):
        project(folio.his_read("x"))
    for bad in ("yesterday", 5, (1, 2), (START,)):
        with pytest.raises(DataError):
            project(folio.his_read("b", bad))


def test_histories_as_arrow(project: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    folio = project.folio
    point(project)
    project(folio.his_write("t", kilowatts(2000)))
    table = project(folio.his_read("t", as_arrow=True))
    assert table.num_rows == 2000 and table.schema.names == ["ts", "val"]
    assert str(table.schema.field("ts").type) == "timestamp[ns, tz=Europe/Berlin]"
    assert table.schema.field("ts").metadata == {b"kind": b"dateTime", b"tz": b"Berlin"}
    assert table.schema.field("val").metadata == {b"kind": b"number", b"unit": b"kW"}
    assert table.schema.metadata == {b"meta": b"{id:@t}"}
    assert table["val"].to_pylist() == [n / 2 for n in range(2000)]
    assert table["ts"][1999].as_py() == START + MINUTE * 1999
    project(folio.his_write("t", [(START + MINUTE, NA())]))
    grid = project(folio.his_read("t"))
    with_na = pyarrow.table(grid)
    assert with_na["val"][:3].to_pylist() == [0, None, 1] and with_na["ts"].null_count == 0


def test_columns_of_every_kind_as_arrow(project: Any) -> None:
    pytest.importorskip("pyarrow")
    folio = project.folio
    recs = [
        {"a": 1, "b": Number(5, "kW"), "c": "x", "d": True, "e": Marker(), "f": Ref("r", "R"),
         "g": date(2024, 1, 2), "h": START, "i": Number(1, "kW"), "j": [1, Marker()], "k": 1},
        {"b": Number(6, "kW"), "d": False, "h": datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC")),
         "i": Number(2, "W"), "k": "one"},
    ]
    project(folio.commit(Diff.add(rec, f"r{n}") for n, rec in enumerate(recs)))
    table = project(folio.read_all("b")).to_arrow()
    expected = {
        "id": ("large_string", ["r0", "r1"]),
        "a": ("double", [1, None]),
        "b": ("double", [5, 6]),
        "c": ("large_string", ["x", None]),
        "d": ("bool", [True, False]),
        "e": ("bool", [True, None]),
        "f": ("large_string", ["r", None]),
        "g": ("date32[day]", [date(2024, 1, 2), None]),
        "h": ("timestamp[ns, tz=UTC]", [rec["h"] for rec in recs]),
        "i": ("large_string", ["1kW", "2W"]),
        "j": ("large_string", ["[1, M]", None]),
        "k": ("large_string", ["1", '"one"']),
    }
    for name, (kind, values) in expected.items():
        assert (str(table.schema.field(name).type), table[name].to_pylist()) == (kind, values), name
    units = {field.name: (field.metadata or {}).get(b"unit") for field in table.schema}
    assert units["b"] == b"kW" and units["a"] is None and units["i"] is None
    kinds = {field.name: field.metadata[b"kind"] for field in table.schema}
    assert (kinds["f"], kinds["e"], kinds["k"]) == (b"ref", b"marker", b"mixed")


def test_numpy(project: Any) -> None:
    numpy = pytest.importorskip("numpy")
    folio = project.folio
    point(project)
    project(folio.his_write("t", [*kilowatts(3), (START + MINUTE * 3, NA())]))
    grid = project(folio.his_read("t"))
    values = grid.to_numpy("val")
    assert values.dtype == numpy.float64 and values[:3].tolist() == [0, 0.5, 1]
    assert numpy.isnan(values[3])
    assert str(grid.to_numpy("ts")[1]) == "2024-06-30T22:01:00.000000000"
    recs = Grid(rows=[{"m": Marker(), "b": True, "o": "x"}, {"b": False, "o": 5}])
    assert recs.to_numpy("m").tolist() == [True, False] == recs.to_numpy("b").tolist()
    assert recs.to_numpy("o").tolist() == ["x", 5]


def histories(project: Any) -> Any:
    point(project, "a")
    point(project, "b", kind="Bool", unit=None)
    folio = project.folio
    project(folio.his_write("a", kilowatts(3)))
    project(folio.his_write("b", [(START + MINUTE * 2, True), (START + MINUTE * 5, NA())]))
    return project(folio.his_read_by_ids(["a", Ref("b")]))


def test_histories_of_several_points(project: Any) -> None:
    all = histories(project)
    assert list(all) == [Ref("a"), Ref("b")] and len(all["a"]) == 3 and len(all[Ref("b")]) == 2
    long, wide = all.to_columns(), all.to_columns(wide=True)
    assert long.names == ["id", "ts", "val_num", "val_bool", "val_str", "val_na"]
    assert long["id"] == ["a", "a", "a", "b", "b"] and long["val_num"] == [0, 0.5, 1, None, None]
    assert long["val_bool"] == [None, None, None, True, None]
    assert long["val_na"] == [False, False, False, False, True]
    assert wide.names == ["ts", "a", "b"] and wide["a"] == [0, 0.5, 1, None]
    assert wide["b"] == [None, None, True, None]
    with pytest.raises(KeyError):
        all["c"]


def test_histories_as_frames(project: Any) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    all = histories(project)
    long = all.to_pandas()
    assert long["id"].dtype == "category" and len(long) == 5
    wide = all.to_pandas(wide=True)
    assert list(wide.columns) == ["a", "b"] and wide.index[0] == START
    assert wide["a"].sum() == 1.5


def test_histories_as_polars(project: Any) -> None:
    pytest.importorskip("polars")
    all = histories(project)
    assert all.to_polars(wide=True).columns == ["ts", "a", "b"]
    assert all["a"].to_polars()["val"].sum() == 1.5
    assert all.to_polars().height == 5
