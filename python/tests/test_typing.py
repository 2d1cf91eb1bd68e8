"""What type checkers make of the package: mypy and pyright, strictly, and the stubs beside the code.

``typing_cases.py`` has the calls whose types are asserted. A checker that is not installed is
skipped; ``requirements-dev.txt`` has those that are pinned.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parent.parent
CHECKED = json.loads((PYTHON / "pyrightconfig.json").read_text())["include"]


def run(*words: str, folder: Path = PYTHON) -> str:
    if importlib.util.find_spec(words[0].partition(".")[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_mypy() -> None:
    found = run(
        "mypy",
        "--strict",
        "--warn-unused-ignores",
        "--python-version=3.11",
        "--explicit-package-bases",
        "--follow-imports=silent",
        "--cache-dir=../target/mypy",
        *CHECKED,
    )
    assert not found, found


def test_mypy_on_clients() -> None:
    found = run(
        "mypy",
        "--strict",
        "--python-version=3.11",
        "--explicit-package-bases",
        "--cache-dir=../target/mypy",
        "kvist/__init__.py",
        "kvist/aio/__init__.py",
    )
    assert not found, found


def test_pyright() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed, which pyright needs")
    found = run("pyright")
    assert not found, found


def test_stubs_say_what_the_code_does(tmp_path: Path) -> None:
    # What is plain Python, by itself: without the native part and without who imports it.
    package = tmp_path / "kvist"
    package.mkdir()
    for file in (PYTHON / "kvist").glob("*.py*"):
        if any(f"kvist/{file.stem}." in checked for checked in CHECKED) or file.stem == "exceptions":
            shutil.copy(file, package)
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nexplicit_package_bases = True\n")
    stubs = [Path(file).stem for file in CHECKED if re.fullmatch(r"kvist/\w+\.pyi", file)]
    modules = [f"kvist.{stem}" for stem in stubs]
    found = run("mypy.stubtest", "--mypy-config-file", str(settings), *modules, folder=tmp_path)
    assert not found, found
