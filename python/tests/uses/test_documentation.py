"""The examples of docs/python.md and of the README, run against both servers."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import re
from typing import Any

import pytest

import kvist
import kvist.aio
import kvist.connection
from core.conftest import ROOT, Server

FENCE = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Modules whose docstrings have examples that need no server.
MODULES = ["kvist.as_redis", "kvist.driver_info", "kvist.commands.json.path", "kvist._settings",
           "kvist.retry"]


@pytest.fixture
def at_home(server: Server, monkeypatch: Any) -> int:
    """Has the default port be the server's."""
    for function in (kvist.Kvist.__init__, kvist.Connection.__init__):
        names = [
            name for name, parameter in inspect.signature(function).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        ]
        values = [server.port if name == "port" else value
                  for name, value in zip(names, function.__defaults__)]
        monkeypatch.setattr(function, "__defaults__", tuple(values))
    kwonly = {**kvist.aio.Kvist.__init__.__kwdefaults__, "port": server.port}
    monkeypatch.setattr(kvist.aio.Kvist.__init__, "__kwdefaults__", kwonly)
    return server.port


def test_the_guide(at_home: int) -> None:
    text = (ROOT / "docs" / "python.md").read_text()
    examples = "\n".join(FENCE.findall(text))
    examples = examples.replace("6379", str(at_home))
    assert examples.count(">>>") > 40
    case = doctest.DocTestParser().get_doctest(examples, {}, "docs/python.md", None, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(case, out=said.append)
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_the_readme(
    at_home: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its examples end without an exception: those that say ``py`` want other servers, or more."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "python" / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "python/README.md", "exec"), {})


def test_links() -> None:
    text = (ROOT / "docs" / "python.md").read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / "docs" / target).exists(), target


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
