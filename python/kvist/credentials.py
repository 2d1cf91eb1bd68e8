"""Who to be, asked for whenever a connection is made."""

from __future__ import annotations


class CredentialProvider:
    """Gives a password, or a user and a password, each time a connection is made."""

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """``(password,)`` or ``(username, password)``."""
        raise NotImplementedError("get_credentials must be implemented")

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """The same for clients on asyncio; override it if asking takes time."""
        return self.get_credentials()


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
