"""How long Python's clients take beside each other: the same server, the same run, round by round.

    python bench/clients.py --port 6379 [--rounds 15] [--tests pipeline] [--out DIR]

`kvist-bench python` starts a server and runs this. Clients that are not installed are left out. Each
round measures every client once, in turn; figures are medians, ratios medians of the rounds' ratios.
CPU is that of this process alone. Answers are checked before anything is timed. Rows come from a process
that sends the same bytes to every client, so that no server is waited for.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import multiprocessing
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

Figure = tuple[float, float]
Act = Callable[[], Any]
HOST = "127.0.0.1"


def text(value: Any) -> Any:
    """What a client calls text, whichever way."""
    return value.decode() if isinstance(value, bytes) else value


class Likeness:
    """A client with redis-py's methods."""

    def __init__(self, module: str, **values: Any) -> None:
        self.module = importlib.import_module(module)
        self.client = self.open(values)

    def open(self, values: dict[str, Any]) -> Any:
        return self.module.Redis(host=HOST, **values)

    def acts(self) -> dict[str, Act]:
        """What is measured, by name."""
        client = self.client
        get, put, hget, ping = client.get, client.set, client.hget, client.ping
        hgetall, smembers, lrange = client.hgetall, client.smembers, client.lrange

        def pipeline() -> None:
            with client.pipeline(transaction=False) as pipe:
                for n in range(5000):
                    pipe.set(f"key:{n}", "value")
                assert len(pipe.execute()) == 5000

        def set_get() -> None:
            for n in range(1000):
                put(f"key:{n}", "value")
            for n in range(1000):
                get(f"key:{n}")

        return {
            "SET+GET x1000": set_get,
            "pipeline SET x5000": pipeline,
            "PING x1000": lambda: [ping() for _ in range(1000)],
            "SET x1000": lambda: [put("key:1", "value") for _ in range(1000)],
            "GET x1000": lambda: [get("key:1") for _ in range(1000)],
            "HGET x1000": lambda: [hget("bench:hash", "field:7") for _ in range(1000)],
            "HGETALL(100) x500": lambda: [hgetall("bench:hash") for _ in range(500)],
            "SMEMBERS(100) x500": lambda: [smembers("bench:set") for _ in range(500)],
            "LRANGE 100000": lambda: lrange("bench:list", 0, -1),
        }

    def check(self) -> None:
        """Whether it answers what it should."""
        client = self.client
        assert client.set("key:1", "value") and text(client.get("key:1")) == "value"
        assert text(client.hget("bench:hash", "field:7")) == "value:7" and client.ping()
        found = client.hgetall("bench:hash")
        assert {text(key): text(value) for key, value in found.items()} == {
            f"field:{n}": f"value:{n}" for n in range(100)
        }
        members = {text(member) for member in client.smembers("bench:set")}
        assert members == {f"member:{n}" for n in range(100)}
        elements = client.lrange("bench:list", 0, -1)
        assert [text(element) for element in elements] == [f"element:{n}" for n in range(100_000)]


class Pure(Likeness):
    """redis-py as it is without hiredis."""

    def open(self, values: dict[str, Any]) -> Any:
        from redis._parsers import _RESP2Parser

        pool = self.module.ConnectionPool(
            host=HOST, protocol=2, parser_class=_RESP2Parser, **values
        )
        return self.module.Redis(connection_pool=pool)


class Glide(Likeness):
    """valkey-glide, whose batches are called otherwise."""

    def open(self, values: dict[str, Any]) -> Any:
        glide = self.module
        address = glide.NodeAddress(HOST, values["port"])
        return glide.GlideClient.create(glide.GlideClientConfiguration([address]))

    def acts(self) -> dict[str, Act]:
        # It has no method for a pipeline of redis-py's name; all others are called alike.
        acts = super().acts()

        def pipeline() -> None:
            batch = self.module.Batch(is_atomic=False)
            for n in range(5000):
                batch.set(f"key:{n}", "value")
            assert len(self.client.exec(batch, raise_on_error=True)) == 5000

        return {**acts, "pipeline SET x5000": pipeline}


