"""How long it takes to read a project of 324 records, and a history of a million samples.

The records are those of the benchmark of hxRedis: 4 sites, 10 pieces of equipment on each, 7 points
on each of these. Every query is asked in the engine of this process, and over a socket of a server
where its program is named. What is measured is the call alone (``len`` of the grid), and the call
with every cell made into an object; the least of five times the mean of many.

    python bench/folio.py [--server PROGRAM] [--samples 1000000]
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import kvist
from kvist import embedded
from kvist.folio import Diff, Grid, Marker, Number, Ref

QUERIES = ("site", "equip", "point", "id")
M = Marker()


def records() -> Iterator[Diff]:
    """The 324 records."""
    for site in range(4):
        yield Diff.add({"dis": f"Site {site}", "site": M}, f"s{site}")
        for equip in range(10):
            number = site * 10 + equip
            tags = {"dis": f"Equip {site}-{equip}", "equip": M, "ahu": M, "siteRef": Ref(f"s{site}")}
            yield Diff.add(tags, f"e{number}")
            for point in range(7):
                dis, ref = f"Point {number}-{point}", Ref(f"e{number}")
                marks = {"point": M, "temp": M, "sensor": M, "his": M}
                yield Diff.add({"dis": dis, "equipRef": ref, **marks}, f"p{number}-{point}")


def least(work: Callable[[], Any]) -> float:
    """Microseconds that it takes: the least of five means."""
    work()
    start = time.perf_counter()
    work()
    count = max(3, min(20_000, int(0.2 / max(time.perf_counter() - start, 1e-7))))
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            work()
        times.append((time.perf_counter() - start) / count)
    return min(times) * 1e6


def measured(folio: Any) -> dict[str, float]:
    """What each query takes in microseconds."""
    found: dict[str, float] = {"count": least(lambda: folio.read_count("id"))}
    for query in QUERIES:
        found[query] = least(lambda: len(folio.read_all(query)))
    found["id, first row"] = least(lambda: folio.read_all("id")[0])
    found["id, all cells"] = least(lambda: folio.read_all("id").rows)
    found["id, as columns"] = least(lambda: folio.read_all("id").to_columns())
    return found


def filled(client: Any, samples: int) -> Any:
    """The project, and a point with so many samples."""
    client.delete("bench")
    folio = client.folio("bench")
    folio.open()
    for diff in records():
        folio.commit(diff)
    assert folio.read_count("id") == 324
    point = {"point": M, "his": M, "kind": "Number", "unit": "kW", "tz": "UTC", "hisBench": M}
    folio.commit(Diff.add(point, "his"))
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    for begin in range(0, samples, 100_000):
        rows = [
            {"ts": start + timedelta(minutes=n), "val": Number(n % 977 / 8, "kW")}
            for n in range(begin, min(begin + 100_000, samples))
        ]
        folio.his_write("his", Grid(None, ["ts", "val"], rows))
    return folio


def report(name: str, folio: Any, samples: int) -> None:
    """Prints what the queries take."""
    print(f"{name}:")
    history = least(lambda: folio.his_read("his").to_columns())
    folio.commit(Diff.remove(folio.read_by_id("his")))
    for query, took in measured(folio).items():
        print(f"  {query:16} {took:10.1f} µs")
    print(f"  hisRead {samples:8} {history / 1000:10.1f} ms, as Arrow")


@contextmanager
def server(program: str) -> Iterator[dict[str, Any]]:
    """A server, and how it is reached: over TCP, and by a socket of this machine."""
    folder = Path(tempfile.mkdtemp(prefix="kvist-bench-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = str(folder / "s")
    words = [program, "serve", "--port", str(port), "--bind", "127.0.0.1", "--unixsocket", path,
             "--dir", str(folder), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                kvist.Kvist(port=port, retry=None).ping()
                break
            except kvist.ConnectionError:
                time.sleep(0.05)
        yield {"TCP": {"port": port}, "Unix socket": {"unix_socket_path": path}}
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--server", help="the program kvist")
    parser.add_argument("--samples", type=int, default=1_000_000)
    given = parser.parse_args()
    with embedded.open() as db:
        report("embedded", filled(db, given.samples), given.samples)
    if given.server:
        with server(given.server) as ways:
            for name, how in ways.items():
                with kvist.Kvist(**how) as client:
                    report(name, filled(client, given.samples), given.samples)


if __name__ == "__main__":
    main()
