"""Replies of commands in redis-py's shapes.

A server answers in RESP2 or RESP3, and redis-py has three sets of shapes for Python:

=============  =====================================  ==============================
``protocol``   ``legacy_responses=True`` (default)    ``legacy_responses=False``
=============  =====================================  ==============================
``None``       LEGACY, spoken in RESP3                UNIFIED, spoken in RESP3
``2``          LEGACY                                 UNIFIED
``3``          NATIVE: near to what RESP3 says        UNIFIED
=============  =====================================  ==============================

So a function here takes what either protocol says and makes one shape of it; :func:`callbacks`
gives the functions of a set by the names of commands. A function is called as
``function(reply, **options)`` with the options of the call that matter to the reply. It must not
be called for errors, and commands that it does not name answer what the parser made of the reply.
"""

# Replies are of any type until something here has looked at them.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

Callback = Callable[..., Any]


def text(value: Any) -> Any:
    """A string; what is neither bytes nor a string is left alone."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _texts(reply: Any, **_: Any) -> Any:
    return [text(item) for item in reply]


def _text(reply: Any, **_: Any) -> Any:
    return text(reply)


def _same(reply: Any, **_: Any) -> Any:
    return reply


def _true(reply: Any, **_: Any) -> bool:
    return True


def ok(reply: Any, **_: Any) -> bool:
    """Whether a reply is the word OK."""
    return bool(reply == b"OK" or reply == "OK")


def _pairs(reply: Any) -> Iterable[tuple[Any, Any]]:
    """Keys and values of a map, which is a flat list in RESP2."""
    if isinstance(reply, dict):
        return reply.items()
    items = iter(reply)
    return zip(items, items)


def _dict(reply: Any, **_: Any) -> dict[Any, Any]:
    return dict(_pairs(reply)) if reply else {}


def _named(reply: Any, **_: Any) -> dict[Any, Any]:
    """A map whose keys are names of fields."""
    return {text(key): value for key, value in _pairs(reply)} if reply else {}


def _named_texts(reply: Any, **_: Any) -> dict[Any, Any]:
    return {text(key): text(value) for key, value in _pairs(reply)} if reply else {}


def _flat(reply: dict[Any, Any]) -> list[Any]:
    return [item for pair in reply.items() for item in pair]


def _named_list(reply: Any, **_: Any) -> list[Any]:
    return [_named(item) for item in reply]


def _dict_list(reply: Any, **_: Any) -> list[Any]:
    return [_dict(item) for item in reply]


# Simple values.


def _set(reply: Any, **_: Any) -> set[Any]:
    return set(reply) if reply else set()


def _float(reply: Any, **_: Any) -> float | None:
    return None if reply is None else float(reply)


def _floats(reply: Any, **_: Any) -> list[float | None]:
    return [None if item is None else float(item) for item in reply]


def _moment(reply: Any, **_: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(reply)) if reply else None
    except ValueError:
        return None


def _tuple(reply: Any, **_: Any) -> tuple[Any, ...] | None:
    return tuple(reply) if reply else None


def _or_none(reply: Any, **_: Any) -> Any:
    return reply or None


def _set_reply(reply: Any, get: bool = False, **_: Any) -> Any:
    if get:
        return reply
    return reply and ok(reply)


def _pong(reply: Any, **_: Any) -> bool:
    return bool(text(reply) == "PONG")


def _time(reply: Any, **_: Any) -> tuple[int, int]:
    return int(reply[0]), int(reply[1])


def _bools(reply: Any, **_: Any) -> list[bool]:
    return [bool(item) for item in reply]


def _cursor(reply: Any, **_: Any) -> tuple[int, Any]:
    return int(reply[0]), reply[1]


# Scores.


def _cast_of(cast: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``cast``, or ``cast`` of the number, for one that cannot read ``1e+18``."""
    if cast is float:
        return cast

    def careful(score: Any) -> Any:
        try:
            return cast(score)
        except (ValueError, TypeError):
            return cast(float(score))

    return careful


def _score_text(score: Any) -> bytes:
    """A score as RESP2 sends it."""
    if isinstance(score, bytes):
        return score
    return score.encode() if isinstance(score, str) else format(float(score), ".17g").encode()


