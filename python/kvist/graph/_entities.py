"""Nodes, relationships and paths."""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def _shown(properties: Mapping[str, Any]) -> str:
    """Properties as a statement has them, by their names' order."""
    def value(of: Any) -> str:
        return f'"{of}"' if isinstance(of, str) else str(of)

    return "{" + ",".join(f"{key}:{value(properties[key])}" for key in sorted(properties)) + "}"


class Node:
    """A node: its ``id``, ``labels`` and ``properties``.

    ``labels`` is ``None`` where there are none, as in falkordb-py.
    """

    __slots__ = ("alias", "id", "labels", "properties")

    def __init__(
        self,
        node_id: int | None = None,
        alias: str | None = "",
        labels: str | Iterable[str] | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        self.id = node_id
        self.alias = alias
        self.labels: list[str] | None = None
        if isinstance(labels, str):
            self.labels = [labels] if labels else None
        elif labels is not None:
            self.labels = [label for label in labels if label] or None
        self.properties: dict[str, Any] = dict(properties or {})

    def to_string(self) -> str:
        """The properties as a statement has them."""
        return _shown(self.properties) if self.properties else ""

    def __str__(self) -> str:
        labels = "".join(f":{label}" for label in self.labels or ())
        return f"({self.alias or ''}{labels}{self.to_string()})"

    def __repr__(self) -> str:
        return f"<Node {self.id} {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        if self.id is not None and other.id is not None and self.id != other.id:
            return False
        return self.labels == other.labels and self.properties == other.properties

    # Two that are equal may have different ids, or none.
    __hash__ = None  # type: ignore[assignment]


class Edge:
    """A relationship: its ``id``, ``relation`` (the type), ``src_node`` and ``dest_node`` (ids, in
    what a statement answers), and ``properties``.
    """

    __slots__ = ("alias", "dest_node", "id", "properties", "relation", "src_node")

    def __init__(
        self,
        src_node: Node | int | None,
        relation: str,
        dest_node: Node | int | None,
        edge_id: int | None = None,
        alias: str | None = "",
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        if src_node is None or dest_node is None:
            raise ValueError("a relationship has two ends")
        self.id = edge_id
        self.alias = alias
        self.src_node = src_node
        self.dest_node = dest_node
        self.relation = relation
        self.properties: dict[str, Any] = dict(properties or {})

    def to_string(self) -> str:
        """The properties as a statement has them."""
        return _shown(self.properties) if self.properties else ""

    def __str__(self) -> str:
        def end(node: Node | int) -> str:
            return f"({node.alias or ''})" if isinstance(node, Node) else "()"

        kind = f":{self.relation}" if self.relation else ""
        inner = f"{self.alias or ''}{kind}{self.to_string()}"
        return f"{end(self.src_node)}-[{inner}]->{end(self.dest_node)}"

    def __repr__(self) -> str:
        return f"<Edge {self.id} {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Edge):
            return NotImplemented
        if self.id is not None and other.id is not None and self.id != other.id:
            return False
        return (
            self.src_node == other.src_node
            and self.dest_node == other.dest_node
            and self.relation == other.relation
            and self.properties == other.properties
        )

    __hash__ = None  # type: ignore[assignment]


class Path:
    """A walk: nodes, and a relationship between each and the next."""

    __slots__ = ("_edges", "_nodes")

    def __init__(self, nodes: list[Node], edges: list[Edge]) -> None:
        for given in (nodes, edges):
            if not isinstance(given, list):
                raise TypeError("nodes and edges are lists")
        self._nodes = nodes
        self._edges = edges

    def nodes(self) -> list[Node]:
        """The nodes, in their order."""
        return self._nodes

    def edges(self) -> list[Edge]:
        """The relationships, in their order."""
        return self._edges

    def get_node(self, index: int) -> Node | None:
        """A node by its place, from 0."""
        return self._nodes[index] if 0 <= index < len(self._nodes) else None

    def get_edge(self, index: int) -> Edge | None:
        """A relationship by its place, from 0."""
        return self._edges[index] if 0 <= index < len(self._edges) else None

    def first_node(self) -> Node | None:
        """Where it begins."""
        return self.get_node(0)

    def last_node(self) -> Node | None:
        """Where it ends."""
        return self.get_node(len(self._nodes) - 1)

    def node_count(self) -> int:
        """How many nodes it has."""
        return len(self._nodes)

    def edge_count(self) -> int:
        """How long it is."""
        return len(self._edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        return self._nodes == other._nodes and self._edges == other._edges

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        shown: list[str] = []
        for node, edge in zip(self._nodes, self._edges, strict=False):
            name = "" if edge.id is None else edge.id
            onward = edge.src_node in (node.id, node)
            shown.append(f"({node.id})" + (f"-[{name}]->" if onward else f"<-[{name}]-"))
        shown += [f"({node.id})" for node in self._nodes[-1:]]
        return f"<{''.join(shown)}>"

    def __repr__(self) -> str:
        return f"<Path {self}>"
