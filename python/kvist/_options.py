"""The arguments of clients, for type checkers: with ``decode_responses`` they tell what replies are.

A client's constructor has one form for each, and all forms have all other arguments: these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from .retry import Retry

__all__ = ["AsyncOptions", "Options"]


class _Options(TypedDict, total=False):
    socket_timeout: float | None
    socket_connect_timeout: float | None
    socket_read_size: int
    socket_keepalive: bool | None
    socket_keepalive_options: Any
    unix_socket_path: str | None
    encoding: str
    encoding_errors: str
    retry_on_timeout: bool
    retry: Retry | None
    retry_on_error: list[type[Exception]] | None
    ssl: bool
    ssl_keyfile: str | None
    ssl_certfile: str | None
    ssl_cert_reqs: Any
    ssl_include_verify_flags: Any
    ssl_exclude_verify_flags: Any
    ssl_ca_certs: str | None
    ssl_ca_path: str | None
    ssl_ca_data: str | None
    ssl_check_hostname: bool
    ssl_password: str | None
    ssl_min_version: Any
    ssl_ciphers: str | None
    max_connections: int | None
    single_connection_client: bool
    health_check_interval: float
    client_name: str | None
    lib_name: str | None
    lib_version: str | None
    driver_info: Any
    username: str | None
    credential_provider: Any
    protocol: int | None
    legacy_responses: bool
    event_dispatcher: Any
    maint_notifications_config: Any
    raw: bool


class Options(_Options, total=False):
    """Those of a client."""

    ssl_validate_ocsp: bool
    ssl_validate_ocsp_stapled: bool
    ssl_ocsp_context: Any
    ssl_ocsp_expected_cert: str | None
    redis_connect_func: Callable[[Any], None] | None
    cache: Any
    cache_config: Any
    oss_cluster_maint_notifications_handler: Any


class AsyncOptions(_Options, total=False):
    """Those of a client on asyncio."""

    auto_close_connection_pool: bool | None
    redis_connect_func: Any