def _members(reply: Any) -> Iterable[tuple[Any, Any]]:
    """Members and scores: nested in RESP3, flat in RESP2 (and of ``ZPOPMIN`` without a count)."""
    if isinstance(reply[0], (list, tuple)):
        return ((member, score) for member, score in reply)
    items = iter(reply)
    return zip(items, items)


def _scored(reply: Any, withscores: Any = False, score_cast_func: Any = float, **_: Any) -> Any:
    if not reply or not withscores:
        return reply
    if score_cast_func is float:
        return [(member, float(score)) for member, score in _members(reply)]
    cast = _cast_of(score_cast_func)
    if isinstance(reply[0], list) or isinstance(reply[1], float):
        return [(member, cast(_score_text(score))) for member, score in _members(reply)]
    return [(member, cast(score)) for member, score in _members(reply)]


def _popped(reply: Any, score_cast_func: Any = float, **_: Any) -> Any:
    return _scored(reply, True, score_cast_func)


def _scored_flat(reply: Any, withscores: Any = False, **_: Any) -> Any:
    if not reply or not withscores or not isinstance(reply[0], list):
        return reply
    return [item for member, score in reply for item in (member, _score_text(score))]


def _scored_native(reply: Any, withscores: Any = False, score_cast_func: Any = float, **_: Any) -> Any:
    if not reply or not withscores:
        return reply
    return [[member, score_cast_func(score)] for member, score in reply]


def _scored_unified(
    reply: Any, withscores: Any = False, score_cast_func: Any = float, **_: Any
) -> Any:
    if not reply or not withscores:
        return reply
    cast = score_cast_func if isinstance(reply[0], list) else _cast_of(score_cast_func)
    return [[member, cast(float(score))] for member, score in _members(reply)]


def _popped_unified(reply: Any, score_cast_func: Any = float, **_: Any) -> Any:
    return _scored_unified(reply, True, score_cast_func)


def _rank(reply: Any, withscore: Any = False, score_cast_func: Any = float, **_: Any) -> Any:
    if not reply or not withscore:
        return reply
    return [reply[0], _cast_of(score_cast_func)(_score_text(reply[1]))]


def _rank_native(reply: Any, withscore: Any = False, score_cast_func: Any = float, **_: Any) -> Any:
    if not reply or not withscore:
        return reply
    return [reply[0], score_cast_func(reply[1])]


def _rank_unified(reply: Any, withscore: Any = False, score_cast_func: Any = float, **_: Any) -> Any:
    if not reply or not withscore:
        return reply
    return [reply[0], _cast_of(score_cast_func)(float(reply[1]))]


def _blocking_popped(reply: Any, **_: Any) -> Any:
    return (reply[0], reply[1], float(reply[2])) if reply else None


def _blocking_popped_unified(reply: Any, **_: Any) -> Any:
    return [reply[0], reply[1], float(reply[2])] if reply else None


def _zmpop(reply: Any, **_: Any) -> Any:
    if not reply or not reply[1] or not isinstance(reply[1][0][1], float):
        return reply
    return [reply[0], [[member, _score_text(score)] for member, score in reply[1]]]


def _zmpop_unified(reply: Any, **_: Any) -> Any:
    return reply and [reply[0], [[member, float(score)] for member, score in reply[1]]]


def _zadd(reply: Any, as_score: Any = False, **_: Any) -> int | float | None:
    if reply is None:
        return None
    return float(reply) if as_score else int(reply)


def _zscan(reply: Any, score_cast_func: Any = float, **_: Any) -> Any:
    cast = _cast_of(score_cast_func)
    items = iter(reply[1])
    return int(reply[0]), [(member, cast(score)) for member, score in zip(items, items)]


def _zscan_unified(reply: Any, score_cast_func: Any = float, **_: Any) -> Any:
    cast = _cast_of(score_cast_func)
    items = iter(reply[1])
    return int(reply[0]), [[member, cast(float(score))] for member, score in zip(items, items)]


# Hashes, sorting, places.


def _hscan(reply: Any, no_values: Any = False, **_: Any) -> Any:
    return int(reply[0]), (reply[1] or []) if no_values else _dict(reply[1])