class Embedded(Likeness):
    """Kvist's engine in this process."""

    def open(self, values: dict[str, Any]) -> Any:
        client = self.module.open(None)
        prepare(client)
        return client


KINDS: dict[str, tuple[type[Likeness], str]] = {
    "kvist": (Likeness, "kvist"),
    "redis-py+hiredis": (Likeness, "redis"),
    "redis-py": (Pure, "redis"),
    "valkey-glide": (Glide, "glide_sync"),
    "embedded": (Embedded, "kvist.embedded"),
}


def prepare(client: Any) -> None:
    """Puts in what is read."""
    client.flushdb()
    client.hset("bench:hash", mapping={f"field:{n}": f"value:{n}" for n in range(100)})
    client.sadd("bench:set", *(f"member:{n}" for n in range(100)))
    for at in range(0, 100_000, 1000):
        client.rpush("bench:list", *(f"element:{n}" for n in range(at, at + 1000)))


def canned(count: int) -> bytes:
    """A reply of so many rows of four cells."""
    rows = []
    for n in range(count):
        name = f"name {n}"
        rows.append(f"*4\r\n:{n}\r\n${len(name)}\r\n{name}\r\n:{n % 100}\r\n$1\r\nx\r\n")
    return f"*{count}\r\n{''.join(rows)}".encode()


def answer_rows(listener: socket.socket) -> None:
    """Answers ``ROWS n``, and greetings, to every client."""
    replies = {count: canned(count) for count in (10_000, 100_000)}

    def talk(connection: socket.socket) -> None:
        while request := connection.recv(65536):
            if b"HELLO" in request:
                connection.sendall(b"-ERR unknown command 'HELLO'\r\n")
            elif b"ROWS" in request:
                connection.sendall(replies[int(request.split(b"\r\n")[4])])
            else:
                connection.sendall(b"+OK\r\n" * request.count(b"*"))

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=talk, args=(connection,), daemon=True).start()


@contextmanager
def rows_server() -> Iterator[int]:
    """The port of a process that answers with rows."""
    with socket.create_server((HOST, 0)) as listener:
        process = multiprocessing.get_context("fork").Process(
            target=answer_rows, args=(listener,), daemon=True
        )
        process.start()
        try:
            yield listener.getsockname()[1]
        finally:
            process.kill()
            process.join()


def row_acts(port: int) -> dict[str, dict[str, Act]]:
    """Large replies of rows, as objects and as columns."""
    import redis
    from redis._parsers import _RESP2Parser

    import kvist

    values = {"host": HOST, "port": port, "protocol": 2}
    ours = kvist.Kvist(**values)
    pool = redis.ConnectionPool(parser_class=_RESP2Parser, **values)
    theirs = {
        "redis-py+hiredis": redis.Redis(**values),
        "redis-py": redis.Redis(connection_pool=pool),
    }

    def rows(client: Any, count: int) -> Act:
        def act() -> None:
            found = client.execute_command("ROWS", count)
            assert len(found) == count and found[7] == [7, b"name 7", 7, b"x"]

        return act

    def columns(count: int) -> Act:
        def act() -> None:
            table = ours.columns("ROWS", count)
            assert table.shape == (count, 4) and table.names[3] == "column_3"

        return act

    acts: dict[str, dict[str, Act]] = {}
    for count in (10_000, 100_000):
        others = {name: rows(client, count) for name, client in theirs.items()}
        assert ours.columns("ROWS", count).to_rows()[7] == (7, b"name 7", 7, b"x")
        acts[f"{count} rows of 4"] = {"kvist": rows(ours, count), **others}
        acts[f"{count} rows of 4 as columns"] = {"kvist": columns(count), **others}
    return acts


