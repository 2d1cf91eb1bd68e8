"""Projects of records, through every door: reading, changing, hooks, watches."""

from __future__ import annotations

import pickle
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import kvist
from kvist import embedded
from kvist.exceptions import DataError, NoPermissionError
from kvist.folio import (
    NA,
    CommitError,
    ConcurrentChangeError,
    Coord,
    Diff,
    DiffError,
    DiffFlags,
    Grid,
    GridCol,
    Marker,
    Number,
    ParseError,
    Ref,
    Remove,
    ShutdownError,
    Symbol,
    UnknownRecError,
    UnknownWatchError,
    Uri,
    XStr,
    from_zinc,
    to_zinc,
)

BERLIN = ZoneInfo("Europe/Berlin")
# A value of every kind that a record may have.
KINDS: dict[str, Any] = {
    "marker": Marker(),
    "yes": True,
    "no": False,
    "whole": 5,
    "part": 5.5,
    "area": Number(740, "m²"),
    "power": Number(-1.5, "kW"),
    "text": 'ä "quoted" $5\n',
    "ref": Ref("other"),
    "named": Ref("other", "The other"),
    "symbol": Symbol("elec-meter"),
    "uri": Uri("http://kvist/ä"),
    "day": date(2024, 2, 29),
    "time": time(23, 59, 58, 123000),
    "at": datetime(2024, 10, 27, 2, 30, 0, 5000, tzinfo=BERLIN),
    "again": datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1),
    "utc": datetime(1999, 12, 31, 23, 59, tzinfo=timezone.utc),
    "coord": Coord(50.1, -8.6),
    "span": XStr("Span", "today"),
    "list": [1, "x", Ref("a"), [Marker()]],
    "dict": {"a": Number(1, "s"), "b": {"c": Marker()}},
    "grid": Grid({"m": 1}, [GridCol("a", {"unit": "kW"}), "b"], [{"a": 1}, {"b": "x"}]),
}


def site(project: Any, **tags: Any) -> Any:
    diff = Diff.add({"dis": "Main", "site": Marker(), **tags}, id="s1")
    return project(project.folio.commit(diff))


def test_values_of_every_kind_come_back(project: Any) -> None:
    folio = project.folio
    project(folio.commit(Diff.add(KINDS, "k"), Diff.add({"whole": 6, "dis": "b"}, "b")))
    rec = project(folio.read_by_id("k"))
    assert {name: rec[name] for name in KINDS} == KINDS
    assert rec["id"] == Ref("k") and rec["mod"].tzinfo == ZoneInfo("UTC")
    assert rec["again"].fold == 1 and rec["again"].utcoffset() == timedelta(hours=1)
    assert rec["named"].dis is None and rec["id"].dis == "k" and rec["at"].tzinfo is BERLIN
    assert type(rec["whole"]) is int and type(rec["part"]) is float
    grid = project(folio.read_all("whole", sort=True))
    assert [row["id"].val for row in grid] == ["b", "k"] and grid[1] == rec
    assert project(folio.read("marker")) == rec
    assert pickle.loads(pickle.dumps(rec)) == rec


def test_kinds_are_values() -> None:
    assert Marker() == Marker() != NA() and hash(Remove()) == hash(Remove())
    assert Ref("a") == Ref("@a", "A") != Ref("b") and len({Ref("a"), Ref("a", "A")}) == 1
    assert Number(5, "kW") == Number(5.0, "kilowatt") != Number(5, "W")
    assert Number(5, "kW") > Number(4, "kW") and float(Number(5, "kW")) == 5
    assert Number(float("nan")) == Number(float("nan"))
    assert repr(Number(5.5, "kW")) == "Number(val=5.5, unit='kW')" and str(Number(5, "kW")) == "5kW"
    assert repr(Ref("a", "A")) == "Ref(val='a', dis='A')" and str(Ref("a", "A")) == '@a "A"'
    assert repr(Marker()) == "Marker()" and str(Coord(1, 2)) == "C(1.0,2.0)"
    assert str(XStr("Span", "today")) == 'Span("today")' and Uri("x").val == "x"
    match Number(7, "°C"):
        case Number(val, unit):
            assert (val, unit) == (7, "°C")
    with pytest.raises(DataError, match="order"):
        assert Number(5, "kW") < Number(5, "W")
    with pytest.raises(AttributeError):
        Ref("a").val = "b"  # type: ignore[misc]
    for bad in (lambda: Ref("a b"), lambda: Number(1, "widget"), lambda: Coord(100, 0),
                lambda: XStr("span", "x"), lambda: Symbol("no symbol")):
        with pytest.raises(DataError):
            bad()


