"""Who gives tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .token import TokenInterface

__all__ = ["IdentityProviderConfigInterface", "IdentityProviderInterface"]


class IdentityProviderInterface(ABC):
    """A provider that can be asked for a token."""

    @abstractmethod
    def request_token(self, force_refresh: bool = False) -> TokenInterface:
        """A token; a new one if that is asked for."""


class IdentityProviderConfigInterface(ABC):
    """What a provider is made from."""

    @abstractmethod
    def get_provider(self) -> IdentityProviderInterface:
        """The provider."""
