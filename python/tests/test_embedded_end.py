"""The end of an engine in this process, and of calls that run: by close, signals, the end of Python."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kvist._core")

import kvist
from kvist import embedded
from kvist.backoff import AbstractBackoff
from kvist.retry import Retry

PATIENCE = 60

IDLE = "while true do end"
DECLARED = "redis.call('SET', KEYS[1], 'half') while true do end"
UNDECLARED = "redis.call('SET', 'k', 'half') while true do end"

# What all programs begin with: an engine with a key, and ways to wait until a script runs.
PROGRAM = """
import os, signal, sys, threading, time
import kvist
from kvist import embedded
# A shell that runs the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
db = embedded.open(sys.argv[1], appendfsync="always", busy_reply_threshold=50,
                   decode_responses=True)
db.set("k", "before")
def is_busy():
    try:
        db.get("k")
    except kvist.ResponseError as error:
        assert "BUSY" in str(error), error
        return True
    return False
def until(holds):
    while not holds():
        time.sleep(0.002)
def in_a_thread(act):
    def quiet():
        try:
            act()
        except BaseException as error:
            # In one piece: print writes word by word, and others write in between.
            sys.stdout.write(f"ended {type(error).__name__}\\n")
            sys.stdout.flush()
    thread = threading.Thread(target=quiet, daemon=True)
    thread.start()
    return thread
def send(number, holds):
    in_a_thread(lambda: (until(holds), os.kill(os.getpid(), number)))
"""


def run(tmp_path: Path, code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM + code, str(tmp_path)],
        capture_output=True, timeout=PATIENCE, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def kept(tmp_path: Path) -> list[Any]:
    with embedded.open(tmp_path, decode_responses=True) as db:
        return [db.get("k"), db.dbsize()]


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


class Never(AbstractBackoff):
    """Nothing is tried again."""

    def compute(self, failures: int) -> float:
        raise AssertionError("it is tried again")


def test_after_close_all_calls_say_so_at_once() -> None:
    db = embedded.open()
    db.set_retry(Retry(Never(), 3))
    db.set("k", "v")
    watching, single, news = db.pipeline(), db.client(), db.pubsub()
    watching.watch("k")
    single.get("k")
    news.subscribe("c")
    assert news.get_message(timeout=PATIENCE)["type"] == "subscribe"
    monitor = db.monitor().__enter__()
    script = db.register_script("return 1")

    def transact() -> Any:
        watching.multi()
        watching.get("k")
        return watching.execute()

    db.close()
    calls: list[Callable[[], Any]] = [
        lambda: db.get("k"),
        lambda: db.blpop("list"),
        lambda: db.eval("return 1", 0),
        lambda: script(),
        lambda: db.pipeline().get("k").execute(),
        lambda: db.pipeline(transaction=False).get("k").execute(),
        lambda: db.transaction(lambda pipe: pipe.get("k"), "k"),
        lambda: watching.get("k"),
        transact,
        lambda: single.get("k"),
        lambda: db.client().get("k"),
        lambda: news.get_message(timeout=PATIENCE),
        lambda: news.subscribe("d"),
        lambda: db.pubsub().subscribe("c"),
        lambda: monitor.next_command(),
        lambda: db.monitor().__enter__(),
        lambda: db.lock("lock").acquire(),
        lambda: list(db.scan_iter()),
    ]
    said = []
    for call in calls:
        with pytest.raises(Exception) as raised:
            call()
        said.append(raised.value)
    others = [it for it in said if not isinstance(it, embedded.EngineClosedError)]
    # What it watched is in doubt.
    assert [type(it) for it in others] in ([], [kvist.WatchError]), others


@pytest.mark.parametrize("script", [IDLE, DECLARED])
@pytest.mark.parametrize("way", ["db", "db.client()", "db.pipeline()", "db.pipeline(transaction=False)"])
def test_ctrl_c_ends_a_script(tmp_path: Path, script: str, way: str) -> None:
    code = f"""
send(signal.SIGINT, is_busy)
try:
    way = {way}
    way.eval({script!r}, 1, "k")
    way.execute()
except KeyboardInterrupt:
    print("interrupted")
# The way is still here, and may be used again.
until(lambda: not is_busy())
print(db.get("k"), db.set("after", 1), db.eval("return 7", 0))
"""
    if script == DECLARED and way == "db.pipeline()":
        return  # see the next
    assert run(tmp_path, code) == ["interrupted", "before", "True", "7"]
    assert kept(tmp_path) == ["before", 2]


@pytest.mark.parametrize("script", [UNDECLARED, DECLARED])
def test_ctrl_c_leaves_a_script_that_cannot_be_undone(tmp_path: Path, script: str) -> None:
    """It goes on; the engine can be used, and closed."""
    code = f"""
send(signal.SIGINT, is_busy)
try:
    db.pipeline().set("first", 1).eval({script!r}, 1, "k").execute()
