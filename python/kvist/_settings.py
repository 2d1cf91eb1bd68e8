"""What users say about connections, as the native part wants to hear it."""

from __future__ import annotations

import copy
import socket
from collections.abc import Mapping
from typing import Any

from ._core import __version__
from .backoff import ExponentialWithJitterBackoff
from .exceptions import DataError, TimeoutError
from .retry import Retry

DEFAULT_TIMEOUT = 5.0
UNSET: Any = object()

# What redis-py's connections also take and this package has no use for.
IGNORED = frozenset({
    "cache", "cache_config", "cache_factory", "command_packer", "encoder_class", "event_dispatcher",
    "himport_registry", "legacy_responses", "maint_notifications_config", "parser_class",
    "oss_cluster_maint_notifications_handler", "redis_connect_func", "retry", "retry_on_error",
    "retry_on_timeout", "socket_read_size", "socket_type", "credential_provider",
})


def default_retry() -> Retry:
    """Ten times, within about five seconds."""
    return Retry(ExponentialWithJitterBackoff(base=0.01, cap=1), 10)


class Encoder:
    """Encodes arguments and decodes replies as a client does."""

    __slots__ = "decode_responses", "encoding", "encoding_errors"

    def __init__(self, encoding: str, encoding_errors: str, decode_responses: bool) -> None:
        self.encoding = encoding
        self.encoding_errors = encoding_errors
        self.decode_responses = decode_responses

    def encode(self, value: Any) -> Any:
        """The bytes of an argument."""
        if isinstance(value, (bytes, bytearray, memoryview)):
            return value
        if isinstance(value, str):
            return value.encode(self.encoding, self.encoding_errors)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise DataError(
                f"Invalid input of type: '{type(value).__name__}'. "
                "Convert to a bytes, string, int or float first."
            )
        return (int if isinstance(value, int) else float).__repr__(value).encode()

    def decode(self, value: Any, force: bool = False) -> Any:
        """The text of a reply, if replies are text."""
        if self.decode_responses or force:
            if isinstance(value, memoryview):
                value = value.tobytes()
            if isinstance(value, bytes):
                value = value.decode(self.encoding, self.encoding_errors)
        return value


def retry_of(values: Mapping[str, Any]) -> Retry:
    """The ``Retry`` that a connection's arguments amount to; a copy of its own."""
    retry = values.get("retry")
    retry = copy.deepcopy(retry) if retry is not None else default_retry()
    errors = list(values.get("retry_on_error") or ())
    if values.get("retry_on_timeout"):
        errors.append(TimeoutError)
    if errors:
        retry.update_supported_errors(errors)
    return retry