GRAPH = "bench:graph"
STATEMENT = "MATCH (p:Person) WHERE p.number < {count} RETURN p.number, p.score, p.name"
PEOPLE = (
    "UNWIND range({start}, {end}) AS x "
    "CREATE (:Person {{number: x, score: x * 0.5, name: 'person ' + toString(x)}})"
)


def people(execute: Callable[..., Any]) -> None:
    """Puts in a graph of 100,000 nodes."""
    if execute("EXISTS", GRAPH):
        execute("GRAPH.DELETE", GRAPH)
    for start in range(0, 100_000, 10_000):
        statement = PEOPLE.format(start=start, end=start + 9_999)
        execute("GRAPH.QUERY", GRAPH, statement)


def graph_acts(port: int, peer: int | None) -> dict[str, dict[str, Act]]:
    """Rows of a graph, as columns and as objects. falkordb-py asks Kvist too, and it and redis-py ask
    FalkorDB where one is there."""
    import redis

    import kvist
    import kvist.embedded

    ours, inside = kvist.Kvist(host=HOST, port=port), kvist.embedded.open(None)
    likes: dict[str, Any] = {"kvist": ours.graph(GRAPH), "embedded": inside.graph(GRAPH)}
    bare: dict[str, Any] = {"redis-py+hiredis": redis.Redis(host=HOST, port=port)}
    if there("falkordb"):
        import falkordb

        likes["falkordb-py"] = falkordb.FalkorDB(host=HOST, port=port).select_graph(GRAPH)
        if peer is not None:
            theirs = falkordb.FalkorDB(host=HOST, port=peer).select_graph(GRAPH)
            likes["falkordb-py, FalkorDB"] = theirs
    for client in (ours, inside):
        people(client.execute_command)
    if peer is not None:
        bare["redis-py+hiredis, FalkorDB"] = redis.Redis(host=HOST, port=peer)
        bare["redis-py+hiredis, FalkorDB"].execute_command(
            "GRAPH.CONFIG", "SET", "RESULTSET_SIZE", -1
        )
        people(bare["redis-py+hiredis, FalkorDB"].execute_command)
    acts: dict[str, dict[str, Act]] = {}
    for count in (10_000, 100_000):
        statement = STATEMENT.format(count=count)

        def columns(graph: Any, statement: str = statement, count: int = count) -> None:
            assert graph.ro_query(statement).to_columns().shape == (count, 3)

        def arrow(graph: Any, statement: str = statement, count: int = count) -> None:
            assert graph.ro_query(statement).to_arrow().num_rows == count

        def objects(graph: Any, statement: str = statement, count: int = count) -> None:
            assert len(graph.ro_query(statement).result_set) == count

        def compact(client: Any, statement: str = statement, count: int = count) -> None:
            reply = client.execute_command("GRAPH.RO_QUERY", GRAPH, statement, "--compact")
            assert len(reply[1]) == count

        expected = [[n, n * 0.5, f"person {n}"] for n in range(count)]
        for name, graph in likes.items():
            found = graph.ro_query(statement)
            assert sorted(found.result_set) == expected, name
        ours_alone = [(name, graph) for name, graph in likes.items() if "falkordb" not in name]
        found_columns = ours_alone[0][1].ro_query(statement).to_columns().to_rows()
        assert sorted(map(list, found_columns)) == expected
        others = {name: partial(compact, client) for name, client in bare.items()}
        others |= {
            name: partial(objects, graph) for name, graph in likes.items() if "falkordb" in name
        }
        for case, act in (("columns", columns), ("a pyarrow.Table", arrow)):
            if case == "columns" or there("pyarrow"):
                acts[f"graph, {count} rows of 3 as {case}"] = {
                    **{name: partial(act, graph) for name, graph in ours_alone}, **others
                }
        acts[f"graph, {count} rows of 3 as objects"] = {
            **{name: partial(objects, graph) for name, graph in ours_alone}, **others
        }
    return acts


