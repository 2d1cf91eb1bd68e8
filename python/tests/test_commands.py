"""Every method beside redis-py's of the same name: what it answers, what it sends, whether it is
there at all.

The calls are in ``commands.cases`` and ``words.cases``; see there for the notation. A method that
is in neither file fails :func:`test_every_method_is_tried`.
"""

from __future__ import annotations

import inspect
import re
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.commands.json.path import Path as RedisPath
from redis.retry import Retry

from kvist import typing as kinds
from kvist import _filter_commands as filters
from kvist._commands import Commands
from kvist._composed import Composed
from kvist._json_commands import JsonCommands
from kvist._json_values import Path as OurPath
from kvist._vector_commands import VectorSetCommands
from probe import Probe, Recorder, RedisRecorder
from servers import PROGRAM, Server, kvist_program

try:
    from kvist import Kvist, embedded
except ImportError:  # the native part is not built: methods and replies are tested without it
    Kvist = None  # type: ignore[assignment, misc]

HERE = Path(__file__).parent
# Whose connections the methods use: redis-py's, their own, or none.
DOORS = ["probe"] if Kvist is None else ["probe", "client", "embedded"]
ENUMS = {
    name: getattr(kinds, name)
    for name in dir(kinds)
    if inspect.isclass(getattr(kinds, name)) and getattr(kinds, name).__module__ == kinds.__name__
}
# protocol, legacy_responses, decode_responses
MODES = [
    (protocol, legacy, decode)
    for protocol in (None, 2, 3)
    for legacy in (True, False)
    for decode in (False, True)
]


OTHER_SERVERS = (" cluster", " sentinel", " kvist")


def lines_of(file: str) -> list[str]:
    lines = (HERE / file).read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def scenarios() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines_of("commands.cases"):
        if line.startswith("== "):
            found[line[3:]] = current = []
        else:
            current.append(line)
    return found


