"""Paths of JSON documents as objects; methods take plain texts as well."""

from __future__ import annotations


class Path(str):
    """A path.

    >>> Path(".a[0]"), Path.root_path()
    (.a[0], '.')
    """

    __slots__ = ()

    @staticmethod
    def root_path() -> str:
        """The whole document."""
        return "."

    @property
    def strPath(self) -> str:  # noqa: N802 - redis-py's name
        """The path as text."""
        return str(self)

    def __repr__(self) -> str:
        return str(self)
