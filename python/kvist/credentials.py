"""Who to be, asked for whenever a connection is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CredentialProvider:
    """Gives a password, or a user and a password, each time a connection is made."""

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """``(password,)`` or ``(username, password)``."""
        raise NotImplementedError("get_credentials must be implemented")

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """The same for clients on asyncio; override it if asking takes time."""
        return self.get_credentials()


class StreamingCredentialProvider(CredentialProvider):
    """Tells of new credentials by itself. Connections that stand are not told of them: each is made
    with those of its time, and one that the server ends is followed by one with the next."""

    def on_next(self, callback: Callable[[Any], None]) -> None:
        """Has a function called with the next credentials."""
        raise NotImplementedError("on_next must be implemented")

    def on_error(self, callback: Callable[[Exception], None]) -> None:
        """Has a function called with what goes wrong."""
        raise NotImplementedError("on_error must be implemented")

    def is_streaming(self) -> bool:
        """Whether it has begun."""
        raise NotImplementedError("is_streaming must be implemented")


class UsernamePasswordCredentialProvider(CredentialProvider):
    """Always the same user and password."""

    def __init__(self, username: str | None = None, password: str | None = None) -> None:
        self.username = username or ""
        self.password = password or ""

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """``(password,)``, or with a user ``(username, password)``."""
        if self.username:
            return self.username, self.password
        return (self.password,)
