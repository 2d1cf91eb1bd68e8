"""The types that arguments and replies of commands have.

The names are redis-py's. ``S`` is what strings of replies are: ``bytes``, or ``str`` with
``decode_responses=True``; a client is generic in it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    S = TypeVar("S", bound=bytes | str, default=bytes | str)
else:
    from typing import TypeVar

    S = TypeVar("S", bound=bytes | str)

T = TypeVar("T")

Number: TypeAlias = int | float
EncodedT: TypeAlias = bytes | bytearray | memoryview
DecodedT: TypeAlias = str | int | float
EncodableT: TypeAlias = EncodedT | DecodedT
KeyT: TypeAlias = bytes | str | memoryview
FieldT: TypeAlias = EncodableT
PatternT: TypeAlias = KeyT
ChannelT: TypeAlias = KeyT
GroupT: TypeAlias = KeyT
ConsumerT: TypeAlias = KeyT
ScriptTextT: TypeAlias = KeyT
StreamIdT: TypeAlias = int | KeyT
KeysT: TypeAlias = KeyT | Iterable[KeyT]
ExpiryT: TypeAlias = int | timedelta
AbsExpiryT: TypeAlias = int | datetime
TimeoutSecT: TypeAlias = int | float | KeyT
ZScoreBoundT: TypeAlias = float | str
BitfieldOffsetT: TypeAlias = int | str
ScoreCastT: TypeAlias = Callable[[Any], Any]
# Where a client of a cluster sends a command: the name of a set of nodes, a node, or several.
TargetNodesT: TypeAlias = Any

# A mapping is invariant in its keys, so these cannot be unions.
AnyKeyT = TypeVar("AnyKeyT", bytes, str, memoryview)
AnyFieldT = TypeVar("AnyFieldT", bytes, str, memoryview, int, float)


@dataclass(frozen=True)
class Subscription:
    """A channel or pattern, and perhaps a function for its messages."""

    name: ChannelT
    handler: Callable[[Any], Any] | None = None


class DataPersistOptions(Enum):
    """Whether ``MSETEX`` sets keys that are there, or that are not."""

    NX = "NX"
    XX = "XX"


class HashDataPersistOptions(Enum):
    """Whether ``HSETEX`` sets fields that are there, or that are not."""

    FNX = "FNX"
    FXX = "FXX"


class QuantizationOptions(Enum):
    """How ``VADD`` stores vectors."""

    NOQUANT = "NOQUANT"
    BIN = "BIN"
    Q8 = "Q8"


class HotkeysMetricsTypes(Enum):
    """What ``HOTKEYS`` counts."""

    CPU = "CPU"
    NET = "NET"


class ArrayAggregateOperations(Enum):
    """What ``AROP`` computes."""

    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AND = "AND"
    OR = "OR"
    XOR = "XOR"
    MATCH = "MATCH"
    USED = "USED"


class ArrayPredicateType(Enum):
    """How ``ARGREP`` compares."""

    EXACT = "EXACT"
    MATCH = "MATCH"
    GLOB = "GLOB"
    RE = "RE"


class ArrayPredicateCombinator(Enum):
    """How ``ARGREP`` combines what it compares."""

    AND = "AND"
    OR = "OR"
