"""What goes wrong with tokens."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["InvalidTokenSchemaErr", "RequestTokenErr", "TokenRenewalErr"]


class RequestTokenErr(Exception):
    """A token could not be had."""


class InvalidTokenSchemaErr(Exception):
    """A token lacks fields."""

    def __init__(self, missing_fields: Iterable[str] = ()) -> None:
        self.missing_fields = sorted(missing_fields)
        super().__init__("the token does not say: " + ", ".join(self.missing_fields))


class TokenRenewalErr(Exception):
    """A token could not be renewed."""
