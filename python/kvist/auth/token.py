"""Tokens: a text that is good until some time."""

from __future__ import annotations

import base64
import json
import time
from abc import ABC, abstractmethod
from typing import Any, cast

from .err import InvalidTokenSchemaErr

__all__ = ["JWToken", "SimpleToken", "TokenInterface", "TokenResponse"]


def _now() -> float:
    return time.time() * 1000


class TokenInterface(ABC):
    """A token. Times are milliseconds since 1970; -1 is never."""

    @abstractmethod
    def is_expired(self) -> bool:
        """Whether it is good no more."""

    @abstractmethod
    def ttl(self) -> float:
        """For how many milliseconds it is good; -1 for ever."""

    @abstractmethod
    def try_get(self, key: str) -> Any:
        """What it says of something; ``None`` if it does not."""

    @abstractmethod
    def get_value(self) -> str:
        """Its text."""

    @abstractmethod
    def get_expires_at_ms(self) -> float:
        """When it ends."""

    @abstractmethod
    def get_received_at_ms(self) -> float:
        """When it came."""


class SimpleToken(TokenInterface):
    """A token of which everything is said."""

    def __init__(
        self, value: str, expires_at_ms: float, received_at_ms: float, claims: dict[str, Any]
    ) -> None:
        self.value = value
        self.expires_at = expires_at_ms
        self.received_at = received_at_ms
        self.claims = claims

    def is_expired(self) -> bool:
        return self.expires_at != -1 and self.ttl() <= 0

    def ttl(self) -> float:
        return -1 if self.expires_at == -1 else self.expires_at - _now()

    def try_get(self, key: str) -> Any:
        return self.claims.get(key)

    def get_value(self) -> str:
        return self.value

    def get_expires_at_ms(self) -> float:
        return self.expires_at

    def get_received_at_ms(self) -> float:
        return self.received_at


class JWToken(SimpleToken):
    """A JSON Web Token. What it claims is read and not verified: that is the server's business."""

    REQUIRED_FIELDS = frozenset({"exp"})

    def __init__(self, token: str) -> None:
        claims = _claims(token)
        missing = self.REQUIRED_FIELDS - claims.keys()
        if missing:
            raise InvalidTokenSchemaErr(missing)
        super().__init__(token, _end(claims["exp"]), _now(), claims)


def _claims(token: str) -> dict[str, Any]:
    try:
        part = token.split(".")[1]
        claims: Any = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError):
        raise ValueError("this is no JSON Web Token") from None
    if not isinstance(claims, dict):
        kind = type(claims).__name__
        raise ValueError(f"a JSON Web Token claims an object's fields, and this is of type {kind}")
    return cast(dict[str, Any], claims)


def _end(seconds: Any) -> float:
    """The time that a token's ``exp`` says, in milliseconds."""
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    # Python reads NaN and infinities from JSON, and integers that no float can hold.
    if not is_number or not abs(seconds) < 1e300:
        raise ValueError(f"'exp' of a JSON Web Token is a number of seconds, not {seconds!r}")
    return -1 if seconds == -1 else seconds * 1000


class TokenResponse:
    """A token as it was answered."""

    def __init__(self, token: TokenInterface) -> None:
        self._token = token

    def get_token(self) -> TokenInterface:
        """The token."""
        return self._token

    def get_ttl_ms(self) -> float:
        """For how many milliseconds it was good when it came."""
        return self._token.get_expires_at_ms() - self._token.get_received_at_ms()
