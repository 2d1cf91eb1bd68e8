"""Who to be, asked for whenever a connection is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CredentialProvider:
    """Gives a password, or a user and a password, each time a connection is made."""

    def _lacks(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {method}() of its own")

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """``(password,)`` or ``(username, password)``."""
        raise self._lacks("get_credentials")

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """The same for clients on asyncio; override it if asking takes time."""
        return self.get_credentials()


class StreamingCredentialProvider(CredentialProvider):
    """Tells of new credentials by itself. Connections that stand are not told of them: each is made
    with those of its time, and one that the server ends is followed by one with the next."""

    def on_next(self, callback: Callable[[Any], None]) -> None:
        """Has a function called with the next credentials."""
        raise self._lacks("on_next")

    def on_error(self, callback: Callable[[Exception], None]) -> None:
        """Has a function called with what goes wrong."""
        raise self._lacks("on_error")

    def is_streaming(self) -> bool:
        """Whether it has begun."""
        raise self._lacks("is_streaming")


class UsernamePasswordCredentialProvider(CredentialProvider):
    """Always the same: a user and a password, or a password for the user ``default``."""

    def __init__(self, username: str | None = None, password: str | None = None) -> None:
        self.username = "" if username is None else username
        self.password = "" if password is None else password

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """Both words, or the password alone if no user is named."""
        both = (self.username, self.password)
        return both if self.username else both[1:]
