"""The methods of graphs, written once: on asyncio each answers a coroutine.

What they take and answer is in `_graphs.pyi` and `_async_graphs.pyi`.
"""

# Values are of any type, and what callers give is looked at.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _as_text, _networkx
from ._commands import Commands, R, Steps


class Methods(Commands):
    """The methods of one graph."""

    def _do(self, steps: Steps[R]) -> Any:
        """Executes the commands of some steps, and answers what these come to."""
        raise NotImplementedError

    def query(
        self,
        q: str,
        params: Mapping[str, Any] | None = None,
        timeout: int | None = None,
        *,
        raw: bool = False,
    ) -> Any:
        """Runs a statement; where there is no graph it makes one. ``timeout`` is in milliseconds.

        ``raw`` answers the compact reply as it is: header, rows and lines, names as numbers.
        """
        if raw:
            words = self._words("GRAPH.QUERY", q, params, timeout)
            return self.client.execute_command(*words)
        return self._do(self._ran("GRAPH.QUERY", q, params, timeout))

    def ro_query(
        self,
        q: str,
        params: Mapping[str, Any] | None = None,
        timeout: int | None = None,
        *,
        raw: bool = False,
    ) -> Any:
        """Runs a statement that only reads."""
        if raw:
            words = self._words("GRAPH.RO_QUERY", q, params, timeout)
            return self.client.execute_command(*words)
        return self._do(self._ran("GRAPH.RO_QUERY", q, params, timeout))

    def from_networkx(
        self,
        source: Any,
        *,
        label: str | Iterable[str] = (),
        relation: str = "EDGE",
        key: str | None = None,
        labels_attribute: str = "labels",
        type_attribute: str = "type",
    ) -> Any:
        """Makes the nodes and edges of a graph of networkx, in batches; answers how many of each.

        Attributes become properties, but those that name labels and types; ``label`` and
        ``relation`` are for what has none. ``key`` names a property for what networkx calls a node.
        """
        return self._do(
            _networkx.stored(
                self._ran, source, label, relation, key, labels_attribute, type_attribute
            )
        )

    def to_networkx(
        self,
        q: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        labels_attribute: str = "labels",
        type_attribute: str = "type",
    ) -> Any:
        """A ``networkx.MultiDiGraph`` of the whole graph, or of what a statement answers.

        Nodes are called by their ids, or by the property ``key``; edges have their ids as keys.
        """
        return self._do(
            _networkx.shown(self._ran, q, params, key, labels_attribute, type_attribute)
        )

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Any:
        """How a statement would run."""
        return self._do(self._planned("GRAPH.EXPLAIN", query, params))

    def profile(self, query: str, params: Mapping[str, Any] | None = None) -> Any:
        """Runs a statement, and tells how."""
        return self._do(self._planned("GRAPH.PROFILE", query, params))

    def delete(self) -> Any:
        """Removes the graph."""
        return self._do(self._deleted())

    def copy(self, clone: str | bytes) -> Any:
        """Copies the graph to a key that is free."""
        return self._do(self._copied(clone))

    def _export_part(self, form: str, cursor: Any, count: int | None) -> Any:
        return self._do(_as_text.exported(self._name, form, cursor, count))

    def slowlog(self) -> Any:
        """The slowest statements: when, the command, the statement, and milliseconds."""
        return self._do(self._slow())

    def slowlog_reset(self) -> Any:
        """Forgets the slowest statements."""
        return self._do(self._slow_reset())

    def call_procedure(
        self,
        procedure: str,
        read_only: bool = True,
        args: Sequence[Any] | None = None,
        emit: list[str] | None = None,
    ) -> Any:
        """Calls a procedure with Python values; ``emit`` says which of its columns are wanted."""
        return self._do(self._called(procedure, read_only, args, emit))

    def list_indices(self) -> Any:
        """The indexes."""
        return self._do(self._called("db.indexes", True, None, None))

    def list_constraints(self) -> Any:
        """The constraints, each with what ``db.constraints`` says of it."""
        return self._do(self._constraints())

    def create_node_range_index(self, label: str, *properties: str) -> Any:
        """Makes a range index of nodes with a label."""
        return self._do(self._index("CREATE", "", False, label, properties))

    def drop_node_range_index(self, label: str, attribute: str) -> Any:
        """Removes a range index of nodes with a label."""
        return self._do(self._index("DROP", "", False, label, [attribute]))

    def create_node_fulltext_index(self, label: str, *properties: str) -> Any:
        """Makes a full-text index of nodes with a label."""
        return self._do(self._index("CREATE", "FULLTEXT", False, label, properties))

    def drop_node_fulltext_index(self, label: str, attribute: str) -> Any:
        """Removes a full-text index of nodes with a label."""
        return self._do(self._index("DROP", "FULLTEXT", False, label, [attribute]))

    def create_node_vector_index(
        self, label: str, *properties: str, dim: int = 0, similarity_function: str = "euclidean"
    ) -> Any:
        """Makes a vector index of nodes with a label."""
        return self._do(self._vector_index(False, label, properties, dim, similarity_function))

    def drop_node_vector_index(self, label: str, attribute: str) -> Any:
        """Removes a vector index of nodes with a label."""
        return self._do(self._index("DROP", "VECTOR", False, label, [attribute]))

    def create_node_unique_constraint(self, label: str, *properties: str) -> Any:
        """Makes the constraint that no two nodes with a label have the same values of these
        properties.
        """
        return self._do(self._constraint("CREATE", "UNIQUE", False, label, properties))

    def drop_node_unique_constraint(self, label: str, *properties: str) -> Any:
        """Removes the constraint that no two nodes with a label have the same values of these
        properties.
        """
        return self._do(self._constraint("DROP", "UNIQUE", False, label, properties))

    def create_node_mandatory_constraint(self, label: str, *properties: str) -> Any:
        """Makes the constraint that all nodes with a label have these properties."""
        return self._do(self._constraint("CREATE", "MANDATORY", False, label, properties))

    def drop_node_mandatory_constraint(self, label: str, *properties: str) -> Any:
        """Removes the constraint that all nodes with a label have these properties."""
        return self._do(self._constraint("DROP", "MANDATORY", False, label, properties))

    def create_edge_range_index(self, relation: str, *properties: str) -> Any:
        """Makes a range index of relationships of a type."""
        return self._do(self._index("CREATE", "", True, relation, properties))

    def drop_edge_range_index(self, label: str, attribute: str) -> Any:
        """Removes a range index of relationships of a type."""
        return self._do(self._index("DROP", "", True, label, [attribute]))

    def create_edge_fulltext_index(self, relation: str, *properties: str) -> Any:
        """Makes a full-text index of relationships of a type."""
        return self._do(self._index("CREATE", "FULLTEXT", True, relation, properties))

    def drop_edge_fulltext_index(self, label: str, attribute: str) -> Any:
        """Removes a full-text index of relationships of a type."""
        return self._do(self._index("DROP", "FULLTEXT", True, label, [attribute]))

    def create_edge_vector_index(
        self, relation: str, *properties: str, dim: int = 0, similarity_function: str = "euclidean"
    ) -> Any:
        """Makes a vector index of relationships of a type."""
        return self._do(self._vector_index(True, relation, properties, dim, similarity_function))

    def drop_edge_vector_index(self, label: str, attribute: str) -> Any:
        """Removes a vector index of relationships of a type."""
        return self._do(self._index("DROP", "VECTOR", True, label, [attribute]))

    def create_edge_unique_constraint(self, relation: str, *properties: str) -> Any:
        """Makes the constraint that no two relationships of a type have the same values of these
        properties.
        """
        return self._do(self._constraint("CREATE", "UNIQUE", True, relation, properties))

    def drop_edge_unique_constraint(self, relation: str, *properties: str) -> Any:
        """Removes the constraint that no two relationships of a type have the same values of these
        properties.
        """
        return self._do(self._constraint("DROP", "UNIQUE", True, relation, properties))

    def create_edge_mandatory_constraint(self, relation: str, *properties: str) -> Any:
        """Makes the constraint that all relationships of a type have these properties."""
        return self._do(self._constraint("CREATE", "MANDATORY", True, relation, properties))

    def drop_edge_mandatory_constraint(self, relation: str, *properties: str) -> Any:
        """Removes the constraint that all relationships of a type have these properties."""
        return self._do(self._constraint("DROP", "MANDATORY", True, relation, properties))
