"""The words of ``ACL SETUSER``: what redis-py writes with ``+`` and ``-`` as rules of the server."""

from collections.abc import Iterable
from typing import Any

from ._words import listed
from .exceptions import DataError


def _bytes(value: Any) -> bytes:
    is_text = isinstance(value, (str, int, float))
    return str(value).encode() if is_text else bytes(value)


def _signed(values: Any, what: str, add: bytes, remove: bytes) -> list[bytes]:
    words: list[bytes] = []
    for number, value in enumerate(listed(values)):
        text = _bytes(value)
        if text.startswith(b"+"):
            words.append(add + text[1:])
        elif text.startswith(b"-"):
            words.append(remove + text[1:])
        else:
            raise DataError(f"{what} {number} must begin with '+' to add or '-' to remove it")
    return words


def acl_passwords(passwords: Any) -> list[bytes]:
    """Passwords to add or to remove."""
    return _signed(passwords, "Password", b">", b"<")


def acl_hashes(hashes: Any) -> list[bytes]:
    """SHA-256 digests of passwords to add or to remove."""
    return _signed(hashes, "Hashed password", b"#", b"!")


def acl_categories(categories: Iterable[Any]) -> list[bytes]:
    """Categories to allow or to forbid, with or without their ``@``."""
    words: list[bytes] = []
    for category in categories:
        text = _bytes(category)
        if text[:1] not in (b"+", b"-"):
            raise DataError(f'Category "{text.decode(errors="replace")}" must begin with + or -')
        words.append(text if text[1:2] == b"@" else text[:1] + b"@" + text[1:])
    return words


def acl_commands(commands: Iterable[Any]) -> list[bytes]:
    """Commands to allow or to forbid."""
    words: list[bytes] = []
    for command in commands:
        text = _bytes(command)
        if text[:1] not in (b"+", b"-"):
            raise DataError(f'Command "{text.decode(errors="replace")}" must begin with + or -')
        words.append(text)
    return words


def acl_keys(keys: Iterable[Any]) -> list[bytes]:
    """Patterns of keys; with ``%R~`` or ``%W~`` before them for reading or writing alone."""
    return [text if text[:1] in (b"%", b"~") else b"~" + text for text in map(_bytes, keys)]


def acl_channels(channels: Iterable[Any]) -> list[bytes]:
    """Patterns of channels."""
    return [b"&" + _bytes(channel) for channel in channels]


def acl_selectors(selectors: Iterable[tuple[Any, Any]]) -> list[bytes]:
    """Pairs of a command and a pattern of keys, each a selector of its own."""
    return [
        b"(" + acl_commands([command])[0] + b" " + acl_keys([key])[0] + b")"
        for command, key in selectors
    ]
