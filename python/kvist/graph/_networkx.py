"""Graphs of networkx, in and out."""

# networkx need not be here, and attributes are of any type.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..exceptions import DataError
from ._entities import Edge, Node, Path
from ._parameters import quoted
from ._tables import package

if TYPE_CHECKING:
    from ._results import QueryResult

    Running = Generator[tuple[Any, ...], Any, QueryResult]

# Nodes and relationships that one statement makes.
BATCH = 1000
EVERYTHING = "MATCH (n) RETURN n", "MATCH ()-[e]->() RETURN e"


class Runs(Protocol):
    """What runs a statement: a graph's method."""

    def __call__(
        self, command: str, q: str, params: Mapping[str, Any] | None, timeout: int | None
    ) -> Running: ...


def _labels(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _properties(attributes: Mapping[Any, Any], without: str) -> dict[str, Any]:
    # What is missing is no property.
    return {
        key: value for key, value in attributes.items() if key != without and value is not None
    }


def _batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def stored(
    run: Runs,
    source: Any,
    label: str | Iterable[str],
    relation: str,
    key: str | None,
    labels_attribute: str,
    type_attribute: str,
) -> Generator[tuple[Any, ...], Any, tuple[int, int]]:
    """Makes the nodes and edges of a graph of networkx; answers how many."""
    default = _labels(label)
    nodes: dict[tuple[str, ...], list[tuple[Any, dict[str, Any]]]] = {}
    for node, attributes in source.nodes(data=True):
        properties = _properties(attributes, labels_attribute)
        if key is not None:
            properties[key] = node
        labels = _labels(attributes.get(labels_attribute, default))
        nodes.setdefault(labels, []).append((node, properties))
    ids: dict[Any, int] = {}
    for labels, alike in nodes.items():
        named = "".join(f":{quoted(one)}" for one in labels)
        q = f"UNWIND $rows AS row CREATE (n{named}) SET n = row RETURN id(n)"
        for some in _batches(alike):
            made = yield from run("GRAPH.QUERY", q, {"rows": [it for _, it in some]}, None)
            for (node, _), (number,) in zip(some, made, strict=True):
                ids[node] = number
    edges: dict[str, list[list[Any]]] = {}
    for start, end, attributes in source.edges(data=True):
        kind = attributes.get(type_attribute, relation)
        row = [ids[start], ids[end], _properties(attributes, type_attribute)]
        edges.setdefault(kind, []).append(row)
    count = 0
    for kind, rows in edges.items():
        q = (
            "UNWIND $rows AS row MATCH (a) WHERE id(a) = row[0] MATCH (b) WHERE id(b) = row[1] "
            f"CREATE (a)-[e:{quoted(kind)}]->(b) SET e = row[2]"
        )
        for batch in _batches(rows):
            made = yield from run("GRAPH.QUERY", q, {"rows": batch}, None)
            count += made.relationships_created
    return len(ids), count


def _attributes(name: str, value: Any, properties: dict[str, Any]) -> dict[str, Any]:
    if name in properties:
        text = f"there is a property {name!r}: choose another name for what goes there"
        raise DataError(text)
    return {name: value, **properties}


def _entities(value: Any) -> Iterable[Node | Edge]:
    match value:
        case Node() | Edge():
            yield value
        case Path():
            yield from value.nodes()
            yield from value.edges()
        case list():
            for item in value:
                yield from _entities(item)
        case dict():
            for item in value.values():
                yield from _entities(item)
        case _:
            pass


def shown(
    run: Runs,
    q: str | None,
    params: Mapping[str, Any] | None,
    key: str | None,
    labels_attribute: str,
    type_attribute: str,
) -> Generator[tuple[Any, ...], Any, Any]:
    """A graph of networkx of all there is, or of what a statement answers."""
    networkx = package("networkx", "to_networkx()")
    found = networkx.MultiDiGraph()
    names: dict[Any, Any] = {}
    edges: dict[Any, Edge] = {}
    for statement in (q,) if q is not None else EVERYTHING:
        result = yield from run("GRAPH.RO_QUERY", statement, params, None)
        for row in result:
            for entity in _entities(row):
                if isinstance(entity, Edge):
                    edges[entity.id] = entity
                elif entity.id not in names:
                    names[entity.id] = entity.id if key is None else entity.properties.get(key)
                    if names[entity.id] is None:
                        raise DataError(f"the node {entity.id} has no property {key!r}")
                    attributes = _attributes(
                        labels_attribute, entity.labels or [], entity.properties
                    )
                    found.add_node(names[entity.id])
                    found.nodes[names[entity.id]].update(attributes)
    for edge in edges.values():
        # Nodes that a statement does not answer are there by their ids.
        start, end = (names.get(at, at) for at in (edge.src_node, edge.dest_node))
        attributes = _attributes(type_attribute, edge.relation, edge.properties)
        found.add_edge(start, end, key=edge.id)
        found.edges[start, end, edge.id].update(attributes)
    return found
