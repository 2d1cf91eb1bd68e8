"""Indexes and constraints through falkordb-py, as it is: each of its methods about them.

TEST_HOST, TEST_PORT and TEST_PROTOCOL say where the server is, as in the tests of redis-py.
"""

import os
import unittest

import falkordb
import redis


def explained(graph, query):
    """The names of the operators that a query would run."""
    names, waiting = [], [graph.explain(query).structured_plan]
    while waiting:
        operation = waiting.pop()
        names.append(operation.name)
        waiting.extend(operation.children)
    return names


class IndexCase(unittest.TestCase):
    def setUp(self):
        self.db = falkordb.FalkorDB(
            host=os.environ.get("TEST_HOST", "127.0.0.1"), port=int(os.environ["TEST_PORT"])
        )
        self.addCleanup(self.db.connection.close)
        self.db.connection.flushall()
        self.graph = self.db.select_graph("g")
        self.graph.query("UNWIND range(1, 500) AS i CREATE (:P {i: i, j: i % 9})-[:T {w: i}]->(:Q)")

    def indices(self):
        """Of each label, its properties with what kinds of indexes they have."""
        listed = self.graph.list_indices()
        names = [name for _, name in listed.header]
        rows = [dict(zip(names, row)) for row in listed.result_set]
        self.assertTrue(all(row["status"] == "OPERATIONAL" for row in rows))
        return {(row["entitytype"], row["label"]): row["types"] for row in rows}

    def constraints(self):
        return [
            (one["type"], one["label"], one["properties"], one["entitytype"], one["status"])
            for one in self.graph.list_constraints()
        ]

    def test_range_indexes_come_and_go(self):
        self.assertEqual(self.graph.create_node_range_index("P", "i", "j").indices_created, 2)
        self.assertEqual(self.graph.create_edge_range_index("T", "w").indices_created, 1)
        self.assertEqual(
            self.indices(),
            {
                ("NODE", "P"): {"i": ["RANGE"], "j": ["RANGE"]},
                ("RELATIONSHIP", "T"): {"w": ["RANGE"]},
            },
        )
        with self.assertRaisesRegex(redis.ResponseError, "Attribute 'i' is already indexed"):
            self.graph.create_node_range_index("P", "i")
        for query in ["MATCH (p:P {i: 7}) RETURN p.i", "MATCH (p:P) WHERE p.j = 7 RETURN p.i"]:
            self.assertIn("Node By Index Scan", explained(self.graph, query))
        found = self.graph.query("MATCH (p:P) WHERE p.i IN $all RETURN p.i", {"all": [3, 5, 1000]})
        self.assertEqual(found.result_set, [[3], [5]])
        found = self.graph.query("MATCH ()-[t:T]->() WHERE t.w > $low RETURN t.w", {"low": 498})
        self.assertEqual(sorted(found.result_set), [[499], [500]])
        self.assertEqual(self.graph.drop_node_range_index("P", "i").indices_deleted, 1)
        self.assertEqual(self.graph.drop_node_range_index("P", "j").indices_deleted, 1)
        self.assertEqual(self.graph.drop_edge_range_index("T", "w").indices_deleted, 1)
        self.assertEqual(self.indices(), {})
        with self.assertRaisesRegex(redis.ResponseError, "Unable to drop index on :P.i.: no such"):
            self.graph.drop_node_range_index("P", "i")

    def test_other_indexes_are_refused(self):
        with self.assertRaisesRegex(redis.ResponseError, "Full-text indexes are not supported"):
            self.graph.create_node_fulltext_index("P", "t")
        with self.assertRaisesRegex(redis.ResponseError, "Vector indexes are not supported"):
            self.graph.create_node_vector_index("P", "v", dim=2, similarity_function="euclidean")

    def test_constraints_come_and_go(self):
        self.assertEqual(self.graph.create_node_unique_constraint("P", "i"), "PENDING")
        self.assertEqual(self.graph.create_node_mandatory_constraint("P", "j"), "PENDING")
        self.assertEqual(self.graph.create_edge_unique_constraint("T", "w"), "PENDING")
        self.assertEqual(self.graph.create_edge_mandatory_constraint("T", "w"), "PENDING")
        self.assertEqual(
            self.constraints(),
            [
                ("UNIQUE", "P", ["i"], "NODE", "OPERATIONAL"),
                ("MANDATORY", "P", ["j"], "NODE", "OPERATIONAL"),
                ("UNIQUE", "T", ["w"], "RELATIONSHIP", "OPERATIONAL"),
                ("MANDATORY", "T", ["w"], "RELATIONSHIP", "OPERATIONAL"),
            ],
        )
        for query, told in [
            ("CREATE (:P {i: 7, j: 1})", "unique constraint violation on node of type P"),
            ("CREATE (:P {i: -7})", "node with label P missing property j"),
            ("MATCH ()-[t:T {w: 1}]->() SET t.w = 2", "violation, on edge of relationship-type T"),
            ("MATCH ()-[t:T {w: 1}]->() SET t.w = null", "edge with relationship-type T missing"),
        ]:
            with self.assertRaisesRegex(redis.ResponseError, told):
                self.graph.query(query)
        counted = self.graph.query("MATCH (p:P) RETURN count(p), sum(p.i)").result_set
        self.assertEqual(counted, [[500, 125250]])
        self.graph.drop_node_unique_constraint("P", "i")
        self.graph.drop_node_mandatory_constraint("P", "j")
        self.graph.drop_edge_unique_constraint("T", "w")
        self.graph.drop_edge_mandatory_constraint("T", "w")
        self.assertEqual(self.constraints(), [])
        self.assertEqual(self.graph.query("CREATE (:P {i: 7})").nodes_created, 1)
        with self.assertRaisesRegex(redis.ResponseError, "unique constraint violation on node"):
            self.graph.create_node_unique_constraint("P", "i")


if __name__ == "__main__":
    unittest.main()
