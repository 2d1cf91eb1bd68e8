"""``BITFIELD`` as a chain of operations."""

from __future__ import annotations

from typing import Any

from .typing import BitfieldOffsetT, KeyT


class BitFieldOperation:
    """Operations on integers within a string, gathered and sent at once by :meth:`execute`."""

    def __init__(self, client: Any, key: KeyT, default_overflow: str | None = None) -> None:
        self.client = client
        self.key = key
        self._default_overflow = default_overflow
        self.operations: list[tuple[Any, ...]] = []
        self._last_overflow = "WRAP"
        self.reset()

    def reset(self) -> None:
        """Forgets the operations."""
        self.operations = []
        self._last_overflow = "WRAP"
        self.overflow(self._default_overflow or self._last_overflow)

    def overflow(self, overflow: str) -> BitFieldOperation:
        """What happens to increments that do not fit from here on: WRAP, SAT or FAIL."""
        overflow = overflow.upper()
        if overflow != self._last_overflow:
            self._last_overflow = overflow
            self.operations.append(("OVERFLOW", overflow))
        return self

    def incrby(
        self, fmt: str, offset: BitfieldOffsetT, increment: int, overflow: str | None = None
    ) -> BitFieldOperation:
        """Adds to the integer of a format (``u8``, ``i16``, …) at an offset."""
        if overflow is not None:
            self.overflow(overflow)
        self.operations.append(("INCRBY", fmt, offset, increment))
        return self

    def get(self, fmt: str, offset: BitfieldOffsetT) -> BitFieldOperation:
        """Reads an integer."""
        self.operations.append(("GET", fmt, offset))
        return self

    def set(self, fmt: str, offset: BitfieldOffsetT, value: int) -> BitFieldOperation:
        """Writes an integer and answers the one before."""
        self.operations.append(("SET", fmt, offset, value))
        return self

    @property
    def command(self) -> list[Any]:
        """The words that would be sent."""
        words = (word for operation in self.operations for word in operation)
        return ["BITFIELD", self.key, *words]

    def execute(self) -> Any:
        """Sends the operations, forgets them and answers a list with a reply of each."""
        command = self.command
        self.reset()
        return self.client.execute_command(*command)
