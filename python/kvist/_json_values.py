"""JSON documents on the way to a server and back."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from .exceptions import DataError

JsonType: TypeAlias = (
    str | int | float | bool | None | Mapping[str, "JsonType"] | Sequence["JsonType"]
)


class Path:
    """A path as an object, for programs that were written so; a plain string does as well."""

    def __init__(self, path: str) -> None:
        self.strPath = path

    @staticmethod
    def root_path() -> str:
        """The whole document."""
        return "."

    def __repr__(self) -> str:
        return self.strPath


PathT: TypeAlias = str | Path


class FPHAType(str, Enum):
    """How arrays of numbers are to be stored."""

    BF16 = "BF16"
    FP16 = "FP16"
    FP32 = "FP32"
    FP64 = "FP64"

    @classmethod
    def from_value(cls, value: "FPHAType | str") -> "FPHAType":
        """The member of this name, in any case."""
        try:
            return value if isinstance(value, cls) else cls(value.upper())
        except ValueError:
            names = ", ".join(member.value for member in cls)
            raise DataError(f"{value} is no type of numbers; there are {names}") from None


def decoded_keys(value: Any) -> Any:
    """A dict whose keys that are bytes have become strings."""
    return {k.decode() if isinstance(k, bytes) else k: v for k, v in value.items()}
