"""The engine in this process: what is different from a socket, and what must not be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kvist._core")

import kvist
from kvist import embedded
from servers import kvist_program

PATIENCE = 20


@pytest.fixture
def db() -> Iterator[Any]:
    with embedded.open(decode_responses=True) as client:
        yield client


def eventually(holds: Any) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


def test_what_is_written_is_there_again(tmp_path: Path) -> None:
    with embedded.open(tmp_path / "data", appendfsync="always", databases=3) as db:
        assert db.set("k", b"\xff\x00") is True
        db.rpush("list", 1, 2.5, "three")
        assert db.config_get("databases") == {"databases": "3"}
    assert db.closed
    with pytest.raises(kvist.ConnectionError, match="closed"):
        db.get("k")
    with embedded.open(tmp_path / "data") as db:
        assert db.get("k") == b"\xff\x00"
        assert db.lrange("list", 0, -1) == [b"1", b"2.5", b"three"]
        assert "records of the journal" in db.recovered


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    with embedded.open(tmp_path):
        with pytest.raises(embedded.DirectoryInUseError, match="in use"):
            embedded.open(tmp_path)
        code = "import sys; from kvist import embedded; embedded.open(sys.argv[1])"
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], capture_output=True, timeout=60, check=False
        )
        assert b"DirectoryInUseError" in done.stderr
    embedded.open(tmp_path).close()


def test_settings_are_checked() -> None:
    for wrong in ({"no_such_thing": 1}, {"databases": "many"}, {"dir": object()}):
        with pytest.raises(kvist.DataError):
            embedded.open(**wrong)  # type: ignore[call-overload]
    with embedded.open(save=[(3600, 1), (300, 100)], maxmemory="3mb") as db:
        with pytest.raises(kvist.OutOfMemoryError):
            for number in range(1000):
                db.set(number, b"x" * 100_000)


def test_arguments_of_every_kind(db: Any) -> None:
    cases = [
        ("text", "text"), (b"bytes", "bytes"), (7, "7"), (-(1 << 70), str(-(1 << 70))),
        (2.5, "2.5"), (memoryview(b"view"), "view"), (bytearray(b"array"), "array"), ("", ""),
    ]
    for value, text in cases:
        db.set("k", value)
        assert db.get("k") == text
    for wrong in (None, True, object()):
        with pytest.raises(kvist.DataError):
            db.set("k", wrong)
    with pytest.raises(kvist.DataError):
        db.execute_command()
    assert db.execute_command("CONFIG GET", "databases") == {"databases": "16"}


def test_errors_are_what_they_are_over_a_socket(db: Any) -> None:
    db.set("k", "v")
    with pytest.raises(kvist.ResponseError, match="WRONGTYPE"):
        db.lpush("k", 1)
    with pytest.raises(kvist.ResponseError, match="unknown command"):
        db.execute_command("NOPE")
    with pytest.raises(UnicodeDecodeError):
        db.set("k", b"\xff")
        db.get("k")
    assert db.ping() is True


def test_pipelines_and_transactions(db: Any) -> None:
    assert db.pipeline().set("a", 1).incr("a").get("a").execute() == [True, 2, "2"]
    results = db.pipeline(transaction=False).lpush("a", 1).get("a").execute(raise_on_error=False)
    assert isinstance(results[0], kvist.ResponseError) and results[1] == "2"
    with db.pipeline() as pipe:
        pipe.watch("a")
        db.incr("a")
        pipe.multi()
        pipe.set("a", "lost")
        with pytest.raises(kvist.WatchError):
            pipe.execute()

    def twice(pipe: Any) -> None:
        pipe.multi()
        pipe.incr("a").incr("a")

    assert db.transaction(twice, "a") == [4, 5]


def test_databases(db: Any) -> None:
    db.set("k", "zero")
    assert db.select(1) is True
    assert db.get("k") is None
    assert db.pipeline().set("k", "one").execute() == [True]
    db.select(0)
    assert db.get("k") == "zero"
    other = embedded.Kvist(db.engine, db=1, decode_responses=True)
    assert other.get("k") == "one"
    other.close()
    assert db.get("k") == "zero", "only its owner closes an engine"
    with pytest.raises(kvist.ResponseError, match="out of range"):
        embedded.Kvist(db.engine, db=99)


def test_a_session_for_everything(db: Any) -> None:
    one = db.client()
    one.client_setname("mine")
    assert one.client_getname() == "mine"
    assert db.client_getname() is None
    one.close()


def test_threads(db: Any) -> None:
    def work(number: int) -> None:
        for turn in range(300):
            db.incr("all")
            db.set(f"{number}:{turn}", turn)
            assert db.get(f"{number}:{turn}") == str(turn)
            db.pipeline().sadd("s", turn).scard("s").execute()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert db.get("all") == "2400"


def test_a_waiting_thread_is_woken_by_another(db: Any) -> None:
    popped: list[Any] = []
    thread = threading.Thread(target=lambda: popped.append(db.blpop("queue", 0)))
    thread.start()
    eventually(lambda: db.info("clients")["blocked_clients"] == 1)
    db.rpush("queue", "job")
    thread.join(PATIENCE)
    assert popped == [("queue", "job")] or popped == [["queue", "job"]]
    assert db.blpop("queue", 0.02) is None


def test_closing_ends_waiting_calls() -> None:
    db = embedded.open()
    raised: list[Any] = []

    def wait() -> None:
        try:
            db.blpop("queue", 0)
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: db.info("clients")["blocked_clients"] == 1)
    db.close()
    thread.join(PATIENCE)
    assert isinstance(raised[0], kvist.ConnectionError)


def test_messages(db: Any) -> None:
    with db.pubsub(ignore_subscribe_messages=True) as news:
        news.subscribe("c")
        news.psubscribe("d*")
        assert news.get_message(timeout=0) is None
        assert db.publish("c", "one") == 1 and db.publish("dd", "two") == 1
        found = []
        while len(found) < 2:
            message = news.get_message(timeout=PATIENCE)
            if message:
                found.append((message["type"], message["data"]))
        assert found == [("message", "one"), ("pmessage", "two")]
        began = time.monotonic()
        assert news.get_message(timeout=0.25) is None
        assert 0.2 < time.monotonic() - began < PATIENCE


def test_monitor(db: Any) -> None:
    with db.monitor() as monitor:
        db.set("seen", "yes")
        command = monitor.next_command()
        assert command is not None and command["command"] == "SET seen yes"


def test_protocols_and_raw_replies() -> None:
    with embedded.open(protocol=2) as db:
        db.hset("h", "f", 1.5)
        assert db.hgetall("h") == {b"f": b"1.5"}
        assert db.zadd("z", {"a": 1}) == 1 and db.zscore("z", "a") == 1.0
    with embedded.open(raw=True) as db:
        db.hset("h", "f", 1)
        assert db.hgetall("h") == [b"f", b"1"]
        assert db.set("k", "v") == b"OK"


def test_a_child_is_refused(tmp_path: Path) -> None:
    code = """