def _random_fields(reply: Any, withvalues: Any = False, **_: Any) -> Any:
    if not reply or not withvalues or not isinstance(reply[0], list):
        return reply
    return [item for pair in reply for item in pair]


def _random_fields_unified(reply: Any, withvalues: Any = False, **_: Any) -> Any:
    if not reply or not withvalues or isinstance(reply[0], list):
        return reply
    return [[field, value] for field, value in _pairs(reply)]


def _sorted(reply: Any, groups: int | None = None, **_: Any) -> Any:
    if not reply or not groups:
        return reply
    return list(zip(*[reply[n::groups] for n in range(groups)]))


def _places(reply: Any, **options: Any) -> Any:
    # A command that was not called by its method has no such options.
    if "store" not in options or options["store"] or options.get("store_dist"):
        return reply
    places = reply if isinstance(reply, list) else [reply]
    casts: list[Callable[[Any], Any]] = [_same]
    if options["withdist"]:
        casts.append(float)
    if options["withhash"]:
        casts.append(int)
    if options["withcoord"]:
        casts.append(_point)
    if len(casts) == 1:
        return places
    return [[cast(item) for cast, item in zip(casts, place)] for place in places]


def _point(reply: Any) -> tuple[float, float]:
    return float(reply[0]), float(reply[1])


def _points(reply: Any, **_: Any) -> Any:
    return [None if point is None else _point(point) for point in reply]


def _points_unified(reply: Any, **_: Any) -> Any:
    return [None if point is None else list(_point(point)) for point in reply]


def _lcs(reply: Any, **_: Any) -> Any:
    return _flat(reply) if isinstance(reply, dict) else reply


def _lcs_unified(reply: Any, **_: Any) -> Any:
    return _named(reply) if isinstance(reply, (list, dict)) else reply


def _stralgo_of(span: Callable[[Any], Any]) -> Callback:
    def stralgo(reply: Any, **options: Any) -> Any:
        if options.get("len"):
            return int(reply)
        if not options.get("idx"):
            return text(reply)
        found = _named(reply)
        with_length = options.get("withmatchlen")
        found["matches"] = [
            [int(match[-1]), *map(span, match[:-1])] if with_length else [span(m) for m in match]
            for match in found["matches"]
        ]
        found["len"] = int(found["len"])
        return found

    return stralgo


def _stralgo_native(reply: Any, **_: Any) -> Any:
    return _named_texts(reply) if isinstance(reply, dict) else text(reply)


# Streams.


def _entries(reply: Any, **options: Any) -> Any:
    if reply is None:
        return None
    if "claim_min_idle_time" in options:
        return [
            (None, None) if entry is None else (entry[0], _dict(entry[1]), *entry[2:])
            for entry in reply
        ]
    return [(None, None) if entry is None else (entry[0], _dict(entry[1])) for entry in reply]


def _read(reply: Any, **options: Any) -> Any:
    if not reply:
        return []
    streams = reply.items() if isinstance(reply, dict) else reply
    return [[stream, _entries(entries, **options)] for stream, entries in streams]


def _read_native(reply: Any, **options: Any) -> Any:
    if reply is None:
        return {}
    return {stream: [_entries(entries, **options)] for stream, entries in reply.items()}


def _read_unified(reply: Any, **options: Any) -> Any:
    if not reply:
        return {}
    streams = reply.items() if isinstance(reply, dict) else reply
    return {stream: _entries(entries, **options) for stream, entries in streams}


def _claimed(reply: Any, parse_justid: Any = False, **_: Any) -> Any:
    return reply if parse_justid else _entries(reply)


def _autoclaimed(reply: Any, parse_justid: Any = False, **_: Any) -> Any:
    if parse_justid:
        return reply[1]
    return [reply[0], _entries(reply[1]), *reply[2:]]


def _pending(reply: Any, parse_detail: Any = False, **_: Any) -> Any:
    if parse_detail:
        names = ("message_id", "consumer", "time_since_delivered", "times_delivered")
        return [dict(zip(names, entry)) for entry in reply]
    consumers = [{"name": name, "pending": int(count)} for name, count in reply[3] or []]
    return {"pending": reply[0], "min": reply[1], "max": reply[2], "consumers": consumers}