def test_texts_in_zinc() -> None:
    assert to_zinc({"a": Marker(), "b": [Number(5, "kW"), None]}) == "{a b:[5kW, N]}"
    assert from_zinc("[1, @a, {x}]") == [1, Ref("a"), {"x": Marker()}]
    grid = from_zinc('ver:"3.0" n:5\na unit:"kW",b\n1,\n,M\n')
    assert grid.meta == {"n": 5} and grid.rows == [{"a": 1}, {"b": Marker()}]
    assert grid.cols == [GridCol("a", {"unit": "kW"}), GridCol("b")]
    assert from_zinc(grid.to_zinc()) == grid == pickle.loads(pickle.dumps(grid))
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    for bad in (object(), {1: 2}, {"Bad": 1}, datetime(2024, 1, 1), 1 << 2000, deep, float):
        with pytest.raises((DataError, TypeError, OverflowError)):
            to_zinc(bad)
    with pytest.raises(DataError):
        from_zinc("{")


def test_grids_are_lazy_sequences(project: Any) -> None:
    folio = project.folio
    recs = [{"n": n, "even": Marker()} if n % 2 == 0 else {"n": n} for n in range(300)]
    added = project(folio.commit_add(recs))
    assert len(added) == 300
    grid = project(folio.read_all("n"))
    assert isinstance(grid, Grid) and len(grid) == 300 and grid.col_names == ["id", "even", "n", "mod"]
    assert sorted(row["n"] for row in grid) == list(range(300)) == sorted(grid.column("n"))
    assert grid[-1] == grid[299] == grid.rows[-1] and grid[::-100] == [grid[299], grid[199], grid[99]]
    assert grid[5:7] == [grid[5], grid[6]] and grid[400:] == []
    evens = [row.get("even") for row in grid]
    assert grid.column("even") == evens and evens.count(Marker()) == 150
    assert "300 rows of (id, even, n, mod)" in repr(grid)
    for index in (300, -301):
        with pytest.raises(IndexError):
            grid[index]
    with pytest.raises(KeyError):
        grid.column("nothing")
    with pytest.raises(TypeError):
        grid["n"]
    assert Grid(rows=grid.rows) == grid and grid != added.rows
    nothing = project(folio.read_all("nothing"))
    assert len(nothing) == 0 and nothing.col_names == ["empty"] and nothing.rows == []


def test_a_grid_shows_its_moment(project: Any) -> None:
    folio = project.folio
    site(project)
    grid = project(folio.read_all("site"))
    project(folio.commit(Diff.update(grid[0], {"dis": "Other"})))
    project(folio.commit(Diff.add({"site": Marker()})))
    assert len(grid) == 1 and grid[0]["dis"] == "Main" == grid[0]["id"].dis
    assert project(folio.read("site"))["dis"] == "Other"
    assert project(folio.delete()) is True and grid[0]["dis"] == "Main"


def test_options_of_reading(project: Any) -> None:
    folio = project.folio
    names = ("Carl", "Ada", "Bob")
    project(folio.commit(Diff.add({"dis": name, "x": Marker()}, name.lower()) for name in names))
    assert project(folio.read_all("x", sort=True)).column("dis") == ["Ada", "Bob", "Carl"]
    assert len(project(folio.read_all("x", 2))) == 2
    assert project(folio.read_all("x", search="bo")).column("dis") == ["Bob"]
    assert project(folio.read_count("x")) == 3 and project(folio.read_count("x", 2)) == 2
    assert project(folio.read_all_list("x", sort=True))[0]["dis"] == "Ada"
    bob = project(folio.read("dis == \"Bob\""))
    [thrown] = project(folio.trash(bob))
    assert project(folio.read_count("x")) == 2 and project(folio.read_count("x", trash=True)) == 1
    assert project(folio.read_by_id("bob", False)) is None
    in_trash = project(folio.read_by_id_trash("bob"))
    assert in_trash["trash"] == Marker() and in_trash["mod"] == thrown.mod
    project(folio.untrash(in_trash))
    assert project(folio.read_by_id(Ref("bob")))["dis"] == "Bob"
    project(folio.trash(project(folio.read_by_id("bob"))))
    assert project(folio.commit_remove_trash()) == 1 == project(folio.empty_trash()) + 1
    with pytest.raises(UnknownRecError, match="bob"):
        project(folio.read_by_id("bob"))
    with pytest.raises(UnknownRecError):
        project(folio.read("nothing"))
    with pytest.raises(ParseError):
        project(folio.read_all("a and"))
    assert project(folio.read("nothing", False)) is None


