"""Property graphs: openCypher statements, and what they answer as Python objects.

>>> import kvist
>>> graph = kvist.Kvist().graph("social")  # doctest: +SKIP
>>> graph.query(  # doctest: +SKIP
...     "CREATE (:Person {name: $name})", {"name": "Ada"}
... ).nodes_created
1
>>> graph.ro_query("MATCH (p:Person) RETURN p.name").result_set  # doctest: +SKIP
[['Ada']]

The names are falkordb-py's. A client for asyncio has the same methods as coroutines.
"""

from ._async_graphs import AsyncGraph
from ._entities import Edge, Node, Path
from ._graphs import Graph
from ._parameters import literal
from ._plans import ExecutionPlan, Operation, ProfileStats
from ._results import QueryResult

__all__ = [
    "AsyncGraph", "Edge", "ExecutionPlan", "Graph", "Node", "Operation", "Path", "ProfileStats",
    "QueryResult", "literal",
]