def native_settings(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a connection of a kind ("tcp", "tls" or "unix") from redis-py's arguments."""
    left = {name: value for name, value in values.items() if name not in IGNORED}
    take = left.pop
    timeout = take("socket_timeout", DEFAULT_TIMEOUT)
    connect_timeout = take("socket_connect_timeout", UNSET)
    protocol = take("protocol", None)
    settings: dict[str, Any] = {
        "db": int(take("db", 0) or 0),
        "username": take("username", None),
        "password": take("password", None),
        "protocol": None if protocol is None else int(protocol),
        "timeout": timeout,
        "connect_timeout": timeout if connect_timeout is UNSET else connect_timeout,
        "encoding": take("encoding", "utf-8"),
        "encoding_errors": take("encoding_errors", "strict"),
        "decode_responses": take("decode_responses", False),
        "raw": take("raw", False),
        "health_check_interval": take("health_check_interval", 0),
        "client_name": take("client_name", None),
        "library": _library(left),
    }
    if kind == "unix":
        settings["path"] = take("path", "")
    else:
        settings["host"] = take("host", "localhost")
        settings["port"] = int(take("port", 6379))
        settings["keepalive"] = _keepalive(left)
    if kind == "tls":
        settings["tls"] = _tls(left)
    if left:
        names = ", ".join(sorted(left))
        raise TypeError(f"a connection takes no argument {names}")
    return settings


def _library(left: dict[str, Any]) -> tuple[str, str] | None:
    driver = left.pop("driver_info", UNSET)
    name = left.pop("lib_name", UNSET)
    version = left.pop("lib_version", UNSET)
    if driver is not UNSET:
        if driver is None:
            return None
        return driver.formatted_name or "", driver.lib_version or ""
    return (
        ("kvist-py" if name is UNSET else name) or "",
        (__version__ if version is UNSET else version) or "",
    )


def _keepalive(left: dict[str, Any]) -> tuple[int, int, int] | None:
    wanted = left.pop("socket_keepalive", True)
    options = left.pop("socket_keepalive_options", UNSET)
    if not wanted:
        return None
    options = {} if options is UNSET or options is None else options
    return (
        options.get(getattr(socket, "TCP_KEEPIDLE", None), 30),
        options.get(getattr(socket, "TCP_KEEPINTVL", None), 5),
        options.get(getattr(socket, "TCP_KEEPCNT", None), 3),
    )


def _tls(left: dict[str, Any]) -> dict[str, Any]:
    import ssl  # takes as long as half of this package, and few need it

    take = left.pop
    for name in ("ssl_validate_ocsp", "ssl_validate_ocsp_stapled", "ssl_ocsp_context",
                 "ssl_ocsp_expected_cert", "ssl_include_verify_flags", "ssl_exclude_verify_flags"):
        if take(f"{name}", None):
            raise DataError(f"{name} is not supported")
    requirement = take("ssl_cert_reqs", "required")
    if requirement is None or requirement in ("none", ssl.CERT_NONE):
        insecure = True
    elif requirement in ("optional", "required", ssl.CERT_OPTIONAL, ssl.CERT_REQUIRED):
        insecure = False
    else:
        raise DataError(f"Invalid SSL Certificate Requirements Flag: {requirement}")
    least = take("ssl_min_version", None)
    check_hostname = take("ssl_check_hostname", True)
    return {
        "insecure": insecure,
        "any_name": not check_hostname,
        "certfile": take("ssl_certfile", None),
        "keyfile": take("ssl_keyfile", None),
        "password": take("ssl_password", None),
        "ca_certs": take("ssl_ca_certs", None),
        "ca_path": take("ssl_ca_path", None),
        "ca_data": take("ssl_ca_data", None),
        "ciphers": take("ssl_ciphers", None),
        # Nothing older than 1.2 is ever spoken.
        "protocols": "TLSv1.3" if least == ssl.TLSVersion.TLSv1_3 else None,
    }


def to_bool(value: str) -> bool | None:
    """What a URL says about something that is so or not."""
    if value == "":
        return None
    return value.upper() not in ("0", "F", "FALSE", "N", "NO")


QUERY = {
    "db": int,
    "socket_timeout": float,
    "socket_connect_timeout": float,
    "socket_read_size": int,
    "socket_keepalive": to_bool,
    "retry_on_timeout": to_bool,
    "retry_on_error": list,
    "max_connections": int,
    "health_check_interval": int,
    "ssl_check_hostname": to_bool,
    "timeout": float,
    "protocol": int,
    "legacy_responses": to_bool,
    "decode_responses": to_bool,
}


def read_url(url: str) -> tuple[str, dict[str, Any]]:
    """The kind of connection and the arguments that a URL stands for.

    >>> read_url("redis://user:p%40ss@example.org:7000/2?socket_timeout=1.5")
    ('tcp', {'socket_timeout': 1.5, 'username': 'user', 'password': 'p@ss', 'host': 'example.org', \
'port': 7000, 'db': 2})
    """
    from urllib.parse import parse_qs, unquote, urlparse

    kind = {"redis": "tcp", "rediss": "tls", "unix": "unix"}.get(url.partition("://")[0])
    if kind is None or "://" not in url:
        raise ValueError(
            "Redis URL must specify one of the following schemes (redis://, rediss://, unix://)"
        )
    parts = urlparse(url)
    values: dict[str, Any] = {}
    for name, found in parse_qs(parts.query).items():
        parser: Any = QUERY.get(name, str)
        try:
            values[name] = parser(found[0])
        except (TypeError, ValueError):
            raise ValueError(f"Invalid value for '{name}' in connection URL.") from None
    if parts.username:
        values["username"] = unquote(parts.username)
    if parts.password:
        values["password"] = unquote(parts.password)
    if kind == "unix":
        if parts.path:
            values["path"] = unquote(parts.path)
        return kind, values
    if parts.hostname:
        values["host"] = unquote(parts.hostname)
    if parts.port:
        values["port"] = int(parts.port)
    if parts.path and "db" not in values:
        name = unquote(parts.path).replace("/", "")
        if name.isdecimal():
            values["db"] = int(name)
    return kind, values
