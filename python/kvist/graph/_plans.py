"""How a statement runs: a tree of operators."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .._replies import text

INDENT = 4
MEASURED = re.compile(r"Records produced: (\d+)(?:, Execution time: ([\d.]+) ms)?")


@dataclass
class ProfileStats:
    """What an operator did when it ran."""

    records_produced: int
    execution_time: float


@dataclass
class Operation:
    """An operator, and those that it takes rows from."""

    name: str
    args: str | None = None
    profile_stats: ProfileStats | None = field(default=None, compare=False)
    children: list[Operation] = field(default_factory=lambda: [], compare=False)

    @property
    def records_produced(self) -> int:
        """How many rows it made, where it ran."""
        return self._stats().records_produced

    @property
    def execution_time(self) -> float:
        """How long it took in milliseconds, where it ran."""
        return self._stats().execution_time

    def _stats(self) -> ProfileStats:
        if self.profile_stats is None:
            raise ValueError("the statement was explained, not profiled")
        return self.profile_stats

    def append_child(self, child: Operation) -> Operation:
        """Adds one that it takes rows from."""
        if not isinstance(child, Operation):
            raise TypeError("a child is an Operation")
        self.children.append(child)
        return self

    def child_count(self) -> int:
        """Of how many it takes rows."""
        return len(self.children)

    def tree(self) -> Iterator[tuple[int, Operation]]:
        """It and all below it, each with its depth."""
        waiting = [(0, self)]
        while waiting:
            depth, operation = waiting.pop()
            yield depth, operation
            waiting += [(depth + 1, child) for child in reversed(operation.children)]

    def __str__(self) -> str:
        return self.name if self.args is None else f"{self.name} | {self.args}"


class ExecutionPlan:
    """The operators of a statement: ``plan`` as lines, ``structured_plan`` as a tree, and
    ``operations`` by their names.
    """

    def __init__(self, plan: list[Any]) -> None:
        if not isinstance(plan, list):
            raise TypeError("a plan is a list of lines")
        self.plan: list[str] = [text(line) for line in plan]
        self.operations: dict[str, list[Operation]] = {}
        self.structured_plan = self._tree()

    def _tree(self) -> Operation:
        above: list[Operation] = []
        for line in self.plan:
            operation = _operation(line)
            self.operations.setdefault(operation.name, []).append(operation)
            depth = (len(line) - len(line.lstrip(" "))) // INDENT
            if depth > len(above) or (depth == 0 and above):
                raise ValueError(f"a line of the plan stands where none can: {line!r}")
            del above[depth:]
            if above:
                above[-1].append_child(operation)
            above.append(operation)
        if not above:
            raise ValueError("the plan is empty")
        return above[0]

    def collect_operations(self, op_name: str) -> list[Operation]:
        """Those of a name."""
        return self.operations.get(op_name, [])

    def __iter__(self) -> Iterator[str]:
        return iter(self.operations)

    def __str__(self) -> str:
        lines = (" " * INDENT * depth + str(it) for depth, it in self.structured_plan.tree())
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExecutionPlan):
            return NotImplemented
        return list(self.structured_plan.tree()) == list(other.structured_plan.tree())

    __hash__ = None  # type: ignore[assignment]


def _operation(line: str) -> Operation:
    name, *rest = (part.strip() for part in line.split(" | "))
    stats = None
    if rest and (found := MEASURED.match(rest[-1])):
        stats = ProfileStats(int(found[1]), float(found[2] or 0))
        rest.pop()
    return Operation(name, " | ".join(rest) if rest else None, stats)