except KeyboardInterrupt:
    print("interrupted")
print(is_busy(), db.ping())
try:
    db.script_kill()
except kvist.ResponseError as error:
    print(str(error).split()[0])
db.close()
print("closed")
"""
    assert run(tmp_path, code) == ["interrupted", "True", "True", "UNKILLABLE", "closed"]
    assert kept(tmp_path) == ["before", 1]


def test_a_handler_that_does_not_raise_ends_nothing(tmp_path: Path) -> None:
    code = """
seen = []
# A script keeps the shards of its keys, and some of these may lie in them: hardly all.
others = [f"other{number}" for number in range(16)]
def read(*_):
    for other in others:
        try:
            seen.append(db.get(other))
        except kvist.ResponseError as error:
            assert "BUSY" in str(error), error
signal.signal(signal.SIGALRM, read)
db.mset({other: "readable" for other in others})
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
print(db.eval("for i = 1, 4e7 do if i % 1e6 == 0 and redis.call('EXISTS', 'k') == 0 then break end "
              "end return redis.call('INCR', KEYS[1])", 2, "n", "k"))
until(lambda: seen)
signal.setitimer(signal.ITIMER_REAL, 0)
print(set(seen), db.get("n"))
"""
    said = run(tmp_path, code)
    assert said[0] == "1" and said[-1] == "1" and "'readable'" in said[1]


WAITS = {
    "eval": 'db.eval("redis.call(\'SET\', KEYS[1], \'half\') while true do end", 1, "k")',
    "undeclared": 'db.eval("redis.call(\'SET\', \'k\', \'half\') while true do end", 0)',
    "transaction": 'db.pipeline().eval("redis.call(\'SET\', \'k\', 1) while true do end", 0).execute()',
    "blpop": 'db.blpop("queue", 0)',
    "pipeline": 'db.pipeline(transaction=False).blpop("queue", 0).execute()',
    "message": 'news.get_message(timeout=None)',
    "listen": 'next(news.listen())',
}


@pytest.mark.parametrize("way", WAITS)
def test_a_handler_closes_the_engine(tmp_path: Path, way: str) -> None:
    code = f"""
news = db.pubsub(ignore_subscribe_messages=True)
news.subscribe("c")
until(lambda: news.get_message(timeout=0) is None and news.subscribed)
def close(*_):
    db.close()
    print("closed", flush=True)
signal.signal(signal.SIGALRM, close)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    while True:
        {WAITS[way]}
except kvist.RedisError as error:
    print(type(error).__name__)
print(embedded.open(sys.argv[1], decode_responses=True).get("k"))
"""
    said = run(tmp_path, code)
    assert said[0] == "closed" and said[2] == "before", said
    # What ran is told what became of it.
    assert said[1] in ("EngineClosedError", "ExecAbortError" if way == "transaction" else ""), said


@pytest.mark.parametrize(("script", "end"), [
    (DECLARED, ""), (DECLARED, "with db: pass"), (DECLARED, "del db"), (DECLARED, "sys.exit()"),
    (UNDECLARED, ""), (UNDECLARED, "db.close()"),
])
def test_a_program_ends_beside_a_script(tmp_path: Path, script: str, end: str) -> None:
    code = f"""
def script():
    try:
        db.eval({script!r}, 1, "k")
    except BaseException:
        pass
threading.Thread(target=script, daemon=True).start()
until(is_busy)
{end}
"""
    run(tmp_path, code)
    assert kept(tmp_path) == ["before", 1]


def test_threads_in_all_kinds_of_calls_see_the_end(tmp_path: Path) -> None:
    code = f"""
acts = [lambda: db.eval({DECLARED!r}, 1, "k"), lambda: db.blpop("queue", 0),
        lambda: db.pipeline(transaction=False).blpop("queue", 0).execute()]
threads = [in_a_thread(act) for act in acts]
until(is_busy)
until(lambda: db.info("clients")["blocked_clients"] == 2)
closers = [threading.Thread(target=db.close) for _ in range(3)]
for closer in closers:
    closer.start()
for thread in closers + threads:
    thread.join()
print(embedded.open(sys.argv[1], decode_responses=True).get("k"))
"""
    said = run(tmp_path, code)
    assert said.count("ended") == 3 and said[-1] == "before", said


def test_a_script_holds_up_no_other_thread_for_ever() -> None:
    """Short commands run with the interpreter held, which the thread that ends the script needs."""
    with embedded.open(busy_reply_threshold=50) as db:
        failed: list[Any] = []

        def script() -> None:
            try:
                db.eval(IDLE, 1, "k")
            except kvist.RedisError as error:
                failed.append(error)

        thread = threading.Thread(target=script)
        thread.start()

        def killed() -> bool:
            try:
                return bool(db.script_kill())
            except kvist.ResponseError:
                return False

        eventually(killed)
        thread.join(PATIENCE)
        assert "killed" in str(failed[0]).lower()
        assert db.get("k") is None