import os, sys, kvist
from kvist import embedded
db = embedded.open(sys.argv[1])
db.set("k", "parent")
pipe = db.pipeline().set("k", "child")
child = os.fork()
if child == 0:
    for act in (lambda: db.get("k"), pipe.execute, lambda: db.pubsub().subscribe("c")):
        try:
            act()
        except kvist.ConnectionError as error:
            print("refused", flush=True)
    db.close()
    print(embedded.open().ping(), flush=True)
    sys.exit(0)
status = os.waitpid(child, 0)[1]
print("child", status, db.get("k"))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)],
        capture_output=True, timeout=60, text=True, check=True,
    )
    assert done.stdout.split() == ["refused"] * 3 + ["True", "child", "0", "b'parent'"]


def test_an_interrupt_ends_a_wait() -> None:
    code = """
import os, signal, threading
from kvist import embedded
# A shell that runs the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
db = embedded.open()
def interrupt():
    while not db.info("clients")["blocked_clients"]:
        pass
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    db.blpop("queue", 0)
except KeyboardInterrupt:
    print("interrupted", db.ping())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, text=True, check=True
    )
    assert done.stdout.split() == ["interrupted", "True"]


def test_leaving_without_closing_keeps_everything(tmp_path: Path) -> None:
    code = """
import sys
from kvist import embedded
db = embedded.open(sys.argv[1], appendfsync="no")
for number in range(1000):
    db.rpush("list", number)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=True)
    with embedded.open(tmp_path) as db:
        assert db.llen("list") == 1000


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    code = """
import sys
from kvist import embedded
db = embedded.open(sys.argv[1], appendfsync="always")
while True:
    print(db.incr("n"), flush=True)
"""
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(50)]
    os.kill(writer.pid, signal.SIGKILL)
    told += [int(line) for line in writer.stdout if line.endswith("\n")]
    writer.stdout.close()
    writer.wait()
    with embedded.open(tmp_path) as db:
        assert int(db.get("n") or 0) >= told[-1]


@pytest.mark.skipif(kvist_program() is None, reason="the program kvist is not built")
def test_a_server_goes_on_with_the_directory(tmp_path: Path) -> None:
    with embedded.open(tmp_path) as db:
        db.set("k", "v")
    program = kvist_program()
    assert program is not None
    socket = str(tmp_path / "socket")
    words = [program, "serve", "--port", "0", "--unixsocket", socket, "--dir", str(tmp_path)]
    server = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        with kvist.Kvist(unix_socket_path=socket) as client:
            until = time.monotonic() + PATIENCE
            while True:
                try:
                    assert client.get("k") == b"v"
                    break
                except kvist.ConnectionError:
                    assert time.monotonic() < until and server.poll() is None
        with pytest.raises(embedded.DirectoryInUseError):
            embedded.open(tmp_path)
    finally:
        server.kill()
        server.wait()


@pytest.mark.skipif(kvist_program() is None, reason="the program kvist is not built")
def test_the_package_runs_the_program() -> None:
    path = str(Path(kvist_program() or "").parent)
    done = subprocess.run(
        [sys.executable, "-m", "kvist", "version"], capture_output=True, timeout=60, text=True,
        check=True, env={**os.environ, "PATH": path + os.pathsep + os.environ["PATH"]},
    )
    assert kvist.__version__ in done.stdout


def test_objects_are_freed(db: Any) -> None:
    import gc
    import resource

    db.hset("h", mapping={str(field): "x" * 100 for field in range(100)})

    def turn() -> None:
        for _ in range(2000):
            db.hgetall("h")
            db.set("k", "v" * 100)
            db.get("k")

    turn()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5):
        turn()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