def parse_acts() -> dict[str, dict[str, Act]]:
    """The same replies out of bytes that are there: no socket, no client."""
    if not there("hiredis"):
        return {}
    import hiredis

    import kvist

    def act(make: Callable[[], Any], read: Callable[[Any], Any], reply: bytes, count: int) -> Act:
        def run() -> None:
            reader = make()
            reader.feed(reply)
            assert len(read(reader)) == count

        return run

    acts: dict[str, dict[str, Act]] = {}
    for count in (10_000, 100_000):
        reply = canned(count)
        theirs = act(hiredis.Reader, lambda reader: reader.gets(), reply, count)
        ours = act(kvist.Reader, lambda reader: reader.gets(), reply, count)
        columns = act(kvist.Reader, lambda reader: reader.columns(), reply, count)
        # `hiredis` stands in the column of the client that uses it.
        acts[f"{count} rows of 4, parsed"] = {"kvist": ours, "redis-py+hiredis": theirs}
        acts[f"{count} rows of 4, parsed as columns"] = {
            "kvist": columns, "redis-py+hiredis": theirs
        }
    return acts


async def hundred(put: Callable[[str, str], Any]) -> None:
    """A hundred tasks of a hundred commands each."""

    async def work() -> None:
        for n in range(100):
            await put("key:1", str(n))

    await asyncio.gather(*(work() for _ in range(100)))


async def opened(name: str, port: int) -> tuple[Any, Callable[[], Any]]:
    """A client for tasks, and what closes it."""
    if name == "kvist":
        import kvist.aio

        ours = kvist.aio.Kvist(host=HOST, port=port)
        return ours, ours.aclose
    if name == "redis-py+hiredis":
        import redis.asyncio

        theirs = redis.asyncio.Redis(host=HOST, port=port)
        return theirs, theirs.aclose
    if name == "coredis":
        import coredis

        client = coredis.Redis(host=HOST, port=port)
        await client.__aenter__()
        return client, lambda: client.__aexit__(None, None, None)
    import glide

    address = glide.NodeAddress(HOST, port)
    other = await glide.GlideClient.create(glide.GlideClientConfiguration([address]))
    return other, other.close


def task_acts(port: int) -> dict[str, dict[str, Act]]:
    """The clients for tasks that are installed."""

    def tasks(name: str) -> Act:
        async def one() -> Figure:
            client, close = await opened(name, port)
            await hundred(client.set)  # connects
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            await hundred(client.set)
            result = time.perf_counter() - wall, time.process_time() - cpu
            assert text(await client.get("key:1")) == "99"
            await close()
            return result

        return lambda: asyncio.run(one())

    found = {}
    for name, module in (
        ("kvist", "kvist.aio"), ("redis-py+hiredis", "redis.asyncio"), ("coredis", "coredis"),
        ("valkey-glide", "glide"),
    ):
        if there(module):
            found[name] = tasks(name)
    return {"asyncio 100 tasks x100": found}


