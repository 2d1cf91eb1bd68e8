"""Which words are keys, beside what a server says of the same words."""

from __future__ import annotations

import doctest
import re

import redis
from kvist import _keys
from kvist._json_values import Path
from probe import Recorder
from test_commands import encoded, lines_of, outcome, servers  # noqa: F401
from servers import Server


def test_examples() -> None:
    assert doctest.testmod(_keys).failed == 0


def test_keys_are_those_the_server_sees(servers: dict[str, Server]) -> None:  # noqa: F811
    server = servers.setdefault("", Server())
    recorder = Recorder()
    for line in lines_of("commands.cases"):
        if not line.startswith("=="):
            outcome(recorder, re.sub(r"^[~!+] ", "", line), Path)
    compared = 0
    wrong = []
    with redis.Redis(unix_socket_path=server.socket) as plain:
        plain.response_callbacks.clear()
        for args, _ in recorder.sent:
            words = [str(args[0]).encode(), *map(encoded, args[1:])]
            _, argv = _keys.split([words[0].decode(), *words[1:]])
            try:
                want = plain.execute_command("COMMAND GETKEYS", *argv)
            except redis.ResponseError as error:
                if "no key arguments" not in str(error):
                    continue
                want = []
            compared += 1
            got = _keys.keys_of([words[0].decode(), *words[1:]])
            if got != want and argv[0] != "SPUBLISH":
                wrong.append(f"{words}\n    want {want}\n    got  {got}")
    assert not wrong, "\n".join(wrong)
    assert compared > 500