def _stream_info(reply: Any, full: Any = False, **_: Any) -> dict[str, Any]:
    info = _named(reply)
    if not full:
        for name in ("first-entry", "last-entry"):
            entry = info.get(name)
            if entry is not None and entry[0] is not None:
                info[name] = (entry[0], _dict(entry[1]))
        return info
    info["entries"] = {id: _dict(fields) for id, fields in info["entries"]}
    flat = bool(info["groups"]) and isinstance(info["groups"][0], list)
    info["groups"] = _named_list(info["groups"])
    for group in info["groups"]:
        if flat and group["consumers"] and group["consumers"][0] is not None:
            group["consumers"] = _named_list(group["consumers"])
    return info


# The server.


def _number(value: str) -> Any:
    if "=" in value:
        parts: dict[str, Any] = {}
        for item in filter(None, value.split(",")):
            key, equals, rest = item.rpartition("=")
            parts[key if equals else item] = _number(rest) if equals else True
        return parts
    if "," in value:
        return [_number(item) for item in value.split(",") if item]
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        return value


def _info(reply: Any, **_: Any) -> dict[str, Any]:
    info: dict[str, Any] = {}
    for line in text(reply).splitlines():
        if not line or line.startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if not colon:
            info.setdefault("__raw__", []).append(line)
            continue
        if key == "cmdstat_host":  # the one name of a command that may have a colon
            key, _colon, value = line.rpartition(":")
        if key == "module":
            info.setdefault("modules", []).append(_number(value))
        else:
            info[key] = _number(value)
    return info


def _config(reply: Any, **_: Any) -> dict[Any, Any]:
    return _named_texts(reply)


def _memory_of(cast: Callable[[Any], Any]) -> Callback:
    """``MEMORY STATS``; ``cast`` is for values of RESP2, where fractions are texts."""

    def memory(reply: Any, **_: Any) -> dict[str, Any]:
        value_of = text if isinstance(reply, dict) else cast
        stats: dict[str, Any] = {}
        for key, value in _pairs(reply):
            name = text(key)
            if name.startswith("db.") and isinstance(value, (list, dict)):
                inner = _same if isinstance(value, dict) else cast
                stats[name] = {text(k): inner(v) for k, v in _pairs(value)}
            else:
                stats[name] = value if isinstance(reply, dict) else value_of(value)
        return stats

    return memory


def _debug_object(reply: Any, **_: Any) -> dict[str, Any]:
    fields: dict[str, Any] = dict(
        field.split(":", 1) for field in ("type:" + text(reply)).split() if ":" in field
    )
    for name in ("refcount", "serializedlength", "lru", "lru_seconds_idle"):
        if name in fields:
            fields[name] = int(fields[name])
    return fields


def _slowlog(reply: Any, decode_responses: Any = False, **_: Any) -> list[dict[str, Any]]:
    blank: Any = " " if decode_responses else b" "

    def entry(item: Any) -> dict[str, Any]:
        shown = {"id": item[0], "start_time": int(item[1]), "duration": int(item[2])}
        rest = list(item[3:])
        if rest and not isinstance(rest[0], list):  # a server that tells how complex it was
            shown["complexity"] = rest.pop(0)
        shown["command"] = blank.join(rest[0])
        if len(rest) >= 3:
            shown["client_address"], shown["client_name"] = rest[1], rest[2]
        return shown

    return [entry(item) for item in reply]


def _numsub(reply: Any, **_: Any) -> list[tuple[Any, Any]]:
    return list(_pairs(reply))


def _command_of(flags: Callable[[Any], Any], categories: Callable[[Any], Any]) -> Callback:
    def commands(reply: Any, **_: Any) -> dict[str, dict[str, Any]]:
        shown: dict[str, dict[str, Any]] = {}
        for command in reply:
            name = text(command[0])
            one = {
                "name": name,
                "arity": int(command[1]),
                "flags": flags(command[2]),
                "first_key_pos": command[3],
                "last_key_pos": command[4],
                "step_count": command[5],
            }
            if len(command) > 6:
                one["acl_categories"] = categories(command[6])
            if len(command) > 7:
                one["tips"] = command[7]
                one["key_specifications"] = command[8]
                one["subcommands"] = command[9]
            shown[name] = one
        return shown

    return commands


