"""Builds the wheel: the program ``kvist`` first, so that it is in the package, then what maturin makes.

Where the server's sources are not at hand, as in a source distribution, the wheel has no program;
``python -m kvist`` then runs the one that is installed otherwise.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import maturin
from maturin import (  # noqa: F401 - hooks that are maturin's
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent
PROGRAM = HERE / "kvist" / "bin" / "kvist"
PROFILE = "wheel"


def place_program() -> None:
    """Builds the program and puts it where the wheel takes it from."""
    if not (ROOT / "crates" / "server" / "Cargo.toml").is_file():
        return
    cargo = os.environ.get("CARGO", "cargo")
    words = [cargo, "build", "--locked", "--profile", PROFILE, "--bin", "kvist"]
    subprocess.run(words, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    if not target.is_absolute():
        target = ROOT / target
    PROGRAM.parent.mkdir(exist_ok=True)
    # Not over a file that may be running.
    PROGRAM.unlink(missing_ok=True)
    shutil.copy2(target / PROFILE / "kvist", PROGRAM)


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """A wheel with the program inside."""
    place_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """An editable installation: the program is found there as well."""
    place_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