def test_records_by_ids(project: Any) -> None:
    folio = project.folio
    project(folio.commit(Diff.add({"n": n}, f"r{n}") for n in range(3)))
    grid = project(folio.read_by_ids(["r2", "gone", Ref("r0")], checked=False))
    assert [row.get("n") for row in grid] == [2, None, 0] and grid[1] == {}
    assert project(folio.read_by_ids_list(["gone", "r1"], False))[0] is None
    assert len(project(folio.read_by_ids([]))) == 0
    with pytest.raises(UnknownRecError):
        project(folio.read_by_ids(["r2", "gone"]))
    with pytest.raises(DataError):
        project(folio.read_by_ids("r2"))


def test_commits_are_done_whole_or_not_at_all(project: Any) -> None:
    folio = project.folio
    [added] = site(project)
    assert added.id == Ref("s1") and added.is_add and added.old_mod is None
    rec = project(folio.read_by_id("s1"))
    assert rec["mod"] == added.mod and project(folio.cur_ver()) == 2
    [updated] = project(folio.commit(Diff.update(rec, {"dis": "New", "site": Remove()})))
    assert updated.old_mod == added.mod and updated.mod > added.mod
    assert project(folio.read_by_id("s1")).keys() == {"id", "dis", "mod"}
    with pytest.raises(ConcurrentChangeError):
        project(folio.commit(Diff.add({"x": 1}, "new"), Diff.update(rec, {"dis": "Stale"})))
    assert project(folio.read_by_id("new", False)) is None
    with pytest.raises(CommitError, match="exists"):
        site(project)
    with pytest.raises(DiffError):
        project(folio.commit(Diff.remove(rec), transient=True))
    [forced] = project(folio.commit(Diff.update(rec, {"dis": "Forced"}), force=True))
    assert DiffFlags.FORCE in forced.flags
    [passing] = project(folio.commit(Diff.update({"id": "s1"}, {"curVal": 5}), transient=True,
                                     force=True))
    assert passing.flags & (DiffFlags.TRANSIENT | DiffFlags.CUR_VAL) and passing.mod == forced.mod
    assert project(folio.read_by_id_transient_tags("s1")).keys() == {"id", "curVal"}
    assert "curVal" not in project(folio.read_by_id_persistent_tags("s1"))
    [removed] = project(folio.commit(Diff.remove(project(folio.read_by_id("s1")))))
    assert removed.is_remove and removed.mod is None
    assert project(folio.commit()) == [] and project(folio.commit([], [])) == []
    with pytest.raises(DataError):
        Diff.update({"dis": "no id"}, {})


def test_commits_with_phables_names(project: Any) -> None:
    folio = project.folio
    grid = project(folio.commit_add({"dis": "One"}))
    assert len(grid) == 1 and grid[0]["dis"] == "One"
    two = project(folio.commit_add([{"dis": "Two"}, {"dis": "Three"}]))
    assert two.column("dis") == ["Two", "Three"]
    changed = project(folio.commit_update([{**row, "n": 1} for row in two]))
    assert changed.column("n") == [1, 1]
    assert project(folio.commit_remove(changed)) is None
    assert project(folio.read_count("id")) == 1


def test_hooks(project: Any) -> None:
    folio = project.folio
    seen: list[Any] = []

    @folio.pre_commit  # type: ignore[untyped-decorator]
    def refuse(commit: Any) -> None:
        seen.append(("pre", [diff.verb for diff in commit.diffs], commit.flags, commit.done))
        if any("secret" in diff.tags for diff in commit.diffs):
            raise PermissionError("no secrets")

    folio.post_commit(lambda commit: seen.append(("post", [one.id.val for one in commit.done])))
    site(project)
    assert seen == [("pre", ["ADD"], DiffFlags(0), ()), ("post", ["s1"])]
    with pytest.raises(PermissionError):
        project(folio.commit(Diff.add({"secret": 1}, "x")))
    assert project(folio.read_by_id("x", False)) is None and seen[-1][0] == "pre"
    with pytest.raises(CommitError):
        site(project)
    assert seen[-1][0] == "pre"

    async def later(write: Any) -> None:
        seen.append((write.id.val, write.written.count))

    is_async = project.loop is not None
    folio.on_his_write(later if is_async else lambda write: seen.append(
        (write.id.val, write.written.count)))
    point = {"point": Marker(), "his": Marker(), "tz": "Berlin", "kind": "Number"}
    project(folio.commit_add({**point, "id": Ref("t")}))
    project(folio.his_write("t", [(datetime(2024, 1, 1, tzinfo=BERLIN), 1)]))
    assert seen[-1] == ("t", 1)