def _text_set(reply: Any) -> set[Any]:
    return {text(item) for item in reply}


# Clients and users.

_CLIENT_NUMBERS = (
    "id",
    "age",
    "idle",
    "db",
    "sub",
    "psub",
    "multi",
    "qbuf",
    "qbuf-free",
    "obl",
    "argv-mem",
    "oll",
    "omem",
    "tot-mem",
)


def _client(reply: Any, **_: Any) -> dict[str, Any]:
    client: dict[str, Any] = dict(field.split("=", 1) for field in text(reply).split())
    for name in _CLIENT_NUMBERS:
        if name in client:
            client[name] = int(client[name])
    return client


def _clients(reply: Any, **_: Any) -> list[dict[str, str]]:
    clients = []
    for line in text(reply).splitlines():
        client: dict[str, str] = {}
        last = ""
        for field in line.split(" "):
            name, equals, value = field.partition("=")
            if equals:
                client[name] = value
                last = name
            else:  # a value with a blank in it
                client[last] += " " + field
        if client:
            clients.append(client)
    return clients


def _killed(reply: Any, **_: Any) -> Any:
    return reply if isinstance(reply, int) else ok(reply)


def _tracking(reply: Any, **_: Any) -> list[Any]:
    if not isinstance(reply, dict):
        return _texts(reply)  # type: ignore[no-any-return]
    return [item for key, value in reply.items() for item in (text(key), value)]


def _tracking_unified(reply: Any, **_: Any) -> dict[str, Any]:
    info = _named(reply)
    for name in ("flags", "prefixes"):
        if name in info:
            info[name] = _texts(info[name])
    return info


def _words(value: Any) -> Any:
    """A text of words as a list; a list is left alone."""
    if isinstance(value, (bytes, str)):
        value = text(value).split(" ")
    return [] if value == [""] else value


def _user_of(selector: Callable[[Any], Any]) -> Callback:
    def user(reply: Any, **_: Any) -> dict[str, Any] | None:
        if reply is None:
            return None
        info = _named(reply)
        info["flags"] = _texts(info["flags"])
        info["passwords"] = _texts(info["passwords"])
        info["keys"] = _words(info["keys"])
        if "channels" in info:
            info["channels"] = _words(info["channels"])
        if info.get("selectors"):
            info["selectors"] = [selector(one) for one in info["selectors"]]
        rules = text(info["commands"]).split(" ")
        info["commands"] = [rule for rule in rules if "@" not in rule]
        info["categories"] = [rule for rule in rules if "@" in rule]
        info["enabled"] = "on" in info["flags"]
        return info

    return user


def _selector_flat(selector: Any) -> Any:
    return _texts(_flat(selector) if isinstance(selector, dict) else selector)


def _selector_native(selector: Any) -> Any:
    return _named_texts(selector) if isinstance(selector, dict) else _texts(selector)


def _acl_log(reply: Any, **_: Any) -> Any:
    if not isinstance(reply, list):
        return None if reply is None else ok(reply)
    entries = [_named_texts(entry) for entry in reply]
    for entry in entries:
        entry["client-info"] = _client(entry.get("client-info", ""))
        entry["age-seconds"] = float(entry["age-seconds"])
    return entries


def _acl_log_native(reply: Any, **_: Any) -> Any:
    return [_named_texts(entry) for entry in reply] if isinstance(reply, list) else ok(reply)


# Functions, the cluster, Sentinel.

_FUNCTIONS = (b"functions", "functions")