def wait_for_save(client: Any) -> bool:
    """Waits until a snapshot in the background is done; then a second one may begin."""
    until = time.monotonic() + 20
    busy = ("rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
    while any(client.info("persistence")[name] for name in busy):
        assert time.monotonic() < until
        time.sleep(0.01)
    return True


class Names(dict[str, Any]):
    """The names in a call: methods of a client, and what its arguments are made of."""

    def __init__(self, client: Any, path: Any) -> None:
        super().__init__(ENUMS, Path=path, c=client, datetime=datetime, timedelta=timedelta)
        self.update(wait_for_save=wait_for_save)

    def __missing__(self, name: str) -> Any:
        if not hasattr(self["c"], name):
            raise KeyError(name)
        return getattr(self["c"], name)


PLAIN = {"sorted": sorted, "list": list, "len": len, "round": round, "float": float, "str": str}
PLAIN |= {"int": int}


def outcome(client: Any, call: str, path: Any) -> Any:
    """What a call answers, or the name of the exception that it raises."""
    try:
        return eval(call, {"__builtins__": PLAIN}, Names(client, path))
    except Exception as error:
        return type(error)


def shape(value: Any) -> Any:
    """The types of a value and of what is in it."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items() if key not in VOLATILE}
    if isinstance(value, (list, tuple)):
        inner = [shape(item) for item in value]
        same = all(item == inner[0] for item in inner)
        return type(value), inner[:1] if same else inner
    if isinstance(value, (set, frozenset)):
        return type(value), {type(item) for item in value}
    # Numbers of memory and time are whole or not by chance.
    return "number" if isinstance(value, (int, float)) else type(value)


# Fields that are there only sometimes.
VOLATILE = {
    "errorstat_ERR",
    "errorstat_WRONGTYPE",
    "errorstat_NOSCRIPT",
    "errorstat_NOAUTH",
    "db0",
    "db1",
    b"overhead.db.hashtable.lut",
    "lib-name",
    "lib-ver",
}


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Server]]:
    if PROGRAM is None:
        pytest.skip("redis-server is not installed")
    started: dict[str, Server] = {}
    yield started
    for server in started.values():
        server.stop()


def clients(
    servers: dict[str, Server], door: str, kind: str, mode: tuple[int | None, bool, bool]
) -> tuple[redis.Redis, Any]:
    if kind not in servers:
        servers[kind] = Server(kind)
    protocol, legacy, decode = mode

    settings: dict[str, Any] = {} if protocol is None else {"protocol": protocol}
    settings |= {
        "unix_socket_path": servers[kind].socket,
        "decode_responses": decode,
        "legacy_responses": legacy,
        "single_connection_client": True,
    }

    def client() -> redis.Redis:
        return redis.Redis(retry=Retry(NoBackoff(), 0), **settings)

    theirs = client()
    if door == "embedded":
        del settings["unix_socket_path"], settings["single_connection_client"]
        folder = Path(tempfile.mkdtemp(dir=servers[kind].folder))
        conf = folder / "kvist.conf"
        conf.write_text("appendonly yes\nsave \"\"\nenable-debug-command yes\n")
        settings |= {"config_file": conf, "slowlog_log_slower_than": 60000000}
        return theirs, embedded.open(folder, **settings)
    return theirs, Probe(client()) if door == "probe" else Kvist(retry=None, **settings)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("scenario", scenarios())
@pytest.mark.parametrize("door", DOORS)
def test_replies(servers: dict[str, Server], door: str, scenario: str, mode: Any) -> None:
    kind = scenario.split()[-1] if scenario.endswith(OTHER_SERVERS) else ""
    if door == "embedded":
        # The same engine behind a socket says what is right.
        if kind in ("cluster", "sentinel"):
            pytest.skip("the engine in this process is neither")
        kind = "kvist"
    if kind == "kvist" and kvist_program() is None:
        pytest.skip("the program kvist is not built: KVIST_SERVER may say where it is")
    if scenario.endswith("resp3") and mode[0] == 2:
        pytest.skip("RESP2 has no invalidations")
    theirs, ours = clients(servers, door, kind, mode)
    lines = scenarios()[scenario]
    calls = [re.sub(r"^[~!+] ", "", line) for line in lines]
    results = []
    for client, path in ((theirs, RedisPath), (ours, OurPath)):
        if kind in ("", "kvist"):
            client.flushall()
            client.script_flush()
            client.function_flush()
        results.append(
            [
                outcome(client, call, path)
                for line, call in zip(lines, calls)
                if client is ours or not line.startswith("+")
            ]
        )
    theirs.close()
    (ours.client if door == "probe" else ours).close()
    expected = iter(results[0])
    wrong = []
    for line, got in zip(lines, results[1]):
        if line.startswith("+"):
            if inspect.isclass(got):
                wrong.append(f"{line}\n    raised {got}")
            continue
        want = next(expected)
        if inspect.isclass(want) or inspect.isclass(got):
            names = [getattr(value, "__name__", value) for value in (want, got)]
            same = line.startswith("!") and (names[0] == names[1] or door == "embedded")
        elif line.startswith("!"):
            same = door == "embedded"  # both are Kvist's, which need not refuse it
        elif line.startswith("~"):
            same = shape(want) == shape(got)
        else:
            same = want == got and type(want) is type(got)
        if not same:
            wrong.append(f"{line}\n    want {want!r:.300}\n    got  {got!r:.300}")
    assert not wrong, f"{len(wrong)} of {len(lines)}:\n" + "\n".join(wrong)


def encoded(word: Any) -> bytes:
    if isinstance(word, bytes):
        return word
    return repr(word).encode() if isinstance(word, float) else str(word).encode()


def test_words() -> None:
    """The words that methods send, where no server of the tests understands them."""
    wrong = []
    for line in lines_of("words.cases"):
        call, _, words = line.partition(" => ")
        sent = [[words.encode()]] if words else []
        for client, path in ((RedisRecorder(), RedisPath), (Recorder(), OurPath)):
            if words and client.__class__ is RedisRecorder:
                continue
            result = outcome(client, call, path)
            assert not inspect.isclass(result), f"{call} raised {result}"
            sent.append([b" ".join(map(encoded, args)) for args, _ in client.sent])
        if sent[0] != sent[1]:
            wrong.append(f"{call}\n    want {sent[0]}\n    got  {sent[1]}")
    assert not wrong, "\n".join(wrong)


FILTERS = (
    filters.BloomCommands,
    filters.CuckooCommands,
    filters.CountMinCommands,
    filters.TopKCommands,
    filters.TDigestCommands,
)
CLASSES = (Commands, JsonCommands, VectorSetCommands, *FILTERS, Composed)


def test_every_method_is_tried() -> None:
    text = (HERE / "commands.cases").read_text() + (HERE / "words.cases").read_text()
    tried = set(re.findall(r"(\w+)\(", text))
    methods = {name for cls in CLASSES for name in vars(cls)}
    methods = {name for name in methods if not name.startswith("_")}
    # test_composed.py has locks, tests/core/test_graphs.py graphs, test_folio.py there projects
    assert methods - tried == {"execute_command", "lock", "graph", "folio"}


def test_every_method_of_redis_is_there() -> None:
    """Names, and the names, order, kinds and defaults of parameters."""
    from redis.commands import CoreCommands, SentinelCommands
    from redis.commands.bf import commands as bf
    from redis.commands.json import JSONCommands
    from redis.commands.vectorset.commands import VectorSetCommands as RedisVectorSetCommands

    left_out = {
        # Pub/sub, transactions and search are no commands, or objects of their own.
        "watch",
        "unwatch",
        "digest_local",
        "himport_prepare_internal",
        "himport_set",
        "himport_discard_internal",
        "himport_discard_all_internal",
        # Methods of the object that `json()` makes.
        "set_file",
        "set_path",
    }
    # Not sent by redis-py, or less well: more parameters here.
    wider = {
        "command_docs",
        "command_info",
        "failover",
        "hello",
        "latency_graph",
        "jsonget",
        "jsonmget",
        "jsonset",
        "json",
    }
    wrong = []
    for theirs, ours in (
        (CoreCommands, Composed),
        (SentinelCommands, Composed),
        (JSONCommands, JsonCommands),
        (RedisVectorSetCommands, VectorSetCommands),
        (bf.BFCommands, filters.BloomCommands),
        (bf.CFCommands, filters.CuckooCommands),
        (bf.CMSCommands, filters.CountMinCommands),
        (bf.TOPKCommands, filters.TopKCommands),
        (bf.TDigestCommands, filters.TDigestCommands),
    ):
        for name in dir(theirs):
            if name.startswith("_") or name in left_out:
                continue
            if not inspect.isfunction(getattr(theirs, name)):
                continue
            if not hasattr(ours, name):
                wrong.append(f"{name} is missing")
                continue
            if name in wider:
                continue
            want = parameters(getattr(theirs, name))
            got = parameters(getattr(ours, name))
            if want != got:
                wrong.append(f"{name}\n    want {want}\n    got  {got}")
    assert not wrong, "\n".join(wrong)


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        found.append((parameter.name, str(parameter.kind), parameter.default))
    return found
