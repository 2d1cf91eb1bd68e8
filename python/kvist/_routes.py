"""URLs that name more than one server: Sentinels that know where the master is, nodes of a cluster.

::

    redis+sentinel://[user:pass@]host[:port],host[:port]…[/master][/db][?…]
    redis+sentinel://[user:pass@]master@host[:port],…[/db][?…]
    redis+cluster://[user:pass@]host[:port],host[:port]…[?…]

``rediss+…`` is the same with TLS, and ``redis-sentinel`` and ``redis-cluster`` are other names of
these schemes. Credentials are those of the data servers; ``?sentinel_username=`` and
``?sentinel_password=`` those of the Sentinels. Every part is percent-decoded by itself, after the
parts were told apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ._settings import QUERY

DEFAULT_SERVICE = "mymaster"
PORTS = {"sentinel": 26379, "cluster": 6379}


class Route(NamedTuple):
    """What such a URL says."""

    #: ``"sentinel"`` or ``"cluster"``.
    kind: str
    #: Where to ask first, in this order.
    hosts: list[tuple[str, int]]
    #: The master's name; ``None`` for a cluster.
    service: str | None
    #: Whether replicas are wanted rather than the master.
    replica: bool
    #: Arguments of a connection to a data server.
    values: dict[str, Any]
    #: Arguments of a connection to a Sentinel.
    sentinel_values: dict[str, Any]


def kind_of(url: str) -> str | None:
    """``"sentinel"`` or ``"cluster"`` if a URL names several servers.

    >>> kind_of("rediss+cluster://a,b"), kind_of("redis-sentinel://a"), kind_of("redis://a")
    ('cluster', 'sentinel', None)
    """
    scheme = url.partition("://")[0]
    for sign in "+-":
        kind, found, rest = scheme.partition(sign)
        if found and kind in ("redis", "rediss") and rest in PORTS:
            return rest
    return None


def _host_and_port(place: str, default: int) -> tuple[str, int]:
    from urllib.parse import unquote  # not for those who have one server

    if place.startswith("["):
        host, closed, port = place[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            raise ValueError(f"{place!r} is no address")
        port = port[1:]
    elif place.count(":") > 1:
        raise ValueError(f"{place!r} is no address: put an IPv6 address in brackets")
    else:
        host, _, port = place.partition(":")
    if port and not (port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"{port!r} is no port")
    return unquote(host) or "localhost", int(port) if port else default


def _query(text: str) -> dict[str, Any]:
    from urllib.parse import parse_qsl

    values: dict[str, Any] = {}
    for name, value in parse_qsl(text):
        parser: Any = QUERY.get(name, str)
        try:
            values[name] = parser(value)
        except (TypeError, ValueError):
            raise ValueError(f"Invalid value for '{name}' in connection URL.") from None
    return values


def parse(url: str) -> Route:
    """What a URL that names several servers says.

    >>> route = parse("redis+sentinel://u:p%40@a,b:5000/orders/2?sentinel_password=s")
    >>> route.hosts, route.service, route.sentinel_values
    ([('a', 26379), ('b', 5000)], 'orders', {'password': 's'})
    >>> route.values
    {'username': 'u', 'password': 'p@', 'db': 2}
    >>> parse("redis+sentinel://orders@a/2").service
    'orders'
    """
    from urllib.parse import unquote

    kind = kind_of(url)
    if kind is None:
        raise ValueError(f"{url.partition('://')[0]!r} names one server")
    scheme, _, rest = url.partition("://")
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    login, found, places = authority.rpartition("@")
    service: str | None = None
    if kind == "sentinel" and found:
        # The last part before the hosts that has no colon is the name of a master.
        before, _, last = login.rpartition("@")
        if ":" not in last:
            login, service = before, unquote(last)
    values = _query(query)
    sentinel_values = {
        name.removeprefix("sentinel_"): values.pop(name)
        for name in ("sentinel_username", "sentinel_password")
        if name in values
    }
    if login:
        user, _, password = login.partition(":")
        given = {"username": unquote(user), "password": unquote(password)}
        values = {**{name: value for name, value in given.items() if value}, **values}
    parts = [unquote(part) for part in path.split("/") if part]
    if kind == "sentinel" and service is None and parts and not parts[0].isdecimal():
        service = parts.pop(0)
    service = values.pop("service_name", None) or service
    if parts:
        if len(parts) > 1 or not parts[0].isdecimal():
            raise ValueError(f"{'/'.join(parts)!r} is no number of a database")
        values.setdefault("db", int(parts[0]))
    if kind == "cluster" and values.pop("db", 0):
        raise ValueError("a cluster has no database but 0")
    role = values.pop("role", "master")
    if role not in ("master", "primary", "slave", "replica"):
        raise ValueError(f"{role!r} is no role: master or replica")
    if scheme.startswith("rediss"):
        values["ssl"] = True
    hosts = [_host_and_port(place, PORTS[kind]) for place in places.split(",")]
    if kind == "sentinel" and service is None:
        service = DEFAULT_SERVICE
    return Route(kind, hosts, service, role in ("slave", "replica"), values, sentinel_values)


def client_of(client: Any, url: str, values: dict[str, Any], asynchronous: bool) -> Any:
    """The client that a URL stands for; what the URL says wins over ``values``."""
    route = parse(url)
    values = {**values, **route.values}
    if route.kind == "cluster":
        if asynchronous:
            from .aio.cluster import RedisCluster as AsyncCluster

            return AsyncCluster.of_route(route, values)
        from .cluster import RedisCluster

        return RedisCluster.of_route(route, values)
    kind: Any
    if asynchronous:
        from .aio.sentinel import Sentinel as kind
    else:
        from .sentinel import Sentinel as kind
    sockets = {name: value for name, value in values.items() if name.startswith("socket_")}
    if values.get("ssl"):
        sockets |= {name: value for name, value in values.items() if name.startswith("ssl")}
    least = int(values.pop("min_other_sentinels", 0))
    sentinel = kind(route.hosts, least, {**sockets, **route.sentinel_values}, **values)
    find = sentinel.replica_for if route.replica else sentinel.master_for
    return find(route.service, redis_class=client)