def _libraries(reply: Any, **_: Any) -> Any:
    """Libraries with their functions, flat as in RESP2."""

    def flat(function: Any) -> Any:
        return _flat(function) if isinstance(function, dict) else function

    def library(item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        words: list[Any] = []
        for key, value in item.items():
            words += (key, [flat(one) for one in value] if key in _FUNCTIONS else value)
        return words

    return None if reply is None else [library(item) for item in reply]


def _libraries_unified(reply: Any, **_: Any) -> Any:
    def library(item: Any) -> Any:
        if isinstance(item, dict):
            return item
        shown = _dict(item)
        for key in _FUNCTIONS:
            if key in shown:
                shown[key] = [_dict(function) for function in shown[key]]
        return shown

    return None if reply is None else [library(item) for item in reply]


def _cluster_info(reply: Any, **_: Any) -> dict[str, str]:
    return dict(line.split(":", 1) for line in text(reply).splitlines() if line)


def _node(line: str) -> tuple[str, dict[str, Any]]:
    name, address, flags, master, ping, pong, epoch, link, *ranges = line.split(" ")
    where, _at, rest = address.partition("@")
    slots: list[list[str]] = []
    migrations: list[dict[str, str]] = []
    for words in ranges:
        for arrow, state in (("->-", "migrating"), ("-<-", "importing")):
            if arrow in words:
                slot, other = words[1:-1].split(arrow, 1)
                migrations.append({"slot": slot, "node_id": other, "state": state})
                break
        else:
            slots.append(words.split("-"))
    node: dict[str, Any] = {
        "node_id": name,
        "hostname": rest.split(",")[1] if "," in rest else "",
        "flags": flags,
        "master_id": master,
        "last_ping_sent": ping,
        "last_pong_rcvd": pong,
        "epoch": epoch,
        "slots": slots,
        "migrations": migrations,
        "connected": link == "connected",
    }
    return where, node


def _nodes(reply: Any, **_: Any) -> dict[str, dict[str, Any]]:
    lines = reply.splitlines() if isinstance(reply, (bytes, str)) else reply
    return dict(_node(text(line)) for line in lines)


def _links(reply: Any, **_: Any) -> Any:
    if reply is None:
        return None
    return [_flat(link) if isinstance(link, dict) else link for link in reply]


def _links_unified(reply: Any, **_: Any) -> Any:
    return None if reply is None else _named_list(reply)


_SENTINEL_NUMBERS = frozenset(
    "can-failover-its-master config-epoch down-after-milliseconds failover-timeout info-refresh "
    "last-hello-message last-ok-ping-reply last-ping-reply last-ping-sent master-link-down-time "
    "master-port num-other-sentinels num-slaves o-down-time pending-commands parallel-syncs port "
    "quorum role-reported-time s-down-time slave-priority slave-repl-offset "
    "voted-leader-epoch".split()
)
_SENTINEL_FLAGS = (
    ("is_master", "master"),
    ("is_slave", "slave"),
    ("is_sdown", "s_down"),
    ("is_odown", "o_down"),
    ("is_sentinel", "sentinel"),
    ("is_disconnected", "disconnected"),
    ("is_master_down", "master_down"),
)


def _watched(reply: Any, flags_as_set: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for key, value in _pairs(reply):
        name, value = text(key), text(value)
        if name in _SENTINEL_NUMBERS:
            try:
                value = int(value)
            except ValueError:
                pass
        shown[name] = value
    flags = set(shown["flags"].split(","))
    if flags_as_set:
        shown["flags"] = flags
    for name, flag in _SENTINEL_FLAGS:
        shown[name] = flag in flags
    return shown


def _sentinel(as_set: bool) -> dict[str, Callback]:
    def one(reply: Any, **_: Any) -> Any:
        return _watched(reply, as_set)

    def several(reply: Any, **_: Any) -> Any:
        return [_watched(item, as_set) for item in reply]

    def masters(reply: Any, **_: Any) -> Any:
        return {shown["name"]: shown for shown in several(reply)}

    return {
        "SENTINEL MASTER": one,
        "SENTINEL MASTERS": masters,
        "SENTINEL SENTINELS": several,
        "SENTINEL SLAVES": several,
    }


def _address(reply: Any, **_: Any) -> tuple[Any, int] | None:
    return (reply[0], int(reply[1])) if reply else None


# What belongs to which command.


def _each(names: str, callback: Callback) -> dict[str, Callback]:
    return dict.fromkeys(names.split(","), callback)


COMMON: dict[str, Callback] = {
    **_each(
        "AUTH,COPY,EXPIRE,EXPIREAT,HEXISTS,HMSET,MOVE,MSETNX,PERSIST,PSETEX,PEXPIRE,PEXPIREAT,"
        "RENAMENX,SETEX,SETNX,SMOVE,CLIENT UNBLOCK,MODULE LOAD,MODULE UNLOAD,XGROUP DESTROY",
        bool,
    ),
    **_each(
        "ASKING,FLUSHALL,FLUSHDB,LSET,LTRIM,MSET,PFMERGE,READONLY,READWRITE,RENAME,SAVE,SELECT,"
        "SHUTDOWN,SLAVEOF,SWAPDB,WATCH,UNWATCH,QUIT,ACL LOAD,ACL SETUSER,ACL SAVE,CLIENT PAUSE,"
        "CLIENT SETINFO,CLIENT SETNAME,CLUSTER ADDSLOTS,CLUSTER ADDSLOTSRANGE,CLUSTER DELSLOTS,"
        "CLUSTER DELSLOTSRANGE,CLUSTER FAILOVER,CLUSTER FORGET,CLUSTER MEET,CLUSTER REPLICATE,"
        "CLUSTER RESET,CLUSTER SAVECONFIG,CLUSTER SET-CONFIG-EPOCH,CLUSTER SETSLOT,"
        "CONFIG RESETSTAT,CONFIG SET,FUNCTION DELETE,FUNCTION FLUSH,FUNCTION RESTORE,MEMORY PURGE,"
        "SCRIPT FLUSH,SCRIPT KILL,SENTINEL CKQUORUM,SENTINEL FAILOVER,SENTINEL FLUSHCONFIG,"
        "SENTINEL MONITOR,SENTINEL RESET,SENTINEL REMOVE,SENTINEL SET,SLOWLOG RESET,"
        "XGROUP CREATE,XGROUP SETID",
        ok,
    ),
    **_each("HINCRBYFLOAT,INCRBYFLOAT", float),
    **_each("XREAD,XREADGROUP", _read),
    **_each("GEORADIUS,GEORADIUSBYMEMBER,GEOSEARCH", _places),
    **_each("XRANGE,XREVRANGE", _entries),
    **_each("CLUSTER NODES,CLUSTER REPLICAS,CLUSTER SLAVES", _nodes),
    **_each("PUBSUB NUMSUB,PUBSUB SHARDNUMSUB", _numsub),
    **_each("SCAN,SSCAN", _cursor),
    "ACL GETUSER": _user_of(_selector_native),
    "ACL LOG": _acl_log,
    "ARINFO": _named,
    "CLIENT INFO": _client,
    "CLIENT KILL": _killed,
    "CLIENT LIST": _clients,
    "CLUSTER INFO": _cluster_info,
    "COMMAND": _command_of(_texts, _texts),
    "GEODIST": _float,
    "HSCAN": _hscan,
    "INFO": _info,
    "LASTSAVE": _moment,
    "PING": _pong,
    "SCRIPT EXISTS": _bools,
    "SCRIPT LOAD": _text,
    "SENTINEL GET-MASTER-ADDR-BY-NAME": _address,
    "SET": _set_reply,
    "SLOWLOG GET": _slowlog,
    "SORT": _sorted,
    "TIME": _time,
    "XAUTOCLAIM": _autoclaimed,
    "XCLAIM": _claimed,
    "XINFO STREAM": _stream_info,
    "XPENDING": _pending,
    "ZSCAN": _zscan,
}

LEGACY: dict[str, Callback] = {
    **_each("SDIFF,SINTER,SMEMBERS,SUNION", _set),
    **_each("ZINTER,ZRANGE,ZRANGEBYSCORE,ZREVRANGE,ZREVRANGEBYSCORE,ZUNION", _scored),
    **_each("ZDIFF,ZRANDMEMBER", _scored_flat),
    **_each("ZPOPMAX,ZPOPMIN", _popped),
    **_each("ZRANK,ZREVRANK", _rank),
    **_each("ZINCRBY,ZSCORE", _float),
    **_each("BGREWRITEAOF,BGSAVE", _true),
    **_each("BLPOP,BRPOP", _tuple),
    **_each("BZPOPMAX,BZPOPMIN", _blocking_popped),
    **_each("ZMPOP,BZMPOP", _zmpop),
    **_each("ACL GENPASS,ACL WHOAMI,CLIENT GETNAME,RESET", _text),
    **_each(
        "ACL CAT,ACL HELP,ACL LIST,ACL USERS,CLUSTER GETKEYSINSLOT,COMMAND GETKEYS,GEOHASH", _texts
    ),
    **_each("XINFO CONSUMERS,XINFO GROUPS", _named_list),
    **_each("HOTKEYS GET,MODULE LIST", _dict_list),
    **_sentinel(as_set=False),
    "ACL GETUSER": _user_of(_selector_flat),
    "CLIENT TRACKINGINFO": _tracking,
    "CLUSTER LINKS": _links,
    "CONFIG GET": _config,
    "DEBUG OBJECT": _debug_object,
    "FUNCTION LIST": _libraries,
    "GEOPOS": _points,
    "HGETALL": _dict,
    "HRANDFIELD": _random_fields,
    "LCS": _lcs,
    "MEMORY STATS": _memory_of(text),
    "STRALGO": _stralgo_of(tuple),
    "ZADD": _zadd,
    "ZMSCORE": _floats,
}

NATIVE: dict[str, Callback] = {
    **_each("SDIFF,SINTER,SMEMBERS,SUNION", _set),
    **_each("ZRANGE,ZRANGEBYSCORE,ZREVRANGE,ZREVRANGEBYSCORE,ZUNION", _scored_native),
    **_each("ZRANK,ZREVRANK", _rank_native),
    **_each("XREAD,XREADGROUP", _read_native),
    **_each("XINFO CONSUMERS,XINFO GROUPS", _named_list),
    **_sentinel(as_set=True),
    "ACL LOG": _acl_log_native,
    "COMMAND": _command_of(_text_set, _same),
    "CONFIG GET": _config,
    "MEMORY STATS": _memory_of(text),
    "STRALGO": _stralgo_native,
}

UNIFIED: dict[str, Callback] = {
    **LEGACY,
    **_each(
        "ZDIFF,ZINTER,ZRANDMEMBER,ZRANGE,ZRANGEBYSCORE,ZREVRANGE,ZREVRANGEBYSCORE,ZUNION",
        _scored_unified,
    ),
    **_each("ZPOPMAX,ZPOPMIN", _popped_unified),
    **_each("ZRANK,ZREVRANK", _rank_unified),
    **_each("BLPOP,BRPOP", _or_none),
    **_each("BZPOPMAX,BZPOPMIN", _blocking_popped_unified),
    **_each("XREAD,XREADGROUP", _read_unified),
    **_each("ZMPOP,BZMPOP", _zmpop_unified),
    **_each("CLUSTER GETKEYSINSLOT,COMMAND GETKEYS", _same),
    **_sentinel(as_set=True),
    "ACL GETUSER": _user_of(lambda selector: _dict(_selector_native(selector))),
    "CLIENT TRACKINGINFO": _tracking_unified,
    "CLUSTER LINKS": _links_unified,
    "COMMAND": _command_of(_text_set, _text_set),
    "FUNCTION LIST": _libraries_unified,
    "GEOPOS": _points_unified,
    "HRANDFIELD": _random_fields_unified,
    "LCS": _lcs_unified,
    "MEMORY STATS": _memory_of(_same),
    "STRALGO": _stralgo_of(list),
    "ZSCAN": _zscan_unified,
}


def callbacks(protocol: int | str | None, legacy_responses: bool = True) -> dict[str, Callback]:
    """The functions of a client's set by the upper-case names of commands; a copy to change.

    ``protocol`` is what the user asked for, which may be nothing.
    """
    number = None if protocol is None else int(protocol)
    if legacy_responses:
        return COMMON | (NATIVE if number == 3 else LEGACY)
    chosen = COMMON | UNIFIED
    if number != 2:
        # RESP3 has nothing to say about these that would make them other than they are.
        for name in ("BGREWRITEAOF", "BGSAVE", "DEBUG OBJECT"):
            del chosen[name]
    return chosen
