"""What lies in the package besides code."""

from __future__ import annotations

import importlib.metadata

import pytest


def test_notices_of_what_is_linked_come_along() -> None:
    try:
        files = importlib.metadata.files("kvist") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    texts = {file.name: file.read_text() for file in files if file.parent.name == "licenses"}
    assert "Apache License" in texts["LICENSE"]
    assert "Lua.org, PUC-Rio" in texts["THIRD-PARTY.md"]