def there(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def measured(act: Act) -> Figure:
    """Wall and CPU milliseconds of one round, the end of what it made included; an act may have
    measured them itself."""
    gc.collect()
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    told = act()
    result = time.perf_counter() - wall, time.process_time() - cpu
    gc.enable()
    if isinstance(told, tuple):
        result = told
    return result[0] * 1e3, result[1] * 1e3


class Report:
    """Figures by case and client."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.figures: dict[str, dict[str, list[Figure]]] = {}

    def run(self, name: str, acts: dict[str, Act]) -> None:
        """Measures a case with all its clients, in turns."""
        found = self.figures.setdefault(name, {client: [] for client in acts})
        for client, act in acts.items():
            measured(act)
        for _ in range(self.rounds):
            for client, act in acts.items():
                found[client].append(measured(act))
        print(f"  {name}", file=sys.stderr)

    def ratio(self, case: str, client: str, part: int) -> float:
        """How many times as long as ours another client takes: the median of the rounds."""
        pairs = zip(self.figures[case]["kvist"], self.figures[case][client])
        return statistics.median(their[part] / max(our[part], 1e-9) for our, their in pairs)

    def markdown(self, versions: dict[str, str]) -> str:
        """A table: milliseconds of wall time and of this process, and their ratios to ours."""
        names = [name for name in versions if any(name in row for row in self.figures.values())]
        lines = [
            "| wall ms · CPU ms (times Kvist's) | "
            + " | ".join(f"{name} {versions[name]}" for name in names) + " |",
            "| --- |" + " --- |" * len(names),
        ]
        for case, row in self.figures.items():
            cells = []
            for name in names:
                if name not in row:
                    cells.append("–")
                    continue
                wall, cpu = (statistics.median(part) for part in zip(*row[name]))
                cell = f"{wall:.2f} · {cpu:.2f}"
                if name != "kvist":
                    ratios = (self.ratio(case, name, 0), self.ratio(case, name, 1))
                    cell += f" ({ratios[0]:.2f} · {ratios[1]:.2f})"
                cells.append(cell)
            lines.append(f"| {case} | " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Every figure."""
        lines = ["case,client,round,wall_ms,cpu_ms"]
        for case, row in self.figures.items():
            for client, figures in row.items():
                for index, (wall, cpu) in enumerate(figures):
                    lines.append(f"{case},{client},{index},{wall:.4f},{cpu:.4f}")
        return "\n".join(lines) + "\n"


def version(name: str) -> str:
    """The version of a client's package."""
    from importlib import metadata

    package = {
        "redis-py+hiredis": "redis", "redis-py": "redis", "embedded": "kvist",
        "redis-py+hiredis, FalkorDB": "redis", "falkordb-py": "falkordb",
        "falkordb-py, FalkorDB": "falkordb",
    }
    try:
        return metadata.version(package.get(name, name))
    except metadata.PackageNotFoundError:
        return ""


def main() -> None:
    """Measures, and says what it found."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--port", type=int, default=6379)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tests", default="", help="words of the cases' names, with commas")
    parser.add_argument("--falkordb", type=int, help="the port of a FalkorDB, to compare graphs")
    parser.add_argument("--out", help="where to write python.md and python.csv")
    options = parser.parse_args()
    words = [word.lower() for word in options.tests.split(",") if word]

    def chosen(acts: dict[str, dict[str, Act]]) -> Iterator[tuple[str, dict[str, Act]]]:
        for name, found in acts.items():
            if not words or any(word in name.lower() for word in words):
                yield name, found

    import kvist

    with kvist.Kvist(host=HOST, port=options.port) as filler:
        prepare(filler)
    acts: dict[str, dict[str, Act]] = {}
    for name, (kind, module) in KINDS.items():
        if not there(module):
            print(f"  {name} is not installed", file=sys.stderr)
            continue
        likeness = kind(module, port=options.port)
        likeness.check()
        for case, act in likeness.acts().items():
            acts.setdefault(case, {})[name] = act
    report = Report(options.rounds)
    for case, found in chosen(acts):
        report.run(case, found)
    report.rounds = max(3, options.rounds // 2)
    for case, found in chosen(task_acts(options.port)):
        report.run(case, found)
    if not words or any("graph" in word for word in words):
        for case, found in chosen(graph_acts(options.port, options.falkordb)):
            report.run(case, found)
    with rows_server() as port:
        for case, found in chosen(row_acts(port)):
            report.run(case, found)
    for case, found in chosen(parse_acts()):
        report.run(case, found)
    names = [
        *KINDS, "coredis", "falkordb-py", "falkordb-py, FalkorDB", "redis-py+hiredis, FalkorDB",
    ]
    table = report.markdown({name: version(name) for name in names})
    print(table)
    if options.out:
        out = Path(options.out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "python.md").write_text(table)
        (out / "python.csv").write_text(report.csv())


if __name__ == "__main__":
    main()
