"""The commands beside queries through falkordb-py, as it is, and FalkorDB's bulk loader, as it is.

TEST_HOST, TEST_PORT and TEST_PROTOCOL say where the server is, as in the tests of redis-py.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import falkordb
import redis

SLOW = "UNWIND range(1, 300000) AS i RETURN count(i)"
ENDLESS = "UNWIND range(1, 99999) AS a UNWIND range(1, 99999) AS b RETURN count(b)"


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.host = os.environ.get("TEST_HOST", "127.0.0.1")
        self.port = int(os.environ["TEST_PORT"])
        self.db = self.connected()
        self.db.connection.flushall()
        self.graph = self.db.select_graph("g")

    def connected(self):
        db = falkordb.FalkorDB(host=self.host, port=self.port)
        self.addCleanup(db.connection.close)
        return db

    def test_the_slow_log_is_told_and_forgotten(self):
        self.graph.query("CREATE (:P)")
        self.assertEqual(self.graph.slowlog(), [])
        self.graph.query(SLOW + " + $x", {"x": 1})
        [[at, command, query, took, parameters]] = self.graph.slowlog()
        self.assertEqual((command, query), ("GRAPH.QUERY", SLOW + " + $x"))
        self.assertGreater(float(took), 1)
        self.assertGreater(int(at), 1_600_000_000)
        self.assertIn("x", parameters)
        self.graph.slowlog_reset()
        self.assertEqual(self.graph.slowlog(), [])

    def test_settings_are_told_and_set(self):
        before = self.db.config_get("RESULTSET_SIZE")
        self.assertEqual(before, -1)
        self.db.config_set("RESULTSET_SIZE", 3)
        self.assertEqual(self.db.config_get("RESULTSET_SIZE"), 3)
        rows = self.graph.query("UNWIND range(1, 9) AS i RETURN i").result_set
        self.assertEqual(rows, [[1], [2], [3]])
        self.db.config_set("RESULTSET_SIZE", before)
        with self.assertRaisesRegex(redis.ResponseError, "Unknown configuration field"):
            self.db.config_get("none of these")
        with self.assertRaisesRegex(redis.ResponseError, "cannot be set at run-time"):
            self.db.config_set("THREAD_COUNT", 1000)

    def test_a_statement_is_ended(self):
        self.graph.query("CREATE (:P)")
        errors = []

        def run():
            with self.assertRaises(redis.ResponseError) as caught:
                self.connected().select_graph("g").query("CREATE (:Q) WITH 1 AS one " + ENDLESS)
            errors.append(str(caught.exception))

        thread = threading.Thread(target=run)
        thread.start()
        running = []
        while not running:
            running = self.db.connection.execute_command("GRAPH.INFO", "RunningQueries")[1]
        told = dict(zip(running[0][::2], running[0][1::2]))
        self.assertEqual(told["Graph name"], "g")
        self.assertEqual(self.db.connection.execute_command("GRAPH.KILL", told["Id"]), "OK")
        thread.join()
        self.assertEqual(errors, ["the statement was ended by GRAPH.KILL"])
        self.assertEqual(self.graph.query("MATCH (n) RETURN count(n)").result_set, [[1]])

    def test_memory_is_told(self):
        self.graph.query("UNWIND range(1, 1000) AS i CREATE (:P {i: i})-[:R]->(:Q)")
        usage = self.db.connection.execute_command("GRAPH.MEMORY", "USAGE", "g")
        told = usage if isinstance(usage, dict) else dict(zip(usage[::2], usage[1::2]))
        self.assertEqual(len(told), 9)
        self.assertGreaterEqual(told["total_graph_sz_mb"], 0)

    def load(self, name, *options):
        command = [str(pathlib.Path(sys.executable).parent / "falkordb-bulk-insert"), name]
        url = f"redis://{self.host}:{self.port}"
        done = subprocess.run(
            [*command, "--server-url", url, *options], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def test_the_bulk_loader_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            people, bare = pathlib.Path(folder, "Person.csv"), pathlib.Path(folder, "Bare.csv")
            knows, at = pathlib.Path(folder, "KNOWS.csv"), pathlib.Path(folder, "AT.csv")
            rows = [f"p{i},name {i},{i % 90},{i / 8},{'true' if i % 2 else 'false'}\n" for i in range(9000)]
            people.write_text("_id,name,age,score,odd\n" + "".join(rows))
            bare.write_text("_id\n" + "".join(f"b{i}\n" for i in range(50)))
            knows.write_text("s,t,since\n" + "".join(f"p{i},p{i + 1},{i}\n" for i in range(8999)))
            at.write_text("s,t\n" + "".join(f"p{i},b{i}\n" for i in range(50)))
            # Pieces of a megabyte's tenth, of which there are several.
            options = ["-n", str(people), "-n", str(bare), "-r", str(knows), "-r", str(at)]
            code, output = self.load("bulk", *options, "--index", "Person:name", "-q", "0")
            self.assertEqual(code, 0, output)
            self.assertIn("9050 nodes created, 9049 relations created", output)
            graph = self.db.select_graph("bulk")
            for query, row in [
                ("MATCH (n:Person) RETURN count(n), sum(n.age), sum(n.score)", None),
                ("MATCH (n:Bare) RETURN count(n)", [50]),
                ("MATCH (a)-[r:KNOWS]->(b) WHERE r.since = 77 RETURN a.name, b.name", ["name 77", "name 78"]),
                ("MATCH (a)-[:AT]->(:Bare) RETURN count(a), max(a.age)", [50, 49]),
                ("MATCH (n:Person {name: 'name 5'}) RETURN n.odd, n.score", [True, 0.625]),
            ]:
                expected = row or [9000, sum(i % 90 for i in range(9000)), sum(range(9000)) / 8]
                self.assertEqual(graph.query(query).result_set, [expected], query)
            code, output = self.load("bulk", "-n", str(people), "-q", "0")
            self.assertNotEqual(code, 0)
            self.assertIn("already exists", output)


if __name__ == "__main__":
    unittest.main()