def test_watches(project: Any) -> None:
    folio = project.folio
    site(project)
    watch = project(folio.watch_open("a screen", lease=100))
    project(watch.add("s1", Ref("later")))
    assert project(watch.poll()) == []
    project(folio.commit(Diff.update(project(folio.read_by_id("s1")), {"dis": "New"})))
    grid = project(watch.poll_recs())
    assert grid.column("dis") == ["New"] and project(watch.poll()) == []
    assert Ref("s1") in project(watch.poll(refresh=True))
    project(watch.remove("s1"))
    project(folio.commit(Diff.update(grid[0], {"dis": "Newer"})))
    assert project(watch.poll()) == []
    assert project(watch.close()) is True
    with pytest.raises(UnknownWatchError):
        project(watch.poll())


def test_watches_end_with_their_block(project: Any) -> None:
    folio = project.folio
    if hasattr(folio.client, "aclose"):
        async def watched() -> Any:
            async with await folio.watch_open("a screen") as watch:
                await watch.add("s1")
                return watch

        watch = project(watched())
    else:
        with folio.watch_open("a screen") as watch:
            watch.add("s1")
    with pytest.raises(UnknownWatchError):
        project(watch.poll())


def test_projects(project: Any) -> None:
    folio = project.folio
    site(project)
    info = project(folio.info())
    assert info["records"] == 1 and info["tags"]["site"] == 1 and info["prefix"] == ""
    assert project(folio.list()) == ["p"]
    assert any("tag" in line for line in project(folio.explain("site")))
    folio.close()
    for ask in (lambda: folio.read_all("id"), lambda: folio.info(), lambda: folio.commit([])):
        with pytest.raises(ShutdownError):
            project(ask())
    project(folio.open())
    assert project(folio.read_count("id")) == 1
    other = project.client.folio(b"other")
    with pytest.raises(kvist.ResponseError, match="no such project"):
        project(other.read_all("id"))
    project(other.open(prefix="demo."))
    project(other.commit(Diff.add({"x": 1}, "demo.a")))
    assert project(other.read_by_id("a"))["id"] == Ref("demo.a")


def test_many_records_come_from_a_thread_for_queries(project: Any) -> None:
    folio = project.folio
    project(folio.commit(Diff.add({"n": n, "dis": f"Rec {n}"}, f"r{n}") for n in range(3000)))
    grid = project(folio.read_all("n >= 1000"))
    assert len(grid) == 2000 and {row["id"].dis for row in grid} == {
        f"Rec {n}" for n in range(1000, 3000)
    }
    assert project(folio.read_all("n")).to_zinc().count("\n") == 3002


def test_grids_in_pipelines_are_bytes_to_be_read() -> None:
    with embedded.open() as db:
        folio = db.folio("p")
        folio.open()
        folio.commit(Diff.add(KINDS, "k"))
        words = ("FOLIO.READALL", "p", "id", "FORMAT", "columns")
        [reply] = db.pipeline().execute_command(*words).execute()
        assert isinstance(reply, bytes) and Grid.read(reply) == folio.read_all("id")
        assert db.execute_command(*words) == folio.read_all("id")
        for bad in (b"", b"KHC1", reply[:-1], b"x" * 100):
            with pytest.raises(kvist.exceptions.InvalidResponse):
                Grid.read(bad)


def test_grids_outlive_their_engine() -> None:
    with embedded.open() as db:
        folio = db.folio("p")
        folio.open()
        folio.commit(Diff.add({"dis": "Main"}, "s1"))
        grid = folio.read_all("id")
    assert grid[0]["dis"] == "Main"


def test_permissions() -> None:
    with embedded.open() as db:
        db.folio("p").open()
        db.execute_command("ACL", "SETUSER", "reader", "on", "nopass", "~p", "+@folio", "-@write")
        db.execute_command("ACL", "SETUSER", "other", "on", "nopass", "~q", "+@folio")
        for user, reads in (("reader", True), ("other", False)):
            with db.client() as client:
                client.execute_command("AUTH", user, "")
                folio = client.folio("p")
                if reads:
                    assert len(folio.read_all("id")) == 0
                else:
                    with pytest.raises(NoPermissionError):
                        folio.read_all("id")
                with pytest.raises(NoPermissionError):
                    folio.commit(Diff.add({"x": 1}))
