"""``client.bf()``, ``cf()``, ``cms()``, ``topk()``, ``tdigest()``: what Redis 8 counts roughly."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._filter_commands import (
    AsyncBloomCommands,
    AsyncCountMinCommands,
    AsyncCuckooCommands,
    AsyncTDigestCommands,
    AsyncTopKCommands,
    BloomCommands,
    CountMinCommands,
    CuckooCommands,
    TDigestCommands,
    TopKCommands,
)
from ._filter_infos import BFInfo, CFInfo, CMSInfo, TDigestInfo, TopKInfo
from ._replies import ok, text
from .typing import EncodableT, S

_NO_NUMBERS = frozenset({"infinity", "-infinity", "nan"})


def _value(item: Any) -> Any:
    """A number, if the text of an item is one."""
    if item is None or isinstance(item, float):
        return item
    word = text(item)
    if isinstance(word, str) and word.lower() in _NO_NUMBERS:
        return word
    for cast in (int, float):
        try:
            return cast(word)
        except (ValueError, TypeError):
            pass
    return word if isinstance(word, str) else None


def _values(reply: Any, **_: Any) -> list[Any]:
    return [] if reply is None else [_value(item) for item in reply]


def _float(reply: Any, **_: Any) -> float:
    return float(reply)


def _info(kind: type[Any]) -> Callable[..., Any]:
    def info(reply: Any, **_: Any) -> Any:
        return kind(reply)

    return info


_OK: dict[str, Callable[..., Any]] = dict.fromkeys(
    (
        "BF.RESERVE",
        "CF.RESERVE",
        "CMS.INITBYDIM",
        "CMS.INITBYPROB",
        "CMS.MERGE",
        "TDIGEST.CREATE",
        "TOPK.RESERVE",
    ),
    ok,
)
_INFOS: dict[str, Callable[..., Any]] = {
    "BF.INFO": _info(BFInfo),
    "CF.INFO": _info(CFInfo),
    "CMS.INFO": _info(CMSInfo),
    "TDIGEST.INFO": _info(TDigestInfo),
    "TOPK.INFO": _info(TopKInfo),
}
_DIGESTS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("TDIGEST.MIN", "TDIGEST.MAX", "TDIGEST.TRIMMED_MEAN"), _float),
    **dict.fromkeys(
        ("TDIGEST.BYRANK", "TDIGEST.BYREVRANK", "TDIGEST.CDF", "TDIGEST.QUANTILE"), _values
    ),
}
_LISTS: dict[str, Callable[..., Any]] = dict.fromkeys(
    ("TOPK.ADD", "TOPK.INCRBY", "TOPK.LIST"), _values
)


def _callbacks(protocol: Any, legacy: bool) -> dict[str, Callable[..., Any]]:
    if not legacy:
        return _OK | _INFOS | _DIGESTS
    return _OK if protocol in (3, "3") else _OK | _INFOS | _DIGESTS | _LISTS


class _Filters:
    def __init__(self, client: Any) -> None:
        self.client = client
        settings: dict[str, Any] = getattr(client, "get_connection_kwargs", dict)()
        found = _callbacks(settings.get("protocol"), settings.get("legacy_responses", True))
        for name, callback in found.items():
            client.set_response_callback(name, callback)

    # Of a client whose methods are coroutines, this answers the coroutine.
    def execute_command(self, *args: EncodableT, **options: Any) -> Any:
        return self.client.execute_command(*args, **options)


class BFBloom(_Filters, BloomCommands[S]):
    """Bloom filters of a client; made by ``client.bf()``."""


class CFBloom(_Filters, CuckooCommands[S]):
    """Cuckoo filters of a client; made by ``client.cf()``."""


class CMSBloom(_Filters, CountMinCommands[S]):
    """Count-min sketches of a client; made by ``client.cms()``."""


class TOPKBloom(_Filters, TopKCommands[S]):
    """Lists of the most frequent items of a client; made by ``client.topk()``."""


class TDigestBloom(_Filters, TDigestCommands[S]):
    """T-digests of a client; made by ``client.tdigest()``."""


class AsyncBFBloom(_Filters, AsyncBloomCommands[S]):
    """Bloom filters of a client whose methods are coroutines."""


class AsyncCFBloom(_Filters, AsyncCuckooCommands[S]):
    """Cuckoo filters of a client whose methods are coroutines."""


class AsyncCMSBloom(_Filters, AsyncCountMinCommands[S]):
    """Count-min sketches of a client whose methods are coroutines."""


class AsyncTOPKBloom(_Filters, AsyncTopKCommands[S]):
    """Lists of the most frequent items of a client whose methods are coroutines."""


class AsyncTDigestBloom(_Filters, AsyncTDigestCommands[S]):
    """T-digests of a client whose methods are coroutines."""
