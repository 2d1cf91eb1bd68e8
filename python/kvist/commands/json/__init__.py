"""Paths of JSON documents, at redis-py's place for them."""

from __future__ import annotations

from .path import Path

__all__ = ["Path"]
